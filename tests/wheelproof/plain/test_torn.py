"""Reads of two values, in all the ways that Python has: each access is announced."""

import pytest

from tests.nights import only
from tests.wheelproof.plain import matched, torn
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import Explorer, explore_program

READERS = only(
    [(make, read) for make, readers in torn.READERS.items() for read in readers],
    *(torn.of_copy, torn.of_class_pattern, torn.of_callback, torn.of_globals),
)


@pytest.mark.daily(4)
@pytest.mark.parametrize(("make", "read"), READERS, ids=lambda case: case.__name__)
def test_a_read_between_two_writes_is_seen_unless_a_lock_prevents_it(make, read):
    answers = [explore_program(torn.program(make, read, guarded)).answer for guarded in (0, 1)]
    assert answers == [Answer.BUG, Answer.EXHAUSTED]


def test_a_pattern_matches_as_the_interpreter_s_own():
    world = Explorer(None).world
    second = world.load(matched.__name__)
    expected, found = (
        [module.parts(subject) for subject in module.subjects(module)]
        for module in (matched, second)
    )
    assert repr(found) == repr(expected)
    assert len({number for number, _ in expected}) == matched.CASES
