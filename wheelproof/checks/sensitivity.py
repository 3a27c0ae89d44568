"""A property has its meaning: it is false as soon as one variable is wrong.

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
from wheelproof.checks.drawing import candidates, draw_schedule, truth_of
from wheelproof.checks.samples import Sample, invariants, judged_by_tlc
from wheelproof.errors import UsageError
from wheelproof.graph.compare import names_of
from wheelproof.graph.planted import positions, replace_value
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
"""A property, and the change that breaks it: a variable and a kind, as ``counter +1``."""


@dataclass
class Values:
    """The values that changes are drawn from."""

    columns: dict[tuple[int, ...], list[object]] = field(default_factory=dict)
    """Position -> values of the variable in the states of the schedules."""
    names: list[str] = field(default_factory=list)
    """Threads, and all strings in the shared variables."""

    @classmethod
    def from_states(cls, model: Model, states: Sequence[State]) -> Values:
        values, names = cls(), set(model.threads)
        for state in states:
            for position, value in positions(state):
                column = values.columns.setdefault(position, [])
                if value not in column:
                    column.append(value)
                    if len(position) == 1:
                        names.update(leaf for leaf in _leaves(value) if type(leaf) is str)
        values.names = sorted(names)
        return values


def _leaves(value: object) -> Iterator[object]:
    match value:
        case Map():
            for item in value.results:
                yield from _leaves(item)
        case tuple() | frozenset():
            for item in value:
                yield from _leaves(item)
        case _:
            yield value


class Changes:
    """Drawn changes of a value: one of each kind that it has."""

    def __init__(self, draw: random.Random, names: Sequence[str]) -> None:
        self._draw, self._names = draw, names

    def changes(
        self, value: object, column: Sequence[object], label: bool = False
    ) -> Iterator[Change]:
        """``column``: other values of the variable. ``label``: whether it is a thread's pc."""
        choices: list[object] = [item for item in column if item != value]
        match value:
            case bool():
                yield "not", not value
                return
            case int():
                yield "+1", value + 1
                yield "-1", value - 1
                choices = [item for item in choices if isinstance(item, int)]
            case str() | None:
                choices += [] if label else [name for name in self._names if name != value]
            case frozenset():
                yield from self._of_set(value, column)
            case Map():
                inner = [item for map_ in column if isinstance(map_, Map) for item in map_.results]
                for kind, results in self._of_one(value.results, inner):
                    yield kind, value.domain.map(results)
                if value.domain.sequence:
                    for kind, items in self._of_sequence(value.results, inner):
                        yield kind, value.domain.values.sequence(items)
            case tuple():
                inner = [item for items_ in column if isinstance(items_, tuple) for item in items_]
                for kind, items in self._of_one(value, inner):
                    yield kind, type(value)._make(items) if hasattr(value, "_make") else items
                if not hasattr(value, "_make"):
                    yield from self._of_sequence(value, inner)
        if choices:
            yield "other", self._draw.choice(choices)

    def _of_one(
        self, values: tuple[object, ...], column: Sequence[object]
    ) -> Iterator[tuple[str, tuple[object, ...]]]:
        if values:
            place = self._draw.randrange(len(values))
            for kind, value in self.changes(values[place], column):
                yield kind, (*values[:place], value, *values[place + 1 :])

    def _of_set(self, value: frozenset[object], column: Sequence[object]) -> Iterator[Change]:
        items = {item for set_ in column if isinstance(set_, frozenset) for item in set_}
        if more := sorted((items or set(self._names)) - value, key=str):
            yield "more", value | {self._draw.choice(more)}
        if value:
            yield "less", value - {self._draw.choice(sorted(value, key=str))}

    def _of_sequence(
        self, value: tuple[object, ...], choices: Sequence[object]
    ) -> Iterator[tuple[str, tuple[object, ...]]]:
        if choices:
            yield "more", (*value, self._draw.choice(choices))
        if value:
            place = self._draw.randrange(len(value))
            yield "more", (*value, value[place])
            yield "less", value[:place] + value[place + 1 :]
        if len(value) > 1:
            place = self._draw.randrange(len(value) - 1)
            first, two = value[place : place + 2]
            yield "swap", (*value[:place], two, first, *value[place + 2 :])


def changes_of(model: Model, name: str) -> Iterator[tuple[State, str, State]]:
    """(reachable state, variable and kind, state with that variable changed) of a scenario.

    The scenario's name is the seed. A change of several variables is left out.
    """
    draw = random.Random(name)
    schedules = [draw_schedule(model, draw) for _ in range(SCHEDULES)]
    last = dict.fromkeys(state for schedule in schedules for state in schedule[-LAST:])
    states = list(dict.fromkeys(state for schedule in schedules for state in schedule))
    values, names = Values.from_states(model, states), names_of(model)
    changes = Changes(draw, values.names)
    draw.shuffle(states)
    for state in [*last, *(state for state in states if state not in last)][:STATES]:
        pieces = model.pieces(state)
        for position, value in positions(state):
            label = len(position) == 2 and position[1] == 0
            for kind, change in changes.changes(value, values.columns[position], label):
                after = replace_value(state, position, change)
                differing = [
                    variable
                    for variable, first, two in zip(names, pieces, model.pieces(after), strict=True)
                    if first != two
                ]
                if len(differing) == 1:
                    yield state, f"{differing[0]} {kind}", after


Broken = dict[Pair, tuple[str, State]]
"""The changes that break each property, with a scenario and a state in which it is false."""


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


def breaking_pairs(mechanism: Mechanism, only: Collection[Pair] | None = None) -> Broken:
    """The pairs that break the mechanism's properties. ``only``: no others are looked for.

    Scenarios beyond those of the day's draws are for the properties that nothing has broken yet.
    """
    module = export.load(mechanism.checked, mechanism.specs)
    reads = {name: variables_of(module.definition(name).body) for name in invariants(mechanism)}
    pairs: Broken = {}
    first = candidates(mechanism, "fast", 1)
    for scenario in scenarios(mechanism):
        if scenario not in first:
            names = {name for name, _ in pairs}
            reads = {
                name: variables
                for name, variables in reads.items()
                if name not in names and mechanism.properties[name].holds
            }
        if not reads or (only is not None and len(pairs) == len(only)):
            break
        for pair, state in _of_scenario(mechanism.model(scenario), scenario, reads, only):
            if pair not in pairs:
                pairs[pair] = scenario, state
    return pairs


def _of_scenario(
    model: Model,
    scenario: str,
    reads: Mapping[str, Collection[str]],
    only: Collection[Pair] | None,
) -> Iterator[tuple[Pair, State]]:
    """The pairs that break the properties of ``reads`` in a scenario, each once."""
    open_pairs = None if only is None else {pair for pair in only if pair[0] in reads}

    def wants(*pair: str) -> bool:
        return open_pairs is None or pair in open_pairs

    pairs: set[Pair] = set()
    before: State | None = None
    holding: list[str] = []
    for state, change, after in changes_of(model, scenario):
        if pairs == open_pairs:
            return
        if state is not before:
            before, truths = state, {name: truth_of(model, name, state) for name in reads}
            holding = [name for name, truth in truths.items() if truth]
            for name in [name for name, truth in truths.items() if truth is False]:
                if (name, REACHED) not in pairs and wants(name, REACHED):
                    pairs.add((name, REACHED))
                    yield (name, REACHED), state
        variable = change.partition(" ")[0]
        for name in holding:
            pair = name, change
            if variable not in reads[name] or pair in pairs:
                continue
            if wants(*pair) and truth_of(model, name, after) is False:
                pairs.add(pair)
                yield pair, after


def missing(mechanism: Mechanism, pairs: Collection[Pair]) -> list[str]:
    """The invariants that no pair breaks, but those that do not hold by declaration."""
    names = {name for name, _ in pairs}
    return [
        name
        for name in invariants(mechanism)
        if mechanism.properties[name].holds and name not in names
    ]


def listing(mechanism: Mechanism) -> set[Pair] | None:
    """The pairs that ``counts.json`` lists; None where it lists none of this mechanism.

    Raises UsageError on a property that the mechanism lacks.
    """
    changes_by_name = counts.read_broken(mechanism.toml.parent).get(mechanism.name)
    if changes_by_name is None:
        return None
    if stale := [name for name in changes_by_name if name not in invariants(mechanism)]:
        raise UsageError(
            f"{mechanism.toml.with_name(counts.FILE)}: broken_by.{mechanism.name}: there is no "
            f"invariant {', '.join(stale)}.",
            f"Run `wheelproof list {mechanism.name} --update-counts --config {NAME}`.",
        )
    return {(name, change) for name, changes in changes_by_name.items() for change in changes}


def check(context: Context) -> Report:
    """The row ``sensitivity``: each listed change still breaks its property, in TLC and the model.

    Where ``counts.json`` lists no pairs of the mechanism, each property that holds must be broken
    by some pair. The plan has their number only where they are listed.
    """
    mechanism = context.mechanism
    start = context.begin("graph", NAME, context.limits.tlc_seconds)
    expectation = listing(mechanism)
    pairs = breaking_pairs(mechanism, expectation)
    common, read, fault = in_both(context, pairs)
    outcome = fault or judgement(mechanism, expectation, set(pairs), common)
    return Report(
        [
            context.row(
                "graph",
                NAME,
                start,
                expected="sampled",
                bound=f"{STATES} states of a scenario, one variable of each changed",
                **outcome,
                controls=controls(mechanism, expectation, set(pairs), common, read),
                figures={
                    "properties": len({name for name, _ in common}),
                    **(
                        {"unlisted_pairs": len(common), "listed": "no"}
                        if expectation is None
                        else {"pairs": len(common), "listed": len(expectation)}
                    ),
                },
            )
        ]
    )


def judgement(
    mechanism: Mechanism, expectation: Collection[Pair] | None, pairs: set[Pair], common: set[Pair]
) -> Found:
    """The verdict. ``pairs``: the pairs that break their property in the model; ``common``: in TLC
    too."""
    losses = sorted(set(expectation or ()) - common)
    if losses:
        name, change = losses[0]
        return {
            "verdict": Verdict.VIOLATED,
            "property": name,
            "why": f"spec/{counts.FILE} says that {name} is false in some state that differs from "
            f"a reachable one in one variable alone ({change}), and "
            + (
                "the spec has it true there"
                if losses[0] in pairs
                else "no drawn state is such a one"
            )
            + (f"; the same holds of {len(losses) - 1} more" if losses[1:] else ""),
        }
    if lacking := missing(mechanism, common):
        return {
            "verdict": Verdict.VACUOUS,
            "why": f"no drawn state that differs from a reachable one in a single variable breaks "
            f"{', '.join(lacking)}; a formula that is never false says nothing",
        }
    return {"verdict": Verdict.SAMPLED}


def controls(
    mechanism: Mechanism,
    expectation: Collection[Pair] | None,
    pairs: set[Pair],
    common: set[Pair],
    read: Mapping[str, bool],
) -> dict[str, bool]:
    """Planted fault -> whether it is rejected: each property weakened until it is always true.

    That is done in model and specification, and in the specification alone. ``read``: whether TLC
    has a property true where the model has.
    """
    rejections = {f"{name} always false in the spec": read[name] for name in sorted(read)}
    for name in sorted({name for name, _ in common}):
        if expectation is None and not mechanism.properties[name].holds:
            continue
        rest = {pair for pair in common if pair[0] != name}
        for where, weaker in (("in both", pairs - common | rest), ("in the spec", pairs)):
            why = judgement(mechanism, expectation, weaker, rest).get("why", "")
            rejections[f"{name} always true {where}"] = name in why
    return rejections


def in_both(context: Context, breaking: Broken) -> tuple[set[Pair], dict[str, bool], Found | None]:
    """The pairs that break their property in TLC too, and TLC's failure, else None.

    Between the two: whether TLC has a property true in an initial state where the model has. If
    all formulas were read as false, that would show no difference of a pair.
    """
    common: set[Pair] = set()
    read: dict[str, bool] = {}
    for scenario in dict.fromkeys(scenario for scenario, _ in breaking.values()):
        pairs: dict[State, list[Pair]] = {}
        for pair, (scenario_, state) in breaking.items():
            if scenario_ == scenario:
                pairs.setdefault(state, []).append(pair)
        truths = [{name: False for name, _ in pairs[state]} for state in pairs]
        model = context.mechanism.model(scenario)
        first = model.initial()
        names = sorted({name for truth in truths for name in truth})
        truths.append({name: True for name in names if truth_of(model, name, first)})
        by_mixing = [True] * len(pairs) + [False]
        sample = Sample(scenario, model, [*pairs, first], truths, by_mixing)
        judgement, result, theirs = judged_by_tlc(context, sample, NAME)
        if result.outcome is not Outcome.COMPLETED:
            return common, read, {"verdict": verdict_of(result), "why": result.explanation}
        last = len(judgement.states) - 1
        for name in judgement.truths[last]:
            read[name] = read.get(name, True) and theirs[last][name]
        for number, state in enumerate(judgement.states[:last]):
            common.update(pair for pair in pairs[state] if not theirs[number][pair[0]])
    return common, read, None
