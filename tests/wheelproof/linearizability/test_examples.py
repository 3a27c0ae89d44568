"""``@hypothesis.example`` gives a declaration a program that comes first."""

import threading

import hypothesis
import pytest

import wheelproof
from wheelproof.errors import UsageError
from wheelproof.plain.answers import Answer
from wheelproof.plain.calling import ExplorationFailed

PROGRAM = wheelproof.program([[("pay_out", 1)], [("pay_out", 1)]])
ALONE = hypothesis.settings(phases=[hypothesis.Phase.explicit])
"""Nothing is drawn."""


class Till:
    def __init__(self):
        self.money, self.lock = 2, threading.Lock()

    def pay_out(self, amount: int):
        with self.lock:
            self.money -= amount
            return self.money


@hypothesis.example(PROGRAM)
@wheelproof.linearizable(settings=ALONE)
class SoundTill(Till):
    """Pytest collects it here, with its example."""


@hypothesis.example(program=PROGRAM)
@wheelproof.linearizable(settings=ALONE)
def test_a_sound_till():
    return Till()


def test_an_example_is_the_program_that_runs():
    for declared in (SoundTill, test_a_sound_till):
        assert "of 1 of 1 programs" in wheelproof.check(declared).reason


def unlocked():
    class Unlocked(Till):
        def pay_out(self, amount: int):
            self.money = self.money - amount
            return self.money

    return Unlocked()


def test_a_failing_program_is_printed_as_an_example_which_fails_again():
    with pytest.raises(ExplorationFailed) as failed:
        wheelproof.check(wheelproof.linearizable(unlocked, calls=1, threads=2))
    (line,) = [line for line in failed.value.exploration.table if "@hypothesis.example" in line]
    decorate = eval(line.strip().removeprefix("@"))
    again = decorate(wheelproof.linearizable(unlocked, settings=ALONE))
    with pytest.raises(ExplorationFailed) as failed:
        wheelproof.check(again)
    assert failed.value.exploration.answer is Answer.BUG
    assert line in failed.value.exploration.table


def test_without_a_declaration_no_example_is_printed():
    with pytest.raises(ExplorationFailed) as failed:
        wheelproof.check(unlocked, PROGRAM)
    assert not [line for line in failed.value.exploration.table if "example" in line]


@pytest.mark.daily(4)
@pytest.mark.parametrize(
    "example",
    [
        hypothesis.example(3),
        hypothesis.example(till=PROGRAM),
        hypothesis.example(PROGRAM, PROGRAM),
        hypothesis.example(PROGRAM).xfail(),
    ],
)
def test_an_example_that_is_no_program_is_refused(example):
    declared = example(wheelproof.linearizable(unlocked, settings=ALONE))
    with pytest.raises(UsageError, match="@example of unlocked gives no program"):
        wheelproof.check(declared)
