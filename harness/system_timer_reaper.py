"""How a scenario runs on impl/system_timer_reaper.py, and which model state its objects are in."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.conditions import condition
from harness.outside import present
from impl import system_timer_reaper
from impl.runtime import Atomic

SUBJECT = ("impl.system_timer_reaper",)
"""The modules whose steps are the mechanism's."""

STAND_INS = {
    "threading": "harness.standard_threading",
    "logging": "harness.standard_logging",
}
"""Production's names from the standard library, and their stand-ins under control."""

NOT_RUN = {
    "impl.system_timer_reaper: Reaper.await_end: ": (
        "a bound of the wait; tests/impl/test_system_timer_reaper.py has one"
    ),
    "impl.system_timer_reaper: Reaper._live: except ": (
        "no poll raises here; tests/impl/test_system_timer_reaper.py has a timer that does"
    ),
    "impl.system_timer_reaper: SystemTimerReaper.": (
        "hands each call to the thread or the timer; tests/impl/test_system_timer_reaper.py makes "
        "them"
    ),
}
"""Branches that no scenario runs, and why."""


class Timer:
    """The part of a timer that the reaper needs.

    ``due``: something is due that closes the reaper; ``closed``: how often the timer was closed.
    """

    __slots__ = ("due", "closed", "reaper")

    def __init__(self, due: bool) -> None:
        self.due, self.closed = Atomic(due), Atomic(0)
        self.reaper: Any = None

    def advance_clock(self, timeout_ms: int) -> None:
        due = self.due.get_and_set(False)  # swap P1
        if due:
            self.reaper.close(None)

    def wake(self) -> None:
        """A poll is one step, and has no wait that could end."""

    def close(self) -> None:
        self.closed.add_and_get(1)  # update S1


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = system_timer_reaper) -> None:
        self.timer = Timer(scenario["due"])
        self.reaper = self.timer.reaper = impl.Reaper("reaper", self.timer)
        for place, program in enumerate(scenario["threads"].values()):
            if ["reap"] in program:
                self.reaper.thread.ident = place + 1
        self.names = {"reaper": self.reaper}

    def close(self) -> None:
        self.reaper.close(None)

    def reap(self) -> None:
        """The work of the reaper's thread."""
        self.reaper.thread.run()


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    thread = harness.reaper.thread
    mutex, asleep, tickets = condition(thread.changed)
    return {
        "mutex": (mutex,),
        "asleep": (asleep,),
        "tickets": (tickets,),
        "stopping": (harness.reaper.stopping.flag,),
        "ended": (thread.ended,),
        "due": (present(harness.timer.due),),
        "closed": (present(harness.timer.closed),),
    }
