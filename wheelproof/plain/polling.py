"""Loops that poll: an iteration that changes nothing is not repeated until something has changed.

A thread that times out or sleeps where it did before, with the same variables, and with all its
writes undone, would only repeat itself. It waits until another thread writes a location that it has
looked at, or until no other thread can move. Such waiting loses no outcome, and makes a search of
polling loops end. A thread that still repeats itself when no other can move polls for ever. If such
a loop reads the clock, its waits become longer, until one has taken a year: it may have a deadline.

State that no variable shows is state, too. The positions of iterators are noted. A call in C, or of
code that is not looked into, may be in the middle of a loop of its own, so a thread beneath one is
taken to change.
"""

from __future__ import annotations

import datetime
import weakref
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from wheelproof.plain.happens_before import Location, join
from wheelproof.plain.objects import content, garbage, identity
from wheelproof.plain.operations import Thread

ALONE = 3
"""Iterations of a loop that changes nothing while no other thread can move: then it is endless."""

YEAR = 365 * 86_400.0
"""Seconds that no deadline of a loop is away."""

LONGER = 8
"""By this factor each wait of a loop that reads the clock is longer than the one before."""

LEAST = 0.001
"""Seconds that a thread takes for an iteration without a wait."""

PLACES = 16
"""Places of a thread's loop, at most."""

OWN = str(Path(__file__).parent)

ATTRIBUTES = str(Path(OWN, "instrument", "fields.py"))
"""The checker's file whose functions read and write attributes, for which they call code once."""

ONCE = frozenset({"__next__", "advance", "delete_item", "get_item", "set_item"})
"""The checker's other functions that call code once, for one step."""

_TIMES = frozenset({float, datetime.datetime, datetime.timedelta})
"""Types of the values that a loop computes from the clock."""


class Log:
    """The deeds of a thread, by location: for each moment between two yields the first one."""

    def __init__(self) -> None:
        self._entries: dict[Location, list[list[Any]]] = {}

    def notes(self, location: Location, moment: int) -> bool:
        """Whether it is the first at this moment."""
        entries = self._entries.get(location)
        return entries is None or entries[-1][0] != moment

    def note(self, location: Location, moment: int, value: Any) -> None:
        self._entries.setdefault(location, []).append([moment, value])

    def replace(self, location: Location, before: Any, value: Any) -> None:
        """Put a value in the place of another one, whenever that was noted."""
        for entry in self._entries.get(location, ()):
            if entry[1] == before:
                entry[1] = value

    def since(self, moment: int) -> dict[Location, Any]:
        """Location -> the first value from a moment on."""
        values = {}
        for location, entries in self._entries.items():
            if entries[-1][0] >= moment:
                values[location] = next(value for when, value in entries if when >= moment)
        return values

    def forget(self, moment: int) -> None:
        """Drop the notes from before a moment."""
        for location, entries in list(self._entries.items()):
            entries[:] = [entry for entry in entries if entry[0] >= moment]
            if not entries:
                del self._entries[location]


@dataclass
class Visit:
    """A thread at a place: when, and with which variables.

    ``timeless``: the variables without times. ``is_beneath``: beneath a call of code that is not
    looked into. ``again``: how often it has come back alike.
    """

    moment: int
    frames: list[Any]
    timeless: list[Any]
    is_beneath: bool
    again: int = 0


class Polling:
    """The deeds of a thread since it timed out, slept, or read the time where it did before.

    ``parked``: it is about to repeat itself. ``alone``: how often it did while no other thread
    could move. ``looked``: location -> the last write that it has seen there. ``length``: the
    seconds that its wait takes.
    """

    def __init__(self, hidden_files: frozenset[str]) -> None:
        self._hidden = hidden_files
        self._moment = 0
        self._clock_read = self._waited = -1
        self._visits: dict[Any, Visit] = {}
        self._written, self._looked, self._fresh = Log(), Log(), Log()
        self._steps: dict[int, tuple[int, weakref.ref[Any]]] = {}
        self._hidden_change = -1
        self.looked: dict[Location, int] = {}
        self.parked = False
        self.alone, self.length = 0, 0.0

    def yields(self, frame: FrameType | None, wait: float, sole: bool) -> None:
        """The thread is in front of a sleep or of a wait of so many seconds.

        ``sole``: no other thread reads the clock.
        """
        last, visit = self._visits_of("yields", frame, frames_of(frame, self._hidden))
        same = last is not None and self._is_same(last, visit)
        reads_clock = last is not None and self._clock_read >= last.moment
        self._waited = self._moment
        self.parked = same and (not reads_clock or self.length >= YEAR)
        if not same:
            self.alone, self.length = 0, wait
        elif not self.parked:
            self.length = YEAR if sole else max(self.length, wait, LEAST) * LONGER
        if self.parked:
            assert last is not None
            self.looked = self._looked.since(last.moment)

    def comes_back(self, kind: int, location: Location, frame: FrameType | None) -> None:
        """The thread is in front of an operation on a location where it has been before.

        A loop that reads the clock is left to ``spins``.
        """
        frames = frames_of(frame, self._hidden, has_own=True)  # code in C may have several accesses
        last, visit = self._visits_of((kind, id(location)), frame, frames)
        if last is None or self._clock_read >= last.moment:
            return
        self.parked = self._is_same(last, visit)
        if self.parked:
            self.looked = self._looked.since(last.moment)
        else:
            self.alone = 0

    def spins(self, frame: FrameType | None) -> bool:
        """The thread reads the time. Whether it has done nothing else for a while."""
        last, visit = self._visits_of("spins", frame, frames_of(frame, self._hidden))
        if last is not None and self._waited < last.moment and self._is_same(last, visit):
            visit.again = last.again + 1
        self._clock_read = self._moment
        return visit.again > ALONE

    def _visits_of(
        self, kind: Any, frame: FrameType | None, frames: list[Any]
    ) -> tuple[Visit | None, Visit]:
        """The last visit of a place, and this one."""
        is_beneath = beneath_other_code(frame)
        place = kind, *((code, at) for code, at, *_ in frames)
        if self._moment % (2 * PLACES) == 0 and self._visits:
            oldest = min([visit.moment for visit in self._visits.values()])
            for log in (self._written, self._looked, self._fresh):
                log.forget(oldest)
            self._steps = {key: step for key, step in self._steps.items() if step[1]() is not None}
        self._moment += 1
        visit = Visit(self._moment, frames, _timeless(frames), is_beneath)
        last = self._visits.pop(place, None)
        self._visits[place] = visit
        if len(self._visits) > PLACES:
            del self._visits[next(iter(self._visits))]
        return last, visit

    def _is_same(self, last: Visit, visit: Visit) -> bool:
        """Whether the thread is as it was at an earlier visit, perhaps but for the time."""
        reads_clock = self._clock_read >= last.moment
        alike = last.timeless == visit.timeless if reads_clock else last.frames == visit.frames
        if not alike or visit.is_beneath or self._has_stepped(last.moment):
            return False
        return not self._has_changed(last.moment)

    def _has_stepped(self, moment: int) -> bool:
        """Whether an iterator that is still there has taken a step since."""
        return self._hidden_change >= moment or any(
            when >= moment and reference() is not None for when, reference in self._steps.values()
        )

    def _has_changed(self, moment: int) -> bool:
        """Whether a location that the thread has written since differs, and is still of use."""
        changes = [
            location
            for location, before in self._written.since(moment).items()
            if content(location.name, location.kept) != before
        ]
        if not changes:
            return False
        fresh = self._fresh.since(moment)
        if not all(location in fresh for location in changes):
            return True
        dead = garbage([location.kept for location in fresh])
        return not all(dead(location.kept) for location in changes)

    def steps(self, iterator: Any) -> None:
        """An iterator of the thread takes a step."""
        self._steps[id(iterator)] = self._moment, weakref.ref(iterator)

    def changes(self) -> None:
        """State of the thread has changed that is no location."""
        self._hidden_change = self._moment

    def touches(self, location: Location) -> None:
        """The thread accesses a location that no thread has accessed before."""
        self._fresh.note(location, self._moment, None)

    def writes(self, location: Location) -> None:
        """The thread is about to write a location."""
        if self._written.notes(location, self._moment):
            before = content(location.name, location.kept)
            self._written.note(location, self._moment, before)

    def looks(self, location: Location, before: int) -> None:
        """The thread has performed an operation on a location. ``before``: the last write then."""
        if location.last_write != before:  # its own writes are no news
            self._looked.replace(location, before, location.last_write)
        if self._looked.notes(location, self._moment):
            self._looked.note(location, self._moment, location.last_write)

    def changed(self) -> bool:
        """Whether another thread has written a location that this one has looked at."""
        return any(location.last_write != last for location, last in self.looked.items())

    def resumes(self, thread: Thread) -> None:
        """The thread goes on: after the writes that it has waited for."""
        has_changed = False
        for location, last in self.looked.items():
            if location.last_write != last and location.write_clock is not None:
                join(thread.clock, location.write_clock)
                has_changed = True
        self.alone = 0 if has_changed else self.alone + 1
        self.parked = False


def frames_of(
    frame: FrameType | None, hidden_files: frozenset[str], has_own: bool = False
) -> list[Any]:
    """Where the frames of a thread are, and which objects their variables hold.

    Frames of the files in ``hidden_files`` do not count, as those of a condition's wait.
    ``has_own``: those of the checker do.
    """
    places: list[Any] = []
    while frame is not None:
        code = frame.f_code
        is_left_out = not has_own and code.co_filename.startswith(OWN)
        if not is_left_out and code.co_filename not in hidden_files:
            values = frame.f_locals
            places.append(
                (id(code), frame.f_lasti, *((name, identity(values[name])) for name in values))
            )
        frame = frame.f_back
    return places


def beneath_other_code(frame: FrameType | None) -> bool:
    """Whether code in C or code that is not looked into stands between frames that are.

    The checker's own frames stand for code in C, but for those that call code once.
    """
    builtins: Any = None
    is_other = False
    while frame is not None:
        code = frame.f_code
        if builtins is None and not code.co_filename.startswith(OWN):
            builtins = frame.f_builtins
        elif frame.f_builtins is builtins:
            if is_other:
                return True
        elif builtins is not None and not (
            code.co_filename == ATTRIBUTES
            or (code.co_name in ONCE and code.co_filename.startswith(OWN))
        ):
            is_other = True
        frame = frame.f_back
    return False


def _timeless(frames: list[Any]) -> list[Any]:
    """The same without the values of times."""
    return [
        (
            code,
            at,
            *((name, value[0] if value[0] in _TIMES else value) for name, value in variables),
        )
        for code, at, *variables in frames
    ]
