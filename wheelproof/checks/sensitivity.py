"""A property says what it is meant to say: it is false as soon as one variable is wrong.

A formula that is weakened alike in spec and model holds in all states that it held in, and the row
``properties`` sees no difference. So each property is evaluated in states that differ in one
variable from a reachable one. How the variable was changed is a *kind*; a pair of variable and kind
*breaks* a property where it is false in such a state. The file ``counts.json`` lists the pairs that
break each property, and a pair that breaks it no more is a finding. TLC judges the states too.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wheelproof.checks.context import Context, Report, verdict_of
from wheelproof.checks.drawing import candidates, drawn, truth_of
from wheelproof.checks.samples import Sample, invariants, judged_by_tlc
from wheelproof.errors import UsageError
from wheelproof.graph.compare import names_of
from wheelproof.graph.planted import positions, replaced
from wheelproof.project import counts
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State
from wheelproof.tla import export
from wheelproof.tla.syntax import variables_of
from wheelproof.tla.values import Map
from wheelproof.tlc.result import Outcome
from wheelproof.verdict import Found, Verdict

NAME = "sensitivity"

SCHEDULES, STATES, LAST = 32, 240, 4
"""Random schedules of a scenario, and states on them that are changed, first LAST of each."""

REACHED = "reached"
"""Breaks a property that is false in a reachable state, with nothing changed."""

Change = tuple[str, object]
"""A kind of change, and the value that it gives."""

Pair = tuple[str, str]
"""A property, and what breaks it: a variable with the kind of its change, as ``counter +1``."""


@dataclass
class Values:
    """The values that changes are drawn from.

    ``seen``: by position, those of the variable in the states of the schedules. ``names``: threads,
    and all strings in the shared variables.
    """

    seen: dict[tuple[int, ...], list[object]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, model: Model, states: Sequence[State]) -> Values:
        values, names = cls(), set(model.threads)
        for state in states:
            for position, value in positions(state):
                column = values.seen.setdefault(position, [])
                if value not in column:
                    column.append(value)
                    if len(position) == 1:
                        names.update(leaf for leaf in _leaves(value) if type(leaf) is str)
        values.names = sorted(names)
        return values


def _leaves(value: object) -> Iterator[object]:
    match value:
        case Map():
            for each in value.results:
                yield from _leaves(each)
        case tuple() | frozenset():
            for each in value:
                yield from _leaves(each)
        case _:
            yield value


class Changes:
    """Drawn changes of a value: one of each kind that it has."""

    def __init__(self, draw: random.Random, names: Sequence[str]) -> None:
        self._draw, self._names = draw, names

    def of(self, value: object, seen: Sequence[object], label: bool = False) -> Iterator[Change]:
        """``seen``: other values of the variable. ``label``: whether it is a thread's pc."""
        others: list[object] = [each for each in seen if each != value]
        match value:
            case bool():
                yield "not", not value
                return
            case int():
                yield "+1", value + 1
                yield "-1", value - 1
                others = [each for each in others if isinstance(each, int)]
            case str() | None:
                others += [] if label else [each for each in self._names if each != value]
            case frozenset():
                yield from self._of_set(value, seen)
            case Map():
                inner = [each for other in seen if isinstance(other, Map) for each in other.results]
                for kind, results in self._of_one(value.results, inner):
                    yield kind, value.domain.map(results)
                if value.domain.sequence:
                    for kind, items in self._of_sequence(value.results, inner):
                        yield kind, value.domain.values.sequence(items)
            case tuple():
                inner = [each for other in seen if isinstance(other, tuple) for each in other]
                for kind, items in self._of_one(value, inner):
                    yield kind, type(value)._make(items) if hasattr(value, "_make") else items
                if not hasattr(value, "_make"):
                    yield from self._of_sequence(value, inner)
        if others:
            yield "other", self._draw.choice(others)

    def _of_one(
        self, values: tuple[object, ...], seen: Sequence[object]
    ) -> Iterator[tuple[str, tuple[object, ...]]]:
        if values:
            place = self._draw.randrange(len(values))
            for kind, value in self.of(values[place], seen):
                yield kind, (*values[:place], value, *values[place + 1 :])

    def _of_set(self, value: frozenset[object], seen: Sequence[object]) -> Iterator[Change]:
        known = {each for other in seen if isinstance(other, frozenset) for each in other}
        if more := sorted((known or set(self._names)) - value, key=str):
            yield "more", value | {self._draw.choice(more)}
        if value:
            yield "less", value - {self._draw.choice(sorted(value, key=str))}

    def _of_sequence(
        self, value: tuple[object, ...], known: Sequence[object]
    ) -> Iterator[tuple[str, tuple[object, ...]]]:
        if known:
            yield "more", (*value, self._draw.choice(known))
        if value:
            place = self._draw.randrange(len(value))
            yield "more", (*value, value[place])
            yield "less", value[:place] + value[place + 1 :]
        if len(value) > 1:
            place = self._draw.randrange(len(value) - 1)
            one, two = value[place : place + 2]
            yield "swap", (*value[:place], two, one, *value[place + 2 :])


def changed(model: Model, name: str) -> Iterator[tuple[State, str, State]]:
    """(reachable state, variable and kind, state with that variable changed) of a scenario.

    The scenario's name is the seed. A change of several variables is left out.
    """
    draw = random.Random(name)
    schedules = [drawn(model, draw) for _ in range(SCHEDULES)]
    last = dict.fromkeys(state for schedule in schedules for state in schedule[-LAST:])
    states = list(dict.fromkeys(state for schedule in schedules for state in schedule))
    values, names = Values.of(model, states), names_of(model)
    changes = Changes(draw, values.names)
    draw.shuffle(states)
    for state in [*last, *(each for each in states if each not in last)][:STATES]:
        pieces = model.pieces(state)
        for position, value in positions(state):
            label = len(position) == 2 and position[1] == 0
            for kind, other in changes.of(value, values.seen[position], label):
                after = replaced(state, position, other)
                differing = [
                    variable
                    for variable, one, two in zip(names, pieces, model.pieces(after), strict=True)
                    if one != two
                ]
                if len(differing) == 1:
                    yield state, f"{differing[0]} {kind}", after


Broken = dict[Pair, tuple[str, State]]
"""What breaks each property, with a scenario and a state in which it is false."""


def scenarios(mechanism: Mechanism) -> list[str]:
    """Those that states are drawn from by day, then the day's others, then the night's."""
    first = candidates(mechanism, "fast", 1)
    by_profile = [
        config.scenario
        for profile in ("fast", "nightly")
        for config in mechanism.configs.values()
        if config.profile == profile and not config.module
    ]
    return list(dict.fromkeys([*first, *by_profile]))


def broken(mechanism: Mechanism, wanted: Collection[Pair] | None = None) -> Broken:
    """The pairs that break the mechanism's properties. ``wanted``: no others are looked for.

    Scenarios beyond those of the day's draws are for the properties that nothing has broken yet.
    """
    module = export.load(mechanism.checked, mechanism.specs)
    reads = {name: variables_of(module.definition(name).body) for name in invariants(mechanism)}
    found: Broken = {}
    first = candidates(mechanism, "fast", 1)
    for scenario in scenarios(mechanism):
        if scenario not in first:
            done = {name for name, _ in found}
            reads = {
                name: variables
                for name, variables in reads.items()
                if name not in done and mechanism.properties[name].holds
            }
        if not reads or (wanted is not None and len(found) == len(wanted)):
            break
        for pair, state in _of_scenario(mechanism.model(scenario), scenario, reads, wanted):
            if pair not in found:
                found[pair] = scenario, state
    return found


def _of_scenario(
    model: Model,
    scenario: str,
    reads: Mapping[str, Collection[str]],
    wanted: Collection[Pair] | None,
) -> Iterator[tuple[Pair, State]]:
    """The pairs that break the properties of ``reads`` in a scenario, each once."""
    open_pairs = None if wanted is None else {pair for pair in wanted if pair[0] in reads}

    def wants(*pair: str) -> bool:
        return open_pairs is None or pair in open_pairs

    found: set[Pair] = set()
    before: State | None = None
    holding: list[str] = []
    for state, change, after in changed(model, scenario):
        if found == open_pairs:
            return
        if state is not before:
            before, truths = state, {name: truth_of(model, name, state) for name in reads}
            holding = [name for name, truth in truths.items() if truth]
            for name in [name for name, truth in truths.items() if truth is False]:
                if (name, REACHED) not in found and wants(name, REACHED):
                    found.add((name, REACHED))
                    yield (name, REACHED), state
        variable = change.partition(" ")[0]
        for name in holding:
            pair = name, change
            if variable not in reads[name] or pair in found:
                continue
            if wants(*pair) and truth_of(model, name, after) is False:
                found.add(pair)
                yield pair, after


def missing(mechanism: Mechanism, pairs: Collection[Pair]) -> list[str]:
    """The invariants that no pair breaks, but those that do not hold by declaration."""
    shown = {name for name, _ in pairs}
    return [
        name
        for name in invariants(mechanism)
        if mechanism.properties[name].holds and name not in shown
    ]


def listed(mechanism: Mechanism) -> set[Pair] | None:
    """The pairs that ``counts.json`` lists; None where it lists none of this mechanism.

    Raises UsageError on a property that the mechanism lacks.
    """
    found = counts.read_broken(mechanism.toml.parent).get(mechanism.name)
    if found is None:
        return None
    if stale := [name for name in found if name not in invariants(mechanism)]:
        raise UsageError(
            f"{mechanism.toml.with_name(counts.FILE)}: broken_by.{mechanism.name}: there is no "
            f"invariant {', '.join(stale)}.",
            f"Run `wheelproof list {mechanism.name} --update-counts --config {NAME}`.",
        )
    return {(name, change) for name, changes in found.items() for change in changes}


def check(context: Context) -> Report:
    """The row ``sensitivity``: what broke each property breaks it still, in TLC and in the model.

    Where ``counts.json`` lists no pairs of the mechanism, each property that holds must be broken
    by some pair. The plan has their number only where they are listed.
    """
    mechanism = context.mechanism
    started = context.begin("graph", NAME, context.limits.tlc_seconds)
    wanted = listed(mechanism)
    found = broken(mechanism, wanted)
    both, read, fault = in_both(context, found)
    judged = fault or judgement(mechanism, wanted, set(found), both)
    return Report(
        [
            context.row(
                "graph",
                NAME,
                started,
                expected="sampled",
                bound=f"{STATES} states of a scenario, one variable of each changed",
                **judged,
                controls=controls(mechanism, wanted, set(found), both, read),
                figures={
                    "properties": len({name for name, _ in both}),
                    **(
                        {"unlisted_pairs": len(both), "listed": "no"}
                        if wanted is None
                        else {"pairs": len(both), "listed": len(wanted)}
                    ),
                },
            )
        ]
    )


def judgement(
    mechanism: Mechanism, wanted: Collection[Pair] | None, found: set[Pair], both: set[Pair]
) -> Found:
    """The verdict. ``found``: the pairs that break their property in the model; ``both``: in TLC
    too."""
    lost = sorted(set(wanted or ()) - both)
    if lost:
        name, change = lost[0]
        return {
            "verdict": Verdict.VIOLATED,
            "property": name,
            "why": f"spec/{counts.FILE} says that {name} is false in some state that differs from "
            f"a reachable one in one variable alone ({change}), and "
            + ("the spec has it true there" if lost[0] in found else "no drawn state is such a one")
            + (f"; the same holds of {len(lost) - 1} more" if lost[1:] else ""),
        }
    if lacking := missing(mechanism, both):
        return {
            "verdict": Verdict.VACUOUS,
            "why": f"no drawn state that differs from a reachable one in a single variable breaks "
            f"{', '.join(lacking)}; a formula that is never false says nothing",
        }
    return {"verdict": Verdict.SAMPLED}


def controls(
    mechanism: Mechanism,
    wanted: Collection[Pair] | None,
    found: set[Pair],
    both: set[Pair],
    read: Mapping[str, bool],
) -> dict[str, bool]:
    """Planted fault -> whether it is rejected: each property weakened until it is always true.

    That is done in model and specification, and in the specification alone. ``read``: whether TLC
    has a property true where the model has.
    """
    rejected = {f"{name} always false in the spec": read[name] for name in sorted(read)}
    for name in sorted({name for name, _ in both}):
        if wanted is None and not mechanism.properties[name].holds:
            continue
        rest = {pair for pair in both if pair[0] != name}
        for where, left in (("in both", found - both | rest), ("in the spec", found)):
            why = judgement(mechanism, wanted, left, rest).get("why", "")
            rejected[f"{name} always true {where}"] = name in why
    return rejected


def in_both(context: Context, found: Broken) -> tuple[set[Pair], dict[str, bool], Found | None]:
    """The pairs that break their property in TLC too, and what TLC could not judge, else None.

    Between the two: whether TLC has a property true in an initial state where the model has. If
    all formulas were read as false, that would show no difference of a pair.
    """
    both: set[Pair] = set()
    read: dict[str, bool] = {}
    for scenario in dict.fromkeys(scenario for scenario, _ in found.values()):
        pairs: dict[State, list[Pair]] = {}
        for pair, (other, state) in found.items():
            if other == scenario:
                pairs.setdefault(state, []).append(pair)
        truths = [{name: False for name, _ in pairs[state]} for state in pairs]
        model = context.mechanism.model(scenario)
        first = model.initial()
        names = sorted({name for truth in truths for name in truth})
        truths.append({name: True for name in names if truth_of(model, name, first)})
        mixed = [True] * len(pairs) + [False]
        sample = Sample(scenario, model, [*pairs, first], truths, mixed)
        judged, result, theirs = judged_by_tlc(context, sample, NAME)
        if result.outcome is not Outcome.COMPLETED:
            return both, read, {"verdict": verdict_of(result), "why": result.explanation}
        last = len(judged.states) - 1
        for name in judged.truths[last]:
            read[name] = read.get(name, True) and theirs[last][name]
        for number, state in enumerate(judged.states[:last]):
            both.update(pair for pair in pairs[state] if not theirs[number][pair[0]])
    return both, read, None
