"""The same violations whatever the files look like: every family, every order of events, one file
or many, one partition or more; and none where none is."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import checked
import layouts
import pytest
from pyarrow import parquet as columns

from benchmarks import generate, mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from traces.bulk import FAMILIES, RULES
from wheelproof.pipeline import runs, validate

MANY = 100_000_000
VACUOUS = {
    "RetrySeesOwner": "no try to link is in vain",
    "StepFollows": "the events name no source",
    "AdvanceByLevels": "the clock's events name no level",
    "ForcedUnderLock": "no operation is completed under its lock",
    "TryExcludesComplete": "no operation is completed under its lock",
    "TokenEnd": "the footer is of a later minor version, which names no token",
    "CancelObserved": "a cancel does not say what it has seen",
    "LinkedIntoPlaced": "a placement names no list",
    "CheckTriesWatcher": "no key is watched",
    "MonitorsReturned": "no event is that of a monitor alone",
    "OneOverflowWheel": "no level is published",
    "OneListOfKey": "a key's list of watchers is there from the start",
    "WatchedInList": "a key's list of watchers is there from the start",
    "GivesUpItsList": "no list of watchers is removed",
    "GivenUpEmpty": "no list of watchers is removed",
    "EmptyGivenUp": "no list of watchers is removed",
    "NoLeakedTimer": "no request adds a task",
    "LeftIsTimed": "no request adds a task",
    "RunsAsTimed": "no request adds a task",
    "CancelledOnce": "no operation is left to a timer, whose timeout would be cancelled",
    "TimedOnce": "no word says which tasks the timer has",
    "TakenWhileTimed": "no word says which tasks the timer has",
}
"""Rules about what the generated traces do not have -> what that is."""

NOT_SIMULATED = {"watchers", "watched_keys", "watched_lists", "levels", "readings", "requests"}
"""Families whose events the simulator does not write: it checks no keys (test_purgatory.py has
these), makes no level, hands no request to a thread, and shows no lock where the wheel's clock is
read (test_planted.py has these)."""

FAMILY_OF = {rule.name: family.name for family in FAMILIES for rule in family.rules}


def broken_in(report: validate.Report, run: str) -> Counter:
    """All findings on a run but their places: of brackets, threads and tokens as of
    events."""
    return Counter(
        tuple(
            sorted(
                (name, value)
                for name, value in row.items()
                if name not in ("run_id", "file", "line")
            )
        )
        for row in report.violations
        if row["run_id"] == run
    )


def test_every_layout_has_the_same_violations_in_every_family(report, inputs):
    assert len(report.violations) == report.violated
    for runs_of in inputs.layouts.values():
        found = [broken_in(report, run) for run in runs_of]
        assert all(other == found[0] for other in found[1:]), [
            run for run, other in zip(runs_of, found, strict=True) if other != found[0]
        ]
    rules = {
        name: Counter(row["rule"] for row in report.violations if row["run_id"] == runs_of[0])
        for name, runs_of in inputs.layouts.items()
    }
    conforming = Simulator(3, 25).run()
    footer = layouts.whole(conforming)
    chosen = {family.name for family in inputs.families}
    assert rules["broken"] == checked.rules(
        header("x"), footer, layouts.faulty(conforming), inputs.families
    )
    families = {FAMILY_OF[rule] for rule in rules["broken"]}
    assert families == chosen - NOT_SIMULATED
    copied = {FAMILY_OF[rule] for rule in rules["copies"]}
    assert copied >= chosen & {"threads", "entries", "tasks", "lists", "tokens"}


def events_of(folder: Path) -> tuple[dict, dict, list[dict]]:
    """Header, footer and events of a folder of Parquet files, as a trace at hand."""
    head, footer = (
        json.loads((folder / name).read_text()) for name in (runs.HEADER_FILE, runs.FOOTER_FILE)
    )
    events = []
    for path in sorted((folder / "events").glob("*.parquet")):
        for row in columns.read_table(path).to_pylist():
            event = {
                name: {key: each for key, each in value.items() if each is not None}
                if name in ("pre", "post")
                else value
                for name, value in row.items()
                if value is not None
            }
            if "ord" in event:
                event["ord"] = tuple(
                    tuple(value for value in token.values() if value is not None)
                    for token in event["ord"]
                )
            events.append(event)
    return head, footer, events


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "base", [generate.block(3, 25), generate.hot_block(40)], ids=["block", "hot"]
)
def test_blocks_put_one_after_the_other_are_a_conforming_run(tmp_path, base):
    assert generate.write(tmp_path / "run", "run", base, 4, 3) == 4 * base.length
    head, footer, events = events_of(tmp_path / "run")
    assert [dict(event, ord=event.get("ord", ())) for event in events[: base.length]] == [
        dict(event, ord=event.get("ord", ())) for event in base.events
    ]
    assert len(events) == 4 * base.length and len(
        {(event["tid"], event["tseq"]) for event in events}
    ) == len(events)
    assert not checked.violations(head, footer, events)


def test_a_fault_in_one_block_is_found_there(tmp_path):
    """The control of the test above: the same run with one of its blocks changed."""
    base = generate.block(3, 25)
    generate.write(
        tmp_path / "run",
        "run",
        base,
        4,
        2,
        {2: mutations.mutate(base.events, "list_add", "duplicate", "log", 1)},
    )
    head, footer, events = events_of(tmp_path / "run")
    found = checked.violations(head, footer, events)
    assert {rule for rule, _ in found} >= {"AtMostOneList", "ThreadOnce", "TokenOnce"}
    # The list has one entry too many from then on: that is reported for the next flush, and
    # for none in the block that follows.
    where = {
        (rule, (what[2] - 1) // base.length) for rule, what in found if isinstance(what, tuple)
    }
    assert {block for _, block in where} == {2} and ("FlushEmpties", 2) in where


@pytest.mark.nightly
def test_the_rules_that_apply_to_nothing_in_generated_runs_are_named():
    """They are the same in the run of 10^8 events, which is the night's."""
    events = generate.block(1, 200).events
    (answer,) = checked.judge([(header("x"), events, checked.footer_of(header("x"), events))])
    assert not answer.broken
    assert {name for name in RULES if not answer.applied[name]} == VACUOUS.keys()


@pytest.mark.nightly
def test_a_million_events_in_other_files_and_another_order_have_the_same_violations(
    spark, tmp_path
):
    from pyspark.sql import functions as F

    base = generate.block(1, 1500)
    faults = {
        index * 3 + 2: mutations.mutate(base.events, kind, operator, "log", 2)
        for index, (kind, operator) in enumerate(layouts.FAULTS[:5])
    }
    generate.write(tmp_path / "order" / "run", "run", base, 20, 2, faults)
    for name in ("mixed", "sorted"):
        (tmp_path / name / "run").mkdir(parents=True)
        for file in (runs.HEADER_FILE, runs.FOOTER_FILE):
            (tmp_path / name / "run" / file).write_text(
                (tmp_path / "order" / "run" / file).read_text()
            )
    rows = spark.read.parquet(str(tmp_path / "order" / "run" / "events"))
    rows.repartition(7, F.rand(5)).sortWithinPartitions(F.rand(6)).write.option(
        "parquet.block.size", 1 << 20
    ).parquet(str(tmp_path / "mixed" / "run" / "events"))
    rows.repartition(1).sortWithinPartitions("k", F.desc("lc")).write.parquet(
        str(tmp_path / "sorted" / "run" / "events")
    )
    reports = {
        name: validate.check(spark, [tmp_path / name], tmp_path / "scratch" / name)
        for name in ("order", "mixed", "sorted")
    }
    assert 0 < reports["order"].violated < validate.KEPT
    assert {
        FAMILY_OF[rule] for rule in reports["order"].rules if reports["order"].rules[rule]["broken"]
    } > {"threads", "entries", "lists", "tokens"}
    for name in ("mixed", "sorted"):
        assert broken_in(reports[name], "run") == broken_in(reports["order"], "run"), name
        assert {rule: figures["applied"] for rule, figures in reports[name].rules.items()} == {
            rule: figures["applied"] for rule, figures in reports["order"].rules.items()
        }


@pytest.mark.nightly
def test_no_conforming_run_of_many_events_is_rejected(tmp_path):
    """10^8 events, by the command and with its own heap; how many of 10^7 each rule applied to is
    in `benchmarks/README.md`, made by `make bench-traces`."""
    base = generate.block(1, 1500)
    made = generate.write(tmp_path / "run", "run", base, MANY // base.length, 12, threads=2)
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "wheelproof",
            "trace",
            "check",
            str(tmp_path / "run"),
            "--engine",
            "spark",
            "--json",
            "--scratch",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert (
        found["violated"],
        found["quarantined"],
        found["events"],
        found["runs"][0]["verdict"],
    ) == (0, 0, made, validate.CONFORMS)
    assert {name: rule["verdict"] for name, rule in found["rules"].items()} == {
        name: "vacuous" if name in VACUOUS else "green" for name in RULES
    }
