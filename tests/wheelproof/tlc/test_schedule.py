"""Which process takes which label in an error trace, steps that stay at their label included."""

from __future__ import annotations

import pytest

from wheelproof.errors import ToolError
from wheelproof.tlc.result import Outcome, TlcResult, TraceState
from wheelproof.tlc.schedule import schedule_of
from wheelproof.tlc.values import parse_value


def trace(*states: tuple[str | None, dict[str, str]]) -> TlcResult:
    """An error trace: the action that led to each state, and the variables as TLC prints them."""
    return TlcResult(
        Outcome.VIOLATED,
        trace=tuple(
            TraceState(number, action, "", {name: parse_value(text) for name, text in of.items()})
            for number, (action, of) in enumerate(states, 1)
        ),
    )


def test_a_step_is_where_a_program_counter_changes():
    found = trace(
        (None, {"pc": '[a |-> "A1", b |-> "A1"]'}),
        ("A1", {"pc": '[a |-> "A1", b |-> "A2"]'}),
        ("A1", {"pc": '[a |-> "Done", b |-> "A2"]'}),
    )
    assert schedule_of(found, "pc") == [("b", "A1"), ("a", "A1")]


def test_a_step_to_its_own_label_is_a_step_of_the_only_process_there():
    found = trace(
        (None, {"pc": '[a |-> "S1", b |-> "A1"]', "answer": "0"}),
        ("S1", {"pc": '[a |-> "S1", b |-> "A1"]', "answer": "1"}),
    )
    assert schedule_of(found, "pc") == [("a", "S1")]


def test_of_two_processes_at_a_label_the_one_moves_whose_variables_change():
    found = trace(
        (None, {"pc": '[a |-> "S1", b |-> "S1"]', "number": "[a |-> 0, b |-> 0]", "sum": "0"}),
        ("S1", {"pc": '[a |-> "S1", b |-> "S1"]', "number": "[a |-> 0, b |-> 1]", "sum": "1"}),
    )
    assert schedule_of(found, "pc") == [("b", "S1")]


def test_a_step_that_either_process_can_have_taken_is_refused():
    found = trace(
        (None, {"pc": '[a |-> "S1", b |-> "S1"]', "sum": "0"}),
        ("S1", {"pc": '[a |-> "S1", b |-> "S1"]', "sum": "1"}),
    )
    with pytest.raises(ToolError, match="which process takes S1 before state 2"):
        schedule_of(found, "pc")


def test_a_process_that_is_known_is_not_looked_for():
    counters = {"pc": parse_value('[a |-> "S1", b |-> "S1"]')}
    found = TlcResult(
        Outcome.VIOLATED,
        trace=(TraceState(1, None, "", counters), TraceState(2, "S1", "", counters, "b")),
    )
    assert schedule_of(found, "pc") == [("b", "S1")]


@pytest.mark.parametrize("action", ["Terminating", None])
def test_stuttering_is_no_step(action):
    found = trace((None, {"pc": '[a |-> "Done"]'}), (action, {"pc": '[a |-> "Done"]'}))
    assert schedule_of(found, "pc") == []
