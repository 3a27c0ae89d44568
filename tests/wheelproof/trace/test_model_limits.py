"""What the model cannot judge is no verdict, and the expressions of its table."""

from __future__ import annotations

import pytest

from tests.wheelproof.trace.followed import (
    OPERATION,
    TIMER,
    by_model,
    footer_of,
)
from tests.wheelproof.trace.recorded import NAME, mechanisms, random_run
from tests.wheelproof.trace.test_model_replay import table
from tests.wheelproof.trace.test_replay import renumbered
from wheelproof.errors import UsageError
from wheelproof.trace.judging.verdict import INCOMPLETE, OUT_OF_MODEL
from wheelproof.trace.model import observed
from wheelproof.trace.model.expressions import Expression
from wheelproof.trace.model.following import Steps
from wheelproof.trace.model.observed import Unknown

# -- what is no verdict


def header_with(**fields):
    recorded = random_run("two_adders", 1)
    return {**recorded.header, **fields}, recorded.events


PROGRAM = {
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1"},
    "ring": {"l1": [], "l2": []},
    "current": ["e1"],
}


@pytest.mark.parametrize(
    "fields, says",
    [
        ({"program": None}, "no program"),
        ({"program": {"threads": []}}, "no program"),
        ({"spec": {"module": "Nonsense"}}, "Nonsense"),
        ({"spec": None}, "no specification"),
        ({"threads": {"1": "a", "2": "a"}}, "one name"),
        ({"threads": {"1": "a", "2": "z"}}, "no thread z"),
        ({"threads": {"1": "a"}}, "no thread 2"),
        ({"names": {}}, "no name for"),
        ({"program": {"threads": {"a": [], "b": []}}}, "can be made"),
        (
            {"program": PROGRAM | {"threads": {"a": [["leap", "l1"]], "b": [["add", "l2", "e1"]]}}},
            "cannot be run",
        ),
        ({"capture": {"mode": "sampled"}}, "sample"),
    ],
)
def test_what_the_model_cannot_judge_is_no_verdict(fields, says):
    header, events = header_with(**fields)
    verdict, _ = by_model(header, events)
    assert verdict.verdict in (OUT_OF_MODEL, INCOMPLETE) and any(
        says in finding.message for finding in verdict.findings
    ), verdict.findings


def test_a_kind_that_the_model_does_not_know_ends_it():
    header, events = header_with()
    strange = dict(events[0], k="dq_poll", lc=events[-1]["lc"] + 1, tseq=99)
    verdict, run = by_model(header, [*events, strange])
    assert verdict.verdict == OUT_OF_MODEL and run.halted


def test_a_spent_budget_is_no_verdict():
    recorded = random_run("two_adders", 1)
    verdict, _ = by_model(
        recorded.header,
        recorded.events,
        recorded.footer,
        budget=1,
        table=table(**{name: {"eager": False} for name in ("T0", "A0", "U1")}),
    )
    assert verdict.verdict == INCOMPLETE and verdict.first.property == "Budget"


@pytest.mark.parametrize("at", [0, 4, 9])
def test_after_a_gap_nothing_is_refused(at):
    recorded = random_run("flush_add_cancel", 1)
    events = recorded.events[:at] + recorded.events[at + 1 :]
    assert by_model(recorded.header, events, recorded.footer)[0].verdict == INCOMPLETE


def test_a_program_that_was_not_run_to_its_end_is_incomplete():
    header, events = header_with()
    steps = [event for event in events if event["k"] not in (observed.START, observed.STOP)]
    gone = renumbered(
        [event for event in events if event is not steps[-1] and event["k"] != observed.STOP]
    )
    verdict, _ = by_model(header, gone)
    assert verdict.verdict == INCOMPLETE
    missing = next(finding.message for finding in verdict.findings if finding.property == "Program")
    assert header["threads"][str(steps[-1]["tid"])] in missing


def test_beyond_the_cut_nothing_is_followed():
    header, events = header_with()
    token = next(
        token
        for event in events
        for token in event.get("ord", ())
        if token[0] == "L" and token[2] == 2
    )
    verdict, run = by_model(
        header, events, footer_of(header, events) | {"cut": {f"L {token[1]}": 1}}
    )
    assert verdict.verdict == INCOMPLETE and run.figures["followed"] < len(events)


def test_who_starts_twice_is_out_of_the_model():
    header, events = header_with()
    verdict, _ = by_model(header, renumbered([*events[:3], events[0], *events[3:]]))
    assert verdict.verdict == OUT_OF_MODEL and "starts after" in verdict.first.message


def test_who_goes_on_after_the_end_is_out_of_the_model():
    header, events = header_with()
    verdict, _ = by_model(header, renumbered([*events, events[-1]]))
    assert (
        events[-1]["k"] == observed.STOP
        and verdict.verdict == OUT_OF_MODEL
        and "goes on after" in verdict.first.message
    )


def test_steps_of_no_program():
    with pytest.raises(Unknown, match="can be made"):
        Steps(observed.read(mechanisms()[NAME]), {"threads": {}})


# -- expressions

LOOK = {
    ("x", False): 3,
    ("x", True): 4,
    ("f", False): {"a": {"owner": None, "depth": 2}},
    ("s", False): [["add", "l"], ["cancel", "t"]],
    ("a", False): "a",
}


@pytest.mark.parametrize(
    "text, value",
    [
        ("x' = x + 1", True),
        ("f[a].depth - 1", 1),
        ("f[a].owner = NULL", True),
        ('s[x - 1][2] = "t"', True),
        ("f[a].owner \\in {NULL, a}", True),
        ("~(x # 3) /\\ TRUE", True),
        ("x = 1 \\/ x = 3", True),
        ('IF x = 3 THEN "yes" ELSE "no"', "yes"),
        ("s[1][1]", "add"),
        ("2 - 1 + 5", 6),
        ("x = 1 /\\ f[x] = 1", False),
    ],
)
def test_an_expression_has_its_value(text, value):
    assert Expression(text).value(lambda name, primed: LOOK[name, primed]) == value


@pytest.mark.parametrize(
    "text", ["", "x[", "x +", "x == 3", "IF x THEN 1", "{a", "f[x] y", "x ^ 2", "THEN"]
)
def test_what_is_no_expression_is_an_error(text):
    with pytest.raises(UsageError, match="cannot be read"):
        Expression(text)


@pytest.mark.parametrize("text", ["s[9]", "f[x]", "x[1]", "y"])
def test_an_expression_without_a_value_says_so(text):
    with pytest.raises((LookupError, TypeError)):
        Expression(text).value(lambda name, primed: LOOK[name, primed])


def test_every_label_that_has_an_event_has_a_row():
    for mechanism, without in (
        (TIMER, set()),
        (OPERATION, {"G1", "G2", "G3", "G4", "D2", "D3"}),
    ):  # a lock without an owner names nothing
        found = observed.read(mechanisms()[mechanism])
        assert {row.label for row in found.rows.values() if row.kind and not row.columns} == without
