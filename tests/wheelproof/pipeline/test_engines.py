"""Both engines name the same events: Spark and DuckDB."""

from collections import Counter
from pathlib import Path

import checked
import pytest
from engines import by_duckdb, disagreements, of_run
from inputs import GOLDEN, WITH_ALL

from benchmarks.simulated_log import header
from tests.found import mechanisms
from wheelproof.pipeline import in_process, on_duckdb, validate
from wheelproof.pipeline.report import Report, cover
from wheelproof.trace import examples
from wheelproof.trace.commands import has_events
from wheelproof.trace.format import jsonl, parquet
from wheelproof.trace.recording.record import record


def test_a_check_in_memory_gives_the_report_of_spark(report, inputs):
    """Verdicts, what is broken, and each violation with its place and its text."""
    files = [GOLDEN / f"{name}.jsonl" for name in inputs.recorded]
    found = in_process.check(files, families=inputs.families)
    spark = {run["run"]: run for run in report.runs}
    assert len(found.runs) == len(files) and found.exit_code == 1
    for run in found.runs:
        same = spark[run["run"]]
        for what in ("verdict", "events", "broken", "problems"):
            assert run[what] == same[what], (run["run"], what)
    names = {run["run"] for run in found.runs}
    there = [row for row in report.violations if row["run_id"] in names]
    assert [without_folder(row) for row in found.violations] == [
        without_folder(row) for row in there
    ]


def without_folder(row: dict) -> dict:
    return row | {"file": Path(row["file"]).name} if "file" in row else row


@pytest.fixture(scope="module")
def compared(inputs, tmp_path_factory) -> list[Path]:
    """The known traces as Parquet files, which is what DuckDB reads."""
    target, files = tmp_path_factory.mktemp("columns"), []
    for run, (head, events, footer) in inputs.known.items():
        files.append(inputs.folder / f"{run}.parquet")
        if not files[-1].exists():
            files[-1] = target / f"{len(files)}.parquet"
            parquet.write(files[-1], head, events, footer)
    return files


def test_duckdb_and_spark_agree_on_every_rule(report, compared, inputs):
    """In recordings, changed and planted traces; by night there are more, and all families."""
    duckdb, answers = by_duckdb(compared, inputs.families)
    assert duckdb.keys() == inputs.known.keys() > inputs.sample.keys()
    assert disagreements(report, duckdb) == []
    broken = {rule for named in duckdb.values() for rule, _ in named}
    assert broken == answers.by_rule().keys() == report.rules.keys()


def test_a_rule_that_is_another_on_duckdb_is_noticed(report, compared, inputs, monkeypatch):
    """The control: DuckDB takes the first value of a window for the last."""
    monkeypatch.setitem(on_duckdb._PLAIN, "last", "first_value({} IGNORE NULLS)")
    duckdb, _ = by_duckdb(compared, inputs.families)
    assert disagreements(report, duckdb)


def test_a_planted_difference_between_the_engines_is_noticed(report, inputs):
    """The control of the test above: what one engine does not name, names twice, or names at
    another event."""
    sample = inputs.sample
    run = next(run["run"] for run in report.runs if run["run"] in sample and run["broken"])
    right = of_run(report, run)
    (rule, what), *_ = right
    assert disagreements(report, {run: right}) == []
    for changed in (
        right - Counter({(rule, what): 1}),
        right + Counter({(rule, what): 1}),
        right - Counter({(rule, what): 1}) + Counter({(rule, (1, 1, 1)): 1}),
    ):
        assert disagreements(report, {run: changed})
    head, events, footer = sample[run]
    cut = checked.violations(head, footer, events[:-9], inputs.families)
    assert disagreements(report, {run: cut})


@WITH_ALL
def test_the_engines_agree_on_all_changed_traces(spark, inputs, tmp_path, monkeypatch):
    changed = inputs.changed
    monkeypatch.setattr(validate, "KEPT", 1_000_000)
    for name, (events, footer) in changed.items():
        parquet.write(tmp_path / f"{name}.parquet", header(name), events, footer)
    report = validate.check(spark, [tmp_path], tmp_path / "_scratch")
    assert len(report.violations) == report.violated
    duckdb, answers = by_duckdb(sorted(tmp_path.glob("*.parquet")))
    assert duckdb.keys() == changed.keys() and len(changed) > 250
    assert answers.by_rule() == {name: rule["applied"] for name, rule in report.rules.items()}
    measured = Report(events=report.events)
    cover(measured, Counter(), answers.measured)
    assert measured.coverage["edges"] == report.coverage["edges"] != {}
    assert measured.lateness == report.lateness and report.lateness["count"]
    assert disagreements(report, duckdb) == []
    passed = {name for name, found in duckdb.items() if not found}
    assert len(passed) < len(changed) / 5


SEEN_ELSEWHERE = {
    "timing_wheel-M13": "WheelUnderTimerLock",
    "timing_wheel-ResetLate": "ResetUnderMonitor",
    "overflow_wheel-M16": "OneOverflowWheel",
    "overflow_wheel-KeepsMonitor": "MonitorsReturned",
    "delayed_operation-UnlockedTry": "OneTries",
}
"""Mutants whose fault stands between objects with different keys, and the rule that rejects their
recordings."""


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", SEEN_ELSEWHERE)
def test_a_fault_between_objects_is_rejected_by_name_and_its_absence_is_not(name):
    declared = mechanisms()
    mechanism, _, mutant = name.partition("-")
    made = examples.of_mutant(declared, mechanism, mutant)
    scenario = declared[mechanism].mutants[mutant].scenario
    schedule = examples.random_schedule(declared[mechanism], scenario, 1)
    sound = record(declared, mechanism, scenario, scenario, schedule=schedule)
    faulty, right = checked.judge(
        [(each.header, each.events, each.footer) for each in (made, sound)]
    )
    assert SEEN_ELSEWHERE[name] in faulty.broken
    assert right.applied[SEEN_ELSEWHERE[name]] and not right.broken


def test_an_entry_that_was_taken_out_is_not_forgotten():
    """Its unlink has no cause, and it is in no list at the end."""
    declared, scenario = mechanisms(), "ring_of_eight"
    schedule = examples.random_schedule(declared["timer_task_list"], scenario, 1)
    made = record(declared, "timer_task_list", scenario, scenario, schedule=schedule)
    events = [event for event in made.events if event["k"] == "list_remove"]
    assert sum("cause" not in event for event in events) >= 3
    (answer,) = checked.judge([(made.header, made.events, made.footer)])
    assert answer.applied["EveryTimerFires"] == 8 and not answer.broken


@pytest.mark.nightly
def test_the_engines_agree_on_recordings_of_all_scenarios_and_mutants(spark, tmp_path):
    """Runs of the implementation: no rule rejects one that conforms, and each mutant's is rejected
    by one."""
    declared, files = mechanisms(), []
    for mechanism in filter(lambda mechanism: has_events(declared[mechanism]), declared):
        for path, _ in examples.write(tmp_path / "recorded", declared, mechanism):
            read = jsonl.Reader(path)
            events = [event for _, event in read]
            files.append(tmp_path / "columns" / f"{path.stem}.parquet")
            parquet.write(files[-1], read.header, events, read.footer)
    report = validate.check(spark, [tmp_path / "columns"], tmp_path / "_scratch")
    duckdb, answers = by_duckdb(files)
    assert disagreements(report, duckdb) == []
    assert answers.by_rule() == {name: rule["applied"] for name, rule in report.rules.items()}
    verdicts = {run["run"]: run["verdict"] for run in report.runs}
    mutants = {
        f"{mechanism}-{mutant}" for mechanism, each in declared.items() for mutant in each.mutants
    } & verdicts.keys()
    assert len(mutants) > 20 and len(verdicts) - len(mutants) > 20
    # Examples have the mutants of the day; the others have their test above.
    by_day = {
        f"{mechanism}-{mutant.name}"
        for mechanism, each in declared.items()
        for mutant in each.mutants.values()
        if mutant.profile == "fast"
    }
    assert by_day & SEEN_ELSEWHERE.keys() <= mutants
    assert {
        name
        for name in verdicts
        if verdicts[name] != ("violates" if name in mutants else "conforms")
    } == set()
    assert report.rules["StepFollows"]["applied"] > 500
