"""The search for an implementation's states: each enabled thread is stepped in each state.

A greenlet cannot be copied, so a state is reached by running to it. A run goes on along uncovered
edges as long as there are any near, then the next one replays the way to the shallowest unfinished
state: fewer steps in all than from the deepest.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from wheelproof.choices import Choice, Move, choice_in, labelled, moves_in, thread_of
from wheelproof.protocols import Scenario, Values
from wheelproof.python.findings import StepError, Unnamed
from wheelproof.python.runtime.race import RaceDetector
from wheelproof.python.runtime.threads import Site
from wheelproof.python.search.difference import Difference, Results, Step
from wheelproof.python.search.run import ControlledImplementation, Run, threads_of
from wheelproof.python.state.canonical import Piece

HORIZON = 25
"""Known states to look at for a near unfinished one before a run is given up."""

LOOKED_AT = 32
"""Runs from one look at the CPU clock to the next."""

PROGRESS_EVERY = 0.5
"""CPU seconds between two progress reports."""

Progress = Callable[[Mapping[str, float]], None]


RARELY = 100_000, 20, 5
"""Thresholds of the collector of cyclic garbage, as of ``gc.set_threshold``."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect cyclic garbage seldom: a search keeps nearly all that it makes, a check as well.

    With the usual thresholds the collector takes a fifth of the time.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


class Parted(Exception):
    """The implementation has shown a difference, which ends the search."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


class Ended(NamedTuple):
    """The end of a search."""

    outcome: str
    """``equal`` (all states are known), ``different`` or ``inconclusive`` (the budget was used up,
    see ``why``).
    """
    difference: Difference | None = None
    why: str = ""


class Search:
    """The states of an implementation by number, and the steps between them.

    ``scenario``: with its threads. ``budget``: CPU seconds. ``race``: a detector to follow all
    runs. ``audit``: check each state on the way of a replay. ``progress``: called with the figures.
    A subclass judges states and steps in ``_add_node``, ``_begin_run`` and ``_add_edge``; it raises
    :class:`Parted`.
    """

    def __init__(
        self,
        implementation: ControlledImplementation,
        scenario: Scenario,
        budget: float,
        race: RaceDetector | None = None,
        audit: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.implementation, self.scenario, self.budget = implementation, scenario, budget
        self.race, self.audit, self.progress = race, audit, progress
        self.names = threads_of(scenario)
        self.runs = self.steps = 0
        self.intern: dict[Piece, int] = {}
        self._current: Run | None = None
        self.started = time.process_time()
        self.now = self.reported = self.started
        # the implementation's states, by number
        self.number: dict[tuple[int, ...], int] = {}
        self.fingerprints: list[tuple[int, ...]] = []
        self.enabled: list[dict[int, str]] = []
        self.waits: list[tuple[str, ...]] = []
        self.sites: list[tuple[Site | None, ...]] = []
        self.successors: list[dict[Move, int]] = []
        # of the operations that the step of (node, move) ends
        self.results: dict[tuple[int, Move], Results] = {}
        # of (node, thread): the values among which its step chooses one, as there are no others
        self.sole: dict[tuple[int, int], Choice] = {}
        # threads still to be stepped, with the beginnings of choices that are known
        self.left: list[list[Move]] = []
        self.parent: list[tuple[int, Move] | None] = []
        self.unfinished: deque[int] = deque()
        # by the number of the shared part of the fingerprint
        self.shared: dict[int, Mapping[str, Values]] = {}
        # the present run
        self.path: list[Step] = []
        self.source: str | None = None

    @property
    def current(self) -> Run:
        """The present run."""
        assert self._current is not None
        return self._current

    def figures(self) -> dict[str, float]:
        """The size of the search so far."""
        return {
            "impl_states": len(self.fingerprints),
            "impl_edges": sum(map(len, self.successors)),
            "runs": self.runs,
            "steps": self.steps,
            "cpu": round(time.process_time() - self.started, 3),
        }

    def _begin_run(self, node: int) -> None:
        """Called once, with the first state."""

    def _add_edge(self, node: int, move: Move, following: int) -> None:
        """Called when a step has been taken for the first time."""

    def run(self) -> Ended:
        """Explore all states, or until the first difference."""
        try:
            while (target := self._begin()) is not None:
                self._look_at_clock()
                if self.now - self.started > self.budget:
                    why = (
                        f"{self.budget:g} CPU seconds were not enough: {len(self.unfinished)} "
                        "states are unfinished"
                    )
                    return Ended("inconclusive", why=why)
                self._step_on(target)
                self._report()
        except Parted as error:
            return Ended("different", error.difference)
        finally:
            if self._current is not None:
                self._current.end()
        self.implementation.check_definitions()
        return Ended("equal")

    # -- one run

    def _begin(self) -> int | None:
        """Start a run; returns the unfinished state to go to, or None where all are finished."""
        first = not self.left
        while self.unfinished and not self.left[self.unfinished[0]]:
            self.unfinished.popleft()
        if not first and not self.unfinished:
            return None
        self.path.clear()
        self.source = None
        if self._current is not None:
            self._current.end()
        self.runs += 1
        try:
            self._current = self.implementation.begin(
                self.scenario, race=self.race, intern=self.intern
            )
        except StepError as error:
            raise self._end_of(error) from None
        if first:
            self._begin_run(self._visit(None))
        return self.unfinished[0] if self.unfinished else None

    def _step_on(self, target: int) -> None:
        node = self._replay(target)
        moves = self.left
        while True:
            while moves[node]:
                node = self._take(node, moves[node][-1])
            way = self._near(node)
            if way is None:
                return
            for move in way:
                self._step(move)
                node = self.successors[node][move]
            self._check_place(node)

    def way(self, node: int) -> list[Move]:
        """The steps that first led to a state."""
        plan = []
        while (before := self.parent[node]) is not None:
            node, move = before
            plan.append(move)
        return plan[::-1]

    def step_of(self, node: int, move: Move) -> Step:
        """A step from a state, by the name of its thread."""
        thread = thread_of(move)
        return self.names[thread], labelled(self.enabled[node][thread], choice_in(move))

    def _replay(self, target: int) -> int:
        plan, node = self.way(target), 0
        if self.audit:
            for move in plan:
                self._step(move)
                node = self.successors[node][move]
                self._check_place(node)
            return node
        for move in plan:
            self.path.append(self.step_of(node, move))
            node = self.successors[node][move]
        try:
            self.current.replay(plan)
        except StepError as error:
            raise self._end_of(error) from None
        self.steps += len(plan)
        self._check_place(node)
        return node

    def _near(self, node: int) -> list[Move] | None:
        """The shortest known way from a finished state to an unfinished one, within the horizon."""
        moves, successors = self.left, self.successors
        came: dict[int, tuple[int, Move] | None] = {node: None}
        todo = deque([node])
        while todo and len(came) < HORIZON:
            place = todo.popleft()
            for move, following in successors[place].items():
                if following not in came:
                    came[following] = (place, move)
                    if moves[following]:
                        way = []
                        while (before := came[following]) is not None:
                            following, move = before
                            way.append(move)
                        return way[::-1]
                    todo.append(following)
        return None

    # -- one step of the implementation

    def _step(self, move: Move) -> None:
        run = self.current
        acting = run.threads[thread_of(move)]
        name, label = acting.name, acting.label
        self.path.append((name, label))
        self.source = acting.source
        self.steps += 1
        failure = None
        try:
            run.step(move)
        except StepError as error:
            failure = error
        if run.choice:
            self.path[-1] = (name, labelled(label, run.choice))
        if failure is not None:
            raise self._end_of(failure) from None

    def _take(self, node: int, plan: Move) -> int:
        """A step that has not been taken from this state. Its choice is known afterwards."""
        self._step(plan)
        run, thread = self.current, thread_of(plan)
        move: Move = (thread, run.choice) if run.choice else thread
        if results := run.results(thread):
            self.results[node, move] = results
        if run.sole and move == thread:
            self.sole[node, thread] = run.sole
        moves = self.left[node]
        moves.remove(plan)
        moves += [(thread, value) for value in run.beside]
        following = self._visit((node, move))
        self.successors[node][move] = following
        self._add_edge(node, move, following)
        return following

    def whole(self, node: int, thread: int) -> bool:
        """Whether each step of a thread from a state has been taken."""
        return thread in self.enabled[node] and not moves_in(self.left[node], thread)

    def _visit(self, parent: tuple[int, Move] | None) -> int:
        """The number of the state that the run is in."""
        fingerprint = self._fingerprint()
        node = self.number.get(fingerprint)
        if node is None:
            run = self.current
            node = self.number[fingerprint] = len(self.fingerprints)
            self.fingerprints.append(fingerprint)
            moves = run.enabled()
            self.implementation.order.wait_for(run.threads)
            self.enabled.append(moves)
            self.waits.append(tuple([thread.label for thread in run.threads]))
            self.sites.append(tuple([thread.site for thread in run.threads]))
            self.successors.append({})
            self.left.append(list(moves))
            self.parent.append(parent)
            if moves:
                self.unfinished.append(node)
            self._add_node(node)
        return node

    def _add_node(self, node: int) -> None:
        """The run is in a new state."""
        part = self.fingerprints[node][0]
        if part not in self.shared:
            self.shared[part] = self.current.shared()

    def _check_place(self, node: int) -> None:
        """Known steps must lead to the state that they led to before.

        Otherwise a part of the state is not in the fingerprint.
        """
        if self._fingerprint() != self.fingerprints[node]:
            raise Parted(
                self._difference(
                    "hidden",
                    "the same steps led to another state than before: a part of the state is in no "
                    "slot and in no local, "
                    "or the code is not deterministic",
                )
            )

    def _fingerprint(self) -> tuple[int, ...]:
        try:
            return self.current.fingerprint()
        except Unnamed as error:
            raise Parted(self._difference("unnamed", str(error))) from None

    # -- differences and progress

    def _end_of(self, error: StepError) -> Parted:
        return Parted(self._difference(error.kind, error.message))

    def _difference(self, kind: str, message: str) -> Difference:
        """A difference of the present run, from its own path."""
        return Difference(kind, message, tuple(self.path), source=self.source)

    def _look_at_clock(self) -> None:
        """Read the CPU clock in one run of LOOKED_AT: it costs more than a short run."""
        if self.runs % LOOKED_AT == 1:
            self.now = time.process_time()

    def _report(self) -> None:
        if self.progress is not None and self.now - self.reported > PROGRESS_EVERY:
            self.reported = self.now
            self.progress(self.figures())
