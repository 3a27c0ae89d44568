"""Faulty programs are found, sound ones are searched to the end."""

import pytest

from tests.wheelproof.plain import faulty, sound
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import explore_program


@pytest.mark.parametrize("program", faulty.CLASSES, ids=lambda program: program.__name__)
def test_a_faulty_program_is_found(program):
    kind, free_threaded_only = faulty.CLASSES[program]
    found = explore_program(program)
    assert found.answer is Answer.BUG, found
    assert found.failure.kind == kind, found.failure.message
    assert found.failure.minimal and found.failure.preemptions <= 2
    if free_threaded_only is not None:
        assert found.failure.free_threaded_only is free_threaded_only


@pytest.mark.parametrize("program", sound.CLASSES, ids=lambda program: program.__name__)
def test_a_sound_program_is_exhausted(program):
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)
