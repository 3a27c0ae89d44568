"""Trace inclusion: one mechanism on top of another, with the steps of both.

The model takes an operation of the lower mechanism for one step. Here the implementation takes all
steps of that operation, one by one. :class:`Inclusion` tracks the states that the model may be in:

* a step of the model's own moves the model too;
* while a thread is inside an operation, the model may take that operation's one step at any moment
  (linearizability, with the model as the sequential specification).

At rest, when no thread is inside an operation, one of these states must have the implementation's
variables and every thread at the same label. So every property of the model's states holds at rest
with the real operations too. Threads that can move are not compared, but no thread may be stuck.

Under way, one of these states must have every other thread at the same label, and the same values
of all variables that these operations do not write. The model shows the writes of an operation: all
that its step changes in some state. A thread that has taken a step of the model's own, and goes on
in steps that the model lacks, is inside that step. The harness's HALFWAY names variables that show
an operation's own locks, which no step of the model writes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from wheelproof.protocols import Scenario, Values
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.race import Race, RaceDetector
from wheelproof.python.runtime.watchdog import Watchdog
from wheelproof.python.search.composed_search import ComposedSearch, without_choices
from wheelproof.python.search.difference import (
    Difference,
    Results,
    Rows,
    Step,
    compare_results,
    results_of,
)
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.python.search.search import Parted, Progress, rare_collections
from wheelproof.python.search.searched import Searched

Cell = tuple[str, int | None]
"""A variable and the place of one of its values; None: all of them."""

Place = tuple[int, frozenset[int]]
"""A state of the implementation, and the states that the model may be in."""

Came = dict[Place, tuple[Place, int] | None]
"""Each place -> the place and the thread from which it was reached first."""

Here = tuple[Came, Place, int]
"""A step: the places so far, the place before it, the thread."""


@dataclass(frozen=True)
class Composition:
    """The result of a search."""

    outcome: str
    """``included``, ``different`` or ``inconclusive`` (the budget was used up, see ``why``)."""
    figures: Mapping[str, float]
    """The counts:

    impl_states, impl_edges, model_states, model_edges, matched_edges (of the model, that some run
    took), followed (pairs of a state and the model's possible states), runs, steps, cpu (seconds).
    """
    difference: Difference | None = None
    why: str = ""
    races: tuple[Race, ...] = ()
    """The races on plain fields in the runs of the search.

    They are fields of all modules that are not atomic in this search.
    """
    raced: tuple[str, ...] = ()
    """The threads of the first run with a race."""


def compose(
    implementation: ControlledImplementation,
    scenario: Scenario,
    rows: Rows,
    shared_of: Callable[[int], Mapping[str, Values]],
    labels_of: Callable[[int], Sequence[str]],
    *,
    budget: float = 60.0,
    progress: Progress | None = None,
) -> Composition:
    """Follow an implementation, all steps on, with the atomic model.

    ``implementation``: loaded with the steps of both. ``rows``: the model's reduced graph;
    ``shared_of(i)``: the variables of its state i; ``labels_of(i)``: the label that each thread is
    at there.
    ``budget``: CPU seconds.
    """
    race = RaceDetector()
    search = ComposedSearch(implementation, scenario, budget, race, progress)
    inclusion = Inclusion(search, rows, shared_of, labels_of)
    with Watchdog(implementation.scheduler), rare_collections():
        result = search.run()
    races = tuple(sorted(race.found))
    racing_steps = search.raced or (tuple(name for name, _ in search.path) if races else ())
    if result.outcome != "equal":
        return Composition(
            result.outcome, inclusion.figures(), result.difference, result.why, races, racing_steps
        )
    try:
        inclusion.follow()
    except Parted as error:
        return Composition(
            "different", inclusion.figures(), error.difference, "", races, racing_steps
        )
    return Composition("included", inclusion.figures(), races=races, raced=racing_steps)


class Inclusion:
    """Tracks the states that the model may be in along the steps of a search."""

    def __init__(
        self,
        search: Searched,
        rows: Rows,
        shared_of: Callable[[int], Mapping[str, Values]],
        labels_of: Callable[[int], Sequence[str]],
    ) -> None:
        self.search, self.rows, self.all = search, without_choices(rows), rows
        self.shared_of, self.labels_of = shared_of, labels_of
        self.halfway = search.implementation.halfway
        self.model_shared: dict[int, Mapping[str, Values]] = {}
        # the model's labels that are no step of the implementation's here
        self.operations: set[str] = set()
        self.matched: set[tuple[int, int]] = set()
        """The edges that some run took."""
        self.sets = self.inside = 0
        """The places that were followed, and those of them inside an operation."""
        self.written: dict[tuple[int, str], frozenset[Cell]] = {}

    def figures(self) -> dict[str, float]:
        """The size of the search and of this."""
        counts = self.search.figures()
        return {
            "impl_states": counts["impl_states"],
            "impl_edges": counts["impl_edges"],
            "model_states": len(self.rows),
            "model_edges": sum(map(len, self.rows)),
            "runs": counts["runs"],
            "steps": counts["steps"],
            "cpu": counts["cpu"],
            "matched_edges": len(self.matched),
            "followed": self.sets,
            "inside": self.inside,
        }

    def follow(self) -> None:
        """Track the model's possible states along all steps. Raises Parted where none is left."""
        self.operations = {label for row in self.rows for label, _ in row.values()} - {
            label for ways in self.search.ways for label, _, _ in ways
        }
        if wrong := [
            name
            for name, why in self.halfway.items()
            if name not in self._model_shared(0) or not why.strip()
        ]:
            raise ExploreError(
                f"HALFWAY of the harness names {', '.join(wrong)}, which is no variable of shared()"
                " or has no reason.",
                "Name a variable, and say why an operation under way shows another value of it.",
            )
        self._writes()
        start = (0, self._settle(0, frozenset({0}), None))
        came: Came = {start: None}
        todo = deque([start])
        while todo:
            place = node, states = todo.popleft()
            thread: int
            for thread, following in self.search.successors[node].items():
                after = self._after(
                    states,
                    thread,
                    *self.search.ways[node][thread][:2],
                    self.search.results.get((node, thread), ()),
                )
                here = came, place, thread
                if not after:
                    raise Parted(
                        self._difference(
                            here,
                            "label",
                            f"{self.search.names[thread]} takes {self.search.waits[node][thread]}, "
                            "and in no "
                            "state that the model may be in it can",
                        )
                    )
                target = (following, self._settle(following, after, here))
                if target not in came:
                    came[target] = (place, thread)
                    todo.append(target)
        self.sets = len(came)
        self._match_beside_idle()

    def _after(
        self,
        states: frozenset[int],
        thread: int,
        label: str | None,
        inside: str | None,
        results: Results,
    ) -> frozenset[int]:
        """The model's possible states after a step.

        A step of the model's own must end with the same results. At a step inside an operation that
        operation may take effect.
        """
        out = set() if label is not None else set(states)
        for state in states:
            step = self.rows[state].get(thread)
            if (
                step is not None
                and step[0] == (label or inside)
                and (
                    label is None
                    or compare_results(
                        results, results_of(self.all, state, thread), self.search.names[thread]
                    )
                    is None
                )
            ):
                self.matched.add((state, thread))
                out.add(step[1])
        return frozenset(out)

    def _meanwhile(self, node: int, states: frozenset[int]) -> frozenset[int]:
        """The states, and those after operations under way, which take effect at any moment."""
        within = [
            inside if self.search.rests(node, thread) is None else None
            for thread, (_, inside, _) in enumerate(self.search.ways[node])
        ]
        visits, todo = set(states), list(states)
        while todo:
            state = todo.pop()
            for thread, (label, after) in self.rows[state].items():
                if label == within[thread] or self._idle(state, label, after):
                    self.matched.add((state, thread))
                    if after not in visits:
                        visits.add(after)
                        todo.append(after)
        return frozenset(visits)

    def _match_beside_idle(self) -> None:
        """Match each edge beside an operation that does nothing, if the edge after it is matched.

        The implementation has no state before such an operation. The two must commute.
        """
        more = True
        while more:
            more = False
            for state, row in enumerate(self.rows):
                for thread, step in row.items():
                    if (state, thread) not in self.matched and any(
                        self._commutes(state, thread, step, index)
                        for index in row
                        if index != thread
                    ):
                        self.matched.add((state, thread))
                        more = True

    def _commutes(self, state: int, thread: int, step: tuple[str, int], second: int) -> bool:
        label, behind = self.rows[state][second]
        if not self._idle(state, label, behind) or (behind, thread) not in self.matched:
            return False
        same, joint = self.rows[behind][thread]
        idle, end = self.rows[step[1]].get(second, ("", -1))
        return (same, idle, end) == (step[0], label, joint) and self._idle(step[1], idle, end)

    def _idle(self, state: int, label: str, after: int) -> bool:
        """Whether an operation changed no variable: the implementation shows no step for it."""
        return label in self.operations and self._model_shared(state) == self._model_shared(after)

    def _settle(
        self,
        node: int,
        states: frozenset[int],
        here: Here | None,
    ) -> frozenset[int]:
        """The possible states with operations under way; at rest those that agree with the code."""
        states = self._meanwhile(node, states)
        labels = tuple(
            [self.search.rests(node, thread) for thread in range(len(self.search.names))]
        )
        aside = self._aside(node, labels)
        if None in labels:
            self.inside += 1
        variables = self._cells(self.search.shared[self.search.fingerprints[node][0]], aside)
        agreed = frozenset(
            state
            for state in states
            if all(
                ours in (None, theirs)
                for ours, theirs in zip(labels, self.labels_of(state), strict=True)
            )
            and self._cells(self._model_shared(state), aside) == variables
        )
        if not agreed:
            first = min(states)
            theirs = self._cells(self._model_shared(first), aside)
            where = "".join(
                f"; {name} is {variables[name]!r}, {theirs.get(name)!r} in the model"
                for name in variables
                if theirs.get(name) != variables[name]
            )
            if not where:
                there = words(self.labels_of(first))
                where = f"; the threads are at {words(labels)}, in the model at {there}"
            within = [
                f"{name} is inside {'/'.join(sorted(self._under_way(node, i))) or '?'}"
                for i, name in enumerate(self.search.names)
                if labels[i] is None
            ]
            raise Parted(
                self._difference(
                    here,
                    "shared",
                    (
                        f"while {', '.join(within)}"
                        if within
                        else "with no thread inside an operation"
                    )
                    + where.replace(";", "", 1),
                )
            )
        return agreed

    def _aside(self, node: int, labels: Sequence[str | None]) -> frozenset[Cell]:
        """The cells that operations under way write or show halfway; none at rest."""
        if None not in labels:
            return frozenset()
        writes = [
            self.written.get((thread, label), frozenset())
            for thread in range(len(labels))
            if labels[thread] is None
            for label in self._under_way(node, thread)
        ]
        return frozenset((name, None) for name in self.halfway).union(*writes)

    def _under_way(self, node: int, thread: int) -> Collection[str]:
        """The model's label of the operation that a thread is in, or those that it may be."""
        inside = self.search.ways[node][thread][1]
        return [inside] if inside else self.search.longer.get(thread, ())

    def _cells(self, variables: Mapping[str, Values], aside: frozenset[Cell]) -> dict[str, Values]:
        """The values of the variables, without those aside."""
        if not aside:
            return dict(variables)
        return {
            name: tuple([value for place, value in enumerate(values) if (name, place) not in aside])
            for name, values in variables.items()
            if (name, None) not in aside
        }

    def _writes(self) -> None:
        """Collect the cells that each thread's step of a label changes in some state."""
        writes: dict[tuple[int, str], set[Cell]] = {}
        for state, row in enumerate(self.rows):
            for thread, (label, after) in row.items():
                before, then = self._model_shared(state), self._model_shared(after)
                writes.setdefault((thread, label), set()).update(
                    (name, place)
                    for name, values in before.items()
                    if values is not then[name]
                    for place, value in enumerate(values)
                    if value != then[name][place]
                )
        self.written = {step: frozenset(cells) for step, cells in writes.items()}

    def _difference(self, here: Here | None, kind: str, message: str) -> Difference:
        """A difference with the way to it, in the implementation's own labels."""
        steps: list[Step] = []
        source = None
        if here is not None:
            came, place, thread = here
            site = self.search.sites[place[0]][thread]
            source = None if site is None else site.where
            before: tuple[Place, int] | None = (place, thread)
            while before is not None:
                place, thread = before
                steps.append((self.search.names[thread], self.search.waits[place[0]][thread]))
                before = came[place]
        return Difference(kind, message, tuple(reversed(steps)), source=source)

    def _model_shared(self, state: int) -> Mapping[str, Values]:
        cells = self.model_shared.get(state)
        if cells is None:
            cells = self.model_shared[state] = self.shared_of(state)
        return cells


def words(labels: Sequence[str | None]) -> str:
    """The positions of threads, in words."""
    return ", ".join(label or "a step inside an operation" for label in labels)
