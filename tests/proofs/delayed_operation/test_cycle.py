"""Two callers of TryPending that try for ever: the theorem, and the same round on the model."""

from __future__ import annotations

import pytest

from proofs.delayed_operation import cycle
from tests.proofs.checks import mechanism

NAME = "delayed_operation"
BY_NAME = {each.name: each for each in cycle.FAULTS}
CONFIG = "two_callers_try_for_ever"


@pytest.mark.nightly
def test_the_theorem_is_proved_with_its_controls():
    evidence = cycle.THEORY.check("Spec.TryPendingCycle", seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and set(evidence.witnesses) == set(BY_NAME)


def test_each_step_of_the_round_is_a_condition():
    names = [vc.name for vc in cycle.THEORY.theorems["Spec.TryPendingCycle"].vcs]
    steps = [cycle.step_name(number) for number in range(1, len(cycle.ROUND) + 1)]
    assert names == ["begin", *steps, "round", "open", "others"]
    assert {thread for thread, _ in cycle.ROUND} == {"a", "b"}


@pytest.mark.nightly
@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_stops_the_round_at_the_step_that_it_names(name):
    planted = BY_NAME[name]
    found = planted.find(0)
    assert (found.verdict, found.witness, found.contradiction) == ("sat", planted.breaks, "")


def round_on(model):
    """The states of the hand-written model in which each of two rounds ends."""
    state = model.initial()
    states = []
    for steps in (cycle.BEGIN, cycle.ROUND, cycle.ROUND):
        for thread, way in steps:
            label = way.partition("_to_")[0]
            (state,) = [
                after
                for mover, taken, after in model.successors(state)
                if (model.threads[mover], taken) == (thread, label)
            ]
            assert not model.final(state)
        states.append(state)
    return states


def test_the_round_is_one_of_the_model_and_the_config_that_must_fail_has_it():
    config = mechanism(NAME).configs[CONFIG]
    assert (config.expect, config.property) == ("violated", "Termination")
    _, first, second = round_on(mechanism(NAME).model(config.scenario))
    assert first == second


def test_the_model_without_the_note_does_not_go_round():
    model = mechanism(NAME).without("P9").model("two_callers")
    with pytest.raises(ValueError, match="not enough values"):
        round_on(model)
