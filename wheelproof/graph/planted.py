"""Faults that a comparison of graphs plants in the graphs, and must reject by name.

Of each label the steps are left out, and of each variable an update. A fault is planted in a
*star*: one state with its steps alone, so that the comparison judges it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from wheelproof.graph.explorer import Edge, StateGraph
from wheelproof.protocols import Model, State, ThreadState


def positions(state: State) -> Iterator[tuple[tuple[int, ...], object]]:
    """Each value of a state: (index) of a shared one, (thread, index) of a thread's."""
    values_shared, processes = state
    for index, value in enumerate(values_shared):
        yield (index,), value
    for thread, process in enumerate(processes):
        for index, value in enumerate(process):
            yield (thread, index), value


def replace_value(state: State, position: tuple[int, ...], value: object) -> State:
    """A state with another value at a position."""
    values_shared, processes = state
    if len(position) == 1:
        (index,) = position
        return (*values_shared[:index], value, *values_shared[index + 1 :]), processes
    thread, index = position
    process = processes[thread]
    values = (*process[:index], value, *process[index + 1 :])
    return values_shared, cast(
        "tuple[ThreadState, ...]", (*processes[:thread], values, *processes[thread + 1 :])
    )


class _Negated:
    """A model in which one property is true where it is false, and the other way round."""

    def __init__(self, model: Model, name: str) -> None:
        self._model, self._name = model, name

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def holds(self, name: str, state: State) -> bool:
        return self._model.holds(name, state) != (name == self._name)


def negate(model: Model, name: str) -> Model:
    """The model with one property negated."""
    return cast(Model, _Negated(model, name))


def alone(model: Model, state: State, steps: Sequence[tuple[int, str, State]] = ()) -> StateGraph:
    """The star of a state: the graph of it and of its steps, without the steps behind them."""
    graph = StateGraph(model)
    numbers = {state: 0}
    row: list[Edge] = [
        (thread, label, numbers.setdefault(after, len(numbers))) for thread, label, after in steps
    ]
    graph.states, graph.edges = list(numbers), [row, *([] for _ in range(len(numbers) - 1))]
    return graph


class Fault(NamedTuple):
    """One fault in the steps of a state."""

    name: str
    named: str
    """The text by which its rejection names it."""
    label: str
    """The label of the step that it is in."""
    variable: bool
    """Whether a variable is not updated, and no label is left out."""
    source: int
    star: StateGraph


def faults(graph: StateGraph, keys: Sequence[tuple[int, ...]]) -> Iterator[Fault]:
    """A fault for each label of a graph, and for each variable that changes in it.

    ``keys``: per state a number for the value of each variable, in the order of ``pieces``.
    """
    updates = Updates(graph.model)
    changing = {
        index for index, column in enumerate(zip(*keys, strict=True)) if len(set(column)) > 1
    }
    labels = graph.labels
    for source, row in enumerate(graph.edges):
        if not labels and not changing:
            return
        for _, label, _ in row:
            if label in labels:
                labels.remove(label)
                rest = [step for step in steps(graph, source) if step[1] != label]
                star = alone(graph.model, graph.states[source], rest)
                yield Fault(f"no {label}", f"takes {label}:", label, False, source, star)
        for place, (thread, label, target) in enumerate(row):
            indices = [index for index in changing if keys[source][index] != keys[target][index]]
            changing.difference_update(indices)
            before, after = graph.states[source], graph.states[target]
            for name in [updates.names[index] for index in indices]:
                steps_here, update = (
                    steps(graph, source),
                    updates.changes(before, after).get(name, ()),
                )
                steps_here[place] = thread, label, without_update(after, update)
                star = alone(graph.model, before, steps_here)
                yield Fault(f"{label} without {name}", f" {name} ", label, True, source, star)


def steps(graph: StateGraph, source: int) -> list[tuple[int, str, State]]:
    """The steps of a state, each with the state after it."""
    return [(thread, label, graph.states[after]) for thread, label, after in graph.edges[source]]


class Updates:
    """The variables that a step updates, and the state after it without one of the updates.

    A position belongs to the variables whose pieces change with its value.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.names = (*model.variables, *model.process_variables)
        self._known: dict[tuple[int, ...], list[str]] = {}

    def changes(
        self, before: State, after: State
    ) -> dict[str, list[tuple[tuple[int, ...], object]]]:
        """Variable -> the positions at which a step changes it, each with the old value."""
        by_variable: dict[str, list[tuple[tuple[int, ...], object]]] = {}
        for (position, old), (_, new) in zip(positions(before), positions(after), strict=True):
            if old != new:
                for name in self._variables(after, position, old):
                    by_variable.setdefault(name, []).append((position, old))
        return by_variable

    def _variables(self, state: State, position: tuple[int, ...], value: object) -> list[str]:
        if position not in self._known:
            pieces = zip(
                self.model.pieces(state),
                self.model.pieces(replace_value(state, position, value)),
                strict=True,
            )
            self._known[position] = [
                name for name, (first, two) in zip(self.names, pieces, strict=True) if first != two
            ]
        return self._known[position]


def without_update(after: State, update: Sequence[tuple[tuple[int, ...], object]]) -> State:
    """The state after a step without an update: positions, each with the old value."""
    for position, old in update:
        after = replace_value(after, position, old)
    return after
