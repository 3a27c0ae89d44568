"""A happens-before race detector: two accesses of a plain field, one a write, unordered.

It has vector clocks, one per thread, per lock, per atomic and per volatile field. Order comes from
the release of a lock to its next acquisition, and from a write of a volatile or atomic to the reads
after it (Java memory model, chapter 17.4 of the language specification). A run without a race is
sequentially consistent. Then exploration at synchronisation operations alone misses no behaviour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wheelproof.python.runtime.threads import Site, Thread

if TYPE_CHECKING:
    from wheelproof.python.runtime.fields import Field

Clock = list[int]


@dataclass(frozen=True, order=True)
class Access:
    """One access of a plain field."""

    thread: str
    kind: str
    source: str
    """``file:line``."""
    label: str | None
    """The step's label, or None."""

    def __str__(self) -> str:
        label = f" ({self.label})" if self.label else ""
        return f"{self.kind} at {self.source}{label} by {self.thread}"


@dataclass(frozen=True, order=True)
class Race:
    """Two unordered accesses of one field, in the order in which this run performed them."""

    field: str
    first: Access
    second: Access

    def __str__(self) -> str:
        return f"race on {self.field}: {self.first}, then {self.second}"

    @property
    def lines(self) -> tuple[str, frozenset[str]]:
        """Field and source lines: equal for the two directions of one race, at any granularity."""
        return self.field, frozenset({self.first.source, self.second.source})


@dataclass(frozen=True)
class Meeting:
    """A race in the run that shows it. Steps count from 1; 0 is an access before the first step."""

    race: Race
    first: int
    """The step of the first access."""
    second: int
    """The step of the second access."""


class _Place:
    """The accesses of one field of one object."""

    __slots__ = ("instance", "reads", "write", "writer", "written")

    def __init__(self, instance: object) -> None:
        self.writer, self.written = -1, 0
        self.write: tuple[Site | None, int] = None, 0
        self.reads: dict[int, tuple[int, tuple[Site | None, int]]] = {}
        self.instance = instance  # keeps its id from being used again


class RaceDetector:
    """Follows runs, and collects the races of all of them."""

    def __init__(self) -> None:
        self.found: set[Race] = set()
        """The races of all runs."""
        self.met: Meeting | None = None
        """The first race of all, with its steps."""
        self.runs = self.steps = 0
        self._threads: Sequence[Thread] = ()
        self._clocks: list[Clock] = []
        self._places: dict[tuple[int, int], _Place] = {}
        self._released: dict[int, tuple[Clock, object]] = {}

    def begin(self, threads: Sequence[Thread]) -> None:
        """A new run begins: no earlier run orders anything."""
        self._threads = threads
        self._clocks = [[0] * len(threads) for _ in threads]
        for i, clock in enumerate(self._clocks):
            clock[i] = 1
        self._places, self._released = {}, {}
        self.runs += 1
        self.steps = 0
        """``runs`` counts the runs, and ``steps`` the steps of the present one.

        The step under way is included; a run that is stepped one by one counts them here.
        """

    def acquire(self, thread: Thread, source: object) -> None:
        """Releases into ``source`` happen before the thread's further accesses."""
        self._join(thread, id(source))

    def release(self, thread: Thread, target: object) -> None:
        """The thread's accesses so far happen before those of a later acquirer of ``target``."""
        self._leave(thread, id(target), target)

    def read(self, thread: Thread, field: Field, instance: object, site: Site | None) -> None:
        place = self._place(field, instance)
        if field.volatile:
            self._join(thread, id(place))
            return
        i = thread.index
        clock = self._clocks[i]
        if place.writer >= 0 and place.writer != i and place.written > clock[place.writer]:
            self._report(field, place.writer, "write", place.write, thread, "read", site)
        place.reads[i] = (clock[i], (site, self.steps))

    def write(self, thread: Thread, field: Field, instance: object, site: Site | None) -> None:
        place = self._place(field, instance)
        if field.volatile:
            self._leave(thread, id(place), place)
            return
        i = thread.index
        clock = self._clocks[i]
        if place.writer >= 0 and place.writer != i and place.written > clock[place.writer]:
            self._report(field, place.writer, "write", place.write, thread, "write", site)
        for j, (at, earlier) in place.reads.items():
            if j != i and at > clock[j]:
                self._report(field, j, "read", earlier, thread, "write", site)
        place.writer, place.written, place.write = i, clock[i], (site, self.steps)
        place.reads = {}

    def _place(self, field: Field, instance: object) -> _Place:
        key = (id(instance), id(field))
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _Place(instance)
        return place

    def _join(self, thread: Thread, key: int) -> None:
        clock = self._released.get(key)
        if clock is not None:
            own_clock = self._clocks[thread.index]
            for j, at in enumerate(clock[0]):
                if at > own_clock[j]:
                    own_clock[j] = at

    def _leave(self, thread: Thread, key: int, target: object) -> None:
        clock = self._clocks[thread.index]
        joint = self._released.get(key)
        # A volatile write is ordered before every later read, not only before those that see its
        # value: clocks are merged.
        self._released[key] = (
            list(clock)
            if joint is None
            else [max(a, b) for a, b in zip(clock, joint[0], strict=True)],
            target,
        )
        clock[thread.index] += 1

    def _report(
        self,
        field: Field,
        partner: int,
        kind: str,
        earlier: tuple[Site | None, int],
        thread: Thread,
        now: str,
        site: Site | None,
    ) -> None:
        def access(by: Thread, kind: str, at: Site | None) -> Access:
            return Access(by.name, kind, at.where if at else "?", at.label if at else None)

        owner, (before, step) = field.member.__objclass__.__name__, earlier
        race = Race(
            f"{owner}.{field.name}",
            access(self._threads[partner], kind, before),
            access(thread, now, site),
        )
        self.found.add(race)
        self.met = self.met or Meeting(race, step, self.steps)
