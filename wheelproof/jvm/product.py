"""The product of the bytecode's graph with the model's: every pair of states is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wheelproof.choices import only_threads
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import StateGraph
from wheelproof.jvm.process import BLOCKED, ENDED, FAILED, MOVES, UNTRIED, WAITS, Graph
from wheelproof.jvm.values import Encoder
from wheelproof.python.search.difference import (
    Difference,
    Rows,
    Step,
    compare_enabled,
    compare_results,
    results_of,
)

DONE = "Done"
STUTTER = 0
"""The index of the label of accesses that the model has no step for."""


@dataclass
class Product:
    """The outcome of the comparison."""

    figures: dict[str, int]
    difference: Difference | None = None
    schedule: tuple[int, ...] = ()
    """The threads to the difference."""
    uncovered: list[tuple[int, int]] = field(default_factory=list)
    """Edges that no pair took."""


class _Parted(Exception):
    def __init__(self, kind: str, message: str, thread: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.message, self.thread = kind, message, thread


def compare(graph: Graph, model: StateGraph, rows: Rows, encoder: Encoder) -> Product:
    """Pair the two graphs from their initial states; the first difference ends it.

    Raises UsageError where a step of the model chooses.
    """
    return _Product(graph, model, rows, encoder).run()


class _Product:
    def __init__(self, graph: Graph, model: StateGraph, rows: Rows, encoder: Encoder) -> None:
        if (plain := only_threads(rows)) is None:
            raise UsageError(
                "A step of the model chooses, and compiled classes are compared step by step "
                "without choices.",
                "Take the choice into the scenario.",
            )
        self.graph, self.model, self.rows, self.encoder = graph, model, plain, encoder
        self.all = rows
        self.names = model.model.threads
        self.pairs: list[tuple[int, int]] = [(0, 0)]
        self.back: list[tuple[int, int]] = [(-1, -1)]
        self.number = {(0, 0): 0}
        self.equal: set[tuple[int, int]] = set()
        self.compared: set[tuple[int, int]] = set()
        self.edges = self.stutters = 0

    def run(self) -> Product:
        pair = 0
        while pair < len(self.pairs):
            node, state = self.pairs[pair]
            try:
                self.compare(node, state)
                self.step(pair, node, state)
            except _Parted as error:
                return self.difference(pair, error)
            pair += 1
        uncovered = [
            (state, thread)
            for state, row in enumerate(self.rows)
            for thread in row
            if (state, thread) not in self.compared
        ]
        return Product(self.figures(), None, (), uncovered)

    def figures(self) -> dict[str, int]:
        return {
            "model_states": len(self.rows),
            "model_edges": sum(map(len, self.rows)),
            "compared_edges": len(self.compared),
            "impl_states": len(self.graph),
            "impl_edges": self.graph.edges,
            "pairs": len(self.pairs),
            "pair_edges": self.edges,
            "stutters": self.stutters,
        }

    def compare(self, node: int, state: int) -> None:
        """The shared variables, each thread's label, and the threads that can move."""
        self.compare_shared(node, state)
        row: dict[Any, tuple[str, int]] = dict(self.rows[state])
        ours, waiting = {}, []
        processes = self.model.states[state][1]
        for thread in range(self.graph.threads):
            number, standing = divmod(self.graph.standing[node * self.graph.threads + thread], 4)
            if standing == FAILED:
                raise _Parted("exception", f"an exception ends {self.names[thread]}", thread)
            label = DONE if standing == ENDED else self.graph.labels[number]
            waiting.append(label)
            if standing != ENDED and number == STUTTER:
                row.pop(thread, None)
                if standing == WAITS:
                    raise _Parted("enabled", f"{self.names[thread]} waits without a label", thread)
                continue
            if label != processes[thread][0]:
                theirs = processes[thread][0]
                message = f"{self.names[thread]} is at {label}, in the model at {theirs}"
                raise _Parted("label", message, thread)
            if standing == MOVES:
                ours[thread] = label
        if difference := compare_enabled(ours, row, self.names, waiting):
            raise _Parted(difference[0], difference[1])

    def compare_shared(self, node: int, state: int) -> None:
        index = self.graph.shared_of[node]
        in_model = self.encoder.shared(self.model.states[state])
        key = (index, id(in_model))
        if key in self.equal:
            return
        in_classes = self.graph.shared[index]
        if in_classes != in_model:
            ours, theirs = self.encoder.split(in_classes), self.encoder.split(in_model)
            wrong = [name for name, value in theirs.items() if ours.get(name) != value]
            message = "; ".join(
                f"{name} is {self.text(ours.get(name, ()))}, {self.text(theirs[name])} in the model"
                for name in wrong
            )
            raise _Parted("shared", message or f"{in_classes} is not {in_model}")
        self.equal.add(key)

    def text(self, numbers: tuple[int, ...]) -> str:
        return "<<" + ", ".join(map(str, numbers)) + ">>"

    def step(self, pair: int, node: int, state: int) -> None:
        """The pairs after each thread's step."""
        threads = self.graph.threads
        for thread in range(threads):
            place = node * threads + thread
            following = self.graph.after[place]
            if following == BLOCKED:
                continue
            if following == UNTRIED:
                if self.graph.complete:
                    raise _Parted("hidden", "a step of the bytecode was not tried", thread)
                continue
            self.edges += 1
            if self.graph.standing[place] // 4 == STUTTER:
                self.stutters += 1
                target = state
            else:
                target = self.rows[state][thread][1]
                self.compared.add((state, thread))
                ours = self.graph.results[self.graph.results_of[place]]
                theirs = results_of(self.all, state, thread)
                if message := compare_results(ours, theirs, self.names[thread]):
                    raise _Parted("result", message, thread)
            after = (following, target)
            if after not in self.number:
                self.number[after] = len(self.pairs)
                self.pairs.append(after)
                self.back.append((pair, thread))

    def difference(self, pair: int, error: _Parted) -> Product:
        schedule: list[int] = []
        labels: list[Step] = []
        state = self.pairs[pair][1]
        if error.kind == "result" and error.thread is not None:
            schedule.append(error.thread)
            labels.append(self.step_of(pair, error.thread))
        while self.back[pair][0] >= 0:
            pair, thread = self.back[pair]
            schedule.append(thread)
            labels.append(self.step_of(pair, thread))
        steps = tuple(step for step in labels[::-1] if step[1])
        result = Difference(error.kind, error.message, steps, state)
        return Product(self.figures(), result, tuple(schedule[::-1]))

    def step_of(self, pair: int, thread: int) -> Step:
        """A step of the schedule; its label is empty where it is a stutter."""
        place = self.pairs[pair][0] * self.graph.threads + thread
        number = self.graph.standing[place] // 4
        return self.names[thread], "" if number == STUTTER else self.graph.labels[number]
