"""TLC as the oracle of slices: it says what the model says, of conforming, mutated and changed
traces, and what breaks it is no verdict."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.nights import by_night
from tests.wheelproof.trace.followed import (
    MUTANTS,
    OPERATION,
    RUNS,
    TIMER,
    by_model,
    by_rules,
    changed,
    random_run_of,
)
from tests.wheelproof.trace.recorded import NAME, mechanisms, mutant_of, of_mutant, random_run
from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.trace import commands
from wheelproof.trace.format import jsonl
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES
from wheelproof.trace.model import observed, oracle, report, slices
from wheelproof.trace.model.expressions import Expression
from wheelproof.trace.model.places import Place

PART = 40
"""Slices that one run of TLC is given."""


def followed(recorded, **options):
    return by_model(recorded.header, recorded.events, recorded.footer, **options)


def ask_about(
    mechanism: str, scenario: str, seed: int, folder: Path, sample: int | None
) -> list[tuple[str, slices.Slice, oracle.Answer]]:
    """The model and TLC on a run and on changes of it."""
    recorded = random_run_of(mechanism, scenario, seed)
    traces = [("as it was", recorded.events), *changed(recorded.events, sample, seed)]
    cases = []
    for what, events in traces:
        _, run = by_model(recorded.header, events)
        if run.history:
            cases.append((what, slices.cut(run), run.steps))
    out = []
    for begin in range(0, len(cases), PART):
        some = cases[begin : begin + PART]
        answers = oracle.check_all(some[0][2], [part for _, part, _ in some], folder, seconds=600)
        out += [(what, part, answer) for (what, part, _), answer in zip(some, answers, strict=True)]
    return out


def held(rows: list[tuple[str, slices.Slice, oracle.Answer]]) -> int:
    """How many of the traces TLC refuses, each at the event at which the model does."""
    for what, part, answer in rows:
        assert answer.accepted is not None, what
        assert answer.refused == part.refused, what
    return sum(part.refused is not None for _, part, _ in rows)


# -- agreement


@pytest.mark.parametrize(
    "mechanism, scenario", [by_night((TIMER, "flush_add_cancel")), (OPERATION, "callers_lock")]
)
def test_tlc_and_the_model_agree_on_changed_traces(mechanism, scenario, tmp_path):
    rows = ask_about(mechanism, scenario, 1, tmp_path, 20)
    assert 5 < held(rows) < len(rows)
    assert rows[0][0] == "as it was" and rows[0][2].accepted


def test_tlc_refuses_a_mutant_s_trace_at_the_model_s_event(tmp_path):
    _, run = followed(of_mutant("M19"))
    part = slices.cut(run)
    answer = oracle.check(run.steps, part, tmp_path)
    assert answer.accepted is False and answer.refused == part.refused == len(part.events)


@pytest.mark.nightly
def test_tlc_judges_a_slice_that_begins_in_the_middle(tmp_path):
    """Its first states are written out as values of the specification's variables."""
    _, run = followed(of_mutant("M8"))
    part = slices.cut(run, last=3)
    assert len(part.events) == 3 and part.starts != {Place(run.steps.normal(run.steps.start))}
    answer = oracle.check(run.steps, part, tmp_path)
    assert answer.accepted is False and answer.refused == part.refused == 3
    assert "\\/ /\\ next = " in (tmp_path / "TimerTaskListSlice.tla").read_text()


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism, name", MUTANTS)
def test_tlc_refuses_every_mutant_where_the_model_does(mechanism, name, tmp_path):
    verdict, run = followed(mutant_of(mechanism, name))
    part = slices.cut(run)
    assert verdict.verdict == VIOLATES and part.refused
    assert oracle.check(run.steps, part, tmp_path).refused == part.refused
    last = slices.cut(run, last=4)
    assert oracle.check(run.steps, last, tmp_path / "last").refused == last.refused


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism, scenario", RUNS)
def test_tlc_and_the_model_agree_on_all_changed_traces(mechanism, scenario, tmp_path):
    rows = ask_about(
        mechanism,
        scenario,
        2,
        tmp_path,
        None if len(random_run_of(mechanism, scenario, 2).events) < 60 else 80,
    )
    assert 0 < held(rows) < len(rows)


# -- controls


def test_a_wrong_table_is_noticed_by_tlc_too(tmp_path):
    found = observed.read(mechanisms()[NAME])
    wrong = dataclasses.replace(
        found.rows["A9"],
        columns={
            ("post", "counter"): Expression("taskCounter"),
            **{
                (column, None): found.rows["A9"].columns[column, None]
                for column in ("list", "entry", "task")
            },
        },
    )
    recorded = random_run("two_adders", 1)
    _, right = followed(recorded)
    _, run = followed(recorded, table=dataclasses.replace(found, rows={**found.rows, "A9": wrong}))
    part = slices.cut(run)
    assert part.events[-1].event["k"] == "list_add" and slices.cut(right).refused is None
    assert oracle.check(run.steps, part, tmp_path).refused == part.refused


@pytest.mark.nightly
def test_a_specification_without_one_decision_parts_from_the_model(tmp_path):
    _, run = followed(of_mutant("M19"))
    answer = oracle.check(run.steps, slices.cut(run), tmp_path, without="M19")
    assert answer.accepted, (
        "the mutant's trace is one of the specification that lacks what the mutant lacks"
    )


def test_the_two_that_say_different_things_are_no_verdict(tmp_path, monkeypatch):
    path = tmp_path / "m9.jsonl"
    of_mutant("M9").write(path)
    monkeypatch.setattr(
        report.oracle,
        "check",
        lambda steps, part, folder: oracle.Answer(True, None, TlcResult(Outcome.VIOLATED)),
    )
    with pytest.raises(ToolError, match="one of the two is wrong"):
        report.by_oracle(path, mechanisms(), tmp_path, None, None)


def test_a_table_that_tlc_cannot_read_is_no_verdict(tmp_path):
    _, run = followed(random_run("two_adders", 1))
    rows = {
        **run.steps.table.rows,
        "A1": dataclasses.replace(run.steps.table.rows["A1"], when=Expression("nowhere[self] = 1")),
    }
    run.steps.table = dataclasses.replace(run.steps.table, rows=rows)
    with pytest.raises(ToolError, match="no answer"):
        oracle.check(run.steps, slices.cut(run), tmp_path)


def test_a_folder_that_tlc_s_modules_cannot_go_to_is_reported(tmp_path):
    (tmp_path / "file").write_text("in the way")
    _, run = followed(random_run("two_adders", 1))
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ToolError, match="modules cannot be written there") as caught:
            oracle.generate(run.steps, [slices.cut(run)], folder)
        assert str(folder) in str(caught.value)
    assert (
        oracle.generate(run.steps, [slices.cut(run)], tmp_path / "free")
        and (tmp_path / "free").is_dir()
    )


def test_time_that_ran_out_is_no_verdict(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    random_run("two_adders", 1).write(path)
    monkeypatch.setattr(
        oracle.check, "__kwdefaults__", {**oracle.check.__kwdefaults__, "seconds": 0.05}
    )
    verdict, lines = report.by_oracle(path, mechanisms(), tmp_path, None, None)
    assert verdict == "incomplete" and "not confirmed" in lines[-1]


def test_a_slice_that_was_not_kept_or_is_empty_is_an_error():
    recorded = random_run("two_adders", 1)
    _, run = followed(recorded)
    with pytest.raises(NothingChecked):
        slices.cut(run, window=(9000, 9001))
    run.history.clear()
    with pytest.raises(NothingChecked):
        slices.cut(run)
    _, first = followed(recorded)
    _, second = followed(of_mutant("M8"))
    with pytest.raises(UsageError, match="same states"):
        oracle.check_all(first.steps, [slices.cut(first), slices.cut(second)], Path("nowhere"))


def test_a_slice_begins_where_the_model_is_in_few_states(monkeypatch):
    _, run = followed(
        random_run("flush_add_cancel", 1),
        table=dataclasses.replace(
            observed.read(mechanisms()[NAME]),
            rows={
                name: dataclasses.replace(row, eager=False)
                for name, row in observed.read(mechanisms()[NAME]).rows.items()
            },
        ),
    )
    monkeypatch.setattr(slices, "STARTS", 1)
    wanted = len(run.history) - max(
        number for number, item in enumerate(run.history) if len(item.states) > 1
    )
    part = slices.cut(run, last=wanted)
    assert len(part.starts) == 1 and len(part.events) > wanted


# -- the command


def command(*arguments: str):
    return CliRunner().invoke(commands.app, ["replay", *arguments])


def test_the_command_confirms_a_verdict_by_tlc(tmp_path):
    path = tmp_path / "m9.jsonl"
    of_mutant("M9").write(path)
    ended = command(str(path), "--oracle", "--last", "3", "--output", str(tmp_path / "slices"))
    assert ended.exit_code == 1, ended.output
    assert (
        "Next: f can show no expire_submit there" in ended.output
        and "refuses line" in ended.output
        and "(3 events)" in ended.output
    )
    assert (tmp_path / "slices/TimerTaskList/m9/MCTimerTaskListSlice.cfg").is_file()


def test_the_command_follows_a_trace_on_the_model(tmp_path):
    recorded = random_run("readd", 1)
    recorded.write(tmp_path / "readd.jsonl")
    ended = command(str(tmp_path / "readd.jsonl"), "--model")
    assert ended.exit_code == 0 and "conforms" in ended.output and "on average" in ended.output
    assert by_rules(recorded.header, recorded.events).verdict == CONFORMS


def test_the_command_says_that_the_specification_is_another_one(tmp_path):
    recorded = random_run("readd", 1)
    assert "another" not in command_on(tmp_path, recorded.header, recorded.events)
    assert "beside another TimerTaskList.tla" in command_on(
        tmp_path,
        recorded.header | {"spec": recorded.header["spec"] | {"sha256": "0" * 64}},
        recorded.events,
    )


def command_on(folder: Path, header: dict, events: list[dict]) -> str:
    jsonl.write(folder / "trace.jsonl", header, events)
    return command(str(folder / "trace.jsonl"), "--model").output


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["--last", "3"], "--oracle"),
        (["--oracle", "--last", "3", "--window", "1:2"], "both"),
        (["--oracle", "--window", "9:2"], "two lines"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(arguments, says, tmp_path):
    random_run("readd", 1).write(tmp_path / "readd.jsonl")
    ended = command(str(tmp_path / "readd.jsonl"), *arguments)
    assert isinstance(ended.exception, UsageError) and says in str(ended.exception)


def test_a_trace_without_a_program_is_out_of_the_model(tmp_path):
    ended = command(
        str(Path(__file__).parent / "golden/readd.jsonl"), "--oracle", "--output", str(tmp_path)
    )
    assert (
        ended.exit_code == 3
        and "out-of-model" in ended.output
        and "TLC was not run" in ended.output
    )
