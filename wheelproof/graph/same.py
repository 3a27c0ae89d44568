"""Two models' graphs, compared as multisets of edges over the values of all variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wheelproof.errors import UsageError
from wheelproof.graph.compare import keyed, keys_of, names_of, texts_of
from wheelproof.graph.explorer import StateGraph
from wheelproof.graph.planted import Fault, alone, faults, negated, steps


def difference(one: StateGraph, other: StateGraph, names: tuple[str, str]) -> str:
    """A sentence with the first difference of two graphs; "" where they are equal.

    ``names``: how the sentence calls the two. Raises UsageError where the models' variables or
    threads differ.
    """
    return matched(one, other, names)[0]


def judgement(
    one: StateGraph,
    other: StateGraph,
    names: tuple[str, str],
    places: Sequence[int],
    predicates: Sequence[str],
) -> tuple[str, str] | None:
    """(predicate, sentence) of the first state that two equal graphs judge differently, else None.

    ``places``: for each state of ``other`` the number of the same state of ``one``.
    """
    for there, here in enumerate(places):
        for name in predicates:
            mine = one.model.holds(name, one.states[here])
            if mine != other.model.holds(name, other.states[there]):
                state = zip(names_of(one.model), texts_of(one.model, one.states[here], {}))
                return name, (
                    f"{name} is {mine} in {names[0]} and {not mine} in {names[1]}, in the state "
                    + "; ".join(f"{variable} = {text}" for variable, text in state)
                )
    return None


def controls(
    one: StateGraph,
    other: StateGraph,
    names: tuple[str, str],
    places: Sequence[int],
    predicates: Sequence[str],
) -> dict[str, bool]:
    """Fault planted in the first of two equal graphs -> whether it is rejected by its label.

    A label is left out, and an update: TLC's comparison has each of them. Each predicate is negated
    in one state. ``places``: as :func:`judgement` has them.
    """
    back = {here: there for there, here in enumerate(places)}
    rejected = {}
    kinds = dict[bool, Fault]()
    for fault in faults(one, keyed(one)[0]):
        kinds.setdefault(fault.variable, fault)
        if len(kinds) == 2:
            break
    for fault in kinds.values():
        source = back[fault.source]
        whole = alone(other.model, other.states[source], steps(other, source))
        found = difference(fault.star, whole, names)
        rejected[fault.name] = f" {fault.label} of " in found
    start = alone(other.model, other.states[back[0]])
    for name in predicates:
        wrong = alone(negated(one.model, name), one.states[0])
        rejected[f"{name} negated"] = judgement(wrong, start, names, [0], [name]) is not None
    return rejected


def matched(
    one: StateGraph, other: StateGraph, names: tuple[str, str]
) -> tuple[str, Sequence[int]]:
    """The difference of two graphs, and where there is none the numbers of equal states."""
    variables = names_of(one.model)
    if set(variables) != set(names_of(other.model)) or one.model.threads != other.model.threads:
        missing = sorted(set(variables) ^ set(names_of(other.model)))
        raise UsageError(
            f"{names[0]} and {names[1]} have not the same variables and threads: {missing}.",
            "Declare every variable of the specification in the model, under the same name.",
        )
    mine, codes = keyed(one)
    theirs = keys_of(other, variables, dict(codes))
    number = {key: place for place, key in enumerate(mine)}
    # The other graph's states by the first one's numbers; negative where it lacks the state.
    places = [number.get(key, -1 - place) for place, key in enumerate(theirs)]
    return _parted(one, other, places, variables, names) or _ends(one, other, places, names), places


def _parted(
    one: StateGraph,
    other: StateGraph,
    matched: list[int],
    variables: tuple[str, ...],
    names: tuple[str, str],
) -> str:
    """The first difference between states and edges; "" where there is none."""
    if matched[0] != 0:
        return "the initial states differ: " + _changes(
            variables, texts_of(one.model, one.states[0], {}), _texts(other, 0, variables)
        )
    rows = dict(zip(matched, other.edges, strict=True))
    for place, row in enumerate(one.edges):
        if place not in rows:
            return f"{names[0]} alone has the state " + ", ".join(
                f"{name} = {text}" for name, text in zip(variables, _texts(one, place, variables))
            )
        others = [(thread, label, matched[target]) for thread, label, target in rows[place]]
        if row == others:
            continue
        here, there = Counter(row), Counter(others)
        for graph, only, name in (
            (one, here - there, names[0]),
            (other, there - here, names[1]),
        ):
            if only:
                thread, label, target = min(only)
                after = target if graph is one else matched.index(target)
                return (
                    f"{name} alone has the step {label} of {one.model.threads[thread]} with "
                    + _changes(
                        variables, _texts(one, place, variables), _texts(graph, after, variables)
                    )
                )
    return ""


def _ends(one: StateGraph, other: StateGraph, matched: list[int], names: tuple[str, str]) -> str:
    """The difference between the final states; "" where there is none."""
    final = set(one.final) ^ {matched[place] for place in other.final}
    if final:
        alone = names[0] if min(final) in one.final else names[1]
        return f"{alone} alone has ended in state {min(final)}"
    return ""


def _texts(graph: StateGraph, place: int, variables: tuple[str, ...]) -> tuple[str, ...]:
    known = dict(
        zip(names_of(graph.model), texts_of(graph.model, graph.states[place], {}), strict=True)
    )
    return tuple(known[name] for name in variables)


def _changes(variables: tuple[str, ...], before: tuple[str, ...], after: tuple[str, ...]) -> str:
    places = [
        f"{name} {old} -> {new}"
        for name, old, new in zip(variables, before, after, strict=True)
        if old != new
    ]
    return "; ".join(places) or "no change"
