"""A property means the same in spec and model: both evaluate it on the same states.

Equal graphs do not show this. A property that is weaker in one of the two holds wherever the other
one holds; and where each mutant has one operation, "some operation" and "all operations" are the
same. So TLC and the model also evaluate every invariant in states that are not reachable. They are
mixed from reachable states of the machine and of its mutants: a shared value or a whole process of
one state replaces that of another, a number moves by one, and a truth value is negated.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wheelproof.checks.context import VERDICT_OF, Context, Report, constants_of
from wheelproof.decisions import DoesNotFit
from wheelproof.graph.compare import names_of, texts_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State
from wheelproof.tlc import mc
from wheelproof.tlc.dot import Node, read_dot
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.tlc.values import parse_value
from wheelproof.verdict import Verdict

NAME = "properties"
SCENARIOS, STATES, SCHEDULES, STEPS = 4, 160, 3, 120
"""Scenarios of a mechanism, states of each, random schedules without each decision, their steps."""

SEARCH = 300
"""The most random schedules that are tried to break a property which those schedules keep."""

FIRST, DRAWN = 400, 4_000
"""States drawn of every scenario to choose scenarios, and of the chosen ones to choose states."""

MIXED, MOVED, ENOUGH = (0.05, 0.15, 0.5), 0.03, 16
"""Shares of values from another state, the share of moved values, wanted states per truth value."""

ODD = (LookupError, TypeError, ValueError, AttributeError)
"""The exceptions of a model in a state that is none of its own."""


@dataclass
class Sample:
    """States of one scenario, each with the model's truth values of the properties.

    A property that raises an exception in a state has no value there.
    """

    scenario: str
    model: Model
    states: list[State] = field(default_factory=list)
    truths: list[dict[str, bool]] = field(default_factory=list)

    def seen(self, name: str) -> int:
        """The number of states with the rarer of a property's truth values, at most ENOUGH."""
        found = [truth[name] for truth in self.truths if name in truth]
        return min(found.count(True), found.count(False), ENOUGH)

    def worth(self, names: tuple[str, ...]) -> dict[tuple[str, str], int]:
        """``seen`` of each property, with each variable that has two values or more.

        With such a variable, "each" and "some" differ.
        """
        pieces = dict(
            zip(names_of(self.model), self.model.pieces(self.model.initial()), strict=True)
        )
        several = ["", *(name for name, piece in pieces.items() if len(piece) > 1)]
        return {(name, variable): self.seen(name) for name in names for variable in several}


def invariants(mechanism: Mechanism) -> tuple[str, ...]:
    """The predicates on states that the TOML declares, those that do not hold included."""
    return tuple(item.name for item in mechanism.properties.values() if item.kind == "invariant")


def reachable(
    mechanism: Mechanism, scenario: str, draw: random.Random, broken: str = ""
) -> list[State]:
    """States on random schedules of the machine, and of the machine without each decision.

    Each schedule's last state counts several times. ``broken``: a property that one more schedule
    shall break.
    """
    found: list[State] = []
    for decision in ("", *mechanism.decisions):
        if (model := without(mechanism, decision, scenario)) is not None:
            for _ in range(SCHEDULES):
                schedule = drawn(model, draw)
                found += schedule + [schedule[-1]] * (len(schedule) // 3)
    return found + breaking(mechanism, scenario, draw, broken)


def without(mechanism: Mechanism, decision: str, scenario: str) -> Model | None:
    """The model without a decision; None where that one has other variables."""
    try:
        model = mechanism.without(decision).model(scenario)
    except DoesNotFit:
        # `wheelproof mutate` has changed those lines; `verify` refuses that before any check.
        return None
    return model if names_of(model) == names_of(mechanism.model(scenario)) else None


def skipped(mechanism: Mechanism, scenarios: Iterable[str]) -> list[str]:
    """The decisions that give no states: without them the model has other variables."""
    scenarios = list(scenarios)
    return [
        decision
        for decision in mechanism.decisions
        if any(without(mechanism, decision, scenario) is None for scenario in scenarios)
    ]


def drawn(model: Model, draw: random.Random, until: str = "") -> list[State]:
    """States on one random schedule, in their order.

    ``until``: a property; the schedule ends where it is broken.
    """
    schedule = [model.initial()]
    for _ in range(STEPS):
        try:
            after = model.successors(schedule[-1])
        except ODD:  # the scenario has no next state without this decision
            break
        if not after or (until and _truth(model, until, schedule[-1]) is False):
            break
        schedule.append(draw.choice(after)[2])
    return schedule


def breaking(mechanism: Mechanism, scenario: str, draw: random.Random, name: str) -> list[State]:
    """States on a random schedule that breaks a property; none if no schedule does.

    It is a schedule of a mutant that must break the property in this scenario.
    """
    for mutant in mechanism.mutants.values():
        if (mutant.property, mutant.scenario) == (name, scenario) and (
            model := without(mechanism, mutant.decision, scenario)
        ) is not None:
            for _ in range(SEARCH):
                schedule = drawn(model, draw, name)
                if _truth(model, name, schedule[-1]) is False:
                    return schedule + [schedule[-1]] * len(schedule)
    return []


def mixed(states: list[State], draw: random.Random) -> State:
    """One state made from two: some values and processes of the first are those of the second.

    Some values are moved, too.
    """
    one, two, share = draw.choice(states), draw.choice(states), draw.choice(MIXED)
    shared = [
        other if draw.random() < share else value
        for value, other in zip(one[0], two[0], strict=True)
    ]
    shared = [moved(value, draw) if draw.random() < MOVED else value for value in shared]
    return tuple(shared), tuple(
        other if draw.random() < share else value
        for value, other in zip(one[1], two[1], strict=True)
    )


def moved(value: Any, draw: random.Random) -> Any:
    """A number moved by one, a truth value negated; of a tuple, one of its elements."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple) and value:
        place = draw.randrange(len(value))
        changed = (*value[:place], moved(value[place], draw), *value[place + 1 :])
        return type(value)(*changed) if hasattr(value, "_fields") else changed
    return value + draw.choice((1, -1)) if isinstance(value, int) else value


def sampled(mechanism: Mechanism, scenario: str, number: int, broken: str = "") -> Sample:
    """This number of states of one scenario, every fourth a reachable one.

    The scenario's name is the seed of the draw. ``broken``: a property that one of the schedules
    shall break.
    """
    draw, names = random.Random(scenario), invariants(mechanism)
    sample = Sample(scenario, mechanism.model(scenario))
    base = reachable(mechanism, scenario, draw, broken)
    for index in range(number):
        state = draw.choice(base) if index % 4 == 0 else mixed(base, draw)
        sample.states.append(state)
        sample.truths.append(
            {
                name: truth
                for name in names
                if (truth := _truth(sample.model, name, state)) is not None
            }
        )
    return sample


def selected(sample: Sample) -> Sample:
    """STATES of a sample: first those with a truth value that is rare so far, then the others."""
    counts: Counter[tuple[str, bool]] = Counter()
    taken: dict[int, None] = {}
    for rare in (True, False):
        for number, truth in enumerate(sample.truths):
            if (
                len(taken) < STATES
                and number not in taken
                and (not rare or any(counts[pair] < ENOUGH for pair in truth.items()))
            ):
                taken[number] = None
                counts.update(truth.items())
    return Sample(
        sample.scenario,
        sample.model,
        [sample.states[number] for number in taken],
        [sample.truths[number] for number in taken],
    )


def _truth(model: Model, name: str, state: State) -> bool | None:
    try:
        return bool(model.holds(name, state))
    except ODD:  # the property is about no such state
        return None


def chosen(mechanism: Mechanism) -> list[Sample]:
    """The samples to compare: one by one that which adds the most worth, of several the largest."""
    names = invariants(mechanism)
    scenarios = list(
        dict.fromkeys(config.scenario for config in mechanism.configs.values() if not config.module)
    )
    left = {scenario: sampled(mechanism, scenario, FIRST) for scenario in scenarios}
    worth = {scenario: sample.worth(names) for scenario, sample in left.items()}
    size = {scenario: len(sample.model.initial()[0]) for scenario, sample in left.items()}
    taken: list[str] = []
    known: Counter[tuple[str, str]] = Counter()
    while left and len(taken) < SCENARIOS:
        best = max(
            left,
            key=lambda scenario: (sum((Counter(worth[scenario]) - known).values()), size[scenario]),
        )
        taken.append(best)
        known |= Counter(worth[best])
        del left[best]
    samples = [selected(sampled(mechanism, scenario, DRAWN)) for scenario in taken]
    for name in names:  # one that is rarely broken: look for it in the others
        for scenario in list(left):
            if any(each.seen(name) for each in samples):
                break
            if (sample := sampled(mechanism, scenario, DRAWN)).seen(name):
                samples.append(selected(sample))
                del left[scenario]
        for scenario in dict.fromkeys(
            mutant.scenario for mutant in mechanism.mutants.values() if mutant.property == name
        ):
            if any(each.seen(name) for each in samples):
                break
            if (sample := sampled(mechanism, scenario, DRAWN, name)).seen(name):
                samples = [each for each in samples if each.scenario != scenario] + [
                    selected(sample)
                ]
    return samples


def check(context: Context) -> Report:
    """The row ``properties``: TLC and the model agree on every invariant in each drawn state.

    The figure ``one_sided`` counts the invariants that have one truth value in all drawn states. A
    row of these alone is vacuous. The figure ``skipped`` names the decisions that give no states.
    """
    mechanism = context.mechanism
    started = context.begin("graph", NAME, context.limits.tlc_seconds)
    names, samples = invariants(mechanism), chosen(mechanism)
    one_sided = [name for name in names if not any(each.seen(name) for each in samples)]
    judged: dict[str, Any] = {
        "verdict": Verdict.VACUOUS if len(one_sided) == len(names) else Verdict.SAMPLED
    }
    if one_sided:
        judged["why"] = f"no drawn state shows both truth values of {', '.join(one_sided)}"
    for sample in samples:
        result, theirs = by_tlc(context, sample)
        if result.outcome is not Outcome.COMPLETED:
            judged = {"verdict": VERDICT_OF[result.outcome], "why": result.explanation}
            break
        if found := difference(sample, theirs):
            judged = {"verdict": Verdict.VIOLATED, "property": found[0], "why": found[1]}
            break
    return Report(
        [
            context.row(
                "graph",
                NAME,
                started,
                expected="sampled",
                bound=f"{STATES} states of each of {len(samples)} scenarios",
                **judged,
                figures={
                    "scenarios": ", ".join(each.scenario for each in samples),
                    "states": sum(len(each.states) for each in samples),
                    "properties": len(names),
                    "one_sided": len(one_sided),
                    "skipped": ", ".join(skipped(mechanism, (each.scenario for each in samples)))
                    or "none",
                },
            )
        ]
    )


def difference(sample: Sample, theirs: Mapping[int, Mapping[str, bool]]) -> tuple[str, str] | None:
    """(property, reason) where TLC and the model judge a property differently, else None."""
    for number, mine in enumerate(sample.truths):
        for name, truth in mine.items():
            if theirs[number][name] != truth:
                texts = zip(
                    names_of(sample.model),
                    texts_of(sample.model, sample.states[number], {}),
                    strict=True,
                )
                return name, (
                    f"{name} is {theirs[number][name]} in the spec and {truth} in the model, in a "
                    f"state of scenario {sample.scenario}: "
                    + "; ".join(f"{variable} = {text}" for variable, text in texts)
                )
    return None


def by_tlc(context: Context, sample: Sample) -> tuple[TlcResult, dict[int, Mapping[str, bool]]]:
    """TLC's truth values by the state's number; FALSE where the model has no value."""
    mechanism, model = context.mechanism, sample.model
    known: dict[tuple[int, Any], str] = {}
    names = names_of(model)
    tables: dict[str, dict[str, int]] = {name: {} for name in names}
    rows = []
    for state in sample.states:
        rows.append(
            [
                tables[name].setdefault(text, len(tables[name]) + 1)
                for name, text in zip(names, texts_of(model, state, known), strict=True)
            ]
        )
    definitions = {f"Sampled_{name}": f"<<{', '.join(table)}>>" for name, table in tables.items()}
    definitions["SampledRows"] = (
        "<<" + ",\n  ".join(f"<<{', '.join(map(str, row))}>>" for row in rows) + ">>"
    )
    values = [
        f"{name} = Sampled_{name}[SampledRows[sampleNumber][{number}]]"
        for number, name in enumerate(names, 1)
    ]
    evaluated = ["{" + ", ".join(f'"{name}"' for name in truth) + "}" for truth in sample.truths]
    definitions["SampledNames"] = f"<<{', '.join(evaluated)}>>"
    verdicts = ", ".join(
        f'{name} |-> "{name}" \\in SampledNames[sampleNumber] /\\ {name}'
        for name in invariants(mechanism)
    )
    definitions["SampledInit"] = f"/\\ sampleNumber \\in 1..{len(rows)}\n  /\\ " + "\n  /\\ ".join(
        [*values, f"sampleVerdicts = [{verdicts}]"]
    )
    definitions["SampledNext"] = "UNCHANGED <<vars, sampleNumber, sampleVerdicts>>"
    every = "<<vars, sampleNumber, sampleVerdicts>>"
    folder = context.output / "mc" / mechanism.module / f"{NAME}_{sample.scenario}"
    files = mc.generate(
        mc.McConfig(
            name=f"MC{mechanism.module}_{NAME}_{sample.scenario}",
            spec=mechanism.checked,
            origin=f"spec/{mechanism.toml.name}, scenario {sample.scenario}",
            constants=constants_of(mechanism, sample.scenario),
            variables=("sampleNumber", "sampleVerdicts"),
            definitions=definitions,
            specification=f"SampledInit /\\ [][SampledNext]_{every}",
            deadlock_check=False,
        ),
        folder,
    )
    dump = folder / "states.dot"
    try:
        result = context.run_tlc(
            files.module,
            timeout=context.limits.tlc_seconds,
            config=files.config,
            dump=dump,
            deadlock_check=False,
            heap_mb=context.limits.heap_mb,
        )
        if result.outcome is not Outcome.COMPLETED:
            return result, {}
        found = [node.variables() for node in read_dot(dump) if isinstance(node, Node)]
        return result, {
            parse_value(each["sampleNumber"]) - 1: parse_value(each["sampleVerdicts"])
            for each in found
        }
    finally:
        dump.unlink(missing_ok=True)
