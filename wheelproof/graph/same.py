"""Two models' graphs, compared as multisets of edges over the values of all variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wheelproof.errors import UsageError
from wheelproof.graph.compare import keys_and_codes, keys_of, names_of, texts_of
from wheelproof.graph.explorer import StateGraph
from wheelproof.graph.planted import Fault, alone, faults, negate, steps


def difference(first: StateGraph, second: StateGraph, names: tuple[str, str]) -> str:
    """A sentence with the first difference of two graphs; "" where they are equal.

    ``names``: how the sentence calls the two. Raises UsageError where the models' variables or
    threads differ.
    """
    return match(first, second, names)[0]


def judgement(
    first: StateGraph,
    second: StateGraph,
    names: tuple[str, str],
    places: Sequence[int],
    predicates: Sequence[str],
) -> tuple[str, str] | None:
    """(predicate, sentence) of the first state that two equal graphs judge differently, else None.

    ``places``: for each state of ``second`` the number of the same state of ``first``.
    """
    for there, here in enumerate(places):
        for name in predicates:
            truth = first.model.holds(name, first.states[here])
            if truth != second.model.holds(name, second.states[there]):
                state = zip(names_of(first.model), texts_of(first.model, first.states[here], {}))
                return name, (
                    f"{name} is {truth} in {names[0]} and {not truth} in {names[1]}, in the state "
                    + "; ".join(f"{variable} = {text}" for variable, text in state)
                )
    return None


def controls(
    first: StateGraph,
    second: StateGraph,
    names: tuple[str, str],
    places: Sequence[int],
    predicates: Sequence[str],
) -> dict[str, bool]:
    """Fault planted in the first of two equal graphs -> whether it is rejected by its label.

    A label is left out, and an update: TLC's comparison has each of them. Each predicate is negated
    in one state. ``places``: as :func:`judgement` has them.
    """
    back = {here: there for there, here in enumerate(places)}
    rejections = {}
    kinds = dict[bool, Fault]()
    for fault in faults(first, keys_and_codes(first)[0]):
        kinds.setdefault(fault.variable, fault)
        if len(kinds) == 2:
            break
    for fault in kinds.values():
        source = back[fault.source]
        whole = alone(second.model, second.states[source], steps(second, source))
        text = difference(fault.star, whole, names)
        rejections[fault.name] = f" {fault.label} of " in text
    start = alone(second.model, second.states[back[0]])
    for name in predicates:
        wrong = alone(negate(first.model, name), first.states[0])
        rejections[f"{name} negated"] = judgement(wrong, start, names, [0], [name]) is not None
    return rejections


def match(
    first: StateGraph, second: StateGraph, names: tuple[str, str]
) -> tuple[str, Sequence[int]]:
    """The difference of two graphs, and where there is none the numbers of equal states."""
    variables = names_of(first.model)
    if set(variables) != set(names_of(second.model)) or first.model.threads != second.model.threads:
        missing = sorted(set(variables) ^ set(names_of(second.model)))
        raise UsageError(
            f"{names[0]} and {names[1]} have not the same variables and threads: {missing}.",
            "Declare every variable of the specification in the model, under the same name.",
        )
    keys, codes = keys_and_codes(first)
    theirs = keys_of(second, variables, dict(codes))
    number = {key: place for place, key in enumerate(keys)}
    # The other graph's states by the first one's numbers; negative where it lacks the state.
    places = [number.get(key, -1 - place) for place, key in enumerate(theirs)]
    return _first_difference(first, second, places, variables, names) or _ends(
        first, second, places, names
    ), places


def _first_difference(
    first: StateGraph,
    second: StateGraph,
    numbers: list[int],
    variables: tuple[str, ...],
    names: tuple[str, str],
) -> str:
    """The first difference between states and edges; "" where there is none."""
    if numbers[0] != 0:
        return "the initial states differ: " + _changes(
            variables, texts_of(first.model, first.states[0], {}), _texts(second, 0, variables)
        )
    rows = dict(zip(numbers, second.edges, strict=True))
    for place, row in enumerate(first.edges):
        if place not in rows:
            return f"{names[0]} alone has the state " + ", ".join(
                f"{name} = {text}" for name, text in zip(variables, _texts(first, place, variables))
            )
        second_row = [(thread, label, numbers[target]) for thread, label, target in rows[place]]
        if row == second_row:
            continue
        here, there = Counter(row), Counter(second_row)
        for graph, only, name in (
            (first, here - there, names[0]),
            (second, there - here, names[1]),
        ):
            if only:
                thread, label, target = min(only)
                after = target if graph is first else numbers.index(target)
                return (
                    f"{name} alone has the step {label} of {first.model.threads[thread]} with "
                    + _changes(
                        variables, _texts(first, place, variables), _texts(graph, after, variables)
                    )
                )
    return ""


def _ends(first: StateGraph, second: StateGraph, numbers: list[int], names: tuple[str, str]) -> str:
    """The difference between the final states; "" where there is none."""
    final = set(first.final) ^ {numbers[place] for place in second.final}
    if final:
        alone = names[0] if min(final) in first.final else names[1]
        return f"{alone} alone has ended in state {min(final)}"
    return ""


def _texts(graph: StateGraph, place: int, variables: tuple[str, ...]) -> tuple[str, ...]:
    texts = dict(
        zip(names_of(graph.model), texts_of(graph.model, graph.states[place], {}), strict=True)
    )
    return tuple(texts[name] for name in variables)


def _changes(variables: tuple[str, ...], before: tuple[str, ...], after: tuple[str, ...]) -> str:
    places = [
        f"{name} {old} -> {new}"
        for name, old, new in zip(variables, before, after, strict=True)
        if old != new
    ]
    return "; ".join(places) or "no change"
