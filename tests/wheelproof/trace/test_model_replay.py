"""Traces followed on the model: runs of the implementation conform, those of mutants do not, and
what the model accepts the rules accept."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter

import pytest

from tests.wheelproof.trace import confluence
from tests.wheelproof.trace.followed import (
    MUTANTS,
    OPERATION,
    RUNS,
    TIMER,
    UNLIKE,
    by_model,
    by_rules,
    changed,
    footer_of,
    mutant_of,
    walk_of,
)
from tests.wheelproof.trace.recorded import ROOT, STEM, busy, mechanisms, of_mutant, of_walk
from tests.wheelproof.trace.test_replay import renumbered
from wheelproof.errors import UsageError
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, OUT_OF_MODEL, VIOLATES
from wheelproof.trace.model import observed
from wheelproof.trace.model.expressions import Expression
from wheelproof.trace.model.following import Steps
from wheelproof.trace.model.observed import Unknown
from wheelproof.trace.recording import record as records
from wheelproof.trace.recording.record import record

MEAN = 10
"""States per event, at most, on average: without a normal form it is a multiple of it."""


def table(**rows: dict):
    """The table of timer_task_list with some rows replaced."""
    found = observed.read(mechanisms()[STEM])
    return dataclasses.replace(
        found,
        rows={
            **found.rows,
            **{
                name: dataclasses.replace(found.rows[name], **values)
                for name, values in rows.items()
            },
        },
    )


# -- the header


def test_a_recording_says_what_was_asked_of_its_threads():
    recorded = of_walk("readd", 1)
    scenario = mechanisms()[STEM].scenarios["readd"]
    assert recorded.header["program"] == {
        name: value for name, value in scenario.items() if name != "about"
    }
    assert set(recorded.header["names"].values()) >= {"l1", "l2", "t1", "e1", "e2"}


def test_a_long_program_is_left_out(monkeypatch):
    monkeypatch.setattr(records, "LONGEST_PROGRAM", 2)
    recorded = record(mechanisms(), STEM, "readd", "long")
    assert "program" not in recorded.header
    assert by_model(recorded.header, recorded.events)[0].verdict == OUT_OF_MODEL


# -- runs of the implementation


@pytest.mark.parametrize("stem, scenario", RUNS)
def test_a_run_of_the_implementation_is_one_of_the_model(stem, scenario):
    recorded = walk_of(stem, scenario)
    verdict, run = by_model(recorded.header, recorded.events, recorded.footer)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    passed_over = sum(event["k"] == observed.START for event in recorded.events)
    assert run.figures["followed"] == len(recorded.events) - passed_over > 8
    assert run.figures["sum"] <= MEAN * run.figures["followed"]


@pytest.mark.parametrize(
    "stem, scenario",
    [
        (TIMER, "flush_add_cancel"),
        (TIMER, "readd"),
        (TIMER, "adders_flush_cancels"),
        (TIMER, "flush_two_cancels_readd"),
        (OPERATION, "three_completers_expirer"),
        (OPERATION, "callers_lock"),
        (OPERATION, "three_losers"),
        (OPERATION, "blocking_three"),
        (OPERATION, "try_once"),
    ],
)
def test_a_run_on_real_threads_is_one_of_the_model(stem, scenario):
    recorded = record(mechanisms(), stem, scenario, scenario)
    assert by_model(recorded.header, recorded.events, recorded.footer)[0].findings == ()


@pytest.mark.nightly
def test_many_runs_on_real_threads_are_of_the_model():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for stem, scenario in RUNS:
            for _ in range(40):
                recorded = record(mechanisms(), stem, scenario, scenario)
                assert (
                    by_model(recorded.header, recorded.events, recorded.footer)[0].findings == ()
                ), scenario
    finally:
        sys.setswitchinterval(before)


@pytest.mark.nightly
def test_a_crowd_on_real_threads_is_one_of_the_model():
    recorded = record(mechanisms(), STEM, busy(40, 1), "busy")
    verdict, run = by_model(recorded.header, recorded.events, recorded.footer)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert run.figures["followed"] > 2000


@pytest.mark.parametrize(
    "kinds",
    [("list_add", "list_remove"), ("cancel", "cancel_check", "list_remove", "expire_submit")],
)
def test_kinds_that_were_not_recorded_are_steps_that_nothing_shows(kinds):
    recorded = record(mechanisms(), STEM, "expire_cancel", "few", kinds=kinds)
    verdict, run = by_model(recorded.header, recorded.events, recorded.footer)
    assert verdict.verdict == CONFORMS and run.figures["followed"] == len(recorded.events)


# -- mutants


@pytest.mark.parametrize("stem, name", MUTANTS)
def test_a_mutant_s_run_is_none_of_the_model(stem, name):
    recorded = mutant_of(stem, name)
    verdict, _ = by_model(recorded.header, recorded.events, recorded.footer)
    rules = by_rules(recorded.header, recorded.events, recorded.footer)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "Next")
    assert verdict.first.line <= rules.first.line, "the model knows more than the rules"
    assert verdict.first.event in recorded.events


def test_a_task_without_its_monitor_is_refused_by_the_model_alone():
    """The rules see a cancel and then a schedule; the model misses the lock that cancel takes."""
    of = mutant_of(TIMER, "UnguardedTask")
    trace = of.header, of.events, of.footer
    assert mechanisms()[TIMER].mutants["UnguardedTask"].untraced
    assert by_rules(*trace).verdict == CONFORMS
    verdict, _ = by_model(*trace)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "Next")
    assert verdict.first.event["k"] == "cancel" and "C1" in verdict.first.message
    assert by_model(*trace, without="UnguardedTask")[0].verdict == CONFORMS


def test_the_page_says_where_each_mutant_is_refused():
    rows = []
    for stem, name in MUTANTS:
        recorded = mutant_of(stem, name)
        model, rules = (
            by_model(recorded.header, recorded.events, recorded.footer)[0].first,
            by_rules(recorded.header, recorded.events, recorded.footer).first,
        )
        rows.append(f"| {name} | `{model.event['k']}` | `{rules.event['k']}` | {rules.property} |")
    page = (ROOT / "docs/trace-replay.md").read_text()
    table = page.partition("| mutant | the model refuses |")[2].partition("\n\n")[0]
    assert table.splitlines()[2:] == rows


@pytest.mark.parametrize("stem, name", [item for item in MUTANTS if item not in UNLIKE])
def test_a_mutant_s_run_is_one_of_the_model_without_its_decision(stem, name):
    recorded = mutant_of(stem, name)
    verdict, _ = by_model(
        recorded.header,
        recorded.events,
        recorded.footer,
        without=mechanisms()[stem].mutants[name].decision,
    )
    assert verdict.verdict in (CONFORMS, INCOMPLETE) and {
        finding.property for finding in verdict.findings
    } <= {"Program", "Bracket"}, verdict.findings


@pytest.mark.parametrize("name", ["M9", "M19"])
def test_another_decision_taken_away_does_not_excuse_a_mutant(name):
    recorded = of_mutant(name)
    assert (
        by_model(recorded.header, recorded.events, recorded.footer, without="M5")[0].verdict
        == VIOLATES
    )


# -- changed traces


def agree(stem: str, scenario: str, seed: int, sample: int | None) -> Counter:
    """Hold the rules and the model to each other on changed traces; how often each had which
    verdict."""
    recorded, seen = walk_of(stem, scenario, seed), Counter()
    for what, events in changed(recorded.events, sample, seed):
        rules, (model, _) = by_rules(recorded.header, events), by_model(recorded.header, events)
        seen[rules.verdict, model.verdict] += 1
        assert model.verdict != CONFORMS or rules.verdict == CONFORMS, (what, rules.first)
    return seen


@pytest.mark.parametrize(
    "stem, scenario",
    [
        (TIMER, "flush_add_cancel"),
        (TIMER, "expire_readd"),
        (OPERATION, "two_completers_expirer"),
        (OPERATION, "blocking_three"),
    ],
)
def test_of_changed_traces_the_rules_accept_what_the_model_accepts(stem, scenario):
    """So that what the rules refuse the model refuses; and it refuses more."""
    seen = agree(stem, scenario, 1, 80)
    assert seen[VIOLATES, VIOLATES] and seen[CONFORMS, VIOLATES] and seen[CONFORMS, CONFORMS]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("stem, scenario", RUNS)
def test_of_all_changed_traces_the_rules_accept_what_the_model_accepts(stem, scenario, seed):
    assert agree(stem, scenario, seed, None)[CONFORMS, VIOLATES]


# -- the table, and what it claims


@pytest.mark.parametrize(
    "stem, scenario",
    [
        (TIMER, "two_adders_cancel"),
        (TIMER, "expire_readd"),
        (TIMER, "opposite_flushes"),
        (OPERATION, "two_completers_expirer"),
        (OPERATION, "try_once_holder"),
        (OPERATION, "blocking_three"),
        (OPERATION, "blocking_callers_lock"),
    ],
)
def test_eager_steps_commute_with_all_that_others_do(stem, scenario):
    mechanism = mechanisms()[stem]
    assert (
        list(confluence.faults(Steps(observed.read(mechanism), mechanism.scenarios[scenario])))
        == []
    )


@pytest.mark.nightly
@pytest.mark.parametrize("stem", [TIMER, OPERATION])
def test_eager_steps_commute_in_every_scenario(stem):
    mechanism, larger = mechanisms()[stem], []
    for name, scenario in mechanism.scenarios.items():
        try:
            assert (
                list(confluence.faults(Steps(observed.read(mechanism), scenario), 30_000)) == []
            ), name
        except OverflowError:
            larger.append(name)
    assert len(larger) < len(mechanism.scenarios) / 3, larger


def test_that_eager_steps_commute_can_fail():
    wrong = table(R1={"eager": True, "kind": ""}, A6={"eager": True})
    found = list(confluence.faults(Steps(wrong, mechanisms()[STEM].scenarios["two_adders_cancel"])))
    assert any("R1" in fault and "A6" in fault and "order" in fault for fault in found)


@pytest.mark.parametrize("name", [None, "M1", "M8", "M19"])
def test_without_eager_steps_the_same_event_is_refused_from_more_states(name):
    recorded = of_mutant(name) if name else of_walk("flush_add_cancel", 1)
    plain = table(**{label: {"eager": False} for label in observed.read(mechanisms()[STEM]).rows})
    (small, few), (large, many) = (
        by_model(recorded.header, recorded.events, recorded.footer),
        by_model(recorded.header, recorded.events, recorded.footer, table=plain),
    )
    assert small.verdict == large.verdict and [f.line for f in small.findings] == [
        f.line for f in large.findings
    ]
    assert many.figures["sum"] > 2 * few.figures["sum"]


@pytest.mark.parametrize(
    "rows",
    [
        {"A9": {"columns": {("post", "counter"): Expression("taskCounter")}}},
        {"U9": {"columns": {("entry", None): Expression("ul[self]")}}},
        {
            "K1": {
                "columns": {
                    ("entry", None): Expression("ke[self]"),
                    ("task", None): Expression("TaskOf[ke[self]]"),
                    ("res", None): Expression("TRUE"),
                }
            }
        },
        {"U1": {"when": None}},
        {"F1": {"kind": ""}},
        {"C3": {"columns": {}}},
    ],
    ids=[
        "counter before the step",
        "list for entry",
        "always cancelled",
        "every lock",
        "no begin",
        "nothing named",
    ],
)
def test_a_wrong_table_is_noticed(rows):
    recorded = of_walk("flush_add_cancel", 1)
    verdict, _ = by_model(recorded.header, recorded.events, recorded.footer, table=table(**rows))
    assert verdict.verdict in (VIOLATES, OUT_OF_MODEL)


@pytest.mark.parametrize(
    "text, says",
    [
        ('eager = ["Z9"]', "no label Z9"),
        ('[labels]\nA9 = { colour = "1" }', "no column colour"),
        ('[labels]\nA9 = { post.colour = "1" }', "post has no colour"),
        ('[labels]\nA9 = { list = "al[self" }', "cannot be read"),
        ('[labels]\nA9 = { event = "cancel" }', "its event is list_add"),
        ('[labels]\nA4 = { event = "sing" }', "no kind of event sing"),
        ('[labels]\nA9 = { floats = "false" }', "res must say"),
        ("lazy = []", "unknown field lazy"),
        ("eager = [", "not valid TOML"),
    ],
)
def test_a_table_that_is_wrong_is_an_error(tmp_path, text, says):
    (tmp_path / "traces").mkdir()
    (tmp_path / f"traces/{STEM}.toml").write_text(text)
    with pytest.raises(UsageError, match=says):
        observed.read(dataclasses.replace(mechanisms()[STEM], root=tmp_path))


def test_a_mechanism_without_a_table_is_out_of_the_model(tmp_path):
    with pytest.raises(UsageError, match="have no meaning"):
        observed.read(dataclasses.replace(mechanisms()[STEM], root=tmp_path))


# -- events that have no place among others


def test_an_attempt_that_does_not_get_the_lock_may_be_anywhere_between_its_neighbours():
    """It holds nothing that would order it: where it stands among the events of others means
    nothing, where it stands in its thread does."""
    recorded = walk_of(OPERATION, "callers_lock", 3)
    events = list(recorded.events)
    lost = next(
        number
        for number, event in enumerate(events)
        if event["k"] == "try_begin" and event["res"] == "false"
    )
    tid = events[lost]["tid"]
    before = max(number for number in range(lost) if events[number]["tid"] == tid)
    after = min(number for number in range(lost + 1, len(events)) if events[number]["tid"] == tid)
    rest = events[:lost] + events[lost + 1 :]
    for place in range(before + 1, after):
        moved = renumbered([*rest[:place], events[lost], *rest[place:]])
        assert by_model(recorded.header, moved)[0].verdict == CONFORMS
    beyond = renumbered([*rest[:after], events[lost], *rest[after:]])
    assert by_model(recorded.header, beyond)[0].verdict == VIOLATES
    assert by_model(recorded.header, renumbered(rest))[0].verdict == VIOLATES, (
        "and it cannot be missing"
    )


@pytest.mark.parametrize("scenario", ["callers_lock", "three_losers", "try_once"])
def test_an_attempt_in_vain_is_recorded_while_the_lock_is_another_thread_s(scenario):
    """Or what its thread does next could sort before what made it fail."""
    seen = 0
    for seed in range(1, 9):
        holder: dict[int, int | None] = {}
        for event in walk_of(OPERATION, scenario, seed).events:
            if event["k"] == "try_begin" and event["res"] == "false":
                assert holder.get(event["op"]) not in (None, event["tid"]), (seed, event)
                seen += 1
            elif "oseq" in event:
                holder[event["op"]] = None if event["k"] == "lock_release" else event["tid"]
    assert seen > 3


# -- what is no verdict


def header_with(**fields):
    recorded = of_walk("two_adders", 1)
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
    recorded = of_walk("two_adders", 1)
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
    recorded = of_walk("flush_add_cancel", 1)
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
        Steps(observed.read(mechanisms()[STEM]), {"threads": {}})


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
    for stem, without in (
        (TIMER, set()),
        (OPERATION, {"G1", "G2", "D2", "D3"}),
    ):  # a lock that is nobody's names nothing
        found = observed.read(mechanisms()[stem])
        assert {row.label for row in found.rows.values() if row.kind and not row.columns} == without
