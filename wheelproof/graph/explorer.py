"""Breadth-first exploration of a model: the whole graph, exact counts and shortest traces."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable

from wheelproof.choices import Move
from wheelproof.protocols import Model, State, Step
from wheelproof.tlc.dot import TERMINATING

Results = tuple[object, ...]
"""The results of the operations that one step ends."""

Edge = tuple[int, str, int]
"""(index of the thread that moves, label, of a step that chooses with its choice, state after)."""


Keyed = tuple[list[tuple[int, ...]], dict[str, int]]
"""Per state one number for each variable, and the number of each value's TLA+ text."""


class BudgetSpent(Exception):
    """The exploration reached its bound before the whole graph was known."""


class StateGraph:
    """A model's reachable states in breadth-first order, with every edge.

    ``states[0]`` is the initial state. ``edges[n]`` lists the edges from state n. ``depth`` counts
    states on the longest of the shortest paths, as TLC's does; ``generated`` counts the initial
    state and every edge, TLC's ``Terminating`` loops (one per final state) included.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.states: list[State] = []
        self.edges: list[list[Edge]] = []
        self.parents: list[tuple[int, int, str]] = []
        self.levels: list[int] = []
        self.final: list[int] = []
        self.deadlocks: list[int] = []
        self.passed: set[str] = set()
        """Of a reduced graph: the silent labels that steps passed over."""
        self.results: list[dict[Move, Results]] | None = None
        """Of a reduced graph: per state {step: results of the operations that it ends}.

        None where the model has none.
        """
        self.keyed: Keyed | None = None
        """The states by the values of their variables, once `compare.keyed` has worked them out."""

    @classmethod
    def from_edges(cls, model: Model, states: list[State], edges: list[list[Edge]]) -> StateGraph:
        """A graph that was explored elsewhere, ``states[0]`` initial, every state reachable."""
        graph = cls(model)
        graph.states, graph.edges = states, edges
        graph.parents, graph.levels = [(-1, -1, "")] * len(states), [0] * len(states)
        graph.levels[0], waiting = 1, [0]
        for here in waiting:
            for thread, label, after in edges[here]:
                if not graph.levels[after]:
                    graph.levels[after] = graph.levels[here] + 1
                    graph.parents[after] = (here, thread, label)
                    waiting.append(after)
            if not edges[here]:
                (graph.final if model.final(states[here]) else graph.deadlocks).append(here)
        return graph

    @property
    def distinct(self) -> int:
        return len(self.states)

    @property
    def depth(self) -> int:
        return self.levels[-1]

    @property
    def generated(self) -> int:
        return 1 + self.edge_count + len(self.final)

    @property
    def edge_count(self) -> int:
        """Edges, without the Terminating loops."""
        return sum(map(len, self.edges))

    @property
    def labels(self) -> set[str]:
        """Every label that some edge bears."""
        return set(map(str, {label for row in self.edges for _, label, _ in row}))

    def path(self, state: int) -> list[tuple[int, str, int]]:
        """A shortest path to a state: (thread, label, state after) per step."""
        out = []
        while state:
            before, thread, label = self.parents[state]
            out.append((thread, label, state))
            state = before
        return out[::-1]

    def digest(self) -> str:
        """A hash of the whole graph, independent of the order of exploration."""
        texts = Texts()
        hashes = [hash_of(state, texts) for state in self.states]
        lines = sorted(
            f"{hashes[source]} {thread} {label} {hashes[target]}"
            for source, row in enumerate(self.edges)
            for thread, label, target in row
        )
        return hashlib.sha256("\n".join([hashes[0], *lines]).encode()).hexdigest()


class Texts:
    """The texts of the parts of states: few values of these parts make many states."""

    def __init__(self) -> None:
        self.of_shared: dict[object, str] = {}
        self.of_thread: dict[object, str] = {}

    def whole(self, state: object) -> str:
        """The text of a state, or of another value that a model has in its place."""
        if not (isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], tuple)):
            return text_of(state)
        values_shared, threads = state
        texts = ",".join([_text(self.of_thread, thread) for thread in threads])
        return f"({_text(self.of_shared, values_shared)},({texts}))"


def _text(texts: dict[object, str], value: object) -> str:
    text = texts.get(value)
    if text is None:
        text = texts[value] = text_of(value)
    return text


def hash_of(state: State, texts: Texts | None = None) -> str:
    """A hash of one state that does not depend on the run.

    ``texts``: those of other states of the same model.
    """
    text = (texts or Texts()).whole(state)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def text_of(value: object) -> str:
    """A text of a state, the same in every run: Python's own order of a set of strings is not."""
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted(map(text_of, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(map(text_of, value)) + ")"
    return repr(value)


def explore(
    model: Model,
    *,
    bound: int = 10_000_000,
    successors: Callable[[State], Iterable[Step]] | None = None,
    initial: State | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StateGraph:
    """Explore a model's whole graph.

    ``successors`` and ``initial`` replace the model's own (for a reduced graph).
    ``progress(states, waiting)`` is called about once a second. Raises BudgetSpent beyond ``bound``
    states.
    """
    graph = StateGraph(model)
    step = successors or model.successors
    first = model.initial() if initial is None else initial
    numbers = {first: 0}
    states, edges, parents, levels = graph.states, graph.edges, graph.parents, graph.levels
    states.append(first)
    parents.append((-1, -1, ""))
    levels.append(1)
    here, last_report = 0, time.monotonic()
    while here < len(states):
        state, row = states[here], []
        for thread, label, after in step(state):
            number = numbers.get(after)
            if number is None:
                number = numbers[after] = len(states)
                states.append(after)
                parents.append((here, thread, label))
                levels.append(levels[here] + 1)
            row.append((thread, label, number))
        edges.append(row)
        if not row:
            (graph.final if model.final(state) else graph.deadlocks).append(here)
        here += 1
        if not here % 4096:
            if len(states) > bound:
                raise BudgetSpent(f"more than {bound:,} states")
            if progress and time.monotonic() - last_report > 1:
                last_report = time.monotonic()
                progress(here, len(states) - here)
    if len(states) > bound:
        raise BudgetSpent(f"more than {bound:,} states")
    return graph


def first_violation(graph: StateGraph, name: str) -> int | None:
    """The number of a state at minimal depth in which a named property fails, or None."""
    return first_violations(graph, [name])[name]


def first_violations(graph: StateGraph, names: Iterable[str]) -> dict[str, int | None]:
    """Property -> the number of a state at minimal depth in which it fails, or None.

    ``NoDeadlock`` fails where no thread can move and not all are done. A model that lists in
    ``OF_PROCESSES`` the properties that look at its processes has the others evaluated once per
    value of the shared variables.
    """
    model = graph.model
    first: dict[str, int | None] = dict.fromkeys(names)
    if "NoDeadlock" in first and graph.deadlocks:
        first["NoDeadlock"] = graph.deadlocks[0]
    holding = [name for name in first if name != "NoDeadlock"]
    of_processes = getattr(model, "OF_PROCESSES", holding)
    whole = [name for name in holding if name in of_processes]
    of_shared = [name for name in holding if name not in of_processes]
    shared_values: set[object] = set()
    for number, state in enumerate(graph.states):
        names_here = list(whole)
        if of_shared and state[0] not in shared_values:
            shared_values.add(state[0])
            names_here += of_shared
        for name in names_here:
            if not model.holds(name, state):
                first[name] = number
                (whole if name in whole else of_shared).remove(name)
        if not whole and not of_shared:
            break
    return first


def multiset(graph: StateGraph) -> Iterable[tuple[int, int | None, str, int]]:
    """Every edge as (state before, thread, label, state after).

    TLC's Terminating loops are included, with thread None.
    """
    for source, row in enumerate(graph.edges):
        for thread, label, target in row:
            yield source, thread, label, target
    for number in graph.final:
        yield number, None, TERMINATING, number
