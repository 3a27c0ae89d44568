"""How a scenario runs on impl/delay_queue.py over impl/gate.py, and which model state its objects
are in."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.conditions import condition, names
from harness.due import MS, TICK, Element, ticks
from harness.result import raised
from impl import delay_queue, gate
from impl.threads import Interrupted, Interrupts, Time, monotonic

SUBJECT = ("impl.delay_queue", "impl.gate")
"""The modules whose steps are the mechanism's."""

ATOMIC = {"harness.due": ()}
"""To ask an element for its delay is one step."""

UNREAD = {
    "Gate.due.woken": (
        "what a sleeper's wait will return; the specification keeps it in the sleeper, "
        "whose next steps are compared"
    ),
}
"""Slots that change and are not compared, and why."""

NOT_RUN = {
    "impl.delay_queue: DelayQueue.let_go": (
        "an interrupt outside of a wait; tests/impl/test_interrupts.py has thousands"
    ),
    "impl.gate: Gate.let_go": (
        "an interrupt outside of a wait; tests/impl/test_interrupts.py has thousands"
    ),
    "impl.delay_queue: DelayQueue.due ": (
        "a poll that takes nothing; tests/impl/test_parted_callers.py waits so"
    ),
    "impl.delay_queue: DelayQueue.peek_now": (
        "a look at the first element; tests/impl/test_parted_timer.py makes it"
    ),
    "impl.delay_queue: DelayQueue.take_first": (
        "a poll that takes one element only; tests/impl/test_parted_callers.py makes it"
    ),
    "impl.delay_queue: DelayQueue.__len__ ": "no step of the queue asks for it; "
    "tests/impl/test_delay_queue.py does",
}
"""Branches that no scenario runs, and why."""

NEVER = 1000000
"""The alarm of a thread that has none, in ticks, as in the model."""


class Harness:
    """The objects of one scenario, and one method per operation of a thread program.

    ``start``: seconds on the clock.
    """

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType | None = None) -> None:
        self.time, self.interrupts, self.start = Time(), Interrupts(), monotonic()
        self.queue = (impl or delay_queue).DelayQueue()
        self.gate = self.queue.gate = (impl or gate).Gate()
        for at in scenario["items"]:
            self.offer(at)
        self.threads = tuple(scenario["threads"])
        self.users = tuple(
            name
            for name, ((first, *_), *_) in scenario["threads"].items()
            if first not in ("clock", "interrupt")
        )
        self.names = {
            "time": self.time,
            "interrupts": self.interrupts,
            "queue": self.queue,
            "gate": self.gate,
        }

    def poll(self, timeout: int) -> int | tuple[str, str] | None:
        """When the element is due that is taken within ``timeout`` ticks, or None."""
        try:
            element = self.queue.poll(timeout * MS)
        except Interrupted as error:
            return raised(error)
        return self.moment(element)

    def poll_now(self) -> int | None:
        """When the element is due that is taken, or None."""
        return self.moment(self.queue.poll_now())

    def offer(self, at: int) -> None:
        """Queue an element that is due ``at`` ticks after the start."""
        self.queue.offer(Element(self.start + at * TICK))

    def interrupt(self, thread: str) -> None:
        self.interrupts.interrupt(thread)  # update I1

    def clock(self) -> None:
        more = True
        while more:
            more = self.time.elapse()  # update C1

    def moment(self, element: Element | None) -> int | None:
        return None if element is None else ticks(element.at - self.start)


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values.

    Production's clock and sleepers do not show it: there it is read at rest.
    """
    time, queue, leader = harness.time, harness.queue, harness.gate.leader
    mutex, asleep, tickets = condition(harness.gate.due)
    alarms = {thread.name: ticks(at) for thread, at in getattr(time, "alarms", ())}
    return {
        "mutex": (mutex,),
        "asleep": (asleep,),
        "tickets": (tickets,),
        "interrupted": (names(getattr(harness.interrupts, "pending", ())),),
        "now": (ticks(getattr(time, "now", 0)),),
        "alarm": tuple(alarms.get(name, NEVER) for name in harness.users),
        "leader": (None if leader is None else harness.threads[leader - 1],),
        "items": (tuple(harness.moment(element) for element in queue.heap),),
    }
