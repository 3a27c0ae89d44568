"""The judgement of runs, on logs of real ones.

`logs` holds one for every way in which TLC 2.18 ended a run of the modules in `specs`; the nightly
test makes them again.
"""

from pathlib import Path

import pytest

from tests.wheelproof.tlc.cases import CASES, COMPLETED, ERROR, LOGS, VIOLATED
from wheelproof.tlc import process
from wheelproof.tlc.messages import Message, read_messages
from wheelproof.tlc.refusals import refuses, unevaluated
from wheelproof.tlc.result import Account, Outcome, TlcResult
from wheelproof.tlc.values import ValueSyntaxError

BY_NAME = pytest.mark.parametrize("name", CASES)
VIOLATIONS = [name for name, case in CASES.items() if case.outcome is VIOLATED]


def lines(name):
    return (LOGS / f"{name}.log").read_text().splitlines(keepends=True)


def judge(lines, exit_code, **more):
    account = Account()
    for item in read_messages(lines):
        account.add(item)
    return account.judge(exit_code, **more)


def judge_case(name, lines, exit_code=None, **more):
    more.setdefault("only_property", CASES[name].run.get("only_property"))
    return judge(lines, CASES[name].exit_code if exit_code is None else exit_code, **more)


def agree(case, result):
    assert result.outcome is case.outcome, result.explanation
    assert case.why in result.explanation
    for figure, value in case.found.items():
        assert getattr(result, figure) == value, figure


def test_every_log_has_its_case():
    assert {log.stem for log in LOGS.iterdir()} == set(CASES)


@BY_NAME
def test_outcome_of_a_real_run(name):
    agree(CASES[name], judge_case(name, lines(name)))


@BY_NAME
def test_explanation_is_one_line_that_names_the_log(name):
    explanation = judge_case(name, lines(name), log=Path("build/run.log")).explanation
    assert "\n" not in explanation
    assert explanation == "" or explanation.endswith("; the log is build/run.log.")


@BY_NAME
def test_no_other_exit_code_gives_evidence(name):
    for exit_code in {-9, -15, 0, 1, 10, 11, 12, 13, 14, 75, 76, 77, 150, 151, 255} - {
        CASES[name].exit_code
    }:
        assert judge_case(name, lines(name), exit_code).outcome is ERROR


@BY_NAME
def test_a_log_that_breaks_off_is_no_evidence(name):
    whole = lines(name)
    for end in range(len(whole)):
        assert judge_case(name, whole[:end]).outcome is ERROR


def test_a_run_that_was_to_go_on_is_violated_and_whole():
    result = judge(lines("continued"), 0, went_on=True)
    assert result.outcome is VIOLATED and result.property == "BelowTop" and len(result.trace) == 4
    assert result.whole and (result.generated, result.distinct, result.depth) == (5, 4, 4)
    named = [
        line.replace("Invariant BelowTop", "Invariant First_BelowTop")
        for line in lines("continued")
    ]
    assert judge(named, 0, went_on=True).property == "BelowTop"
    assert (
        judge(lines("completed"), 0, went_on=True).whole
        and not judge_case("invariant", lines("invariant")).whole
    )


def test_a_run_that_was_to_go_on_needs_its_end_and_one_violation():
    whole = lines("continued")
    for exit_code in (-9, 1, 12, 13, 255):
        assert judge(whole, exit_code, went_on=True).outcome is ERROR
    for end in range(len(whole)):
        assert judge(whole[:end], 0, went_on=True).outcome is ERROR
    assert (
        "did not report that it found no error"
        in judge(lines("invariant"), 12, went_on=True).explanation
    )
    begin, end = (number for number, line in enumerate(whole) if "MSG 2110" in line)
    assert "2 violations" in judge(whole[: end + 1] + whole[begin:], 0, went_on=True).explanation


@pytest.mark.parametrize("code", [2193, 2186, 2199, 2194])
def test_completion_needs_each_of_its_messages(code):
    text = "".join(lines("completed"))
    start, end = text.index(f"@!@!@STARTMSG {code}:"), text.index(f"@!@!@ENDMSG {code} ")
    assert (
        judge((text[:start] + text[text.index("\n", end) + 1 :]).splitlines(), 0).outcome is ERROR
    )


def test_completion_needs_an_empty_queue_and_no_error():
    text = "".join(lines("completed"))
    left = text.replace(
        "0 states left on queue.\n@!@!@ENDMSG 2199", "7 states left on queue.\n@!@!@ENDMSG 2199"
    )
    assert "left 7 states unexplored" in judge(left.splitlines(), 0).explanation
    broken = "@!@!@STARTMSG 4242:1 @!@!@\nsomething broke\n@!@!@ENDMSG 4242 @!@!@\n" + text
    assert (
        judge(broken.splitlines(), 0).explanation == "TLC failed with exit code 0: something broke."
    )


@pytest.mark.parametrize(
    "name", [name for name in VIOLATIONS if CASES[name].config.count("PROPERTY")]
)
def test_unnamed_property_needs_the_name_of_the_only_one(name):
    result = judge_case(name, lines(name), only_property=None)
    if name == "action_property":  # this one TLC names
        assert result.property == "NeverDown"
    else:
        assert result.outcome is ERROR and "one property per config" in result.explanation


def test_the_name_that_tlc_tells_counts_and_not_the_given_one():
    assert (
        judge_case("action_property", lines("action_property"), only_property="Other").property
        == "NeverDown"
    )
    assert judge_case("invariant", lines("invariant"), only_property="Other").property == "BelowTop"
    later = "".join(lines("lasso")).replace(
        "Temporal properties were", "Temporal property Later was"
    )
    assert judge(later.splitlines(), 13, only_property="Given").property == "Later"


def test_trace_is_typed():
    trace = judge_case("lasso", lines("lasso")).trace
    assert [(s.number, s.action, s.variables) for s in trace] == [
        (1, None, {"step": 0}),
        (2, "Up", {"step": 1}),
        (3, "Up", {"step": 2}),
        (4, "Up", {"step": 3}),
    ]
    assert (
        trace[0].location == ""
        and trace[1].location == "line 14, col 9 to line 16, col 27 of module Stair"
    )


def test_unreadable_trace_is_an_error():
    with pytest.raises(ValueSyntaxError):
        Account().add(Message(2217, 4, "1: <Initial predicate>\nx = {1"))
    with pytest.raises(ValueSyntaxError):
        Account().add(Message(2217, 4, "no state"))


def test_two_violations_in_one_run_are_an_error():
    text = "".join(lines("invariant"))
    start, end = text.index("@!@!@STARTMSG 2110"), text.index("@!@!@STARTMSG 2121")
    twice = text[:start] + text[start:end] * 2 + text[end:]
    assert "2 violations in one run" in judge(twice.splitlines(), 12).explanation


@pytest.mark.parametrize(
    "warning",
    [
        "The PlusCal algorithm in module A has changed since its last translation.",
        "The TLA+ translation in module A has changed since its last translation.",
        "The PlusCal algorithm and its TLA+ translation in module A filename since the last "
        "translation.",
    ],
)
def test_every_form_of_the_stale_warning(warning):
    assert (
        "module A is stale"
        in judge([f"!! WARNING: {warning}\n", *lines("completed")], 0).explanation
    )
    assert judge([f"{warning}\n", *lines("completed")], 0).outcome is COMPLETED


def test_time_limit_is_inconclusive_unless_tlc_had_finished():
    cut = lines("completed")[:50]
    assert judge(cut, -9, timed_out=5).outcome is Outcome.INCONCLUSIVE
    assert "its limit of 5 s after 4 distinct states" in judge(cut, -9, timed_out=5).explanation
    assert judge(lines("completed"), 0, timed_out=5).outcome is COMPLETED


def test_killed_run_names_the_signal():
    assert judge(lines("completed")[:50], -9).explanation.startswith(
        "TLC was killed by SIGKILL after 4 distinct states"
    )


@pytest.mark.parametrize(
    ("why", "refused"),
    [
        ("Attempted to apply a function to 3, which is not in its domain", True),
        ("The invariant is null nowhere, and Cannot is a word of its own", True),
        ('Cannot read the array length because "this.buff" is null', False),
        ('Cannot invoke "tlc2.value.IValue.fingerPrint(long)" because "value" is null', False),
        ('Cannot store to int array because "<local4>" is null', False),
    ],
)
def test_code_of_tlc_that_fails_is_no_fault_of_the_specification(why, refused):
    """TLC has one exit code for both: 75."""
    result = TlcResult(Outcome.ERROR, exit_code=75, explanation=f"TLC failed: {why}")
    assert refuses(result) is unevaluated(result) is refused


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not ERROR])
@pytest.mark.parametrize("exit_code", [0, 12, 75])
def test_a_run_without_an_error_is_no_refusal(outcome, exit_code):
    why = "Attempted to apply a function to 3, which is not in its domain"
    result = TlcResult(outcome, exit_code=exit_code, explanation=why)
    assert not refuses(result) and not unevaluated(result)


def test_jvm_that_does_not_start_is_quoted():
    failed = judge(["Error: Could not find or load main class tlc2.TLC\n"], 1)
    assert failed.outcome is ERROR and "main class tlc2.TLC" in failed.explanation
    assert (
        judge([], 0).explanation
        == "TLC ended with exit code 0 without its closing message: it printed nothing."
    )


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in CASES if name not in ("continued", "no_module")])
def test_todays_tlc_ends_as_the_logs_say(name, spec, tmp_path, tools):
    case = CASES[name]
    module = spec(case.module)
    if name == "stale_translation":
        module.write_text(
            module.read_text().replace("done[self] := lap;", "done[self] := lap + 0;")
        )
    spec("Stair")
    config = tmp_path / "it.cfg"
    config.write_text(case.config)
    result = process.run(module, config=config, timeout=300, **case.run, **tools)
    agree(case, result)
    assert result.exit_code == case.exit_code
