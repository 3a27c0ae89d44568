"""Bisimulation of an implementation with its model, over the implementation's own states.

Following every edge of the model is not enough: locals live in frames, so that many implementation
states look like one model state, and a bug can hide in the difference. So the search steps every
enabled thread in every *implementation* state (a fingerprint) and meanwhile pairs these states with
the model's, along both graphs. Every new pair is compared: the same threads can move, with the same
labels, and the shared variables are equal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from wheelproof.choices import Move, moves_in, texts, thread_of
from wheelproof.protocols import Scenario
from wheelproof.python.runtime.race import RaceDetector
from wheelproof.python.runtime.threads import DONE
from wheelproof.python.runtime.watchdog import Watchdog
from wheelproof.python.search.difference import (
    Difference,
    Rows,
    compare_choices,
    compare_enabled,
    compare_results,
    compare_shared,
    results_of,
)
from wheelproof.python.search.pairs import PairGraph
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.python.search.search import Parted, Progress, Search, rare_collections
from wheelproof.python.search.second_way import SecondWays
from wheelproof.python.search.unread import Fields, fields_read


@dataclass(frozen=True)
class Bisimulation:
    """The result of a search."""

    outcome: str
    """``equal``, ``different`` or ``inconclusive`` (the budget was used up, see ``why``)."""
    figures: Mapping[str, float]
    """The counts:

    model_states, model_edges, compared_edges (edges of the model that the implementation has
    taken), impl_states, impl_edges, pairs, pair_edges, runs, steps (replayed ones included), cpu
    (seconds).
    """
    graph: PairGraph
    difference: Difference | None = None
    why: str = ""
    uncovered: tuple[tuple[int, Move], ...] = field(default=())
    """The model's edges, as (state, key of the step), that no implementation state took."""
    fields: Fields | None = None
    """The fields that the harness reads, if chosen."""
    controls: Mapping[str, bool] = field(default_factory=dict)
    """Where the two are equal, whether each planted fault is rejected."""


def bisimulate(
    implementation: ControlledImplementation,
    scenario: Scenario,
    rows: Rows,
    shared_of: Callable[[int], Mapping[str, object]],
    *,
    budget: float = 60.0,
    race: RaceDetector | None = None,
    audit: bool = False,
    progress: Progress | None = None,
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
    search = PairSearch(implementation, scenario, rows, shared_of, budget, race, audit, progress)
    with Watchdog(implementation.scheduler), rare_collections():
        result = search.result()
        if second_ways and result.outcome == "equal":
            result = _again(search, result, second_ways)
        if result.outcome == "equal":
            result = replace(result, controls={**search.controls(), **result.controls})
        if fields and result.outcome == "equal":
            result = replace(result, fields=fields_read(search))
    return result


def _again(search: PairSearch, result: Bisimulation, limit: int) -> Bisimulation:
    ways = SecondWays(search, limit)
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
    return replace(result, figures=figures, controls=ways.controls())


class PairSearch(Search):
    """A search that pairs each state with the model's states, and compares each pair."""

    def __init__(
        self,
        implementation: ControlledImplementation,
        scenario: Scenario,
        rows: Rows,
        shared_of: Callable[[int], Mapping[str, object]],
        budget: float,
        race: RaceDetector | None,
        audit: bool,
        progress: Progress | None,
    ) -> None:
        super().__init__(implementation, scenario, budget, race, audit, progress)
        self.rows, self.shared_of = rows, shared_of
        self.graph = PairGraph(self.names, rows)
        self.model_shared: dict[int, Mapping[str, object]] = {}
        # the model's states in which a step chooses
        self.choosing = {
            state
            for state, row in enumerate(rows)
            if not all(isinstance(move, int) for move in row)
        }

    def result(self) -> Bisimulation:
        """Search, and report the result."""
        outcome, difference, why = self.run()
        image = self._image()
        rest = (
            ()
            if outcome != "equal"
            else tuple(
                (state, move)
                for state, row in enumerate(self.rows)
                for move in row
                if (state, move) not in image
            )
        )
        figures = {**self.figures(), "compared_edges": len(image)}
        return Bisimulation(outcome, figures, self.graph, difference, why, rest)

    def controls(self) -> dict[str, bool]:
        """Planted fault -> whether it is rejected by name, of a search that found none.

        In the first state each shared variable has another value. Of each label one step is left
        out of the implementation, and one is another. One operation has another result.
        """
        variables, theirs = self.shared[self.fingerprints[0][0]], self._model_shared(0)
        verdicts = {}
        for name in variables:
            difference = compare_shared({**variables, name: self}, theirs)
            verdicts[f"{name} with another value"] = difference is not None and [
                *difference[1]
            ] == [name]
        labels = {label for row in self.rows for label, _ in row.values()}
        for state, node in self.graph.number:
            if not labels:
                break
            ours, row, waits = self.enabled[node], self.rows[state], self.waits[node]
            for thread, label in ours.items():
                if label not in labels:
                    continue
                labels.remove(label)
                rest = {index: step for index, step in ours.items() if index != thread}
                for how, wrong in (("no", rest), ("another step than", {**ours, thread: ""})):
                    message = compare_enabled(wrong, row, self.names, waits)
                    verdicts[f"{how} {label}"] = message is not None and label in message[1]
        for (node, move), results in self.results.items():
            if results:
                for pair in self.graph.of_node[node][:1]:
                    model_results = results_of(self.rows, self.graph.model_states[pair], move)
                    unequal = compare_results((*results[:-1], self), model_results, "")
                    verdicts["another result"] = unequal is not None
                break
        return verdicts

    def figures(self) -> dict[str, float]:
        counts = super().figures()
        return {
            "model_states": len(self.rows),
            "model_edges": sum(map(len, self.rows)),
            "impl_states": counts["impl_states"],
            "impl_edges": counts["impl_edges"],
            "pairs": len(self.graph),
            "pair_edges": self.graph.edges,
            "runs": counts["runs"],
            "steps": counts["steps"],
            "cpu": counts["cpu"],
        }

    def _image(self) -> set[tuple[int, Move]]:
        return {
            (state, move)
            for state, row in zip(self.graph.model_states, self.graph.successors, strict=True)
            for move in row
        }

    def _add_node(self, node: int) -> None:
        self.graph.of_node.append([])
        super()._add_node(node)

    def _begin_run(self, node: int) -> None:
        """The search begins, in this state."""
        self._pair(0, node, None)

    def _add_edge(self, node: int, move: Move, following: int) -> None:
        """A step has been taken that had not been taken before."""
        pairs = tuple(self.graph.of_node[node])
        for pair in pairs:
            self._extend(pair, move, following)
        thread = thread_of(move)
        if self.choosing and self.whole(node, thread):
            for pair in pairs:
                self._compare_choices(pair, thread)

    def _extend(self, pair: int, move: Move, node: int) -> None:
        """Follow the implementation's step ``move`` from a pair, and all known steps after it."""
        todo = [(pair, move, node)]
        while todo:
            pair, move, node = todo.pop()
            before = self.graph.model_states[pair]
            step = self.rows[before].get(move)
            if step is None:
                raise Parted(self._other_choice(pair, move, node))
            state = step[1]
            number = self.graph.number.get((state, node))
            if number is None:
                number = self._pair(state, node, (pair, move))
                todo += [(number, i, following) for i, following in self.successors[node].items()]
                if state in self.choosing:
                    for thread in range(len(self.names)):
                        if self.whole(node, thread):
                            self._compare_choices(number, thread)
            self.graph.successors[pair][move] = number
            self._compare_results(pair, before, move)

    def _compare_choices(self, pair: int, thread: int) -> None:
        """A thread's step chooses all that the model's can; no more, as each step has shown."""
        node, state = self.graph.nodes[pair], self.graph.model_states[pair]
        ours = moves_in(self.successors[node], thread)
        theirs = moves_in(self.rows[state], thread)
        if ours < theirs:
            raise Parted(self._choices(pair, thread, ours, theirs))

    def _other_choice(self, pair: int, move: Move, node: int) -> Difference:
        """A step makes a choice that the model cannot, or none where the model does."""
        here, state, thread = self.graph.nodes[pair], self.graph.model_states[pair], thread_of(move)
        theirs = moves_in(self.rows[state], thread)
        ours = moves_in(self.successors[here], thread) | moves_in(self.left[here], thread)
        if isinstance(move, int):
            sole: Move = (thread, self.sole.get((here, thread), ()))
            if sole in theirs:
                ours = {sole}
            else:  # what it takes may show in where it leads to
                variables = self.shared[self.fingerprints[node][0]]
                ours = {
                    choice
                    for choice in theirs
                    if compare_shared(variables, self._model_shared(self.rows[state][choice][1]))
                    is None
                }
        return self._choices(pair, thread, ours, theirs)

    def _choices(
        self, pair: int, thread: int, ours: Collection[Move], theirs: Collection[Move]
    ) -> Difference:
        node, name = self.graph.nodes[pair], self.names[thread]
        message = compare_choices(ours, theirs, f"{name}.{self.enabled[node][thread]}")
        message += self._unwinding()
        return Difference(
            "choice",
            message,
            self.graph.schedule(pair),
            self.graph.model_states[pair],
            {name: texts(ours)},
            {name: texts(theirs)},
            self._source_of(node, thread),
        )

    def _compare_results(self, pair: int, state: int, move: Move) -> None:
        """The operations that a step ends return the model's results."""
        node, thread = self.graph.nodes[pair], thread_of(move)
        ours, theirs = self.results.get((node, move), ()), results_of(self.rows, state, move)
        difference = compare_results(ours, theirs, self.names[thread])
        if difference is not None:
            raise Parted(
                Difference(
                    "result",
                    difference,
                    (*self.graph.schedule(pair), self.step_of(node, move)),
                    state,
                    {"results": ours},
                    {"results": theirs},
                    self._source_of(node, thread),
                )
            )

    def _pair(self, state: int, node: int, parent: tuple[int, Move] | None) -> int:
        """A new pair, compared."""
        pair = self.graph.add(state, node, parent, all(label == DONE for label in self.waits[node]))
        difference = compare_enabled(
            self.enabled[node], self.rows[state], self.names, self.waits[node]
        )
        if difference is not None:
            kind, message, ours, theirs = difference
            message += self._unwinding()
            raise Parted(self._pair_difference(kind, message, pair, ours, theirs))
        variables = self.shared[self.fingerprints[node][0]]
        unequal = compare_shared(variables, self._model_shared(state))
        if unequal is not None:
            message, ours, theirs = unequal
            raise Parted(self._pair_difference("shared", message, pair, ours, theirs))
        return pair

    def _unwinding(self) -> str:
        """The exceptions that leave blocks in the present run, in words."""
        return "".join(
            f"; {thread.name} is unwinding {type(thread.unwinding).__name__}: {thread.unwinding}"
            for thread in self.current.threads
            if thread.unwinding is not None
        )

    def _model_shared(self, state: int) -> Mapping[str, object]:
        cells = self.model_shared.get(state)
        if cells is None:
            cells = self.model_shared[state] = self.shared_of(state)
        return cells

    def _source_of(self, node: int, thread: int) -> str | None:
        """``file:line`` of the step that a thread takes in a state."""
        site = self.sites[node][thread]
        return None if site is None else site.where

    def _pair_difference(
        self,
        kind: str,
        message: str,
        pair: int,
        ours: Mapping[str, object],
        theirs: Mapping[str, object],
    ) -> Difference:
        before = self.graph.parent[pair]
        source = None
        if before is not None:
            earlier, move = before
            source = self._source_of(self.graph.nodes[earlier], thread_of(move))
        return Difference(
            kind,
            message,
            self.graph.schedule(pair),
            self.graph.model_states[pair],
            ours,
            theirs,
            source,
        )
