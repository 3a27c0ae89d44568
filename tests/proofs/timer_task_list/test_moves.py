"""Module TimerTaskList can step where a thread of the proof's system waits for no monitor."""

from __future__ import annotations

import pytest

from proofs.timer_task_list.moves import FAULTS, THEORY, stops
from proofs.timer_task_list.runs import Reached
from proofs.timer_task_list.view import ACTIONS

BY_NAME = {each.name: each for each in FAULTS}


@pytest.mark.nightly
def test_the_theorem_is_proved_with_its_controls():
    evidence = THEORY.check("Spec.TimerTaskListMoves", seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and set(evidence.links) == {"Spec.TimerTaskList"}
    assert set(evidence.witnesses) == set(BY_NAME)


def test_it_is_about_every_label():
    assert {vc.name for vc in THEORY.theorems["Spec.TimerTaskListMoves"].vcs} == set(ACTIONS)


@pytest.mark.nightly
@pytest.mark.parametrize("name", BY_NAME)
def test_a_thread_stops_at_the_label_with_the_fault_and_nowhere_without(name):
    planted = BY_NAME[name]
    found = planted.find(0)
    assert (found.verdict, found.witness, found.contradiction) == ("sat", planted.label, "")
    assert not [*stops(Reached(planted.run))]
