"""Timers with a planted fault: each is refused by the name of the clause that it breaks."""

import pytest

import wheelproof
from tests.wheelproof.timers import subjects
from wheelproof import timers
from wheelproof.errors import UsageError
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.calling import ExplorationFailed
from wheelproof.timers.campaign import Check
from wheelproof.timers.contract import Clause
from wheelproof.timers.options import options
from wheelproof.timers.programs import IN_ONE_THREAD, UNDER_THREADS


def answers(timer, way, **chosen):
    return list(Check(timer, options(**{"programs": 10, **chosen})).breaches(way))


IN_ONE = {
    subjects.Early: Clause.NOT_EARLY,
    subjects.Late: Clause.IN_TIME,
    subjects.Untold: Clause.IN_TIME,
    subjects.Twice: Clause.ONCE,
    subjects.Forgetful: Clause.ONCE,
    subjects.Deaf: Clause.CANCEL_WINS,
    subjects.Counting: Clause.SIZE,
    subjects.Unheard: Clause.ONCE,
}


def test_a_sound_timer_keeps_the_contract():
    (answer,) = answers(subjects.Sound, IN_ONE_THREAD)
    assert answer.answer is Answer.BOUNDED, answer.reason
    (answer,) = answers(subjects.Sound, UNDER_THREADS, programs=3, bound=0)
    assert answer.answer is Answer.BOUNDED, answer.reason


@pytest.mark.daily(9)
@pytest.mark.parametrize("timer", IN_ONE, ids=lambda timer: timer.__name__)
def test_a_fault_is_refused_by_its_clause(timer):
    first, *_ = answers(timer, IN_ONE_THREAD)
    assert first.answer is Answer.BUG and first.failure.kind is FailureKind.CONTRACT
    assert first.reason.startswith(f"{IN_ONE[timer]}: "), first.reason
    assert first.test.count('("') <= 4


UNDER = {
    subjects.Outside: (
        Clause.CANCEL_WINS, wheelproof.program([[("cancel", 1)]] * 2, prefix=[("add", 0)]),
    ),
    subjects.Peeking: (
        Clause.ONCE,
        wheelproof.program(
            [[("cancel", 1)], [("add", 5)]], prefix=[("add", 1), ("add", 3), ("wait", 1)]
        ),
    ),
}  # fmt: skip


@pytest.mark.daily(2)
@pytest.mark.parametrize("timer", UNDER, ids=lambda timer: timer.__name__)
def test_a_race_is_refused_by_its_clause(timer):
    clause, program = UNDER[timer]
    with pytest.raises(ExplorationFailed) as failed:
        excused = [Clause.CANCEL_WINS] * (clause is not Clause.CANCEL_WINS)
        timers.check(timer, program, excused=excused)
    assert failed.value.exploration.reason.startswith(f"{clause}: ")
    assert failed.value.exploration.failure.preemptions == 1


def test_every_clause_has_its_fault():
    assert {*IN_ONE.values(), *(clause for clause, _ in UNDER.values())} == set(Clause)


def test_the_next_clause_is_judged_where_one_is_broken():
    answers_ = answers(subjects.Early, IN_ONE_THREAD)
    assert [answer.answer for answer in answers_] == [Answer.BUG, Answer.BOUNDED]


def test_an_exception_is_a_failure():
    first, *_ = answers(subjects.Refusing, IN_ONE_THREAD)
    assert first.answer is Answer.BUG and "KeyError" in first.reason


def test_a_timer_whose_actions_are_excused_is_vacuous():
    (answer,) = answers(subjects.Unheard, IN_ONE_THREAD, excused=[Clause.ONCE])
    assert answer.answer is Answer.VACUOUS


@pytest.mark.parametrize(
    ("chosen", "reported"),
    [({"tick": 0}, "tick=0"), ({"programs": 0}, "programs=0"), ({"excused": ["early"]}, "early")],
)
def test_an_option_that_means_nothing_is_refused(chosen, reported):
    with pytest.raises(UsageError, match=reported):
        options(**chosen)
