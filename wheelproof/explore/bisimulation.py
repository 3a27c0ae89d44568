"""Bisimulation of an implementation with its model, over the implementation's own states.

Following every edge of the model is not enough: locals live in frames, so that many implementation
states look like one model state, and a bug can hide in the difference. So the search steps every
enabled thread in every *implementation* state (a fingerprint) and meanwhile pairs these states with
the model's, along both graphs. Every new pair is compared: the same threads can move, with the same
labels, and the shared variables are equal.

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
from dataclasses import dataclass, field, replace

from wheelproof.explore.controlled import DONE, Site
from wheelproof.explore.difference import (
    Difference,
    Rows,
    Step,
    compare_enabled,
    compare_results,
    compare_shared,
    results_of,
)
from wheelproof.explore.findings import StepError, Unnamed
from wheelproof.explore.pairs import PairGraph
from wheelproof.explore.race import RaceDetector
from wheelproof.explore.run import ControlledImplementation, Run
from wheelproof.explore.second_way import SecondWays
from wheelproof.explore.unread import Fields, fields_read
from wheelproof.explore.watchdog import Watchdog

HORIZON = 25
"""Known states to look at for a near unfinished one before a run is given up."""

PROGRESS_EVERY = 0.5
"""CPU seconds between two progress reports."""


@dataclass(frozen=True)
class Bisimulation:
    """The result of a search.

    ``outcome``: ``equal``, ``different`` or ``inconclusive`` (the budget was used up; ``why`` says
    so). ``figures``: model_states, model_edges, walked_edges (edges of the model that the
    implementation has taken), impl_states, impl_edges, pairs, pair_edges, runs, steps (replayed
    ones included), cpu (seconds). ``uncovered``: the model's edges, as (state, thread), that no
    implementation state took.
    ``fields``: what the harness reads, if chosen.
    """

    outcome: str
    figures: Mapping[str, float]
    graph: PairGraph
    difference: Difference | None = None
    why: str = ""
    uncovered: tuple[tuple[int, int], ...] = field(default=())
    fields: Fields | None = None


def bisimulate(
    implementation: ControlledImplementation,
    scenario: Mapping[str, object],
    rows: Rows,
    shared_of: Callable[[int], Mapping[str, object]],
    *,
    budget: float = 60.0,
    race: RaceDetector | None = None,
    audit: bool = False,
    progress: Callable[[Mapping[str, float]], None] | None = None,
    fields: bool = False,
    second_ways: int = 0,
) -> Bisimulation:
    """Compare an implementation with its model in every state that the scenario can reach.

    ``rows``: the model's (reduced) graph. ``shared_of(i)``: the variables of its state i, those
    that the harness has to give: no more, no fewer.
    ``budget``: CPU seconds, then the outcome is ``inconclusive``. ``race``: a detector to follow
    all runs. ``audit``: take a fingerprint after every step of a replay too, as a check that runs
    are deterministic (three times as slow).
    ``progress``: called with the figures about twice a second. ``fields``: judge, where the two are
    equal, which slots the harness reads. ``second_ways``: states to be stepped again from a second
    way into them, spread over those that have one.
    """
    search = _Search(implementation, scenario, rows, shared_of, budget, race, audit, progress)
    with Watchdog(implementation.scheduler), _rare_collections():
        result = search.run()
        if second_ways and result.outcome == "equal":
            result = _again(search, result, second_ways)
        if fields and result.outcome == "equal":
            result = replace(result, fields=fields_read(search))
    return result


def _again(search: _Search, result: Bisimulation, most: int) -> Bisimulation:
    ways = SecondWays(search, most)
    difference = ways.run()
    figures = {
        **result.figures,
        "second_ways": ways.known,
        "second_ways_stepped": ways.stepped,
        "cpu": round(time.process_time() - search.started, 3),
    }
    if difference is not None:
        return replace(
            result, outcome="different", difference=difference, figures=figures, uncovered=()
        )
    if not ways.in_time:
        why = (
            f"{search.budget:g} CPU seconds were enough for {ways.stepped} of {ways.known} "
            "second ways"
        )
        return replace(result, outcome="inconclusive", why=why, figures=figures, uncovered=())
    return replace(result, figures=figures)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect cyclic garbage seldom: the search keeps nearly all that it makes.

    With the usual thresholds the collector takes a fifth of the time.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000, 50, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


class _Parted(Exception):
    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


class _Search:
    def __init__(
        self, implementation, scenario, rows, shared_of, budget, race, audit, progress
    ) -> None:
        self.implementation, self.scenario, self.rows, self.shared_of = (
            implementation,
            scenario,
            rows,
            shared_of,
        )
        self.budget, self.race, self.audit, self.progress = budget, race, audit, progress
        self.names = list(scenario["threads"])
        self.graph = PairGraph(self.names, rows)
        self.model_shared: dict[int, Mapping[str, object]] = {}
        self.runs = self.steps = 0
        self.intern: dict[tuple, int] = {}
        self.current: Run | None = None
        self.started = time.process_time()
        self.reported = self.started
        # the implementation's states, by number
        self.number: dict[tuple[int, ...], int] = {}
        self.fingerprints: list[tuple[int, ...]] = []
        self.enabled: list[dict[int, str]] = []
        self.waits: list[tuple[str, ...]] = []
        self.sites: list[tuple[Site | None, ...]] = []
        self.successors: list[dict[int, int]] = []
        self.results: dict[
            tuple[int, int], tuple
        ] = {}  # of the operations that the step of (node, thread) ends
        self.left: list[list[int]] = []  # threads still to be stepped
        self.parent: list[tuple[int, int] | None] = []
        self.unfinished: deque[int] = deque()
        self.shared: dict[
            int, Mapping[str, object]
        ] = {}  # by the number of the shared part of the fingerprint
        # the present run
        self.path: list[Step] = []
        self.source: str | None = None

    def run(self) -> Bisimulation:
        try:
            while (target := self._begin()) is not None:
                if time.process_time() - self.started > self.budget:
                    why = (
                        f"{self.budget:g} CPU seconds were not enough: {len(self.unfinished)} "
                        "states are unfinished"
                    )
                    return self._result("inconclusive", why=why)
                self._step_on(target)
                self._report()
        except _Parted as parted:
            return self._result("different", difference=parted.difference)
        finally:
            if self.current is not None:
                self.current.end()
        self.implementation.check_definitions()
        return self._result("equal")

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
        if self.current is not None:
            self.current.end()
        self.runs += 1
        try:
            self.current = self.implementation.begin(
                self.scenario, race=self.race, intern=self.intern
            )
        except StepError as error:
            raise self._stopped(error) from None
        if first:
            self._started(self._visit(None))
        return self.unfinished[0] if self.unfinished else None

    def _step_on(self, target: int) -> None:
        node = self._replay(target)
        left = self.left
        while True:
            while left[node]:
                node = self._take(node, left[node][-1])
            way = self._near(node)
            if way is None:
                return
            for thread in way:
                self._step(thread)
                node = self.successors[node][thread]
            self._check_place(node)

    def way(self, node: int) -> list[int]:
        """The threads whose steps first led to a state."""
        plan = []
        while (before := self.parent[node]) is not None:
            node, thread = before
            plan.append(thread)
        return plan[::-1]

    def _replay(self, target: int) -> int:
        plan, node = self.way(target), 0
        if self.audit:
            for thread in plan:
                self._step(thread)
                node = self.successors[node][thread]
                self._check_place(node)
            return node
        for thread in plan:
            self.path.append((self.names[thread], self.enabled[node][thread]))
            node = self.successors[node][thread]
        try:
            self.current.replay(plan)
        except StepError as error:
            raise self._stopped(error) from None
        self.steps += len(plan)
        self._check_place(node)
        return node

    def _near(self, node: int) -> list[int] | None:
        """The shortest known way from a finished state to an unfinished one, within the horizon."""
        left, successors = self.left, self.successors
        came: dict[int, tuple[int, int] | None] = {node: None}
        todo = deque([node])
        while todo and len(came) < HORIZON:
            place = todo.popleft()
            for thread, following in successors[place].items():
                if following not in came:
                    came[following] = (place, thread)
                    if left[following]:
                        way = []
                        while (before := came[following]) is not None:
                            following, thread = before
                            way.append(thread)
                        return way[::-1]
                    todo.append(following)
        return None

    # -- one step of the implementation

    def _step(self, thread: int) -> None:
        run = self.current
        acting = run.threads[thread]
        self.path.append((acting.name, acting.label))
        self.source = acting.site.where
        self.steps += 1
        try:
            run.step(thread)
        except StepError as error:
            raise self._stopped(error) from None

    def _take(self, node: int, thread: int) -> int:
        """A step that has not been taken from this state."""
        self._step(thread)
        if results := self.current.results(thread):
            self.results[node, thread] = results
        following = self._visit((node, thread))
        self.successors[node][thread] = following
        self.left[node].remove(thread)
        self._taken(node, thread, following)
        return following

    def _visit(self, parent: tuple[int, int] | None) -> int:
        """The number of the state that the run is in."""
        fingerprint = self._fingerprint()
        node = self.number.get(fingerprint)
        if node is None:
            run = self.current
            node = self.number[fingerprint] = len(self.fingerprints)
            self.fingerprints.append(fingerprint)
            enabled = run.enabled()
            self.enabled.append(enabled)
            self.waits.append(tuple([thread.label for thread in run.threads]))
            self.sites.append(tuple([thread.site for thread in run.threads]))
            self.successors.append({})
            self.left.append(list(enabled))
            self.parent.append(parent)
            self.graph.of_node.append([])
            if enabled:
                self.unfinished.append(node)
            self._found(node)
        return node

    def _found(self, node: int) -> None:
        """The run is in a new state."""
        part = self.fingerprints[node][0]
        if part not in self.shared:
            self.shared[part] = self.current.shared()

    def _check_place(self, node: int) -> None:
        """Known steps must lead to the state that they led to before.

        Otherwise a part of the state is not in the fingerprint.
        """
        if self._fingerprint() != self.fingerprints[node]:
            raise _Parted(
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
            raise _Parted(self._difference("unnamed", str(error))) from None

    # -- pairing with the model

    def _started(self, node: int) -> None:
        """The search begins, in this state."""
        self._pair(0, node, None)

    def _taken(self, node: int, thread: int, following: int) -> None:
        """A step has been taken that had not been taken before."""
        for pair in self.graph.of_node[node]:
            self._extend(pair, thread, following)

    def _extend(self, pair: int, thread: int, node: int) -> None:
        """Follow the implementation's step ``thread`` from a pair, and all known steps after it."""
        todo = [(pair, thread, node)]
        while todo:
            pair, thread, node = todo.pop()
            before = self.graph.model_states[pair]
            state = self.rows[before][thread][1]
            known = self.graph.number.get((state, node))
            if known is None:
                known = self._pair(state, node, (pair, thread))
                todo += [(known, i, following) for i, following in self.successors[node].items()]
            self.graph.successors[pair][thread] = known
            self._compare_results(pair, before, thread)

    def _compare_results(self, pair: int, state: int, thread: int) -> None:
        """The operations that a step ends return the model's results."""
        node = self.graph.nodes[pair]
        mine, theirs = self.results.get((node, thread), ()), results_of(self.rows, state, thread)
        parted = compare_results(mine, theirs, self.names[thread])
        if parted is not None:
            label = self.enabled[node][thread]
            raise _Parted(
                Difference(
                    "result",
                    parted,
                    (*self.graph.schedule(pair), (self.names[thread], label)),
                    state,
                    {"results": mine},
                    {"results": theirs},
                    self.sites[node][thread].where,
                )
            )

    def _pair(self, state: int, node: int, parent: tuple[int, int] | None) -> int:
        """A new pair, compared."""
        pair = self.graph.add(state, node, parent, all(label == DONE for label in self.waits[node]))
        parted = compare_enabled(self.enabled[node], self.rows[state], self.names, self.waits[node])
        if parted is not None:
            kind, message, mine, theirs = parted
            for thread in self.current.threads:
                if thread.unwinding is not None:
                    message += (
                        f"; {thread.name} is unwinding {type(thread.unwinding).__name__}: "
                        f"{thread.unwinding}"
                    )
            raise _Parted(self._pair_difference(kind, message, pair, mine, theirs))
        parted = compare_shared(self.shared[self.fingerprints[node][0]], self._model_shared(state))
        if parted is not None:
            raise _Parted(self._pair_difference("shared", parted[0], pair, parted[1], parted[2]))
        return pair

    def _model_shared(self, state: int) -> Mapping[str, object]:
        known = self.model_shared.get(state)
        if known is None:
            known = self.model_shared[state] = self.shared_of(state)
        return known

    # -- results

    def _stopped(self, error: StepError) -> _Parted:
        return _Parted(self._difference(error.kind, error.message))

    def _difference(self, kind: str, message: str) -> Difference:
        """A difference of the present run, from its own path."""
        return Difference(kind, message, tuple(self.path), source=self.source)

    def _pair_difference(
        self,
        kind: str,
        message: str,
        pair: int,
        mine: Mapping[str, object],
        theirs: Mapping[str, object],
    ) -> Difference:
        before = self.graph.parent[pair]
        source = None
        if before is not None:
            earlier, thread = before
            source = self.sites[self.graph.nodes[earlier]][thread].where
        return Difference(
            kind,
            message,
            self.graph.schedule(pair),
            self.graph.model_states[pair],
            mine,
            theirs,
            source,
        )

    def _image(self) -> set[tuple[int, int]]:
        return {
            (state, thread)
            for state, row in zip(self.graph.model_states, self.graph.successors, strict=True)
            for thread in row
        }

    def _figures(self, image: int | None = None) -> dict[str, float]:
        figures = {
            "model_states": len(self.rows),
            "model_edges": sum(map(len, self.rows)),
            "impl_states": len(self.fingerprints),
            "impl_edges": sum(map(len, self.successors)),
            "pairs": len(self.graph),
            "pair_edges": self.graph.edges,
            "runs": self.runs,
            "steps": self.steps,
            "cpu": round(time.process_time() - self.started, 3),
        }
        return figures if image is None else {**figures, "walked_edges": image}

    def _report(self) -> None:
        now = time.process_time()
        if self.progress is not None and now - self.reported > PROGRESS_EVERY:
            self.reported = now
            self.progress(self._figures())

    def _result(
        self, outcome: str, difference: Difference | None = None, why: str = ""
    ) -> Bisimulation:
        image = self._image()
        uncovered = (
            ()
            if outcome != "equal"
            else tuple(
                (state, thread)
                for state, row in enumerate(self.rows)
                for thread in row
                if (state, thread) not in image
            )
        )
        return Bisimulation(
            outcome, self._figures(len(image)), self.graph, difference, why, uncovered
        )
