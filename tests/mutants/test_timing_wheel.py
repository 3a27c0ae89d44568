"""TimingWheel without a decision is the machine of the model without it and no other, and races only without the contract."""

import pytest

from tests.impl.planting import bisimulated
from tests.model.timing_wheel import ARTEFACTS, FAST, MECHANISM, ROOT, STEM
from wheelproof.explore import ControlledImplementation, RaceDetector, bisimulate, random_schedules
from wheelproof.explore.pairs import Violation
from wheelproof.graph import reduced

# -- what they do


def compared(name, scenario, decision):
    """The implementation without a decision against the model without another one, and that model's graph."""
    mechanism = MECHANISM.without(decision)
    small = reduced.reduce(mechanism.model(scenario), mechanism.silent)
    return bisimulate(
        ARTEFACTS.mutant(name),
        MECHANISM.scenarios[scenario],
        reduced.rows(small),
        reduced.shared_of(small),
    ), small


NIGHTLY = ("SaysNo", "M18")
"""The larger graphs."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] * (name in NIGHTLY))
        for name in MECHANISM.decisions
    ],
)
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(name):
    scenario = MECHANISM.mutants[name].scenario
    found, small = compared(name, scenario, name)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
    for mutant in MECHANISM.mutants.values():
        if (mutant.decision, mutant.scenario) != (name, scenario) or MECHANISM.properties[
            mutant.property
        ].kind == "liveness":
            continue
        broken = (
            found.graph.first_deadlock()
            if mutant.property == "NoDeadlock"
            else found.graph.first_violation(
                lambda state: small.model.holds(mutant.property, small.states[state])
            )
        )
        assert isinstance(broken, Violation), mutant.name
    assert bisimulated(ARTEFACTS, ARTEFACTS.mutant(name), scenario).outcome == "different"


@pytest.mark.parametrize(
    "one, other, scenario",
    [
        ("M17_late", "M17_turn", "a_turn"),
        ("M12", "M11", "withdrawn"),
        ("ResetLate", "M12", "two_withdrawn"),
    ],
)
def test_a_mutant_is_not_another_ones_machine(one, other, scenario):
    assert compared(one, scenario, other)[0].outcome == "different"


# -- data races


def races(decision, scenario, times, coarse=False):
    """The fields that threads are seen to race for without a decision; the schedules themselves may end as they will."""
    detector, subject = RaceDetector(), ARTEFACTS.mutant(decision)
    for part in range(times):
        random_schedules(
            subject,
            MECHANISM.scenarios[scenario],
            schedules=1,
            seed=part,
            max_steps=500,
            race=detector,
            coarse=coarse,
        )
    return {race.field for race in detector.found}


@pytest.mark.parametrize("coarse", [False, True])
def test_who_adds_while_the_clock_advances_races_for_the_clock(coarse):
    assert MECHANISM.mutants["M13"].data_race
    assert "TimingWheel.current_time" in races("M13", "a_turn", 12, coarse)
    assert not races("", "a_turn", 12, coarse)


@pytest.mark.parametrize(
    "scenario", [name for name in FAST if name in ("cascade", "two_adders", "two_withdrawn")]
)
def test_the_implementation_has_no_race(scenario):
    for coarse in False, True:
        detector = RaceDetector()
        found = random_schedules(
            ControlledImplementation.load(ROOT, STEM),
            MECHANISM.scenarios[scenario],
            schedules=10,
            seed=5,
            race=detector,
            coarse=coarse,
        )
        assert (
            found.outcome == "passed"
            and found.figures["schedules"] == 10
            and not found.figures["deadlocks"]
            and not detector.found
        )
