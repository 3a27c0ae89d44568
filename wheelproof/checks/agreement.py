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
from wheelproof.checks.drawing import candidates, mixed, reachable, skipped, truth_of
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
    declared, toml = witnesses(mechanism), f"spec/{mechanism.toml.name}"
    listed = mechanism.witnesses
    for name in (*declared, *(each for each in listed if each not in declared)):
        if name not in declared:
            return name, f"the model lists {name} in WITNESSES, and [model] of {toml} does not"
        if name not in listed:
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

    def __init__(self, mechanism: Mechanism, scenario: str, broken: str = "") -> None:
        self.scenario, self.model = scenario, mechanism.model(scenario)
        self._draw = random.Random(scenario)
        reached = reachable(mechanism, scenario, self._draw, broken)
        self._reachable = own_states(self.model, reached)
        self._states: list[State] = []
        self._truths: dict[str, list[bool | None]] = {name: [] for name in predicates(mechanism)}

    def states(self, number: int) -> list[State]:
        """The first states, this many."""
        while len(self._states) < number:
            self._states.append(
                mixed(self._reachable, self._draw, self.model.threads)
                if _by_mixing(len(self._states))
                else self._draw.choice(self._reachable)
            )
        return self._states[:number]

    def truths(self, name: str, number: int) -> list[bool | None]:
        """A property's truth values in the first states, None where it has none."""
        known = self._truths[name]
        known += [truth_of(self.model, name, state) for state in self.states(number)[len(known) :]]
        return known[:number]

    def shows(self, name: str, number: int) -> bool:
        """Whether the first states show both truth values of a property."""
        found = self.truths(name, number)
        return True in found and False in found

    def sample(self, number: int) -> Sample:
        """The first states, with all truth values: state by state, as a model loads each once."""
        rows: list[dict[str, bool]] = []
        for index, state in enumerate(self.states(number)):
            row = {}
            for name, known in self._truths.items():
                if index == len(known):
                    known.append(truth_of(self.model, name, state))
                if (truth := known[index]) is not None:
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
    return sample.only(taken)


def chosen(mechanism: Mechanism, profile: str = "nightly") -> list[Sample]:
    """The samples to compare: one by one that which adds the most worth, of several the largest."""
    names, scenarios = invariants(mechanism), candidates(mechanism, profile, SCENARIOS[profile])
    declared = mechanism.of_model.sampled if profile == "fast" else ()
    enough = len(declared) or SCENARIOS[profile]
    left = {scenario: Source(mechanism, scenario) for scenario in scenarios}
    worth = {scenario: source.sample(FIRST).worth(names) for scenario, source in left.items()}
    size = {scenario: len(source.model.initial()[0]) for scenario, source in left.items()}
    samples: list[Sample] = []
    known: Counter[tuple[str, str]] = Counter()
    while left and len(samples) < enough:
        best = max(
            left,
            key=lambda scenario: (sum((Counter(worth[scenario]) - known).values()), size[scenario]),
        )
        samples.append(selected(left.pop(best).sample(DRAWN)))
        known |= Counter(worth[best])
    for name in names:  # one that is rarely broken: look for it where a mutant breaks it
        mutated = dict.fromkeys(
            mutant.scenario for mutant in mechanism.mutants.values() if mutant.property == name
        )
        for scenario in sorted(mutated, key=lambda each: each not in left):
            if any(each.seen(name) for each in samples):
                break
            if (source := Source(mechanism, scenario, name)).shows(name, DRAWN):
                samples = [each for each in samples if each.scenario != scenario]
                samples.append(selected(source.sample(DRAWN)))
                left.pop(scenario, None)
        for scenario in list(left):
            if any(each.seen(name) for each in samples):
                break
            if left[scenario].shows(name, DRAWN):
                samples.append(selected(left.pop(scenario).sample(DRAWN)))
    return samples


def check(context: Context) -> Report:
    """The row ``properties``: TLC and the model agree on each predicate in each drawn state.

    Predicates are invariants and witnesses. A witness that one side lacks is a finding. The figure
    ``one_sided`` counts the invariants that have one truth value in all drawn states. A row of
    these alone is vacuous. The figure ``skipped`` names the decisions that give no states,
    ``unjudged`` counts the mixed states that TLC cannot judge.
    """
    mechanism = context.mechanism
    started = context.begin("graph", NAME, context.limits.tlc_seconds)
    if lacking := missing(mechanism):
        row = context.row(
            "graph",
            NAME,
            started,
            expected="sampled",
            verdict=Verdict.VIOLATED,
            property=lacking[0],
            why=lacking[1],
        )
        return Report([row])
    names, samples = invariants(mechanism), chosen(mechanism, context.profile)
    one_sided = [name for name in names if not any(each.seen(name) for each in samples)]
    judged: Found = {
        "verdict": Verdict.VACUOUS if len(one_sided) == len(names) else Verdict.SAMPLED
    }
    unjudged, rejected = 0, {f"{name} negated": False for name in predicates(mechanism)}
    if one_sided:
        judged["why"] = f"no drawn state shows both truth values of {', '.join(one_sided)}"
    for whole in samples:
        sample, result, theirs = judged_by_tlc(context, whole, NAME)
        unjudged += len(whole.states) - len(sample.states)
        if result.outcome is not Outcome.COMPLETED:
            judged = {"verdict": verdict_of(result), "why": result.explanation}
            break
        if found := difference(sample, theirs):
            judged = {"verdict": Verdict.VIOLATED, "property": found[0], "why": found[1]}
            break
        rejected |= controls(sample, theirs)
    return Report(
        [
            context.row(
                "graph",
                NAME,
                started,
                expected="sampled",
                bound=f"{STATES} states of each of {len(samples)} scenarios",
                **judged,
                controls=rejected,
                figures={
                    "scenarios": ", ".join(each.scenario for each in samples),
                    "states": sum(len(each.states) for each in samples) - unjudged,
                    "unjudged": unjudged,
                    "properties": len(names),
                    "witnesses": len(witnesses(mechanism)),
                    "one_sided": len(one_sided),
                    "skipped": ", ".join(skipped(mechanism, (each.scenario for each in samples)))
                    or "none",
                },
            )
        ]
    )


def controls(sample: Sample, theirs: Mapping[int, Mapping[str, bool]]) -> dict[str, bool]:
    """Planted fault -> whether it is rejected by name: each predicate negated in one state."""
    rejected = {}
    for number, truth in enumerate(sample.truths):
        for name in truth:
            if (control := f"{name} negated") not in rejected:
                one = sample.only([number])
                one.truths = [{**truth, name: not truth[name]}]
                found = difference(one, {0: theirs[number]})
                rejected[control] = found is not None and found[0] == name
    return rejected


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
