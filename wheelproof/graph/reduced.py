"""The reduced graph: silent labels run eagerly, with a proof on every edge that this is sound.

A silent label is a step that PlusCal forces and code lacks. Running it at once is sound if it
commutes with every other thread's step wherever both are enabled (the diamond), so that no other
thread can observe when it happened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypedDict, Unpack

from wheelproof.choices import Move, choice_of, labelled, move_of
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import Results, StateGraph, explore
from wheelproof.protocols import Model, Outcomes, State, Step, outcomes_of
from wheelproof.python.search.difference import Rows


class Options(TypedDict, total=False):
    """Options of ``explore``."""

    bound: int
    progress: Callable[[int, int], None] | None


class Open(NamedTuple):
    """A diamond that does not close: ``silent`` and ``other`` do not commute in ``state``."""

    state: int
    silent: str
    other: str


def open_diamond(graph: StateGraph, silent: frozenset[str]) -> Open | None:
    """Check the diamond on every edge of a full graph; the first that does not close, or None."""
    edges = graph.edges
    for number, row in enumerate(edges):
        for thread, label, after in row:
            if label not in silent:
                continue
            for mover, name, beside in row:
                if mover == thread:
                    continue
                targets = {target for t, n, target in edges[after] if t == mover and n == name}
                two = {target for t, n, target in edges[beside] if t == thread and n == label}
                if not targets or not targets & two:
                    return Open(number, label, name)
    return None


def settle(
    model: Model, silent: frozenset[str], labels: set[str] | None = None
) -> Callable[[State], State]:
    """A function that runs every enabled silent step of a state, until none is left.

    ``passed`` receives the labels of those steps.
    """
    pc = 0
    ran: set[str] = set() if labels is None else labels

    def settle_state(state: State) -> State:
        while any(process[pc] in silent for process in state[1]):
            for _, label, after in model.successors(state):
                if label in silent:
                    ran.add(_certain(label))
                    state = after
                    break
            else:
                return state
        return state

    return settle_state


def _certain(label: str) -> str:
    """A silent label. Raises UsageError where its step chooses: no code could take the choice."""
    if choice_of(label):
        raise UsageError(
            f"The silent step {label} chooses, and no line of the code can.",
            "Let a step choose that has a line of the code.",
        )
    return label


def reduce(model: Model, silent: frozenset[str], **options: Unpack[Options]) -> StateGraph:
    """Explore the reduced graph: no edge bears a silent label. Options are those of ``explore``."""
    labels: set[str] = set()
    settle_state = settle(model, silent, labels)
    outcomes = outcomes_of(model)
    results: list[dict[Move, Results]] = []

    def following(state: State) -> list[Step]:
        return [
            (thread, label, settle_state(after)) for thread, label, after in model.successors(state)
        ]

    def with_results(state: State) -> list[Step]:
        # explore calls this once for each state, in the order of their numbers
        assert outcomes is not None
        row, of_move = [], {}
        for thread, label, after in model.successors(state):
            rest, results_of_step = settled_with_results(
                model, silent, outcomes, thread, state, after, labels
            )
            if results_of_step:
                of_move[move_of(thread, label)] = results_of_step
            row.append((thread, label, rest))
        results.append(of_move)
        return row

    graph = explore(
        model,
        successors=with_results if outcomes else following,
        initial=settle_state(model.initial()),
        **options,
    )
    graph.results = results if outcomes else None
    graph.passed = labels
    return graph


def settled_with_results(
    model: Model,
    silent: frozenset[str],
    outcomes: Outcomes,
    thread: int,
    before: State,
    state: State,
    labels: set[str] | None = None,
) -> tuple[State, Results]:
    """The state after a step and all silent ones, and the results of the operations ended.

    ``passed`` receives the silent labels.
    """
    ran: set[str] = set() if labels is None else labels
    results = outcomes(thread, before, state)
    while any(process[0] in silent for process in state[1]):
        for mover, label, after in model.successors(state):
            if label in silent:
                ran.add(_certain(label))
                results += outcomes(mover, state, after)
                state = after
                break
        else:
            break
    return state, results


def shared_of(graph: StateGraph) -> Callable[[int], dict[str, tuple[object, ...]]]:
    """A function: state number -> the variables that an implementation has too."""
    model = graph.model
    flags = [name not in model.AUXILIARY for name in model.variables]

    def variables(number: int) -> dict[str, tuple[object, ...]]:
        return {
            name: piece
            for name, keep, piece in zip(model.variables, flags, model.pieces(graph.states[number]))
            if keep
        }

    return variables


def auxiliary_decides(graph: StateGraph) -> str:
    """A place at which an AUXILIARY variable decides a step, hence is no history; "" if none.

    Two states that differ in such variables alone must have the same steps, to states that differ
    in such variables alone, and the same results. The model's LOCAL are left out: AUXILIARY
    variables that code has on a thread's stack, hence compared by the labels and results that they
    decide.
    """
    model = graph.model
    aside = model.AUXILIARY - getattr(model, "LOCAL", frozenset())
    if not aside:
        return ""
    history = [name in aside for name in model.variables]
    number: dict[tuple[object, ...], int] = {}
    classes = []
    for state in graph.states:
        pieces = model.pieces(state)
        # behind the shared variables come the processes'
        rest = [piece for piece, is_history in zip(pieces, history) if not is_history]
        classes.append(number.setdefault((*rest, *pieces[len(history) :]), len(number)))
    by_class: dict[int, tuple[frozenset[tuple[Move, str, int]], object]] = {}
    results = getattr(graph, "results", None)
    for place, row in enumerate(graph.edges):
        steps = frozenset(
            [(move_of(thread, label), label, classes[target]) for thread, label, target in row]
        )
        results_here = None if results is None else results[place]
        before = by_class.setdefault(classes[place], (steps, results_here))
        if before != (steps, results_here):
            return (
                "AUXILIARY variables decide steps: two states that differ in "
                f"{', '.join(sorted(aside))} alone have "
                f"other steps or results, one of them state {place}"
            )
    return ""


def rows(graph: StateGraph) -> Rows:
    """A graph's edges as one mapping per state, with the results of the operations that they end.

    Raises UsageError where a thread has two steps in one state with one choice, or none: no code
    could be compared with both.
    """
    out: list[dict[Move, tuple[str, int]]] = []
    for number, row in enumerate(graph.edges):
        steps: dict[Move, tuple[str, int]] = {}
        for thread, label, target in row:
            move, step = move_of(thread, label), (label, target)
            if move != thread:
                step = labelled(label, choice_of(label)), target
            first = steps.setdefault(move, step)
            if first != step or (move != thread and thread in steps):
                first = steps.get(thread, first)
                raise UsageError(
                    f"In state {number} of the model {graph.model.threads[thread]} has several "
                    f"steps: {first[0]} to state {first[1]} and {label} to state {target}.",
                    "Let the step say what it chooses, by self.choose(values), or make the choice "
                    "a part of the scenario.",
                )
        out.append(steps)
    return Rows(out, graph.results)
