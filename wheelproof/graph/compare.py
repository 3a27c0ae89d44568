"""TLC = model: the two state graphs, compared as multisets of edges.

An edge is (process, label, state before, state after).

States are matched by the canonical text of every variable; no variable is left out. A difference is
shown with one edge or state from each side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from wheelproof.errors import UsageError
from wheelproof.graph.explorer import Keyed, StateGraph, multiset
from wheelproof.graph.planted import faults
from wheelproof.protocols import Model, State, ThreadState, Values
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.values import format_tla, freeze

NULL = "null"
"""The TLA+ string that stands for Python's None."""


Move = tuple[int | None, str, int, int]
"""(thread or None, label, state before, state after); negative numbers: states of TLC alone."""

Texts = dict[str, str]
"""A state: the TLA+ text of each variable."""


@dataclass(frozen=True)
class Comparison:
    """TLC's graph beside the model's, with TLC's counts."""

    states: int
    edges: int
    only_tlc: int
    """Edges of TLC's graph alone."""
    only_model: int
    """Edges of the model's graph alone."""
    difference: str
    """A sentence with witnesses, or ""."""
    controls: Mapping[str, bool] = field(default_factory=dict)
    """Planted fault in equal graphs -> whether it is rejected by name."""

    @property
    def equal(self) -> bool:
        return not self.difference


def texts_of(model: Model, state: State, texts: dict[tuple[int, Values], str]) -> tuple[str, ...]:
    """The TLA+ text of every variable of a state, in the model's order; ``texts`` is a memo."""
    names = names_of(model)
    out = []
    for index, piece in enumerate(model.pieces(state)):
        text = texts.get((index, piece))
        if text is None:
            text = texts[index, piece] = format_tla(freeze(model.tla(names[index], piece), NULL))
        out.append(text)
    return tuple(out)


def names_of(model: Model) -> tuple[str, ...]:
    """The names of all variables as in ``pieces``: the shared ones, then the processes'."""
    return (*model.variables, *model.process_variables)


def keys_of(
    graph: StateGraph, names: tuple[str, ...], codes: dict[str, int]
) -> list[tuple[int, ...]]:
    """Per state one number for each variable, in the order of ``names``.

    Equal numbers stand for equal TLA+ values. ``codes``: text of a value -> its number, which new
    values extend.
    """
    model = graph.model
    variables = names_of(model)
    codes_of_pieces: dict[tuple[int, Values], int] = {}

    def code(index: int, piece: Values) -> int:
        number = codes_of_pieces.get((index, piece))
        if number is None:
            text = format_tla(freeze(model.tla(variables[index], piece), NULL))
            number = codes_of_pieces[index, piece] = codes.setdefault(text, len(codes))
        return number

    # Few values of the shared variables, and of the threads', make many states.
    split = len(model.variables)
    of_shared: dict[Values, tuple[int, ...]] = {}
    of_threads: dict[tuple[ThreadState, ...], tuple[int, ...]] = {}
    order = [variables.index(name) for name in names]
    keys = []
    for state in graph.states:
        of_variables, threads = of_shared.get(state[0]), of_threads.get(state[1])
        if of_variables is None or threads is None:
            pieces = tuple(enumerate(model.pieces(state)))
            if of_variables is None:
                of_variables = of_shared[state[0]] = tuple(
                    [code(*piece) for piece in pieces[:split]]
                )
            if threads is None:
                threads = of_threads[state[1]] = tuple([code(*piece) for piece in pieces[split:]])
        whole = of_variables + threads
        keys.append(tuple([whole[place] for place in order]))
    return keys


def keys_and_codes(graph: StateGraph) -> Keyed:
    """The keys of a graph in the order of its model's variables, and the numbers of the values."""
    if graph.keyed is None:
        codes: dict[str, int] = {}
        graph.keyed = keys_of(graph, names_of(graph.model), codes), codes
    return graph.keyed


def compare(tlc: TlcGraph, graph: StateGraph, pc: str = "pc") -> Comparison:
    """Compare TLC's full graph with the model's. UsageError if their variables differ."""
    names = names_of(graph.model)
    _check_variables(tlc, names)
    numbers = _numbers(tlc, graph, names)
    comparison = _comparison(tlc, graph, numbers, pc)
    return (
        comparison
        if comparison.difference
        else replace(comparison, controls=_controls(tlc, graph, numbers, pc))
    )


def _controls(tlc: TlcGraph, graph: StateGraph, numbers: list[int], pc: str) -> dict[str, bool]:
    """Fault planted in the model's steps -> whether it is rejected by name."""
    names = names_of(graph.model)
    places = {number: place for place, number in enumerate(numbers)}
    plants = list(faults(graph, keys_and_codes(graph)[0]))
    stars = tlc.stars({places[fault.source] for fault in plants})
    rejections = {}
    for fault in plants:
        star = stars[places[fault.source]]
        comparison = _comparison(star, fault.star, _numbers(star, fault.star, names), pc)
        rejections[fault.name] = fault.named in comparison.difference
    return rejections


def _comparison(tlc: TlcGraph, graph: StateGraph, numbers: list[int], pc: str) -> Comparison:
    model = graph.model
    threads: dict[Hashable, int] = {name: index for index, name in enumerate(model.threads)}
    theirs = Counter(
        (
            None if move.process is None else threads[move.process],
            move.label,
            numbers[move.source],
            numbers[move.target],
        )
        for move in tlc.moves(pc)
    )
    ours = Counter(
        (thread, label, source, target) for source, thread, label, target in multiset(graph)
    )
    only_tlc, only_model = theirs - ours, ours - theirs
    differences = []
    if [numbers[n] for n in tlc.initial] != [0]:
        differences.append("the initial states differ")
    if only_tlc:
        edge = _nearest(only_tlc)
        step = _in_words(model, edge, *_in_tlc(tlc, numbers, edge))
        differences.append(f"{sum(only_tlc.values()):,} edges in TLC's graph alone, such as {step}")
    if only_model:
        edge = _nearest(only_model)
        step = _in_words(model, edge, *_in_model(graph, edge))
        differences.append(
            f"{sum(only_model.values()):,} edges in the model's graph alone, such as {step}"
        )
    return Comparison(
        len(tlc.states),
        sum(theirs.values()),
        sum(only_tlc.values()),
        sum(only_model.values()),
        "; ".join(differences),
    )


def _check_variables(tlc: TlcGraph, names: tuple[str, ...]) -> None:
    """UsageError if the specification's variables are not the model's."""
    if set(names) != set(tlc.variables):
        missing, extra = set(tlc.variables) - set(names), set(names) - set(tlc.variables)
        raise UsageError(
            f"The model's variables are not the spec's: missing {sorted(missing)}, unknown "
            f"{sorted(extra)}.",
            "Declare every variable of the spec in the model, under the same name.",
        )


def _numbers(tlc: TlcGraph, graph: StateGraph, names: tuple[str, ...]) -> list[int]:
    """TLC's states by the model's numbers; negative where the model has no such state."""
    order = [tlc.variables.index(name) for name in names]
    keys, codes = keys_and_codes(graph)
    codes_of_texts = [codes.get(text, -1) for text in tlc.texts]
    of_key = {key: index for index, key in enumerate(keys)}
    if len(of_key) != len(keys):
        raise UsageError(
            "Two states of the model have the same TLA+ state, so the model distinguishes states "
            "that the spec does not."
        )
    return [
        of_key.get(tuple([codes_of_texts[state[i]] for i in order]), -1 - index)
        for index, state in enumerate(tlc.states)
    ]


def _nearest(edges: Counter[Move]) -> Move:
    """The edge whose state before the model reached first, if both sides have that state."""
    return min(edges, key=lambda edge: (edge[2] < 0, abs(edge[2]), edge[1], str(edge[0])))


def _in_model(graph: StateGraph, edge: Move) -> Iterator[Texts]:
    """The states before and after an edge of the model's graph."""
    memo: dict[tuple[int, Values], str] = {}
    for state in edge[2:]:
        texts = texts_of(graph.model, graph.states[state], memo)
        yield dict(zip(names_of(graph.model), texts, strict=True))


def _in_tlc(tlc: TlcGraph, numbers: list[int], edge: Move) -> Iterator[Texts]:
    """The states before and after an edge of TLC's graph."""
    back = {index: n for n, index in enumerate(numbers)}
    for state in edge[2:]:
        values = tlc.states[back[state]]
        yield {name: tlc.texts[value] for name, value in zip(tlc.variables, values, strict=True)}


def _in_words(model: Model, edge: Move, before: Texts, after: Texts) -> str:
    """An edge in words: its thread, its label, and the changes."""
    thread, label = edge[:2]
    mover = "no process" if thread is None else model.threads[thread]
    changes = [
        f"{name} {before[name]} -> {after[name]}"
        for name in names_of(model)
        if before[name] != after[name]
    ]
    return f"{mover} takes {label}: {'; '.join(changes) or 'nothing changes'}"
