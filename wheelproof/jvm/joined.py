"""Two steps of a model that are one of the classes: the model takes the second one at once.

A call of a library may be one step where the model has two. Then the model can stop
where the classes cannot: it allows more. The comparison is with the model that does not stop
there, and counts the edges that it leaves out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from wheelproof.choices import Move, choice_of, move_of
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import Edge, Results, StateGraph

Pair = tuple[str, str]
"""(label of a step, label of the one that the same thread takes at once behind it)"""


class Joined:
    """A reduced graph of a model, without the states in which a joined step is yet to come."""

    graph: StateGraph
    """The reduced graph."""
    left_out: int
    """The number of edges that are not in it."""
    met: set[Pair]
    """The pairs that occur."""

    def __init__(self, whole: StateGraph, pairs: Collection[Pair]) -> None:
        self.whole, self.pairs = whole, pairs
        self.met = set()
        number, order = {0: 0}, [0]
        edges: list[list[Edge]] = []
        results: list[dict[Move, Results]] = []
        for state in order:
            row: list[Edge] = []
            row_results: dict[Move, Results] = {}
            for edge in whole.edges[state]:
                steps = self.steps(state, edge)
                thread, label, _ = edge
                after = steps[-1][1][2]
                if after not in number:
                    number[after] = len(order)
                    order.append(after)
                row.append((thread, label, number[after]))
                if values := self.results_of(state, edge):
                    row_results[move_of(thread, label)] = values
            edges.append(row)
            results.append(row_results)
        self.graph = StateGraph.from_edges(
            whole.model, [whole.states[state] for state in order], edges
        )
        self.graph.results = None if whole.results is None else results
        self.graph.passed = whole.passed
        self.left_out = whole.edge_count - self.graph.edge_count

    def __str__(self) -> str:
        """The bound that the reduction sets to a comparison."""
        between = "; ".join(" and ".join(pair) for pair in self.pairs)
        return f"{self.left_out:,} edges left out: the model stops between {between}"

    def steps(self, state: int, edge: Edge) -> list[tuple[int, Edge]]:
        """A step with those that are joined to it, each with the state that it is taken in."""
        thread, label, after = edge
        chain = [(state, edge)]
        while (pair := (label, str(self.at(after, thread)))) in self.pairs:
            self.met.add(pair)
            state = after
            following = [step for step in self.whole.edges[state] if step[0] == thread]
            if len(following) != 1 or choice_of(following[0][1]):
                raise UsageError(
                    f"The joined step {pair[1]} waits or chooses in state {state} of the model.",
                    "Only a step that a thread can take at once is a part of another one.",
                )
            if self.results_of(state, following[0]):
                raise UsageError(f"The joined step {pair[1]} ends an operation.")
            chain.append((state, following[0]))
            _, label, after = following[0]
        return chain

    def at(self, state: int, thread: int) -> str:
        """The label that a thread stands at."""
        label: str = self.whole.states[state][1][thread][0]
        return label

    def results_of(self, state: int, edge: Edge) -> Results:
        """The results of the operations that a step ends."""
        if self.whole.results is None:
            return ()
        return self.whole.results[state].get(move_of(*edge[:2]), ())

    def schedule(self, steps: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
        """A schedule of the classes with the joined steps in it, as the model takes them.

        Its last step may be one that the model lacks.
        """
        state, out = 0, []
        for thread, label in steps:
            out.append((thread, label))
            edge = next(
                (candidate for candidate in self.whole.edges[state] if candidate[:2] == out[-1]),
                None,
            )
            if edge is None:
                break
            chain = self.steps(state, edge)
            out += [(mover, name) for _, (mover, name, _) in chain[1:]]
            state = chain[-1][1][2]
        return out
