"""State machines of Hypothesis under threads."""

import re

import pytest
from hypothesis import settings

import wheelproof
from tests.nights import only
from tests.wheelproof.linearizability import machines
from wheelproof.errors import UsageError
from wheelproof.linearizability import whole_calls
from wheelproof.linearizability.machines import drawing
from wheelproof.linearizability.programs import Result
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.calling import ExplorationFailed

HOW = settings(max_examples=12, derandomize=True, database=None)


def run(machine, program=None, **options):
    return wheelproof.run_concurrently(machine, program, settings=HOW, **options)


def failing(machine, program=None, **options):
    with pytest.raises(ExplorationFailed) as failed:
        run(machine, program, **options)
    return failed.value.exploration


@pytest.mark.daily(2)
@pytest.mark.parametrize("machine", only(machines.SOUND, machines.Closes, machines.Arguments))
def test_a_machine_of_a_sound_class_is_exhausted(machine):
    exploration = run(machine)
    assert exploration.answer is Answer.EXHAUSTED
    assert re.search("every order of ([0-9]+) of \\1 programs", exploration.reason)


@pytest.mark.daily(2)
@pytest.mark.parametrize("machine", machines.FAULTY)
def test_a_fault_of_the_class_is_found(machine):
    exploration = failing(machine)
    assert exploration.answer is Answer.BUG and exploration.failure.kind is FailureKind.RESULTS
    assert exploration.test.count(f'("{machines.FAULTY[machine]}"') == 2
    assert exploration.test.startswith(
        f"def test_{machine.__name__.lower()}_again():\n    wheelproof.run_concurrently(\n"
    )


def test_a_program_is_run_again():
    program = wheelproof.program(threads=[["hit"], ["hit"]])
    assert failing(machines.Hits, program).answer is Answer.BUG
    program = wheelproof.program(
        threads=[[("put", {"key": wheelproof.result(0), "value": 1})],
                 [("get", {"key": wheelproof.result(0)})]],
        prefix=[("key", {"key": "a"})],
    )  # fmt: skip
    assert run(machines.Returns, program).answer is Answer.EXHAUSTED


MODELLED = wheelproof.program(
    threads=[[("put", {"key": "a", "value": 1})], [("get", {"key": "a"})]]
)


def test_an_assertion_against_a_model_is_explained():
    exploration = run(machines.Modelled, MODELLED)
    assert exploration.answer is Answer.EXHAUSTED
    text = "\n".join(exploration.table)
    assert text.startswith("own model: in 1 of them a rule fails")
    assert "get" in text and "Remedy: return from a rule what the class returns." in text
    assert run(machines.Returns).table == ()


@pytest.mark.daily(2)
@pytest.mark.parametrize("always", [False, True])
def test_calls_that_are_divided_otherwise_are_noticed(always, monkeypatch):
    """Where no thread is preempted, a model seems to be a race; where all are, no race is one."""
    monkeypatch.setattr(whole_calls.WholeCalls, "may_preempt", lambda self, thread: always)
    if always:
        program = wheelproof.program(threads=[["hit"], ["hit"]])
        assert run(machines.Hits, program).answer is Answer.EXHAUSTED
    else:
        assert failing(machines.Modelled, MODELLED).answer is Answer.BUG


def test_a_call_that_an_order_forbids_is_left_out():
    begin = ("begin", {"count": 1})
    program = wheelproof.program(threads=[["take"], ["take", "put"]], prefix=[begin])
    with pytest.raises(UsageError, match="a call that a precondition forbids"):
        run(machines.Shrinking, program)
    program = wheelproof.program(threads=[["take"], ["take"]], prefix=[begin, "put"])
    assert run(machines.Shrinking, program).answer is Answer.EXHAUSTED


def test_a_value_is_consumed_by_one_thread():
    program = wheelproof.program(
        threads=[[("close", {"handle": wheelproof.result(1)})]] * 2, prefix=["begin", "open"]
    )
    with pytest.raises(UsageError, match=r"fails in one thread: .* raises KeyError"):
        run(machines.Closes, program)


def test_a_machine_that_fails_in_one_thread_is_refused():
    with pytest.raises(UsageError, match=r"climb\(\).* raises AssertionError: too high"):
        run(machines.FailsAlone)


def test_a_rule_that_consumes_within_a_strategy_is_left_out():
    assert run(machines.ConsumesWithin).table == (
        "left out: close, since some consumes within another strategy",
    )


def test_results_keep_their_meaning_where_calls_are_taken_out():
    program = wheelproof.program(
        threads=[["open"], [("close", {"handle": wheelproof.result(1)}), "open"]],
        prefix=["begin", "open", "open"],
        suffix=[("close", {"handle": wheelproof.result(2)})],
    )
    shorter = drawing.without(program, [1])
    assert [call.name for _, call in shorter.calls()] == ["begin", "open", "open", "open", "close"]
    assert shorter.suffix[0].keywords == {"handle": Result(1)}
    assert drawing.without(program, [3]) is None, "no thread is left beside the other"


@pytest.mark.parametrize(
    ("machine", "options", "says"),
    [
        (machines.Store, {}, "no state machine"),
        (machines.Returns, {"observe": len}, "no option observe"),
        (machines.Returns, {"threads": 1}, "threads=1 is no number"),
    ],
)
def test_what_is_no_machine_is_refused(machine, options, says):
    with pytest.raises(UsageError, match=says):
        wheelproof.run_concurrently(machine, **options)
