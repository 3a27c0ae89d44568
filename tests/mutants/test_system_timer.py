"""SystemTimer without a decision: the machine of the model without it, and no longer the implementation's."""

import pytest

from tests.impl.planting import bisimulated
from tests.model.artefacts import ROOT
from tests.model.system_timer import ARTEFACTS, MECHANISM, STEM
from wheelproof.explore import ControlledImplementation, RaceDetector, bisimulate, random_schedules
from wheelproof.explore.pairs import Violation
from wheelproof.graph import reduced

DECISIONS = tuple(dict.fromkeys(mutant.decision for mutant in MECHANISM.mutants.values()))
QUICK = ("D1", "Recheck", "M14")
"""Decisions for every run of the suite; all of them are for the night."""


def compared(name, scenario, other):
    """The implementation without one decision against the model without another, and that model's graph."""
    small = reduced.reduce(MECHANISM.without(other).model(scenario), MECHANISM.silent)
    subject = ARTEFACTS.mutant(name)
    return bisimulate(
        subject, MECHANISM.scenarios[scenario], reduced.rows(small), reduced.shared_of(small)
    ), small


def test_a_row_of_a_decision_is_about_a_property_of_its_own():
    rows = [
        (mutant.decision, mutant.scenario, mutant.property) for mutant in MECHANISM.mutants.values()
    ]
    assert len(rows) == len(set(rows)) > len(DECISIONS)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.nightly] * (name not in QUICK)) for name in DECISIONS],
)
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(name):
    mutant = MECHANISM.mutants[name]
    found, small = compared(name, mutant.scenario, name)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
    broken = {
        prop
        for prop in MECHANISM.invariants
        if isinstance(
            found.graph.first_violation(lambda state: small.model.holds(prop, small.states[state])),
            Violation,
        )
    }
    if mutant.equivalent:
        assert not broken and not isinstance(found.graph.first_deadlock(), Violation)
    else:
        assert mutant.property in broken
    assert bisimulated(ARTEFACTS, ARTEFACTS.mutant(name), mutant.scenario).outcome == "different"


@pytest.mark.parametrize("name, other", [("D1", "M14"), ("M14", "Recheck"), ("Recheck", "D1")])
def test_kafkas_order_and_each_correction_is_a_machine_of_its_own(name, other):
    assert compared(name, "stalled_adder", other)[0].outcome == "different"


@pytest.mark.parametrize(
    "decision, gone",
    [("D1", {"R3"}), ("M14", {"R3"}), ("Recheck", set()), ("M11", set()), ("M9", set())],
)
def test_a_step_is_gone_where_its_decision_was(decision, gone):
    """From the model and from the implementation's own timer; KafkaTimer has no such step at any time."""
    changed = MECHANISM.without(decision)
    labels = changed.model("one_adder").labels
    assert set(MECHANISM.labels) - set(labels) == gone
    assert ("  # update R3" in changed.modules.get(f"impl.{STEM}", ARTEFACTS.source("impl"))) == (
        not gone
    )


# -- data races


@pytest.mark.parametrize("coarse", [False, True])
def test_without_the_read_lock_there_is_a_race(coarse):
    scenario, found = MECHANISM.scenarios["one_adder"], {}
    for mutant in "M13", "":
        detector, subject = RaceDetector(), ARTEFACTS.mutant(mutant, atomicity="COMPOSED")
        for part in range(12):
            random_schedules(
                subject,
                scenario,
                schedules=1,
                seed=part,
                max_steps=1_000,
                race=detector,
                coarse=coarse,
            )
        found[mutant] = {race.field for race in detector.found}
    assert found == {"M13": {"TimingWheel.current_time"}, "": set()}


@pytest.mark.parametrize("scenario", ["one_adder", "two_adders", "cancel_one", "executor"])
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
