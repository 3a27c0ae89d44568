"""The same violations whatever the files look like: every family, every order of events, one file or many, one partition or more; and none where none is."""

import gzip
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import machine
import mutations
import pytest
from pyarrow import parquet as columns

from benchmarks import generate
from benchmarks.simulate import Simulator, header
from traces.bulk import FAMILIES, RULES
from wheelproof.pipeline import runs, validate
from wheelproof.trace import jsonl, parquet
from wheelproof.trace.jsonl import Tally

FAULTS = (
    ("wheel_place", "retarget"),
    ("list_add", "retarget"),
    ("list_add", "duplicate"),
    ("expire_submit", "duplicate"),
    ("on_complete_begin", "duplicate"),
    ("list_remove", "drop"),
    ("set_entry", "retarget"),
    ("dq_offer", "duplicate"),
    ("try_end", "retarget"),
    ("clock_advance", "retime"),
    ("cancel_check", "retarget"),
)
"""Changes of one log, so many that every family finds something."""

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
}
"""Rules about what the generated traces do not have -> what that is."""

NOT_SIMULATED = {"watchers"}
"""Families whose events the simulator does not write: it checks no keys (test_purgatory.py has these)."""

FAMILY_OF = {rule.name: family.name for family in FAMILIES for rule in family.rules}


def footer_of(events: list[dict]) -> dict:
    tally = Tally(header("x"))
    for event in events:
        tally.count(event)
    return {name: value for name, value in tally.footer().items() if name != "sha256"}


def twins(events: list[dict]) -> list[dict]:
    """For events of a few kinds another one that bears the same thread, numbers and clock and says something else: nothing but what they say tells which is first."""
    changes = {
        "list_add": {"list": 3},
        "list_remove": {"cause": "cancel"},
        "cancel_check": {"res": "true"},
        "set_entry": {"entry": 1001},
        "force_cas": {"res": "false"},
        "rw_acquire": {"ord": ()},
        "bucket_expiry_set": {"key_ms": 64},
    }
    made = []
    for kind, change in changes.items():
        made += [
            {**event, **change}
            for event in [event for event in events if event["k"] == kind][10:40:10]
        ]
    return [{name: value for name, value in event.items() if value != ()} for event in made]


def in_parts(folder: Path, run: str, footer: dict, parts: dict[str, list[dict]]) -> None:
    """A run as a folder: by the name of each file its events."""
    folder.mkdir()
    (folder / runs.HEADER_FILE).write_text(json.dumps(header(run)))
    (folder / runs.FOOTER_FILE).write_text(json.dumps(footer))
    for name, events in parts.items():
        if name.endswith(".parquet"):
            parquet.write(folder / name, header(run), events, None)
        else:
            with (gzip.open if name.endswith(".gz") else open)(folder / name, "wb") as file:
                file.write(b"".join(jsonl.line_of(event) for event in events))


def lay_out(root: Path, name: str, events: list[dict], footer: dict) -> list[str]:
    """The run in three layouts; the names of those."""
    shuffled = random.Random(name).sample(events, len(events))
    layouts = {
        "in_order": {"a.parquet": events},
        "backwards": {"a.jsonl": events[::-1]},
        "shuffled": {
            "9.parquet": shuffled[::4],
            "5.jsonl.gz": shuffled[1::4],
            "0.parquet": [event for part in (3, 2) for event in shuffled[part::4]],
        },
    }
    for layout, parts in layouts.items():
        in_parts(root / f"{name}-{layout}", f"{name}-{layout}", footer, parts)
    return [f"{name}-{layout}" for layout in layouts]


def blamed(report: validate.Report, run: str) -> Counter:
    """All that is said of a run but where it stands: of brackets, threads and tokens as of events."""
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


def test_every_layout_has_the_same_violations_in_every_family(spark, tmp_path):
    """The settings are other than those of all other tests: other partitions, small splits."""
    conforming = Simulator(3, 25).run()
    broken = conforming
    for kind, operator in FAULTS:
        broken = mutations.mutate(broken, kind, operator, "log", 2)
    footer = footer_of(conforming)
    names = {
        name: lay_out(tmp_path, name, events, footer)
        for name, events in (("broken", broken), ("twins", conforming + twins(conforming)))
    }
    in_parts(
        tmp_path / "conforming",
        "conforming",
        footer,
        {"a.jsonl": conforming[1::2], "b.parquet": conforming[::2][::-1]},
    )
    settings = {"spark.sql.shuffle.partitions": "3", "spark.sql.files.maxPartitionBytes": "200000"}
    kept = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        report = validate.check(spark, [tmp_path], tmp_path / "_scratch")
    finally:
        for name, value in kept.items():
            spark.conf.set(name, value)
    assert len(report.violations) == report.violated < validate.KEPT
    for layouts in names.values():
        found = [blamed(report, layout) for layout in layouts]
        assert all(other == found[0] for other in found[1:]), [
            layout for layout, other in zip(layouts, found, strict=True) if other != found[0]
        ]
    said = {
        name: Counter(row["rule"] for row in report.violations if row["run_id"] == layouts[0])
        for name, layouts in names.items()
    }
    assert {run["verdict"] for run in report.runs if run["run"] == "conforming"} == {
        validate.CONFORMS
    }
    assert said["broken"] == Counter(
        rule for rule, _ in machine.violations(header("broken"), footer, broken)
    )
    assert {FAMILY_OF[rule] for rule in said["broken"]} == {
        family.name for family in FAMILIES
    } - NOT_SIMULATED
    assert {FAMILY_OF[rule] for rule in said["twins"]} >= {
        "threads",
        "entries",
        "tasks",
        "lists",
        "tokens",
    }


def events_of(folder: Path) -> tuple[dict, dict, list[dict]]:
    """Header, footer and events of a folder of Parquet files, as the plain machine takes them."""
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
    assert machine.violations(head, footer, events) == []


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
    found = machine.violations(head, footer, events)
    assert {rule for rule, _ in found} >= {"AtMostOneList", "ThreadOnce", "TokenOnce"}
    # The list has one entry too many from then on: that is said of the next flush, and of none in the block that follows.
    where = {
        (rule, (what[2] - 1) // base.length) for rule, what in found if isinstance(what, tuple)
    }
    assert {block for _, block in where} == {2} and ("FlushEmpties", 2) in where


def test_the_rules_that_apply_to_nothing_in_generated_runs_are_named(spark, tmp_path):
    """They are the same in the run of 10^8 events, which is the night's."""
    generate.write(tmp_path / "run", "run", generate.block(1, 200), 1, 1)
    found = validate.check(spark, [tmp_path / "run"], tmp_path / "scratch")
    assert {run["verdict"] for run in found.runs} == {validate.CONFORMS}
    assert {name for name, rule in found.rules.items() if not rule["applied"]} == VACUOUS.keys()


@pytest.mark.nightly
def test_a_million_events_in_other_files_and_another_order_have_the_same_violations(
    spark, tmp_path
):
    from pyspark.sql import functions as F

    base = generate.block(1, 1500)
    faults = {
        index * 3 + 2: mutations.mutate(base.events, kind, operator, "log", 2)
        for index, (kind, operator) in enumerate(FAULTS[:5])
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
        assert blamed(reports[name], "run") == blamed(reports["order"], "run"), name
        assert {rule: said["applied"] for rule, said in reports[name].rules.items()} == {
            rule: said["applied"] for rule, said in reports["order"].rules.items()
        }


@pytest.mark.nightly
def test_no_conforming_run_of_many_events_is_blamed(tmp_path):
    """10^8 events, by the command and with its own heap; how many of 10^7 each rule applied to is in `benchmarks/README.md`, made by `make bench-traces`."""
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
