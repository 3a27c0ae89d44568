"""Faults that the row ``edges`` plants in graphs and tables, and must reject.

The table lacks the actions of a label, or an action. A label's step is by no action. A thread
stands at a label where the system goes on. A step does not update a shared variable of the model;
those of threads are parameters too, of which a system takes any. Each is planted in steps of some
states of a graph, until one is rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from wheelproof.checks.drawing import ODD
from wheelproof.graph.explorer import StateGraph
from wheelproof.graph.planted import Updates, alone, steps, without_update
from wheelproof.protocols import State

if TYPE_CHECKING:
    from wheelproof.prove.ts.system import System
    from wheelproof.prove.ts.views import View

LOOKED, TRIES = 80, 8
"""States of a graph in whose steps faults are planted, and the most steps for each fault: a system
may have the step without an update, too."""


Faults: TypeAlias = (
    "Callable[[View, StateGraph, Mapping[str, str]], tuple[Iterable[str], Iterable[str]]]"
)
"""Of a graph's comparison: the edges that are no steps, and the threads that wait, as texts."""


def of_table(
    judge: Callable[[Mapping[str, str]], Sequence[str]],
    labels: Iterable[str],
    actions: Mapping[str, str],
    systems: Sequence[type[System]],
) -> dict[str, bool]:
    """Fault in the table of actions -> whether ``judge`` rejects it by name."""
    rejections = {
        f"no actions of {label}": f"{label} has no action" in judge({**actions, label: ""})
        for label in labels
    }
    for action in sorted({name for system in systems for name in system.actions()}):
        rest = {
            label: " ".join(word for word in words.split() if word != action)
            for label, words in actions.items()
        }
        text = f"no label names the action {action}"
        rejections[f"no label of {action}"] = text in judge(rest)
    return rejections


class Planted:
    """Faults in steps, each planted until it is rejected. ``judge``: the comparison of a graph."""

    def __init__(self, judge: Faults, actions: Mapping[str, str]) -> None:
        self.judge, self.named = judge, actions
        self.rejected: dict[str, bool] = {}
        self._tried: Counter[str] = Counter()

    def plant(self, view: View, graph: StateGraph) -> None:
        """Plant the faults that no other graph has shown to be rejected."""
        updates = Updates(graph.model)
        for source in range(0, len(graph.states), 1 + len(graph.states) // LOOKED):
            before = graph.states[source]
            for thread, label, target in graph.edges[source]:
                after = graph.states[target]
                if before == after or not self._is_open(label, graph.model.variables):
                    continue
                if view.acts(thread, before) and view.state(before) != view.state(after):
                    self._step(view, graph, source, (thread, label, after))
                    self._updates(view, updates, before, (thread, label, after))

    def _step(
        self, view: View, graph: StateGraph, source: int, step: tuple[int, str, State]
    ) -> None:
        thread, label, _ = step
        before = graph.states[source]
        if self._open(name := f"{label} by no action"):
            wrong, _ = self.judge(
                view, alone(graph.model, before, [step]), {**self.named, label: ""}
            )
            self.rejected[name] = any(f"{label} is no step" in text for text in wrong)
        if self._open(name := f"a wait at {label}"):
            rest = [move for move in steps(graph, source) if move[0] != thread]
            star = alone(graph.model, before, rest)
            star.states, star.edges = star.states[:1], star.edges[:1]
            _, waiting = self.judge(view, star, self.named)
            self.rejected[name] = any(f"waits at {label}" in text for text in waiting)

    def _updates(
        self, view: View, updates: Updates, before: State, step: tuple[int, str, State]
    ) -> None:
        thread, label, after = step
        for variable, update in updates.changes(before, after).items():
            name = not_updated(variable)
            if (
                self.rejected.get(name)
                or self._tried[name] == TRIES
                or variable not in updates.model.variables
            ):
                continue
            for state in _views(view, after, without_update(after, update)):
                if self._open(name):
                    star = alone(updates.model, before, [(thread, label, state)])
                    wrong, _ = self.judge(view, star, self.named)
                    self.rejected[name] = any(f"{label} is no step" in text for text in wrong)

    def _is_open(self, label: str, variables: Iterable[str]) -> bool:
        """Whether a fault of a label or of a variable is still to be planted."""
        names = [f"{label} by no action", f"a wait at {label}", *map(not_updated, variables)]
        return any(not self.rejected.get(name) and self._tried[name] < TRIES for name in names)

    def _open(self, name: str) -> bool:
        """Whether a fault is to be planted, of which this is then one try."""
        if self.rejected.setdefault(name, False) or self._tried[name] == TRIES:
            return False
        self._tried[name] += 1
        return True


def not_updated(variable: str) -> str:
    """The name of the fault that a step does not update a variable."""
    return f"{variable} not updated"


def _views(view: View, after: State, state: State) -> Iterator[State]:
    """The planted state, if the system has it, and as another one."""
    try:
        if view.state(state) != view.state(after):
            yield state
    except ODD:
        return
