"""Faults of the engine: the oracle of drawn programs names each of them."""

import pytest

from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import KINDS, drawn
from tests.wheelproof.plain.engine_faults import FAULTS
from wheelproof.plain.schedulers.bounded import Bounded
from wheelproof.plain.schedulers.optimal_dpor import OptimalDPOR

SEEDS = 40
"""Programs in which a fault must show."""


def _states_forget_what_they_depend_on(monkeypatch):
    performed = Bounded.performed

    def alone(self, execution, thread, index, location, conflicts, writes):
        performed(self, execution, thread, index, None, conflicts, writes)

    monkeypatch.setattr(Bounded, "performed", alone)


def _states_forget_their_preemptions(monkeypatch):
    known = Bounded._is_known

    def first(self, execution, running):
        preemptions, execution.preemptions = execution.preemptions, 0
        try:
            return known(self, execution, running)
        finally:
            execution.preemptions = preemptions

    monkeypatch.setattr(Bounded, "_is_known", first)


STATES = (_states_forget_what_they_depend_on, _states_forget_their_preemptions)


def _found(explorer, kinds, naive=0):
    for seed in range(SEEDS):
        comparison = oracle.compared(explorer, drawn(seed, kinds), naive, most=1_000)
        if comparison.difference:
            return f"seed {seed}: {comparison.difference}"
    return ""


def test_the_oracle_accepts_the_engine_without_a_fault():
    assert _found(oracle.Drawn(), KINDS) == ""


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", FAULTS)
def test_the_oracle_finds_a_fault_of_the_engine(name, monkeypatch):
    plant, kinds = FAULTS[name]
    plant(monkeypatch)
    assert _found(oracle.Drawn(), kinds)


@pytest.mark.daily(2)
@pytest.mark.parametrize("plant", STATES)
def test_the_oracle_finds_a_state_that_is_taken_for_another(plant, monkeypatch):
    plant(monkeypatch)
    assert _found(oracle.Drawn(), KINDS, naive=400).partition(": ")[2].startswith("bound ")


def _repeated_races_are_left_out(monkeypatch):
    performed = OptimalDPOR.performed

    def new(self, execution, thread, index, location, conflicts, writes):
        if index < self._repeated:
            conflicts = []
        performed(self, execution, thread, index, location, conflicts, writes)

    monkeypatch.setattr(OptimalDPOR, "performed", new)


def test_the_oracle_finds_that_the_races_of_a_repeated_part_are_left_out(monkeypatch):
    program = drawn(2074)
    assert oracle.compared(oracle.Drawn(), program, naive=0).difference == ""
    _repeated_races_are_left_out(monkeypatch)
    assert oracle.compared(oracle.Drawn(), program, naive=0).difference.startswith("optimal: ")
