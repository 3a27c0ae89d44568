"""How a scenario of EventQueue runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from harness.conditions import condition, owner
from harness.outside import present
from impl import event_queue
from impl.event_queue import QueuedEvent
from impl.runtime import Atomic
from impl.session_client import SessionClient

SUBJECT = ("impl.event_queue", "impl.blocking_queue", "impl.session_client")
"""The modules whose steps are the mechanism's."""

NOT_RUN = {
    "impl.event_queue: EventManager.start": (
        "the scenario's thread is there; tests/impl/test_event_queue.py starts threads"
    ),
    "impl.event_queue: log": (
        "the harness takes reports; tests/impl/test_event_queue.py looks at what is logged"
    ),
}
"""Branches that no scenario runs, and why."""

UNREAD = {
    "EventManager.ended.asleep": "who sleeps there stands at the wake of its wait: W5, C5",
    "QueuedEvent.started.asleep": "the same: W2",
}
"""Slots that change and are not compared, and why."""


class Failed(Exception):
    """The exception of a handler."""


class Work:
    """A handler.

    ``does``: its steps when it processes its event: nothing, ["request"], ["raise"], or ["put",
    another event]. One that raises does so when its event is preempted, too.

    ``log``: the outcome of each event. ``requests``: the requests of which event in which
    session.
    """

    __slots__ = ("name", "does", "manager", "client", "log", "requests", "other")

    def __init__(self, name: str, does: Sequence[str], harness: Harness) -> None:
        self.name, self.does = name, tuple(does)
        self.manager, self.client = harness.manager, harness.client
        self.log, self.requests = harness.log, harness.requests
        self.other: Any = harness.events[does[1]] if len(does) == 2 else None

    def process(self) -> None:
        self.log.add_and_get((("processed", self.name),))  # update V1
        if self.does == ("request",):
            self.client.request(self.ask)
        if self.does == ("raise",):
            raise Failed
        if self.other is not None:
            self.manager.put(self.other)

    def ask(self, session: int) -> None:
        self.requests.add_and_get(((self.name, session),))  # update H2

    def preempt(self) -> None:
        self.log.add_and_get((("preempted", self.name),))  # update Z3
        if self.does == ("raise",):
            raise Failed


def quietly(message: str) -> None:
    """Report nothing: the exception of a handler is part of the scenario."""


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = event_queue) -> None:
        looks = scenario["clear"] == "look"
        self.manager = (impl.LookingManager if looks else impl.EventManager)(quietly)
        event_class = getattr(impl, "QueuedEvent", QueuedEvent)
        client = getattr(impl, "SessionClient", SessionClient)
        self.client = client(self.manager)
        self.log: Any = Atomic(())
        self.requests: Any = Atomic(())
        self.events: dict[str, Any] = {}
        # A handler puts only events that stand behind its own.
        for name, does in reversed(scenario["does"].items()):
            self.events[name] = event_class(Work(name, does, self))
        self.order = tuple(scenario["does"])
        for name in scenario["waiting"]:
            self.manager.queue.waiting.append(self.events[name])
        self.names = {
            "manager": self.manager,
            "client": self.client,
            "log": self.log,
            "requests": self.requests,
            **{f"event {name}": event for name, event in self.events.items()},
        }

    def put(self, name: str) -> None:
        self.manager.put(self.events[name])

    def expire(self, name: str) -> None:
        """The work of the session's thread when the session has expired."""
        self.client.renew(self.events[name])

    def close(self) -> None:
        self.manager.close()

    def work(self) -> None:
        """What the event thread does."""
        self.manager.work()


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    manager, client = harness.manager, harness.client
    mutex, asleep, tickets = condition(manager.queue.changed)
    events = [harness.events[name] for name in harness.order]
    lock: Any = client.lock
    return {
        "putLock": (owner(manager.put_lock),),
        "mutex": (mutex,),
        "asleep": (asleep,),
        "tickets": (tickets,),
        "queue": (tuple([name_of(harness, event) for event in manager.queue.waiting]),),
        "spent": tuple(present(event.spent) for event in events),
        "started": tuple(is_set(event.started) for event in events),
        "running": (manager.running,),
        "ended": (is_set(manager.ended),),
        "reader": (next((reader.name for reader in lock.readers), None),),
        "writer": (lock.writer and lock.writer.name,),
        "session": (client.session,),
        "log": (present(harness.log),),
        "requests": (present(harness.requests),),
    }


def name_of(harness: Harness, event: Any) -> str | None:
    """The name of an event in the queue; None: the mark of a close."""
    if event is None:
        return None
    return next(name for name, candidate in harness.events.items() if candidate is event)


def is_set(event: Any) -> bool:
    """Whether an event of Python's is set, under control or in production."""
    return bool(event.flag if hasattr(event, "flag") else event.is_set())
