"""Spark's rules on conforming and on changed traces, beside the plain machine and DuckDB: who is blamed, for what, at which event."""

import gzip
import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import duck
import machine
import mutations
import planted
import pytest
import rules_table

from benchmarks.simulate import TICK_MS, WHEEL_SIZE, Simulator, header
from traces.bulk import FAMILIES, RULES
from wheelproof import project
from wheelproof.pipeline import command, validate
from wheelproof.trace import examples, jsonl, parquet, replay
from wheelproof.trace.commands import has_events
from wheelproof.trace.jsonl import Tally
from wheelproof.trace.schema import KINDS

OPERATIONS = 25
SAMPLE = 6
"""Changed traces, drawn from all that there are, beside those that together break every rule; `score.py` beside this goes through all of them."""

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = Path(__file__).parents[1] / "trace" / "golden"
"""Recordings of the implementation, conforming and of mutants."""

Known = dict[str, tuple[dict, list[dict], dict | None]]
"""Run -> header, events, footer."""

ABOUT_OBJECTS = {"BracketOnce", "BracketCloses"}
"""Rules whose violations name a bracket, which the machine does not number."""


def footer_of(head: dict, events: list[dict]) -> dict:
    tally = Tally(head)
    for event in events:
        tally.count(event)
    return tally.footer()


@pytest.fixture(scope="module")
def conforming() -> list[dict]:
    return Simulator(3, OPERATIONS).run()


@pytest.fixture(scope="module")
def changed(conforming) -> dict[str, tuple[list[dict], dict]]:
    """Changed traces by name, with their footers: of a log the one that was right before."""
    whole = footer_of(header(""), conforming)
    whole.pop("sha256")
    out = {}
    for style in mutations.STYLES:
        for kind, operator, seed, events in mutations.all_mutants(conforming, style):
            out[f"{style}-{kind}-{operator}-{seed}"] = (
                events,
                whole if style == "log" else footer_of(header(""), events),
            )
    return out


def test_the_page_names_every_rule():
    page = rules_table.PAGE.read_text(encoding="utf-8")
    start, end = rules_table.written(page)
    assert page[start:end] == rules_table.table(), (
        "python tests/wheelproof/pipeline/rules_table.py --write"
    )
    assert f"checks {len(RULES)} named rules" in page


@pytest.fixture(scope="module")
def blamed(changed) -> dict[str, Counter]:
    """What the plain machine says of each changed trace."""
    return {
        name: Counter(
            (rule, None if rule in ABOUT_OBJECTS else what)
            for rule, what in machine.violations(header(name), footer, events)
        )
        for name, (events, footer) in changed.items()
    }


@pytest.fixture(scope="module")
def sample(blamed, changed, conforming) -> Known:
    """A few changed traces that together break as many rules as all of them do, some more, and one with a planted fault for each other rule."""
    left, names = {rule for found in blamed.values() for rule, _ in found}, []
    while left:
        names.append(
            max(sorted(blamed), key=lambda name: len(left & {rule for rule, _ in blamed[name]}))
        )
        left -= {rule for rule, _ in blamed[names[-1]]}
    names += random.Random(1).sample(sorted(changed.keys() - set(names)), SAMPLE)
    return (
        {name: (header(name), *changed[name]) for name in names}
        | {trace[0]["run_id"]: trace for trace in planted.faults(conforming).values()}
        | planted.of_purgatory()
    )


def test_the_plain_machine_blames_no_conforming_trace_and_each_change_of_a_log(
    conforming, changed, blamed
):
    """The mutation score: a change of a log is rejected, or it exchanged two steps that commute."""
    assert machine.violations(header("x"), footer_of(header("x"), conforming), conforming) == []
    survivors = []
    for name in changed:
        style, kind, operator, seed = name.split("-")
        if style == "log" and not blamed[name]:
            if operator != "swap" or not mutations.commute(
                conforming, kind, operator, style, int(seed)
            ):
                survivors.append(name)
    assert len(changed) > 250
    assert survivors == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory, conforming, sample) -> Path:
    """The conforming trace in each form, a sample of changed ones, and one with lines that are no events."""
    root = tmp_path_factory.mktemp("traces with a space")
    jsonl.write(root / "conforming.jsonl", header("conforming"), conforming)
    jsonl.write(root / "packed.jsonl.gz", header("packed"), conforming)
    parquet.write(root / "columns.parquet", header("columns"), conforming)
    parts = root / "in_parts"
    parts.mkdir()
    (parts / "header.json").write_text(json.dumps(header("in_parts")))
    (parts / "footer.json").write_text(json.dumps(footer_of(header("in_parts"), conforming)))
    shuffled = random.Random(7).sample(conforming, len(conforming))
    lines = [jsonl.line_of(event) for event in shuffled]
    (parts / "b.jsonl").write_bytes(b"".join(lines[:300]))
    with gzip.open(parts / "a.jsonl.gz", "wb") as packed:
        packed.write(b"".join(lines[300:]))
    text = (root / "conforming.jsonl").read_text().splitlines()
    text[0] = json.dumps(header("bad_lines"))
    text[10:10] = [
        "{ no json",
        text[10].replace('"k":"', '"k":"un'),
        text[11].replace('"tseq":', '"tseq":"1","was":'),
        "",
    ]
    (root / "bad_lines.jsonl").write_text("\n".join(text) + "\n")
    jsonl.write(root / "cut_short.jsonl", header("cut_short"), conforming[:200], footer=None)
    for file in sorted(GOLDEN.glob("*.jsonl")):
        shutil.copy(file, root)
    for name, (head, events, footer) in sample.items():
        parquet.write(root / f"{name}.parquet", head, events, footer)
    return root


@pytest.fixture(scope="module")
def report(spark, folder, tmp_path_factory) -> validate.Report:
    return validate.check(spark, [folder], tmp_path_factory.mktemp("scratch"))


def of_run(report: validate.Report, run: str) -> Counter:
    """(rule, what) of one run's violations as the plain machine writes them."""
    found = Counter()
    for row in report.violations:
        if row["run_id"] == run:
            what = None
            if row["rule"] in RULES and row["rule"] not in ABOUT_OBJECTS:
                what = (
                    (row["tid"], row["tseq"], row.get("lc"))
                    if "tid" in row
                    else row.get("op", row.get("token"))
                )
            found[row["rule"], what] += 1
    return found


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


def test_every_rule_can_fail(report, sample):
    broken = {rule for run in report.runs if run["run"] in sample for rule in run["broken"]}
    assert RULES.keys() - broken == set()


def test_who_is_blamed_does_not_conform_and_who_is_not_does(report, sample, blamed):
    judged = [run for run in report.runs if run["run"] in blamed]
    assert len(judged) > SAMPLE
    for run in judged:
        assert (run["verdict"] == "conforms") == (not blamed[run["run"]]), run["run"]


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


def test_sql_written_by_hand_blames_the_same_events(report, folder):
    """Sixteen rules in DuckDB's SQL, which is the benchmark's yardstick."""
    seen = 0
    for file in sorted(folder.glob("*.parquet")):
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
    """By all rules' own expressions on DuckDB: the violations of each run as :func:`of_run` writes them, and how often each rule applied."""
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
            if rule in ABOUT_OBJECTS
            else (tid, tseq, lc)
            if tid is not None
            else op
            if op is not None
            else token
        )
        out[run][rule, what] += 1
    return out, said["applied"]


def disagreements(report: validate.Report, duckdb: dict[str, Counter], known: Known) -> list[str]:
    """Each (run, rule, place) that one of Spark, DuckDB and the plain machine names and another does not, or not as often."""
    out = []
    for run, found in duckdb.items():
        head, events, footer = known[run]
        said = Counter(
            (rule, None if rule in ABOUT_OBJECTS else what)
            for rule, what in machine.violations(head, footer, events)
        )
        engines = {"Spark": of_run(report, run), "DuckDB": found, "machine": said}
        for key in sorted({key for named in engines.values() for key in named}, key=str):
            counts = {engine: named[key] for engine, named in engines.items()}
            if len(set(counts.values())) > 1:
                out.append(f"{run} {key}: {counts}")
    return out


@pytest.fixture(scope="module")
def compared(folder, tmp_path_factory) -> tuple[list[Path], Known]:
    """The Parquet files of the folder, and the recordings in `GOLDEN` as such; and what is in them."""
    target = tmp_path_factory.mktemp("golden")
    files, known = [], {}
    for file in [*sorted(folder.glob("*.parquet")), *sorted(GOLDEN.glob("*.jsonl"))]:
        read = (parquet if file.suffix == ".parquet" else jsonl).Reader(file)
        events = [event for _, event in read]
        files.append(file if file.suffix == ".parquet" else target / f"{file.stem}.parquet")
        if files[-1] != file:
            parquet.write(files[-1], read.header, events, read.footer)
        known[read.header["run_id"]] = read.header, events, read.footer
    return files, known


def test_spark_duckdb_and_the_plain_machine_agree_on_every_rule(report, compared, sample):
    files, known = compared
    duckdb, _ = by_duckdb(files)
    assert duckdb.keys() == known.keys() > sample.keys() and len(known) > len(sample) + 10
    assert disagreements(report, duckdb, known) == []
    assert {rule for found in duckdb.values() for rule, _ in found} >= RULES.keys()


def test_a_planted_difference_between_the_engines_is_noticed(report, sample):
    """The control of the test above: what one engine does not say, says twice, or says of another event."""
    run = next(run["run"] for run in report.runs if run["run"] in sample and run["broken"])
    right = of_run(report, run)
    (rule, what), *_ = right
    known = {run: sample[run]}
    assert disagreements(report, {run: right}, known) == []
    for planted in (
        right - Counter({(rule, what): 1}),
        right + Counter({(rule, what): 1}),
        right - Counter({(rule, what): 1}) + Counter({(rule, (1, 1, 1)): 1}),
    ):
        assert disagreements(report, {run: planted}, known)
    assert disagreements(
        report, {run: right}, {run: (sample[run][0], sample[run][1][:-9], sample[run][2])}
    )


@pytest.mark.nightly
def test_the_engines_agree_on_all_changed_traces(spark, changed, tmp_path, monkeypatch):
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


UNSEEN = {
    "timing_wheel-M13": "that a link comes when the clock has moved on needs both in one order: replay has it, and here they have different keys",
    "timing_wheel-ResetLate": "which monitor a thread has let go of by then is replay's to know",
    "overflow_wheel-M16": "that a level was published before is replay's to know: its word has no other event",
    "delayed_operation-UnlockedTry": "two attempts that overlap stand in no object's order: replay has both in one",
    "overflow_wheel-KeepsMonitor": "what a thread ends with is asked here of the timer's lock alone",
}
"""Mutants whose traces no rule in bulk refuses, and why; those of replay do."""


def test_an_entry_that_somebody_took_out_is_not_forgotten(spark, tmp_path):
    """Its unlink has no cause, and it is in no list at the end."""
    files = (
        path
        for path, _ in examples.write(tmp_path / "recorded", project.find(ROOT), "timer_task_list")
    )
    read = jsonl.Reader(
        next(path for path in files if path.stem == "timer_task_list-ring_of_eight")
    )
    events = [event for _, event in read]
    assert sum(event["k"] == "list_remove" and "cause" not in event for event in events) >= 3
    parquet.write(tmp_path / "columns" / "x.parquet", read.header, events, read.footer)
    report = validate.check(spark, [tmp_path / "columns"], tmp_path / "_scratch")
    assert report.rules["EveryTimerFires"]["applied"] == 8 and [
        run["verdict"] for run in report.runs
    ] == ["conforms"]


@pytest.mark.nightly
def test_the_engines_agree_on_recordings_of_all_scenarios_and_mutants(spark, tmp_path):
    """Runs of the implementation: no rule blames one that conforms, and each mutant's is rejected by one."""
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
    assert UNSEEN.keys() <= mutants
    assert {
        name
        for name in verdicts
        if verdicts[name] != ("violates" if name in mutants - UNSEEN.keys() else "conforms")
    } == set()
    for name in UNSEEN:
        assert replay.replay_events(*known[name]).verdict == replay.VIOLATES, name
    assert report.rules["StepFollows"]["applied"] > 500


def test_lines_that_are_no_events_are_in_quarantine_with_line_and_reason(report, folder):
    rows = [(Path(row["file"]).name, row["row"]) for row in report.quarantine]
    assert rows == [("bad_lines.jsonl", line) for line in (11, 12, 13, 14)]
    reasons = [row["reason"] for row in report.quarantine]
    assert (
        "no JSON" in reasons[0]
        and "no kind of event" in reasons[1]
        and "tseq" in reasons[2]
        and "is empty" in reasons[3]
    )
    assert report.quarantined == 4
    run = next(run for run in report.runs if run["run"] == "bad_lines")
    assert run["verdict"] == "incomplete" and any(
        "quarantine" in problem for problem in run["problems"]
    )


def test_a_trace_without_footer_is_incomplete_and_never_conforms(report):
    run = next(run for run in report.runs if run["run"] == "cut_short")
    assert run["verdict"] == "incomplete" and "no footer" in run["problems"][0]


def test_a_violation_names_file_and_line_of_its_event(report, folder):
    located = [row for row in report.violations if "tseq" in row and "lc" in row]
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


def test_coverage_and_lateness_are_of_what_was_recorded(report):
    assert (
        report.coverage["kinds"].keys() | set(report.coverage["kinds_unseen"]) == KINDS.keys()
        and not report.coverage["kinds_unseen"]
    )
    assert report.coverage["edges"]["entry|linked|list_remove|flush"] > 0
    assert (
        "entry|absent|wheel_place|" in report.coverage["edges_untaken"]
        and "entry|absent|wheel_place|" not in report.coverage["edges"]
    )
    without_clock = sum(
        file.read_text().count('"k":"expire_submit"') for file in GOLDEN.glob("*.jsonl")
    )
    assert (
        report.lateness["count"]
        == report.coverage["kinds"]["expire_submit"] - without_clock
        == sum(each["count"] for each in report.lateness["classes"])
    )


def test_partitions_order_and_sizes_of_files_change_nothing(
    spark, report, changed, conforming, tmp_path
):
    """The same traces, their events shuffled over files of other sizes and shuffled by Spark into one partition.

    Asked of three keys of unlike kinds: a thread's, an entry's and a token's.
    """
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
                b"".join(jsonl.line_of(event) for event in mixed[part::3])
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


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_rule_leaves_the_engine_and_each_family_is_shuffled_as_often_as_it_says(
    spark, folder, tmp_path, family
):
    from wheelproof.pipeline import ingest

    inputs = ingest.read(spark, [folder / "columns.parquet"], tmp_path).inputs
    plan = (
        family.violations(family.marked(family.prepare(inputs)))
        ._jdf.queryExecution()
        .executedPlan()
        .toString()
    )
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
    spark, report, folder, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(command, "session", lambda options: nullcontext(spark))
    monkeypatch.setattr(validate, "check", lambda *arguments, **options: report)
    code = command.run([folder], command.options_of("local[2]", "1g", None), tmp_path)
    said = capsys.readouterr().out
    assert code == 1 == report.exit_code
    assert "violates" in said and "quarantine: " in said and "rules vacuous" in said
    assert not [name for name in RULES if f"{name} " not in said]
    written = json.loads((tmp_path / "trace-check.json").read_text())
    assert len(written["runs"]) == len(report.runs) and any(
        each.get("shrunk") for each in written["explanations"]
    )
