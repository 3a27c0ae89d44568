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
    """``states`` and ``edges``: TLC's counts; ``difference``: a sentence with witnesses, or "".

    ``only_tlc`` and ``only_model`` count the edges that one side alone has. ``controls``: of equal
    graphs, whether each planted fault is rejected by name.
    """

    states: int
    edges: int
    only_tlc: int
    only_model: int
    difference: str
    controls: Mapping[str, bool] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        return not self.difference


def texts_of(model: Model, state: State, known: dict[tuple[int, Values], str]) -> tuple[str, ...]:
    """The TLA+ text of every variable of a state, in the model's order; ``known`` is a memo."""
    names = names_of(model)
    out = []
    for index, piece in enumerate(model.pieces(state)):
        text = known.get((index, piece))
        if text is None:
            text = known[index, piece] = format_tla(freeze(model.tla(names[index], piece), NULL))
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
    own = names_of(model)
    known: dict[tuple[int, Values], int] = {}

    def code(index: int, piece: Values) -> int:
        found = known.get((index, piece))
        if found is None:
            text = format_tla(freeze(model.tla(own[index], piece), NULL))
            found = known[index, piece] = codes.setdefault(text, len(codes))
        return found

    # Few values of the shared variables, and of the threads', make many states.
    split = len(model.variables)
    of_shared: dict[Values, tuple[int, ...]] = {}
    of_threads: dict[tuple[ThreadState, ...], tuple[int, ...]] = {}
    order = [own.index(name) for name in names]
    keys = []
    for state in graph.states:
        shared, threads = of_shared.get(state[0]), of_threads.get(state[1])
        if shared is None or threads is None:
            pieces = tuple(enumerate(model.pieces(state)))
            if shared is None:
                shared = of_shared[state[0]] = tuple([code(*each) for each in pieces[:split]])
            if threads is None:
                threads = of_threads[state[1]] = tuple([code(*each) for each in pieces[split:]])
        whole = shared + threads
        keys.append(tuple([whole[place] for place in order]))
    return keys


def keyed(graph: StateGraph) -> Keyed:
    """The keys of a graph in the order of its model's variables, and the numbers of the values."""
    if graph.keyed is None:
        codes: dict[str, int] = {}
        graph.keyed = keys_of(graph, names_of(graph.model), codes), codes
    return graph.keyed


def compare(tlc: TlcGraph, graph: StateGraph, pc: str = "pc") -> Comparison:
    """Compare TLC's full graph with the model's. UsageError if their variables differ."""
    names = names_of(graph.model)
    _check_variables(tlc, names)
    matched = _matched(tlc, graph, names)
    found = _compared(tlc, graph, matched, pc)
    return (
        found if found.difference else replace(found, controls=_controls(tlc, graph, matched, pc))
    )


def _controls(tlc: TlcGraph, graph: StateGraph, matched: list[int], pc: str) -> dict[str, bool]:
    """Fault planted in the model's steps -> whether it is rejected by name."""
    names = names_of(graph.model)
    places = {number: place for place, number in enumerate(matched)}
    planted = list(faults(graph, keyed(graph)[0]))
    stars = tlc.stars({places[fault.source] for fault in planted})
    rejected = {}
    for fault in planted:
        star = stars[places[fault.source]]
        found = _compared(star, fault.star, _matched(star, fault.star, names), pc)
        rejected[fault.name] = fault.named in found.difference
    return rejected


def _compared(tlc: TlcGraph, graph: StateGraph, matched: list[int], pc: str) -> Comparison:
    model = graph.model
    threads: dict[Hashable, int] = {name: index for index, name in enumerate(model.threads)}
    theirs = Counter(
        (
            None if move.process is None else threads[move.process],
            move.label,
            matched[move.source],
            matched[move.target],
        )
        for move in tlc.moves(pc)
    )
    ours = Counter(
        (thread, label, source, target) for source, thread, label, target in multiset(graph)
    )
    only_tlc, only_model = theirs - ours, ours - theirs
    found = []
    if [matched[n] for n in tlc.initial] != [0]:
        found.append("the initial states differ")
    if only_tlc:
        edge = _nearest(only_tlc)
        step = _shown(model, edge, *_in_tlc(tlc, matched, edge))
        found.append(f"{sum(only_tlc.values()):,} edges in TLC's graph alone, such as {step}")
    if only_model:
        edge = _nearest(only_model)
        step = _shown(model, edge, *_in_model(graph, edge))
        found.append(
            f"{sum(only_model.values()):,} edges in the model's graph alone, such as {step}"
        )
    return Comparison(
        len(tlc.states),
        sum(theirs.values()),
        sum(only_tlc.values()),
        sum(only_model.values()),
        "; ".join(found),
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


def _matched(tlc: TlcGraph, graph: StateGraph, names: tuple[str, ...]) -> list[int]:
    """TLC's states by the model's numbers; negative where the model has no such state."""
    order = [tlc.variables.index(name) for name in names]
    keys, codes = keyed(graph)
    mine = [codes.get(text, -1) for text in tlc.texts]
    of_key = {key: index for index, key in enumerate(keys)}
    if len(of_key) != len(keys):
        raise UsageError(
            "Two states of the model have the same TLA+ state, so the model distinguishes states "
            "that the spec does not."
        )
    return [
        of_key.get(tuple([mine[state[i]] for i in order]), -1 - index)
        for index, state in enumerate(tlc.states)
    ]


def _nearest(edges: Counter[Move]) -> Move:
    """The edge whose state before the model reached first, if both sides have that state."""
    return min(edges, key=lambda edge: (edge[2] < 0, abs(edge[2]), edge[1], str(edge[0])))


def _in_model(graph: StateGraph, edge: Move) -> Iterator[Texts]:
    """The states before and after an edge of the model's graph."""
    known: dict[tuple[int, Values], str] = {}
    for state in edge[2:]:
        texts = texts_of(graph.model, graph.states[state], known)
        yield dict(zip(names_of(graph.model), texts, strict=True))


def _in_tlc(tlc: TlcGraph, matched: list[int], edge: Move) -> Iterator[Texts]:
    """The states before and after an edge of TLC's graph."""
    back = {index: n for n, index in enumerate(matched)}
    for state in edge[2:]:
        values = tlc.states[back[state]]
        yield {name: tlc.texts[value] for name, value in zip(tlc.variables, values, strict=True)}


def _shown(model: Model, edge: Move, before: Texts, after: Texts) -> str:
    """An edge in words: who takes which label, and what changes."""
    thread, label = edge[:2]
    mover = "no process" if thread is None else model.threads[thread]
    changes = [
        f"{name} {before[name]} -> {after[name]}"
        for name in names_of(model)
        if before[name] != after[name]
    ]
    return f"{mover} takes {label}: {'; '.join(changes) or 'nothing changes'}"
