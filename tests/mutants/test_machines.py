"""Every mutant: the implementation without a decision is the model without it, and no other."""

from __future__ import annotations

import pytest

from tests.impl.planting import bisimulated
from tests.model.artefacts import Artefacts
from wheelproof.explore import bisimulate
from wheelproof.explore.pairs import Violation
from wheelproof.graph import reduced

QUICK = {
    "delayed_operation": ("ReadEarly", "NoRetry", "P10"),
    "overflow_wheel": ("PlainWheel", "M6", "M7", "M16"),
    "system_timer": ("D1", "Recheck", "M14"),
    "timing_wheel": None,
}
"""Mechanism -> decisions for every run of the suite, None for all but those of SLOW."""

SLOW = {"timing_wheel": ("SaysNo", "M18")}
"""Decisions with larger graphs, for the night."""

ARTEFACTS = {stem: Artefacts(stem) for stem in QUICK}


def decisions():
    """Each decision with a mutant, those that are for the night marked so."""
    for stem, quick in QUICK.items():
        names = dict.fromkeys(
            mutant.decision for mutant in ARTEFACTS[stem].mechanism.mutants.values()
        )
        for name in names:
            fast = name not in SLOW.get(stem, ()) if quick is None else name in quick
            yield pytest.param(stem, name, marks=[] if fast else [pytest.mark.nightly])


def compared(stem, name, scenario, decision):
    """The implementation without a decision against the model without another, and its graph."""
    of = ARTEFACTS[stem]
    mechanism = of.mechanism.without(decision)
    small = reduced.reduce(mechanism.model(scenario), mechanism.silent)
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


@pytest.mark.parametrize("stem, name", list(decisions()))
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(stem, name):
    of = ARTEFACTS[stem]
    mechanism, scenario = of.mechanism, of.mechanism.mutants[name].scenario
    found, small = compared(stem, name, scenario, name)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
    rows = [
        mutant
        for mutant in mechanism.mutants.values()
        if (mutant.decision, mutant.scenario) == (name, scenario)
    ]
    for mutant in rows:
        if mutant.equivalent:
            safe = [*mechanism.invariants, "NoDeadlock"]
            assert not [each for each in safe if broken(found, small, each)], mutant.name
        elif mechanism.properties[mutant.property].kind != "liveness":
            assert broken(found, small, mutant.property), mutant.name
    assert rows and bisimulated(of, of.mutant(name), scenario).outcome == "different"


@pytest.mark.parametrize(
    "stem, name, other, scenario",
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
def test_a_mutant_is_not_another_ones_machine(stem, name, other, scenario):
    assert compared(stem, name, scenario, other)[0].outcome == "different"
