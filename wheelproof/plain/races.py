"""The races of a program: for each racy place two accesses that nothing orders.

Which places are racy is known: the search has found them. Runs on random schedules show with which
other access each of them races, in which threads, under which locks. The clocks here are those of
locks, starts and joins alone, so that scheduling points at racy places order nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from wheelproof.plain.answers import Access, Place, Race
from wheelproof.plain.execution import Execution
from wheelproof.plain.happens_before import Location
from wheelproof.plain.operations import JOIN, READ, SLEEP, WRITE, Thread
from wheelproof.plain.reading import Recorder
from wheelproof.plain.schedulers.pct import PCT
from wheelproof.plain.schedulers.pos import POS
from wheelproof.plain.schedulers.uniform import Uniform
from wheelproof.plain.sites import Site

if TYPE_CHECKING:
    from wheelproof.plain.exploration import Explorer

RUNS = 24
"""Runs that look for races, at least."""

MOST = 400
"""The same, at most, while a racy place has no race."""

Clock = dict[int, int]


class _Seen:
    """An access in a run: its thread, its number among the thread's, kind and place."""

    __slots__ = ("access", "site", "stamp", "thread", "writes")

    def __init__(self, thread: int, stamp: int, writes: bool, site: Site, access: Access) -> None:
        self.thread, self.stamp, self.writes = thread, stamp, writes
        self.site, self.access = site, access


class Races:
    """The races of some runs, each of two places once. ``places`` are the sites that have one."""

    def __init__(self) -> None:
        self.races: dict[frozenset[tuple[str, int, str]], Race] = {}
        self.places: set[Site] = set()

    def add(self, target: str, first: _Seen, second: _Seen) -> None:
        self.places |= {first.site, second.site}
        first_access, second_access = sorted((first.access, second.access), key=_place)
        key = frozenset((_place(first_access), _place(second_access)))
        self.races.setdefault(key, Race(target, first_access, second_access))

    def unpaired(self, racy: Iterable[Site]) -> tuple[Place, ...]:
        """The racy places without a race."""
        return tuple(site.place for site in racy if site not in self.places)

    @property
    def sorted(self) -> tuple[Race, ...]:
        """By field and lines."""

        return tuple(
            sorted(self.races.values(), key=lambda race: (race.target, *map(_place, race.accesses)))
        )


def _place(access: Access) -> tuple[str, int, str]:
    return access.place.file, access.place.line, access.operation


class RaceRecorder(Recorder):
    """Collects the races of a run, beside its steps."""

    def __init__(self, execution: Execution, world: Any, races: Races) -> None:
        super().__init__(execution, world)
        self._races = races
        self._clocks: dict[int, Clock] = {}
        self._released: dict[int, Clock] = {}
        self._seen: dict[int, list[_Seen]] = {}

    def begins(self, thread: Thread, starter: Any) -> None:
        clock: Clock = {}
        if isinstance(starter, Thread):
            before = self._clocks[starter.number]
            clock.update(before)
            before[starter.number] += 1
        clock[thread.number] = 1
        self._clocks[thread.number] = clock

    def performs(self, thread: Thread, frame: Any) -> None:
        super().performs(thread, frame)
        clock, target = self._clocks[thread.number], thread.target
        if thread.kind == JOIN:
            _raise(clock, self._clocks[target.owner.number])
        elif thread.kind not in (READ, WRITE, SLEEP):
            location: Location = target
            _raise(clock, self._released.get(id(location), {}))
            if self._execution.writes(thread):
                self._released[id(location)] = dict(clock)
                clock[thread.number] += 1

    def accesses(self, thread: Thread, location: Location, writes: bool, site: Site) -> None:
        clock = self._clocks[thread.number]
        if not site.visible or site.foreign:
            return
        number = thread.number
        locks = tuple(self._locks.get(id(lock), "lock") for lock in thread.held)
        operation = "write" if writes else "read"
        access = Access(thread.name, site.place, operation, locks)
        sighting = _Seen(number, clock[number], writes, site, access)
        sightings = self._seen.setdefault(id(location), [])
        for earlier in sightings:
            is_unordered = clock.get(earlier.thread, 0) < earlier.stamp
            if earlier.thread != number and is_unordered and (writes or earlier.writes):
                self._races.add(self.named(thread, None), earlier, sighting)
        sightings[:] = [
            earlier for earlier in sightings if (earlier.thread, earlier.site, earlier.writes) != (
                number, site, writes,
            )
        ]  # fmt: skip
        sightings.append(sighting)


def look(explorer: Explorer) -> Races:
    """The races of the racy places of an exploration, in runs that do not count."""
    execution, races = explorer.execution, Races()
    counts = execution.executions, execution.all_points, execution.all_accesses
    outcome = explorer.trouble, explorer.failing, explorer.found, explorer.whole
    draw = random.Random(explorer.seed)
    samplers = (Uniform(draw), PCT(draw), POS(draw))
    for number in range(MOST):
        if number >= RUNS and (explorer.ends() or not races.unpaired(explorer.racy())):
            break
        execution.recorder = RaceRecorder(execution, explorer.world, races)
        try:
            explorer.run(samplers[number % 3])
        finally:
            execution.recorder = None
    execution.executions, execution.all_points, execution.all_accesses = counts
    explorer.trouble, explorer.failing, explorer.found, explorer.whole = outcome
    return races


def _raise(clock: Clock, source: Clock) -> None:
    for number, stamp in source.items():
        if stamp > clock.get(number, 0):
            clock[number] = stamp
