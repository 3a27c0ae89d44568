"""Moments of a run that a judge compares: each is a visible operation, and has its virtual time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wheelproof.plain.execution import Execution
from wheelproof.plain.happens_before import Location
from wheelproof.plain.moves import SAME
from wheelproof.plain.operations import SLEEP, WRITE
from wheelproof.plain.sites import REGIONS, Site


@dataclass(frozen=True)
class Moment:
    """One moment of the thing with a number. ``seconds``: from the beginning of the run."""

    what: str
    number: int
    thread: str
    seconds: float


class Moments:
    """The moments of the present run, in their order.

    Two that belong to one thing are exchanged by a search, as two writes of one field are.
    """

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._begin = 0.0
        self.log: list[Moment] = []
        self._things: dict[int, Location] = {}
        self._sites: dict[str, Site] = {}

    def begin(self) -> None:
        """A run begins."""
        self.log, self._things = [], {}
        self._begin = self._execution.now

    def rest(self) -> None:
        """Let other threads go on until each of them waits. No time passes."""
        running = self._execution.running
        assert running is not None
        running.due = self._execution.moment + 2 * SAME
        self._execution.point(SLEEP, self._execution.time, None)

    def meet(self, what: str, number: int) -> None:
        """Let other threads' deeds with a thing come before this, or after it."""
        execution, text = self._execution, f"action {number} {what}"
        thing = self._things.setdefault(number, Location(f"action {number}"))
        if text not in self._sites:
            self._sites[text] = Site("", 0, 0, text, text, next(REGIONS))
        running = execution.running
        assert running is not None
        running.switchable = True  # this is a call
        execution.point(WRITE, thing, self._sites[text])
        running.switchable = True

    def note(self, what: str, number: int) -> None:
        """Something happens to a thing now, in the running thread."""
        self.meet(what, number)
        self.add(what, number)

    def add(self, what: str, number: int) -> None:
        """The same, where the thread has just met the thing."""
        running = self._execution.running
        assert running is not None
        seconds = self._execution.now - self._begin
        self.log.append(Moment(what, number, running.name, seconds))

    def noting(self, what: str, number: int) -> Callable[[], None]:
        """A function without arguments that notes a moment, for the code under test."""
        return lambda: self.note(what, number)
