"""Objects of a run that end after it: their finalizers are no part of another run."""

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain import exploration
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import explore_program


class Owner:
    """Counts how many of it have ended."""

    ended = 0

    def __init__(self, circle):
        self.itself = self if circle else None
        self.count = 0

    def add(self):
        self.count += 1

    def __del__(self):
        Owner.ended += 1


def call(function):
    function()


def called(circle):
    assert Owner.ended == 0, "an owner of an earlier run has ended"
    owner = Owner(circle)
    run(lambda: call(owner.add), lambda: call(owner.add))
    assert Owner.ended == 0, "an owner of an earlier run has ended in this one"


def method_is_called_elsewhere():
    called(circle=False)


def owner_is_in_a_circle():
    called(circle=True)


@pytest.mark.parametrize("collected", [1, 500])
@pytest.mark.parametrize("program", [method_is_called_elsewhere, owner_is_in_a_circle])
def test_a_run_has_the_finalizers_of_its_own_objects_alone(program, collected, monkeypatch):
    monkeypatch.setattr(exploration, "COLLECTED", collected)
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)
