"""Spark's rules on conforming and on changed traces, beside DuckDB: which rule is broken, at which
event."""

import json
import random
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path

import checked
import equivalents
import layouts
import one_step_timer
import planted_purgatory
import pytest
import rules_table
from engines import of_run
from inputs import FEW_FAMILIES, GOLDEN, SAMPLE, WITH_ALL, Inputs

from benchmarks import mutations
from benchmarks.simulated_log import header
from tests.nights import only
from traces.bulk import FAMILIES, RULES
from wheelproof.pipeline import command, ingest, outcomes, validate
from wheelproof.trace.format import parquet
from wheelproof.trace.format.schema import KINDS
from wheelproof.trace.format.tally import line_of

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_names_every_rule():
    page = rules_table.PAGE.read_text(encoding="utf-8")
    start, end = rules_table.written(page)
    assert page[start:end] == rules_table.table(), (
        "python tests/wheelproof/pipeline/rules_table.py --write"
    )
    assert f"checks {len(RULES)} named rules" in page


def test_no_rule_is_broken_in_a_conforming_trace_and_one_is_in_each_change_of_a_log(inputs):
    """The mutation score: a change of a log is rejected, or it exchanged two steps that commute,
    or the clock of an event is another one that fits."""
    assert not checked.rules(
        header("x"), checked.footer_of(header("x"), inputs.conforming), inputs.conforming
    )
    survivors = []
    for name in inputs.changed:
        style, kind, operator, seed = name.split("-")
        if style != "log" or inputs.broken[name]:
            continue
        if equivalents.another_clock(inputs.conforming, inputs.changed[name][0]):
            continue
        if operator != "swap" or not mutations.commute(
            inputs.conforming, kind, operator, style, int(seed)
        ):
            survivors.append(name)
    assert survivors == []


def test_no_conforming_trace_is_rejected_whatever_its_form(report):
    verdicts, sound = (
        {run["run"]: run["verdict"] for run in report.runs},
        (
            *("conforming", "packed", "columns", "in_parts"),
            *("purgatory", "removing", one_step_timer.SOUND),
        ),
    )
    assert {name: verdicts[name] for name in sound} == dict.fromkeys(sound, "conforms")
    assert (
        len(
            {
                run["events"]
                for run in report.runs
                if run["run"] in ("conforming", "packed", "columns", "in_parts")
            }
        )
        == 1
    )


def test_every_rule_says_how_much_it_looked_at_and_one_that_saw_nothing_is_vacuous(report):
    vacuous = {name for name, rule in report.rules.items() if rule["verdict"] == "vacuous"}
    assert vacuous == set()
    assert all((rule["applied"] == 0) == (name in vacuous) for name, rule in report.rules.items())
    assert sum(rule["verdict"] == "violated" for rule in report.rules.values()) > 15


def test_every_rule_can_fail(report, inputs):
    broken = {rule for run in report.runs if run["run"] in inputs.sample for rule in run["broken"]}
    assert report.rules.keys() - broken == set()
    assert report.rules.keys() == {rule.name for family in inputs.families for rule in family.rules}


@WITH_ALL
def test_the_families_of_the_night_are_all(report):
    assert report.rules.keys() == RULES.keys()


def test_a_run_conforms_in_spark_if_no_rule_is_broken_on_duckdb(report, inputs):
    judged = [run for run in report.runs if run["run"] in inputs.broken]
    assert len(judged) > SAMPLE
    for run in judged:
        broken = inputs.broken[run["run"]] & report.rules.keys()
        assert (run["verdict"] == "conforms") == (not broken), run["run"]


@WITH_ALL
def test_a_fault_of_the_purgatory_is_rejected_in_bulk_by_name_as_far_as_one_key_shows_it(report):
    broken = {run["run"]: set(run["broken"]) for run in report.runs}
    assert broken["orphaning"] == {"CheckTriesWatcher", "WatchedInList", "GivenUpEmpty"}
    assert (broken["unpurged"], broken["keeping"]) == (set(), {"EmptyGivenUp"})
    for name, (_, rules) in planted_purgatory.PURGATORY.items():
        assert broken[name] >= rules and bool(broken[name]) == bool(rules), (name, broken[name])
    for name, (_, rules, _) in one_step_timer.FAULTS.items():
        assert broken[name] == rules, name


def test_recordings_of_the_implementation_conform_and_those_of_mutants_do_not(report, inputs):
    recorded = {
        Path(run["path"]).stem: run
        for run in report.runs
        if (GOLDEN / Path(run["path"]).name).exists()
    }
    assert sorted(recorded) == inputs.recorded
    for name, run in recorded.items():
        assert run["verdict"] == ("violates" if name.startswith("mutant") else "conforms"), (
            name,
            run["broken"],
        )
    assert (
        "CheckedLive" in recorded["mutant_M9"]["broken"]
        and "AtMostOneList" in recorded["mutant_M2"]["broken"]
    )


def test_a_violating_recording_is_shrunk_on_the_executors(spark, report):
    from wheelproof.pipeline.explain import explain

    recorded = [run for run in report.runs if Path(run["path"]).stem in ("mutant_M2", "two_adders")]
    explained = explain(spark, replace(report, runs=recorded), 1000)
    assert [Path(each["path"]).stem for each in explained] == ["mutant_M2"]
    assert explained[0]["property"] == "AtMostOneList"
    assert 0 < len(explained[0]["shrunk"]) <= 20


def test_lines_that_are_no_events_are_in_quarantine_with_line_and_reason(report):
    shown = [row for row in report.quarantine if Path(row["file"]).name == "bad_lines.jsonl"]
    assert [row["row"] for row in shown] == [11, 12, 13, 14]
    assert {Path(row["file"]).parent.name[:7] for row in report.quarantine if row not in shown} == {
        "copies-"
    }
    reasons = [row["reason"] for row in shown]
    assert (
        "no JSON" in reasons[0]
        and "no kind of event" in reasons[1]
        and "tseq" in reasons[2]
        and "is empty" in reasons[3]
    )
    assert report.quarantined == len(report.quarantine)
    run = next(run for run in report.runs if run["run"] == "bad_lines")
    assert run["verdict"] == "incomplete" and any(
        "quarantine" in problem for problem in run["problems"]
    )


def test_a_trace_without_footer_is_incomplete_and_never_conforms(report):
    run = next(run for run in report.runs if run["run"] == "cut_short")
    assert run["verdict"] == "incomplete" and "no footer" in run["problems"][0]


@cache
def in_columns(file: Path) -> list[tuple[int, dict]]:
    """The events of a Parquet file with their numbers."""
    return list(parquet.Reader(file))


@cache
def in_lines(file: Path) -> list[str]:
    return file.read_text().splitlines()


def test_a_violation_names_file_and_line_of_its_event(report):
    located = [
        row
        for row in report.violations
        if "tseq" in row and "lc" in row and not row["run_id"].startswith("copies-")
    ]
    columns = [row for row in located if row["file"].endswith(".parquet")]
    lines = [row for row in located if row["file"].endswith(".jsonl")]
    assert columns and lines
    tokens = [row for row in located if "token" in row]
    assert {row["rule"] for row in tokens} >= {
        "TokenDense",
        "TokenOnce",
        "TokenClock",
        "CounterExact",
    }
    for row in [
        *columns[:25],
        *{row["rule"]: row for row in columns}.values(),
        *lines[:25],
        *tokens[:25],
    ]:
        if row["file"].endswith(".parquet"):
            number, event = in_columns(Path(row["file"]))[row["line"] - 1]
            assert number == row["line"]
        else:
            event = json.loads(in_lines(Path(row["file"]))[row["line"] - 1])
        assert (event["tid"], event["tseq"], event["k"]) == (row["tid"], row["tseq"], row["k"])
        if "token" in row:
            assert row["token"] in [f"{kind} {name}" for kind, name, *_ in event["ord"]]


def test_coverage_and_lateness_are_of_what_was_recorded(report, inputs):
    assert (
        report.coverage["kinds"].keys() | set(report.coverage["kinds_unseen"]) == KINDS.keys()
        and not report.coverage["kinds_unseen"]
    )
    assert report.coverage["edges"]["entry|linked|list_remove|flush"] > 0
    assert (
        "entry|absent|wheel_place|" in report.coverage["edges_untaken"]
        and "entry|absent|wheel_place|" not in report.coverage["edges"]
    )
    timed = sum(
        "exp_ms" in event and bool({"now_ms", "wheel_ms"} & event.keys())
        for run in report.runs
        for event in events_of(run, inputs)
        if event["k"] == "expire_submit"
    )
    assert report.lateness["count"] == timed > 0
    assert timed == sum(each["count"] for each in report.lateness["classes"])


def events_of(run: dict, inputs: Inputs) -> list[dict]:
    """The events of a run, also of one that has no file of its own."""
    if run["run"] in inputs.known:
        return inputs.known[run["run"]][1]
    if run["run"] == "cut_short":
        return inputs.conforming[:200]
    name = run["run"].partition("-")[0]
    return layouts.events(name) if name in inputs.layouts else inputs.conforming


@WITH_ALL
def test_partitions_order_and_sizes_of_files_change_nothing(spark, report, inputs, tmp_path):
    """The same traces, their events shuffled over files of other sizes and shuffled by Spark into
    one partition. The families have three keys of unlike kinds: a thread, an entry and a token.
    """
    changed = inputs.changed
    checked = [family for family in FAMILIES if family.name in ("threads", "entries", "tokens")]
    rules = {rule.name for family in checked for rule in family.rules}
    names = [
        run["run"]
        for run in report.runs
        if run["run"] in changed and len(rules & run["broken"].keys()) > 1
    ][:4]
    for name in names:
        events, footer = changed[name]
        target = tmp_path / f"z{name}"
        target.mkdir()
        (target / "header.json").write_text(json.dumps(header(name)))
        (target / "footer.json").write_text(json.dumps(footer))
        mixed = random.Random(name).sample(events, len(events))
        for part in range(3):
            (target / f"{9 - part}.jsonl").write_bytes(
                b"".join(line_of(event) for event in mixed[part::3])
            )
    kept = {
        name: spark.conf.get(name)
        for name in ("spark.sql.shuffle.partitions", "spark.sql.files.maxPartitionBytes")
    }
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "40000")
    try:
        other = validate.check(spark, [tmp_path], tmp_path / "_scratch", checked)
    finally:
        for name, value in kept.items():
            spark.conf.set(name, value)
    assert names
    for name in names:
        assert of_run(other, name) == Counter(
            {key: count for key, count in of_run(report, name).items() if key[0] in rules}
        )


@pytest.fixture(scope="module")
def columns(spark, inputs, tmp_path_factory) -> outcomes.Inputs:
    """One trace as Spark reads it."""
    file = inputs.folder / "columns.parquet"
    return ingest.read(spark, [file], tmp_path_factory.mktemp("scratch")).inputs


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "family",
    only([pytest.param(family, id=family.name) for family in FAMILIES], *FEW_FAMILIES[1:]),
)
def test_no_rule_leaves_the_engine_and_each_family_is_shuffled_as_often_as_it_says(columns, family):
    marks = outcomes.marked(family, outcomes.prepared(family, columns))
    plan = outcomes.violations(family, marks)._jdf.queryExecution().executedPlan().toString()
    assert "Python" not in plan and "ArrowEval" not in plan and "MapIn" not in plan
    shuffles = [
        line
        for line in plan.splitlines()
        if "Exchange hashpartitioning" in line
        or "Exchange rangepartitioning" in line
        or "Exchange SinglePartition" in line
    ]
    assert len(shuffles) == (family.shuffles if family.key else 0), plan


def test_the_check_of_plans_would_see_a_python_node(spark):
    """The control of the test above: a rule that leaves the engine is seen in the plan."""
    from pyspark.sql import functions as F

    left = spark.range(3).select(F.udf(lambda each: each + 1, "long")("id").alias("more"))
    assert "Python" in left._jdf.queryExecution().executedPlan().toString()


def test_the_command_prints_every_verdict_and_writes_the_report(
    spark, report, inputs, tmp_path, monkeypatch, capsys
):
    """Of the runs that are not planted: each that violates is explained, which takes time."""
    left = [run for run in report.runs if run["run"] not in inputs.sample]
    assert {run["verdict"] for run in left} >= {"conforms", "violates", "incomplete"}
    report = replace(report, runs=left)
    monkeypatch.setattr(command, "session", lambda options: nullcontext(spark))
    monkeypatch.setattr(validate, "check", lambda *arguments, **options: report)
    code = command.run([inputs.folder], command.options_of("local[2]", "1g", None), tmp_path)
    printed = capsys.readouterr().out
    assert code == 1 == report.exit_code
    assert "violates" in printed and "quarantine: " in printed and "rules vacuous" in printed
    assert not [name for name in report.rules if f"{name} " not in printed]
    written = json.loads((tmp_path / "trace-check.json").read_text())
    assert len(written["runs"]) == len(report.runs) and any(
        each.get("shrunk") for each in written["explanations"]
    )
