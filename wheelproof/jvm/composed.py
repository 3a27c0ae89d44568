"""Compiled classes with the steps of a lower mechanism, followed with the model of the upper one.

The model takes an operation of the lower mechanism for one step. The search of the JVM has all of
its steps. :class:`wheelproof.python.search.composition.Inclusion` tracks the states that the model
may be in, as it does for an implementation in Python. A variable whose number of values changes,
such as the content of lists, is one value here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wheelproof.graph.explorer import StateGraph
from wheelproof.jvm.process import BLOCKED, ENDED, FAILED, Graph
from wheelproof.jvm.values import Encoder, Numbers
from wheelproof.protocols import Values
from wheelproof.python.search.composed_search import Way
from wheelproof.python.search.composition import Inclusion
from wheelproof.python.search.difference import Difference, Results, Rows, Step
from wheelproof.python.search.search import Parted
from wheelproof.verdict import Measured, Verdict

COMPOSITION = "Composition"
"""The property: each run is one of the model, wherever no thread is inside an operation."""
MARGIN = 400
"""The search may have so many times the model's states."""
DONE = "Done"
INSIDE = "(inside "


class Searched:
    """A graph of the JVM as :class:`Inclusion` reads a search."""

    entries: set[str]
    """(operation, site) with which an operation begins."""

    def __init__(
        self,
        graph: Graph,
        names: Sequence[str],
        variables: Sequence[Mapping[str, Values]],
        halfway: Mapping[str, str],
    ) -> None:
        self.graph, self.names = graph, names
        self.shared = variables
        self.halfway = halfway
        self.fingerprints = [(number,) for number in graph.shared_of]
        count = graph.threads
        nodes = range(len(graph))
        self.waits = [[self._label(node, thread) for thread in range(count)] for node in nodes]
        self.ways = [[way(label) for label in labels] for labels in self.waits]
        self.sites = [[None] * count] * len(graph)
        self.successors = [
            {
                thread: graph.after[node * count + thread]
                for thread in range(count)
                if graph.after[node * count + thread] >= 0
            }
            for node in nodes
        ]
        self.results: dict[tuple[int, int], Results] = {
            (node, thread): graph.results[graph.results_of[node * count + thread]]
            for node in nodes
            for thread in range(count)
            if graph.results_of[node * count + thread]
        }
        self.entries = set()
        self.longer: dict[int, set[str]] = {}
        for thread, (_, inside, _) in enumerate(self.ways[0]):
            if inside:
                self.entries.add(self.waits[0][thread])
        for node in nodes:
            for thread, following in self.successors[node].items():
                self._add_step(node, thread, following)

    def _label(self, node: int, thread: int) -> str:
        number, standing = divmod(self.graph.standing[node * self.graph.threads + thread], 4)
        return DONE if standing == ENDED else self.graph.labels[number]

    def _add_step(self, node: int, thread: int, following: int) -> None:
        label = self.ways[node][thread][0]
        inside = self.ways[following][thread][1]
        if inside and inside != self.ways[node][thread][1]:
            self.entries.add(self.waits[following][thread])
        if label and self.ways[following][thread][:2] == (None, None):
            self.longer.setdefault(thread, set()).add(label)

    @property
    def implementation(self) -> Searched:
        """Has the variables that an operation under way shows halfway."""
        return self

    def rests(self, node: int, thread: int) -> str | None:
        """The model's label of a thread that is not inside an operation; else None."""
        label, inside, _ = self.ways[node][thread]
        return inside if inside and self.waits[node][thread] in self.entries else label

    def figures(self) -> dict[str, float]:
        return {
            "impl_states": len(self.graph),
            "impl_edges": self.graph.edges,
            "runs": self.graph.figures["runs"],
            "steps": self.graph.figures["steps"],
            "cpu": 0,
        }

    def stuck(self) -> Difference | None:
        """A state in which a thread has failed, or none can move and not all have ended."""
        threads = range(self.graph.threads)
        for node in range(len(self.graph)):
            first = node * self.graph.threads
            does = [self.graph.standing[first + thread] % 4 for thread in threads]
            if FAILED in does:
                message = f"an exception ends {self.names[does.index(FAILED)]}"
                return Difference("exception", message, self._way_to(node))
            is_stuck = all(self.graph.after[first + thread] == BLOCKED for thread in threads)
            if is_stuck and any(standing != ENDED for standing in does):
                return Difference("deadlock", "no thread can move", self._way_to(node))
        return None

    def _way_to(self, node: int) -> tuple[Step, ...]:
        """The steps by which a state was first reached."""
        steps = []
        while (before := self.graph.parent[node]) >= 0:
            thread = self.graph.mover[node]
            steps.append((self.names[thread], self.waits[before][thread]))
            node = before
        return tuple(reversed(steps))


def way(label: str) -> Way:
    """How a thread at a label goes on."""
    if not label.startswith(INSIDE):
        return label, None, 0
    return None, label[len(INSIDE) : label.index(")")] or None, 0


def follow(
    graph: Graph, model: StateGraph, rows: Rows, encoder: Encoder, halfway: Mapping[str, str]
) -> tuple[dict[str, int], Difference | None]:
    """The figures, and the first difference; None where each run is one of the model's."""
    theirs = [encoder.split(encoder.shared(state)) for state in model.states]
    ours = [encoder.split(numbers) for numbers in graph.shared]
    sizes = {
        name: {len(state[name]) for state in (*theirs, *ours) if name in state}
        for name in theirs[0]
    }

    def cells(state: Mapping[str, Numbers]) -> dict[str, Values]:
        return {
            name: numbers if len(sizes[name]) == 1 else (numbers,)
            for name, numbers in state.items()
        }

    search = Searched(graph, model.model.threads, [cells(values) for values in ours], halfway)
    cells_of_model = [cells(values) for values in theirs]
    labels = [[process[0] for process in state[1]] for state in model.states]
    inclusion = Inclusion(search, rows, cells_of_model.__getitem__, labels.__getitem__)
    difference = search.stuck()
    if difference is None:
        try:
            inclusion.follow()
        except Parted as error:
            difference = error.difference
    return {name: int(value) for name, value in inclusion.figures().items()}, difference


def measure(
    graph: Graph, model: StateGraph, rows: Rows, encoder: Encoder, halfway: Mapping[str, str]
) -> Measured:
    """The verdict and the other fields of a row."""
    if graph.faults:
        return {"verdict": Verdict.ERROR, "why": "; ".join(graph.faults)}
    if not graph.complete:
        why = f"the search ended after {len(graph):,} states"
        return {"verdict": Verdict.INCONCLUSIVE, "why": why}
    figures, difference = follow(graph, model, rows, encoder, halfway)
    # as rows of other comparisons name them
    figures |= {"compared_edges": figures["matched_edges"], "pairs": figures["followed"]}
    result: Measured = {"figures": figures}
    if difference is not None:
        schedule = " ".join(f"{thread}.{label}" for thread, label in difference.schedule)
        why = f"{difference} [{schedule}]"
        return result | {"verdict": Verdict.VIOLATED, "property": COMPOSITION, "why": why}
    if not figures["inside"]:
        return result | {"verdict": Verdict.VACUOUS, "why": "no operation below has a step"}
    if remainder := figures["model_edges"] - figures["matched_edges"]:
        why = f"{remainder} edges of the model were taken in no run"
        return result | {"verdict": Verdict.VIOLATED, "property": COMPOSITION, "why": why}
    return result | {"verdict": Verdict.EXHAUSTIVE}
