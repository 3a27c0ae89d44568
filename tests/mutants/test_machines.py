"""Every mutant: the implementation without a decision is the model without it, and no other."""

from __future__ import annotations

import pytest

from tests.impl.planting import bisimulated
from tests.model.artefacts import Artefacts
from tests.nights import only
from wheelproof.graph import reduced
from wheelproof.python import bisimulate
from wheelproof.python.search.pairs import Violation

ARTEFACTS = {
    mechanism: Artefacts(mechanism)
    for mechanism in ("delayed_operation", "overflow_wheel", "system_timer", "timing_wheel")
}
DECISIONS = dict.fromkeys(
    (mechanism, mutant.decision)
    for mechanism, of in ARTEFACTS.items()
    for mutant in of.mechanism.mutants.values()
)
BY_DAY = ("delayed_operation", "NoRetry"), ("overflow_wheel", "M6"), ("timing_wheel", "M11")
"""Decisions with small graphs; by day `make verify` compares the machines of all fast mutants."""


def compared(mechanism, name, scenario, decision):
    """The implementation without a decision against the model without another, and its graph."""
    of = ARTEFACTS[mechanism]
    declared = of.mechanism.without(decision)
    small = reduced.reduce(declared.model(scenario), declared.silent)
    found = bisimulate(
        of.mutant(name),
        of.mechanism.scenarios[scenario],
        reduced.rows(small),
        reduced.shared_of(small),
    )
    return found, small


def broken(found, small, name):
    """Whether a property fails in the graph of a bisimulation."""
    if name == "NoDeadlock":
        return isinstance(found.graph.first_deadlock(), Violation)
    return isinstance(
        found.graph.first_violation(lambda state: small.model.holds(name, small.states[state])),
        Violation,
    )


@pytest.mark.parametrize("mechanism, name", only(DECISIONS, *BY_DAY))
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(mechanism, name):
    of = ARTEFACTS[mechanism]
    declared, scenario = of.mechanism, of.mechanism.mutants[name].scenario
    found, small = compared(mechanism, name, scenario, name)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
    rows = [
        mutant
        for mutant in declared.mutants.values()
        if (mutant.decision, mutant.scenario) == (name, scenario)
    ]
    for mutant in rows:
        if mutant.equivalent:
            safe = [*declared.invariants, "NoDeadlock"]
            assert not [each for each in safe if broken(found, small, each)], mutant.name
        elif declared.properties[mutant.property].kind != "liveness":
            assert broken(found, small, mutant.property), mutant.name
    assert rows and bisimulated(of, of.mutant(name), scenario).outcome == "different"


@pytest.mark.parametrize(
    "mechanism, name, other, scenario",
    [
        # Kafka's order and each correction
        ("system_timer", "D1", "M14", "stalled_adder"),
        ("system_timer", "M14", "Recheck", "stalled_adder"),
        ("system_timer", "Recheck", "D1", "stalled_adder"),
        ("timing_wheel", "M17_late", "M17_turn", "a_turn"),
        ("timing_wheel", "M12", "M11", "withdrawn"),
        ("timing_wheel", "ResetLate", "M12", "two_withdrawn"),
    ],
)
def test_a_mutant_is_not_another_ones_machine(mechanism, name, other, scenario):
    assert compared(mechanism, name, scenario, other)[0].outcome == "different"
