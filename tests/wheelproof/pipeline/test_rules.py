"""Spark's rules on conforming and on changed traces, beside DuckDB and the same table in memory:
which rule is broken, at which event."""

import json
import random
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import asked
import equivalents
import layouts
import planted
import pytest
import rules_table
from inputs import GOLDEN, SAMPLE, Inputs

from benchmarks import duck, mutations
from benchmarks.simulated_log import TICK_MS, WHEEL_SIZE, header
from traces.bulk import FAMILIES, RULES
from wheelproof import project
from wheelproof.pipeline import command, ingest, local, outcomes, validate
from wheelproof.trace import examples
from wheelproof.trace.commands import has_events
from wheelproof.trace.format import jsonl, parquet
from wheelproof.trace.format.schema import KINDS
from wheelproof.trace.format.tally import line_of
from wheelproof.trace.recording.record import record

ROOT = Path(__file__).resolve().parents[3]

Known = dict[str, asked.Trace]
"""Run -> header, events, footer."""


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
    assert not asked.rules(
        header("x"), asked.footer_of(header("x"), inputs.conforming), inputs.conforming
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
    assert len(inputs.changed) > 250
    assert survivors == []


def of_run(report: validate.Report, run: str) -> Counter:
    """(rule, what) of one run's violations, as :func:`asked.place` has them."""
    return Counter(asked.place(row) for row in report.violations if row["run_id"] == run)


def test_no_conforming_trace_is_blamed_whatever_its_form(report):
    verdicts, sound = (
        {run["run"]: run["verdict"] for run in report.runs},
        ("conforming", "packed", "columns", "in_parts", "purgatory", "removing"),
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
    assert RULES.keys() - broken == set()


def test_a_run_conforms_in_spark_if_no_rule_is_broken_in_memory(report, inputs):
    judged = [run for run in report.runs if run["run"] in inputs.broken]
    assert len(judged) > SAMPLE
    for run in judged:
        assert (run["verdict"] == "conforms") == (not inputs.broken[run["run"]]), run["run"]


def test_a_fault_of_the_purgatory_is_rejected_in_bulk_by_name_as_far_as_one_key_shows_it(report):
    broken = {run["run"]: set(run["broken"]) for run in report.runs}
    assert broken["orphaning"] == {"CheckTriesWatcher"}
    for name, (_, rules, _) in planted.PURGATORY.items():
        assert broken[name] >= rules and bool(broken[name]) == bool(rules), (name, broken[name])


def test_recordings_of_the_implementation_conform_and_those_of_mutants_do_not(report):
    recorded = {
        Path(run["path"]).stem: run
        for run in report.runs
        if (GOLDEN / Path(run["path"]).name).exists()
    }
    assert len(recorded) == len(list(GOLDEN.glob("*.jsonl"))) > 10
    for name, run in recorded.items():
        assert run["verdict"] == ("violates" if name.startswith("mutant") else "conforms"), (
            name,
            run["broken"],
        )
    assert (
        "CheckedLive" in recorded["mutant_M9"]["broken"]
        and "AtMostOneList" in recorded["mutant_M2"]["broken"]
    )


def test_a_violating_recording_is_explained_by_the_model_on_the_executors(spark, report):
    from dataclasses import replace

    from wheelproof.pipeline.explain import explain

    recorded = [run for run in report.runs if Path(run["path"]).stem in ("mutant_M2", "two_adders")]
    explained = explain(spark, replace(report, runs=recorded), 1000)
    assert [Path(each["path"]).stem for each in explained] == ["mutant_M2"]
    assert explained[0]["verdict"] == "violates" and explained[0]["property"] == "AtMostOneList"
    assert 0 < len(explained[0]["shrunk"]) <= 20 and explained[0]["repair"]


def test_sql_written_by_hand_names_the_same_events(report, inputs):
    """Sixteen rules in DuckDB's SQL, which is the benchmark's yardstick."""
    seen = 0
    for file in sorted(inputs.folder.glob("*.parquet")):
        found = duck.violations([str(file)], TICK_MS, WHEEL_SIZE)
        expected = Counter()
        for (rule, what), count in of_run(report, file.stem).items():
            expected[
                rule,
                *(
                    (what, None)
                    if rule == "CompletedOnce"
                    else what[:2]
                    if isinstance(what, tuple)
                    else (None, None)
                ),
            ] += count
        compared = {key: count for key, count in found.items() if key[0] in duck.RULES}
        assert compared == {
            key: count for key, count in expected.items() if key[0] in duck.RULES
        }, file.stem
        seen += bool(compared)
    assert seen > SAMPLE // 4


def by_duckdb(files: list[Path]) -> tuple[dict[str, Counter], dict[str, int]]:
    """By all rules' own expressions on DuckDB: the violations of each run as :func:`of_run` writes
    them, and how often each rule applied."""
    pytest.importorskip(
        "sqlframe", reason="the extra `data-test` is not installed: make setup-data"
    )
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "duck_rules.py"), *map(str, files)],
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert not done.returncode, done.stderr[-3000:]
    said = json.loads(done.stdout)
    assert said["applied"].keys() == RULES.keys()
    out: dict[str, Counter] = {name: Counter() for name in said["runs"]}
    for run, rule, tid, tseq, lc, op, token in said["violations"]:
        what = (
            None
            if rule in asked.ABOUT_OBJECTS
            else (tid, tseq, lc)
            if tid is not None
            else op
            if op is not None
            else token
        )
        out[run][rule, what] += 1
    return out, said["applied"]


def disagreements(report: validate.Report, duckdb: dict[str, Counter], known: Known) -> list[str]:
    """Each (run, rule, place) that one of three engines names and another does not, or not as
    often."""
    out = []
    for run, found in duckdb.items():
        head, events, footer = known[run]
        in_memory = asked.violations(head, footer, events)
        engines = {"Spark": of_run(report, run), "DuckDB": found, "memory": in_memory}
        for key in sorted({key for named in engines.values() for key in named}, key=str):
            counts = {engine: named[key] for engine, named in engines.items()}
            if len(set(counts.values())) > 1:
                out.append(f"{run} {key}: {counts}")
    return out


def test_a_check_in_memory_gives_the_report_of_spark(report):
    """Verdicts, what is broken, and each violation with its place and its text."""
    found = local.check(sorted(GOLDEN.glob("*.jsonl")))
    spark = {run["run"]: run for run in report.runs}
    assert len(found.runs) > 10 and found.exit_code == 1
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


def test_spark_duckdb_and_memory_agree_on_every_rule(report, compared, inputs):
    duckdb, _ = by_duckdb(compared)
    assert duckdb.keys() == inputs.known.keys() > inputs.sample.keys()
    assert len(inputs.known) > len(inputs.sample) + 10
    assert disagreements(report, duckdb, inputs.known) == []
    assert {rule for found in duckdb.values() for rule, _ in found} >= RULES.keys()


def test_a_planted_difference_between_the_engines_is_noticed(report, inputs):
    """The control of the test above: what one engine does not name, names twice, or names at
    another event."""
    sample = inputs.sample
    run = next(run["run"] for run in report.runs if run["run"] in sample and run["broken"])
    right = of_run(report, run)
    (rule, what), *_ = right
    known = {run: sample[run]}
    assert disagreements(report, {run: right}, known) == []
    for changed in (
        right - Counter({(rule, what): 1}),
        right + Counter({(rule, what): 1}),
        right - Counter({(rule, what): 1}) + Counter({(rule, (1, 1, 1)): 1}),
    ):
        assert disagreements(report, {run: changed}, known)
    assert disagreements(
        report, {run: right}, {run: (sample[run][0], sample[run][1][:-9], sample[run][2])}
    )


@pytest.mark.nightly
def test_the_engines_agree_on_all_changed_traces(spark, inputs, tmp_path, monkeypatch):
    changed = inputs.changed
    monkeypatch.setattr(validate, "KEPT", 1_000_000)
    for name, (events, footer) in changed.items():
        parquet.write(tmp_path / f"{name}.parquet", header(name), events, footer)
    report = validate.check(spark, [tmp_path], tmp_path / "_scratch")
    assert len(report.violations) == report.violated
    duckdb, applied = by_duckdb(sorted(tmp_path.glob("*.parquet")))
    assert duckdb.keys() == changed.keys()
    assert applied == {name: rule["applied"] for name, rule in report.rules.items()}
    assert (
        disagreements(
            report, duckdb, {name: (header(name), *rest) for name, rest in changed.items()}
        )
        == []
    )
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


@pytest.mark.parametrize("name", SEEN_ELSEWHERE)
def test_a_fault_between_objects_is_rejected_by_name_and_its_absence_is_not(name):
    mechanisms = project.find(ROOT)
    stem, _, mutant = name.partition("-")
    made = examples.of_mutant(mechanisms, stem, mutant)
    assert SEEN_ELSEWHERE[name] in asked.rules(made.header, made.footer, made.events)
    scenario = mechanisms[stem].mutants[mutant].scenario
    schedule = examples.random_schedule(mechanisms[stem], scenario, 1)
    sound = record(mechanisms, stem, scenario, scenario, schedule=schedule)
    found = asked.of(sound.header, sound.footer, sound.events)
    assert found.applied[SEEN_ELSEWHERE[name]] and not found.violations


def test_an_entry_that_was_taken_out_is_not_forgotten():
    """Its unlink has no cause, and it is in no list at the end."""
    mechanisms, scenario = project.find(ROOT), "ring_of_eight"
    schedule = examples.random_schedule(mechanisms["timer_task_list"], scenario, 1)
    made = record(mechanisms, "timer_task_list", scenario, scenario, schedule=schedule)
    events = [event for event in made.events if event["k"] == "list_remove"]
    assert sum("cause" not in event for event in events) >= 3
    found = asked.of(made.header, made.footer, made.events)
    assert found.applied["EveryTimerFires"] == 8 and not found.violations


@pytest.mark.nightly
def test_the_engines_agree_on_recordings_of_all_scenarios_and_mutants(spark, tmp_path):
    """Runs of the implementation: no rule blames one that conforms, and each mutant's is rejected
    by one."""
    mechanisms, known, files = project.find(ROOT), {}, []
    for stem in filter(lambda stem: has_events(mechanisms[stem]), mechanisms):
        for path, _ in examples.write(tmp_path / "recorded", mechanisms, stem):
            read = jsonl.Reader(path)
            events = [event for _, event in read]
            files.append(tmp_path / "columns" / f"{path.stem}.parquet")
            parquet.write(files[-1], read.header, events, read.footer)
            known[read.header["run_id"]] = read.header, events, read.footer
    report = validate.check(spark, [tmp_path / "columns"], tmp_path / "_scratch")
    duckdb, applied = by_duckdb(files)
    assert disagreements(report, duckdb, known) == []
    assert applied == {name: rule["applied"] for name, rule in report.rules.items()}
    verdicts = {run["run"]: run["verdict"] for run in report.runs}
    mutants = {
        f"{stem}-{mutant}" for stem, each in mechanisms.items() for mutant in each.mutants
    } & verdicts.keys()
    assert len(mutants) > 20 and len(verdicts) - len(mutants) > 20
    assert SEEN_ELSEWHERE.keys() <= mutants
    assert {
        name
        for name in verdicts
        if verdicts[name] != ("violates" if name in mutants else "conforms")
    } == set()
    assert report.rules["StepFollows"]["applied"] > 500


def test_lines_that_are_no_events_are_in_quarantine_with_line_and_reason(report):
    shown = [row for row in report.quarantine if Path(row["file"]).name == "bad_lines.jsonl"]
    assert [row["row"] for row in shown] == [11, 12, 13, 14]
    assert {Path(row["file"]).parent.name[:6] for row in report.quarantine if row not in shown} == {
        "twins-"
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


def test_a_violation_names_file_and_line_of_its_event(report):
    located = [
        row
        for row in report.violations
        if "tseq" in row and "lc" in row and not row["run_id"].startswith("twins-")
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
            number, event = list(parquet.Reader(Path(row["file"])))[row["line"] - 1]
            assert number == row["line"]
        else:
            event = json.loads(Path(row["file"]).read_text().splitlines()[row["line"] - 1])
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


def test_partitions_order_and_sizes_of_files_change_nothing(spark, report, inputs, tmp_path):
    """The same traces, their events shuffled over files of other sizes and shuffled by Spark into
    one partition. The families have three keys of unlike kinds: a thread, an entry and a token.
    """
    changed = inputs.changed
    asked = [family for family in FAMILIES if family.name in ("threads", "entries", "tokens")]
    rules = {rule.name for family in asked for rule in family.rules}
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
        other = validate.check(spark, [tmp_path], tmp_path / "_scratch", asked)
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


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
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
    monkeypatch.setattr(command, "session", lambda options: nullcontext(spark))
    monkeypatch.setattr(validate, "check", lambda *arguments, **options: report)
    code = command.run([inputs.folder], command.options_of("local[2]", "1g", None), tmp_path)
    said = capsys.readouterr().out
    assert code == 1 == report.exit_code
    assert "violates" in said and "quarantine: " in said and "rules vacuous" in said
    assert not [name for name in RULES if f"{name} " not in said]
    written = json.loads((tmp_path / "trace-check.json").read_text())
    assert len(written["runs"]) == len(report.runs) and any(
        each.get("shrunk") for each in written["explanations"]
    )
