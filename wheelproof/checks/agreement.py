"""A property means the same in spec and model: both evaluate it on the same states.

Equal graphs do not show this. A property that is weaker in one of the two holds wherever the other
one holds; and where each mutant has one operation, "some operation" and "all operations" are the
same. So TLC and the model also evaluate every invariant in states that are not reachable: those of
:mod:`wheelproof.checks.drawing`. They evaluate every witness there too. The layer ``graph``
compares witnesses in the states of each scenario's graph.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from wheelproof.checks.context import Context, Report, verdict_of
from wheelproof.checks.drawing import candidates, mix, reachable, truth_of, without_states
from wheelproof.checks.samples import (
    ENOUGH,
    Sample,
    invariants,
    judged_by_tlc,
    predicates,
    witnesses,
)
from wheelproof.graph.compare import names_of, texts_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import State, own_states
from wheelproof.tla import export
from wheelproof.tlc.result import Outcome
from wheelproof.verdict import Found, Verdict

NAME = "properties"
SCENARIOS, STATES = {"fast": 2, "nightly": 4}, 160
"""Scenarios of a mechanism by profile, and states of each."""

FIRST, DRAWN = 250, 2_000
"""States drawn of every scenario to choose scenarios, and of the chosen ones to choose states."""


def missing(mechanism: Mechanism) -> tuple[str, str] | None:
    """(witness, reason) of the first that declaration, model or specification lacks, else None."""
    declarations, toml = witnesses(mechanism), f"spec/{mechanism.toml.name}"
    of_model = mechanism.witnesses
    for name in (*declarations, *(name for name in of_model if name not in declarations)):
        if name not in declarations:
            return name, f"the model lists {name} in WITNESSES, and [model] of {toml} does not"
        if name not in of_model:
            return name, f"[model] of {toml} lists {name}, and the model's WITNESSES do not"
        if mechanism.by_hand and not callable(getattr(mechanism.model_module.Model, name, None)):
            return name, f"the model lists {name} in WITNESSES, and has no such method"
        if name not in export.load(mechanism.checked, mechanism.specs).definitions:
            return name, f"spec/{mechanism.checked.name} defines no {name}, which {toml} lists"
    return None


class Source:
    """The states of one scenario, drawn as they are needed, every fourth a reachable one.

    The scenario's name is the seed of the draw: more states begin with those that were drawn
    before. ``broken``: a property that one of the schedules shall break.
    """

    def __init__(self, mechanism: Mechanism, scenario: str, removed_decision: str = "") -> None:
        self.scenario, self.model = scenario, mechanism.model(scenario)
        self._draw = random.Random(scenario)
        states = reachable(mechanism, scenario, self._draw, removed_decision)
        self._reachable = own_states(self.model, states)
        self._states: list[State] = []
        self._truths: dict[str, list[bool | None]] = {name: [] for name in predicates(mechanism)}

    def states(self, number: int) -> list[State]:
        """The first states, this many."""
        while len(self._states) < number:
            self._states.append(
                mix(self._reachable, self._draw, self.model.threads)
                if _by_mixing(len(self._states))
                else self._draw.choice(self._reachable)
            )
        return self._states[:number]

    def truths(self, name: str, number: int) -> list[bool | None]:
        """A property's truth values in the first states, None where it has none."""
        truths = self._truths[name]
        truths += [
            truth_of(self.model, name, state) for state in self.states(number)[len(truths) :]
        ]
        return truths[:number]

    def shows(self, name: str, number: int) -> bool:
        """Whether the first states show both truth values of a property."""
        truths = self.truths(name, number)
        return True in truths and False in truths

    def sample(self, number: int) -> Sample:
        """The first states, with all truth values: state by state, as a model loads each once."""
        rows: list[dict[str, bool]] = []
        for index, state in enumerate(self.states(number)):
            row = {}
            for name, truths in self._truths.items():
                if index == len(truths):
                    truths.append(truth_of(self.model, name, state))
                if (truth := truths[index]) is not None:
                    row[name] = truth
            rows.append(row)
        return Sample(
            self.scenario,
            self.model,
            self.states(number),
            rows,
            [_by_mixing(index) for index in range(number)],
        )


def _by_mixing(index: int) -> bool:
    return index % 4 != 0


def selection(sample: Sample) -> Sample:
    """STATES of a sample: first those with a truth value that is rare so far, then the others."""
    counts: Counter[tuple[str, bool]] = Counter()
    numbers: dict[int, None] = {}
    for rare in (True, False):
        for number, truth in enumerate(sample.truths):
            if (
                len(numbers) < STATES
                and number not in numbers
                and (not rare or any(counts[pair] < ENOUGH for pair in truth.items()))
            ):
                numbers[number] = None
                counts.update(truth.items())
    return sample.only(numbers)


def choice(mechanism: Mechanism, profile: str = "nightly") -> list[Sample]:
    """The samples to compare: one by one, each of the most new worth."""
    names, scenarios = invariants(mechanism), candidates(mechanism, profile, SCENARIOS[profile])
    declarations = mechanism.of_model.sampled if profile == "fast" else ()
    enough = len(declarations) or SCENARIOS[profile]
    sources = {scenario: Source(mechanism, scenario) for scenario in scenarios}
    worth = {scenario: source.sample(FIRST).worth(names) for scenario, source in sources.items()}
    size = {scenario: len(source.model.initial()[0]) for scenario, source in sources.items()}
    samples: list[Sample] = []
    covered_worth: Counter[tuple[str, str]] = Counter()
    while sources and len(samples) < enough:
        best = max(
            sources,
            key=lambda scenario: (
                sum((Counter(worth[scenario]) - covered_worth).values()),
                size[scenario],
            ),
        )
        samples.append(selection(sources.pop(best).sample(DRAWN)))
        covered_worth |= Counter(worth[best])
    for name in names:  # one that is rarely broken: look for it where a mutant breaks it
        scenarios_of_mutants = dict.fromkeys(
            mutant.scenario for mutant in mechanism.mutants.values() if mutant.property == name
        )
        for scenario in sorted(scenarios_of_mutants, key=lambda scenario: scenario not in sources):
            if any(sample.rarity(name) for sample in samples):
                break
            if (source := Source(mechanism, scenario, name)).shows(name, DRAWN):
                samples = [sample for sample in samples if sample.scenario != scenario]
                samples.append(selection(source.sample(DRAWN)))
                sources.pop(scenario, None)
        for scenario in list(sources):
            if any(sample.rarity(name) for sample in samples):
                break
            if sources[scenario].shows(name, DRAWN):
                samples.append(selection(sources.pop(scenario).sample(DRAWN)))
    return samples


def check(context: Context) -> Report:
    """The row ``properties``: TLC and the model agree on each predicate in each drawn state.

    Predicates are invariants and witnesses. A witness that one side lacks is a finding. The figure
    ``one_sided`` counts the invariants that have one truth value in all drawn states. A row of
    these alone is vacuous. The figure ``skipped`` names the decisions that give no states,
    ``unjudged`` counts the mixed states that TLC cannot judge.
    """
    mechanism = context.mechanism
    start = context.begin("graph", NAME, context.limits.tlc_seconds)
    if lacking := missing(mechanism):
        row = context.row(
            "graph",
            NAME,
            start,
            expected="sampled",
            verdict=Verdict.VIOLATED,
            property=lacking[0],
            why=lacking[1],
        )
        return Report([row])
    names, samples = invariants(mechanism), choice(mechanism, context.profile)
    one_sided = [name for name in names if not any(sample.rarity(name) for sample in samples)]
    judgement: Found = {
        "verdict": Verdict.VACUOUS if len(one_sided) == len(names) else Verdict.SAMPLED
    }
    skips, rejections = 0, {f"{name} negated": False for name in predicates(mechanism)}
    if one_sided:
        judgement["why"] = f"no drawn state shows both truth values of {', '.join(one_sided)}"
    for whole in samples:
        sample, result, theirs = judged_by_tlc(context, whole, NAME)
        skips += len(whole.states) - len(sample.states)
        if result.outcome is not Outcome.COMPLETED:
            judgement = {"verdict": verdict_of(result), "why": result.explanation}
            break
        if fault := difference(sample, theirs):
            judgement = {"verdict": Verdict.VIOLATED, "property": fault[0], "why": fault[1]}
            break
        rejections |= controls(sample, theirs)
    return Report(
        [
            context.row(
                "graph",
                NAME,
                start,
                expected="sampled",
                bound=f"{STATES} states of each of {len(samples)} scenarios",
                **judgement,
                controls=rejections,
                figures={
                    "scenarios": ", ".join(sample.scenario for sample in samples),
                    "states": sum(len(sample.states) for sample in samples) - skips,
                    "unjudged": skips,
                    "properties": len(names),
                    "witnesses": len(witnesses(mechanism)),
                    "one_sided": len(one_sided),
                    "skipped": ", ".join(
                        without_states(mechanism, (sample.scenario for sample in samples))
                    )
                    or "none",
                },
            )
        ]
    )


def controls(sample: Sample, theirs: Mapping[int, Mapping[str, bool]]) -> dict[str, bool]:
    """Planted fault -> whether it is rejected by name: each predicate negated in one state."""
    rejections = {}
    for number, truth in enumerate(sample.truths):
        for name in truth:
            if (control := f"{name} negated") not in rejections:
                single = sample.only([number])
                single.truths = [{**truth, name: not truth[name]}]
                fault = difference(single, {0: theirs[number]})
                rejections[control] = fault is not None and fault[0] == name
    return rejections


def difference(sample: Sample, theirs: Mapping[int, Mapping[str, bool]]) -> tuple[str, str] | None:
    """(property, reason) where TLC and the model judge a property differently, else None."""
    for number, own_truths in enumerate(sample.truths):
        for name, truth in own_truths.items():
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
