"""A refusal that ends the reaper of Kafka's timer: the theorem, and the same run on the model."""

from __future__ import annotations

import pytest

from proofs.system_timer import refusal
from proofs.system_timer.ended_planted import ends, graph, holds
from tests.proofs.checks import mechanism

NAME = "system_timer"
BY_NAME = {each.name: each for each in refusal.FAULTS}


def test_each_step_of_the_run_is_a_condition():
    names = [vc.name for vc in refusal.THEORY.theorems["Timer.KafkaLoses"].vcs]
    steps = [refusal.step_name(number) for number in range(1, len(refusal.RUN) + 1)]
    assert names == [*steps, "ended", "lost"]


def test_the_config_that_must_fail_has_such_an_end():
    """Of Kafka's timer some run of the scenario ends so, and of the corrected one none does."""
    config = mechanism(NAME).configs["kafka_closing_tries_not_all"]
    assert (config.expect, config.property) == ("violated", "EveryTimerIsTried")
    model = mechanism(NAME).compiled_model(mechanism(NAME).scenarios[config.scenario])
    died = model.variables.index("reaperDied")
    assert any(
        state[0][died] and not holds(model, "AllTried", state) and holds(model, "Done", state)
        for state in ends(model)
    )
    corrected = mechanism(NAME).compiled_model(mechanism(NAME).scenarios["closing"])
    assert not any(state[0][died] for state, _ in graph(corrected, 500))


@pytest.mark.nightly
def test_the_theorem_is_proved_with_its_controls():
    evidence = refusal.THEORY.check("Timer.KafkaLoses", seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and set(evidence.witnesses) == set(BY_NAME)


@pytest.mark.nightly
@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_stops_the_run_at_the_step_that_it_names(name):
    planted = BY_NAME[name]
    found = planted.find(0)
    assert (found.verdict, found.witness, found.contradiction) == ("sat", planted.breaks, "")
    assert refusal.stopped() == ""
