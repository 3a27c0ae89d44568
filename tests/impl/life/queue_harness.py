"""A delay queue on the real gate, its pollers and a clock: loaded in a mapping's place, under
the controlled runtime."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from impl import delay_queue, gate
from impl.runtime import Atomic
from impl.threads import Time, monotonic

SUBJECT = ("impl.delay_queue", "impl.gate")

TICK = 1 / 1024
"""Seconds: a power of two, so that sums and products of ticks are exact."""

MS = 1000 * TICK
"""Milliseconds of a tick."""


class Element:
    """Due ``at`` seconds after the clock's start."""

    __slots__ = ("at",)

    def __init__(self, at: float) -> None:
        self.at = at

    def get_delay(self) -> float:
        now = monotonic()  # read Q1
        return (self.at - now) * 1000

    def compare_to(self, other: Element) -> float:
        return self.at - other.at


class World:
    """The objects of one scenario, and one method per operation of a thread program.

    ``taken``: (element's due time, time when it was taken), in order; ``nothing``: how many
    polls came to nothing.
    """

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType | None = None) -> None:
        self.time = Time()
        self.queue = (impl or delay_queue).DelayQueue()
        self.gate = self.queue.gate = (impl or gate).Gate()
        self.taken, self.nothing = Atomic(()), Atomic(0)
        self.offered = [
            argument
            for program in scenario["threads"].values()
            for operation, *rest in program
            if operation == "offer"
            for argument in rest
        ]
        self.elements = {at: Element(at * TICK) for at in self.offered}
        self.clock_number = list(scenario["threads"]).index("clock")
        self.names = {
            **{f"element {at}": element for at, element in self.elements.items()},
            "time": self.time,
            "queue": self.queue,
            "gate": self.gate,
            "taken": self.taken,
            "nothing": self.nothing,
        }

    def offer(self, at: int) -> None:
        self.queue.offer(self.elements[at])

    def poll(self, timeout: int) -> None:
        self._note(self.queue.poll(timeout * MS))

    def poll_now(self) -> None:
        self._note(self.queue.poll_now())

    def clock(self) -> None:
        more = True
        while more:
            more = self.time.elapse()  # update C1

    def _note(self, element: Element | None) -> None:
        if element is None:
            self.nothing.add_and_get(1)  # update N1
        else:
            now = monotonic()  # read N2
            self.taken.add_and_get(((element.at, now),))  # update N3


def shared(world: World) -> dict[str, tuple]:
    """Nothing is compared with a model here."""
    return {}
