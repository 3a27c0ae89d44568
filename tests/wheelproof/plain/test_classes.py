"""Faulty programs are found, sound ones are searched to the end."""

import pytest

from tests.wheelproof.plain import faulty, sound
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import explore_program
from wheelproof.plain.replaying import replay_program


@pytest.mark.daily(23)
@pytest.mark.parametrize("program", faulty.CLASSES, ids=lambda program: program.__name__)
def test_a_faulty_program_is_found(program):
    kind, free_threaded_only = faulty.CLASSES[program]
    found = explore_program(program)
    assert found.answer is Answer.BUG, found
    assert found.failure.kind == kind, found.failure.message
    assert found.failure.minimal and found.failure.preemptions <= 2
    if free_threaded_only is not None:
        assert found.failure.free_threaded_only is free_threaded_only


@pytest.mark.daily(20)
@pytest.mark.parametrize("program", sound.CLASSES, ids=lambda program: program.__name__)
def test_a_sound_program_is_exhausted(program):
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)


@pytest.mark.daily(35)
@pytest.mark.parametrize("program", faulty.CLASSES, ids=lambda program: program.__name__)
def test_the_schedule_of_a_failure_fails_again(program):
    found = explore_program(program)
    again = replay_program(program, found.schedule)
    assert again.possible
    assert again.failure is not None and again.failure.kind == found.failure.kind


def test_a_schedule_that_is_no_longer_possible_fails_nothing():
    found = explore_program(faulty.lost_update)
    again = replay_program(sound.lazy_value_under_a_lock, found.schedule)
    assert not again.possible and again.failure is None
