"""Classes with a known verdict, checked by programs that are drawn."""

import pytest
from hypothesis import settings

import wheelproof
from tests.nights import only
from tests.wheelproof.linearizability.subjects import FAULTY, SOUND, Register
from wheelproof.linearizability import conditions
from wheelproof.linearizability.campaign import checked
from wheelproof.linearizability.options import Declaration, options
from wheelproof.plain.answers import Answer

FEW = settings(max_examples=25, derandomize=True, database=None)
MANY = settings(max_examples=300, derandomize=True, database=None)


def answer(make, given, how):
    return checked(Declaration(make, options(**given, settings=how)))


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", only(SOUND, "Queue", "Barrier"))
def test_a_sound_class_is_exhausted(name):
    make, given = SOUND[name]
    exploration = answer(make, given, FEW)
    assert exploration.answer is Answer.EXHAUSTED, (exploration.reason, exploration.table)


BY_DAY = ("lost update", "two orders of locks")


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", only(FAULTY, *BY_DAY))
def test_a_fault_is_found_and_shrunk(name):
    make, given, kind, most = FAULTY[name]
    exploration = answer(make, given, MANY)
    assert exploration.answer is Answer.BUG
    assert exploration.failure.kind == kind, exploration.table
    assert exploration.test.count('("') <= most


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (conditions.Linearizable, False),
        (conditions.SequentiallyConsistent, True),
        (conditions.CrashesAlone, True),
    ],
)
def test_a_condition_is_as_strong_as_it_says(condition, holds):
    """A thread that sees its own writes alone is sequentially consistent where it reads once."""
    program = wheelproof.program([[("write", 1)], ["read"]])
    given = {"reference": Sequential, "condition": condition}
    exploration = checked(Declaration(Register, options(**given)), program)
    assert (exploration.answer is not Answer.BUG) == holds


class Sequential:
    def __init__(self):
        self.value = 0

    def write(self, value):
        self.value = value

    def read(self):
        return self.value
