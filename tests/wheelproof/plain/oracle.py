"""Two oracles for the engine: a machine of its own, and naive search.

A drawn program's outcomes, as the reference machine has them, must be those of the search whose
scheduling points are the racy places alone, and those of the search in which every access is one.
The trace classes of source-DPOR must be those of optimal DPOR, and of all runs, where a program is
small enough. Those of the runs with few preemptions must be the same with and without a memory of
states.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

from tests.wheelproof.plain import reference
from tests.wheelproof.plain.drawn import SHARED, Program
from wheelproof.plain.execution import Execution
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.happens_before import STAMP
from wheelproof.plain.operations import Ending
from wheelproof.plain.schedulers.bounded import Bounded
from wheelproof.plain.schedulers.optimal_dpor import OptimalDPOR
from wheelproof.plain.schedulers.source_dpor import SourceDPOR

NAIVE = 300
"""Runs of naive search, at most: larger programs are compared by outcomes alone."""

BOUNDS = (0, 1, None)
"""Preemptions of the searches that are compared with and without a memory of states."""

MOST = 6_000
"""Runs of source-DPOR, at most: larger programs are not compared at all."""


class _Classes:
    """Collects what makes the class of a run: its operations and how they are ordered.

    An operation is known by the number of those of each thread that come before it, or are it.
    """

    def begin(self, execution):
        self.events, self.numbers = [], []
        self.counts = [0] * execution.capacity
        super().begin(execution)

    def performed(self, execution, thread, index, location, conflicts, writes):
        number = thread.number
        self.counts[number] += 1
        self.numbers.append(self.counts[number])
        numbers = self.numbers
        before = tuple(
            [numbers[stamp // STAMP - 1] if stamp >= STAMP else 0 for stamp in thread.clock]
        )
        self.events.append((number, thread.kind, writes, before))
        super().performed(execution, thread, index, location, conflicts, writes)


class ClassesOfDPOR(_Classes, SourceDPOR):
    pass


class ClassesOfOptimalDPOR(_Classes, OptimalDPOR):
    pass


class ClassesOfAll(_Classes, Bounded):
    remembers = False


class ClassesOfStates(_Classes, Bounded):
    """Each state once."""


class Drawn(Explorer):
    """An explorer of a drawn program, which notes the outcome of each run."""

    def __init__(self) -> None:
        super().__init__(None)
        gc.freeze()  # as `ready` does: what earlier tests left is no garbage of a run
        self.shared_sites = 0
        self.outcome: Any = None
        self.observe = self.note

    def load(self, source: str) -> None:
        """Take another program. What the standard library has taught is forgotten."""
        if self.shared_sites:
            del self.world.sites[self.shared_sites :]
        execution = self.execution
        execution.ends_visible = execution.clock_visible = execution.grown = False
        execution.wanted.clear()
        execution.executions, self.trouble = 0, None
        self.world.load("queue")
        self.shared_sites = len(self.world.sites)
        for site in self.world.sites:
            site.visible = False
        self.module = self.world.make("drawn", source, "<drawn>")
        self.program = self.module.main

    def note(self, execution: Execution) -> None:
        shared, records, done = self.module.LAST[0]
        stuck = execution.ending is not Ending.DONE
        shown = (
            tuple(shared.d.items()), shared.e._flag, tuple(shared.l), shared.x, shared.y,
        )  # fmt: skip
        finished = tuple(
            tuple(record) if over else None for record, over in zip(records, done, strict=True)
        )
        self.outcome = "stuck" if stuck else "done", shown, finished
        for thread in execution.threads:
            if thread.error is not None:
                self.outcome = "failed", repr(thread.error)

    def everything(self, scheduler: Any, most: int) -> tuple[set[Any], set[Any]] | None:
        """The outcomes and the classes of a search; None where it is too long, or grows."""
        outcomes, classes = set(), set()
        while not scheduler.over:
            if most == 0:
                return None
            most -= 1
            ending = self.run(scheduler)
            self.failing = None
            if ending is Ending.REDUNDANT:
                continue
            if self.execution.racing or self.execution.grown:
                return None
            if ending not in (Ending.DONE, Ending.STUCK, Ending.ENDLESS):
                self.outcome = "ended", str(ending)
                scheduler.over = True
            outcomes.add(self.outcome)
            classes.add(frozenset(scheduler.events))
        return outcomes, classes


@dataclass
class Comparison:
    """What a program's comparison has shown. ``difference`` is empty where all agree.

    ``runs``: those of source-DPOR, with the searches for racy places; ``optimal_runs``: those of
    optimal DPOR. ``whole`` and ``naive_whole``: the search of all places, and naive search, have
    come to their ends.
    """

    difference: str
    runs: int = 0
    optimal_runs: int = 0
    naive_runs: int = 0
    classes: int = 0
    outcomes: int = 0
    skipped: bool = False
    whole: bool = False
    naive_whole: bool = False


def compared(
    explorer: Drawn,
    program: Program,
    naive: int = NAIVE,
    most: int = MOST,
    everywhere: int = MOST,
) -> Comparison:
    """Compare the searches of a program with the reference machine and with each other.

    ``naive``, ``most`` and ``everywhere``: runs of naive search, of source-DPOR, and of source-DPOR
    where all places are scheduling points, at most.
    """
    try:
        expected = reference.outcomes(program.codes, dict(SHARED))
    except reference.TooLarge:
        return Comparison("", skipped=True)
    explorer.load(program.source)
    found = None
    while found is None:
        if explorer.execution.executions > most:
            return Comparison("", skipped=True)
        found = explorer.everything(ClassesOfDPOR(), most)
        if not explorer.grew() and found is None:
            return Comparison("", skipped=True)
    outcomes, classes = found
    runs = explorer.execution.executions
    result = Comparison("", runs, classes=len(classes), outcomes=len(outcomes))
    if outcomes != expected:
        result.difference = f"racy places: {_differences(outcomes, expected)}"
        return result
    optimal = explorer.everything(ClassesOfOptimalDPOR(), 2 * most)
    result.optimal_runs = explorer.execution.executions - runs
    if optimal is None or optimal != found:
        counts = [0, 0] if optimal is None else [len(each) for each in optimal]
        result.difference = f"optimal: {counts} outcomes and classes, not {[*map(len, found)]}"
        return result
    runs = explorer.execution.executions
    every = explorer.everything(ClassesOfAll(), naive)
    result.naive_runs = explorer.execution.executions - runs
    result.naive_whole = every is not None
    if every is not None and every[1] != classes:
        missing, more = len(every[1] - classes), len(classes - every[1])
        result.difference = f"classes: {missing} missing, {more} too many"
        return result
    for bound in BOUNDS:
        once = explorer.everything(ClassesOfStates(bound), naive)
        each = every if bound is None else explorer.everything(ClassesOfAll(bound), naive)
        if once is not None and each is not None and once != each:
            missing = len(each[0] - once[0]), len(each[1] - once[1])
            result.difference = f"bound {bound}: {missing} outcomes and classes missing"
            return result
    for site in explorer.world.sites:
        site.visible = True
    full = explorer.everything(ClassesOfDPOR(), everywhere)
    result.whole = full is not None
    if full is not None and full[0] != expected:
        result.difference = f"all places: {_differences(full[0], expected)}"
    return result


def _differences(outcomes: set[Any], expected: set[Any]) -> str:
    missing, more = expected - outcomes, outcomes - expected
    return f"missing {sorted(map(str, missing))[:3]}, too many {sorted(map(str, more))[:3]}"
