"""One fault is blamed where it shows, and not again for as long as the trace goes on: what comes after it adds no violation."""

import json
from collections import Counter
from dataclasses import replace

import machine
import mutations
import pytest
from pyarrow import parquet as columns

from benchmarks import generate
from traces.bulk import lists, program, trace
from wheelproof.pipeline import runs, validate
from wheelproof.pipeline.rule import Family
from wheelproof.trace import parquet
from wheelproof.trace.jsonl import Tally

OPERATIONS = 25
SHORT, LONG = 2, 3
"""Blocks of a run, the first of which has the fault. In the second it may still show."""

COUNTED = (
    ("list_add", "drop"),
    ("list_remove", "drop"),
    ("list_remove", "duplicate"),
    ("rw_acquire", "duplicate"),
    ("rw_release", "drop"),
)
"""Faults of what is counted along a list, and along a thread."""


@pytest.fixture(scope="module")
def block() -> generate.Block:
    return generate.block(3, OPERATIONS)


def footer(head: dict, events: list[dict]) -> dict:
    tally = Tally(head)
    for event in events:
        tally.count(event)
    return {name: value for name, value in tally.footer().items() if name != "sha256"}


def test_no_rule_blames_what_comes_after_a_fault(block, tmp_path):
    """By the plain machine: each change of a log, in runs of two lengths; but for those that move an event into a later block."""
    generate.write(tmp_path / "run", "run", block, LONG, 1)
    head = json.loads((tmp_path / "run" / runs.HEADER_FILE).read_text())
    named = columns.read_table(
        tmp_path / "run" / "events" / "part-00000.parquet"
    ).replace_schema_metadata(parquet.schema(head).metadata)
    columns.write_table(named, tmp_path / "named.parquet")
    events = [event for _, event in parquet.Reader(tmp_path / "named.parquet")]
    of_length = {blocks: events[: block.length * blocks] for blocks in (SHORT, LONG)}
    ends = {blocks: footer(head, conforming) for blocks, conforming in of_length.items()}
    found = {
        (kind, operator): {
            blocks: Counter(
                rule
                for rule, _ in machine.violations(
                    head, ends[blocks], changed + conforming[block.length :]
                )
            )
            for blocks, conforming in of_length.items()
        }
        for kind, operator, _, changed in mutations.all_mutants(block.events, "log")
        if operator != "retime"
    }
    assert sum(bool(each[SHORT]) for each in found.values()) > 60
    assert {fault: each for fault, each in found.items() if each[SHORT] != each[LONG]} == {}


def since_the_beginning() -> Family:
    """The family of lists as it would be if each flush were judged by all that was ever linked."""

    def prepare(inputs):
        from pyspark.sql import functions as F

        return lists.LISTS.prepare(inputs).withColumn("left", F.lit(0).cast("long"))

    return replace(lists.LISTS, prepare=prepare)


def halves_since_the_beginning() -> Family:
    """The family of threads as it would be if a half of the timer's lock were held by who took more of them than it gave back, of all before."""

    def prepare(inputs):
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        before = (
            Window.partitionBy("run", "tid")
            .orderBy("end", "tseq", "lc", "k", "held")
            .rowsBetween(Window.unboundedPreceding, -1)
        )
        taken = F.sum(
            F.when(F.col("k") == "rw_acquire", 1).when(F.col("k") == "rw_release", -1).otherwise(0)
        ).over(before)
        return trace.FAMILY.prepare(inputs).withColumn(
            "half", F.when(taken > 0, "rw_acquire").otherwise("rw_release")
        )

    return replace(trace.FAMILY, prepare=prepare)


def test_spark_blames_a_fault_once_however_long_the_run_is(spark, block, tmp_path):
    """The controls are families that count from the beginning, of lists and of the timer's lock: they blame more in the longer run."""
    for kind, operator in COUNTED:
        for blocks in (SHORT, LONG):
            name = f"{kind}-{operator}-{blocks}"
            generate.write(
                tmp_path / "runs" / name,
                name,
                block,
                blocks,
                1,
                {0: mutations.mutate(block.events, kind, operator, "log", 0)},
            )

    def broken(families: list[Family]) -> dict[str, dict[str, int]]:
        return {
            run["run"]: run["broken"]
            for run in validate.check(
                spark, [tmp_path / "runs"], tmp_path / "_scratch", families
            ).runs
        }

    def longer(found: dict[str, dict[str, int]]) -> list[str]:
        return [
            f"{kind}-{operator}"
            for kind, operator in COUNTED
            if found[f"{kind}-{operator}-{SHORT}"] != found[f"{kind}-{operator}-{LONG}"]
        ]

    once = broken([lists.LISTS, trace.FAMILY])
    assert longer(once) == []
    assert all(
        "FlushEmpties" in once[f"{kind}-{operator}-{LONG}"] for kind, operator in COUNTED[:3]
    )
    assert all(
        "TimerLockBalanced" in once[f"{kind}-{operator}-{LONG}"] for kind, operator in COUNTED[3:]
    )
    assert longer(broken([since_the_beginning()])) == [
        f"{kind}-{operator}" for kind, operator in COUNTED[:3]
    ]
    assert longer(broken([halves_since_the_beginning()])) == [
        f"{kind}-{operator}" for kind, operator in COUNTED[3:]
    ]


def each_by_itself() -> Family:
    """The family of the program's text as it would be if a walk did not know what it has unlinked."""

    def prepare(inputs):
        from pyspark.sql import functions as F

        return program.FAMILY.prepare(inputs).withColumn("unlinked", F.lit(0).cast("long"))

    return replace(program.FAMILY, prepare=prepare)


def test_a_walk_without_its_beginning_is_blamed_at_its_first_unlink(spark, block, tmp_path):
    """The longest walk of the block. The control blames each of its unlinks."""
    begins = [event for event in block.events if event["k"] == "flush_begin"]
    walks = []
    for begin in begins:
        own = [
            event
            for event in block.events
            if event["tid"] == begin["tid"] and event["tseq"] > begin["tseq"]
        ]
        end = next(event["tseq"] for event in own if event["k"] == "flush_end")
        walks.append(
            (
                begin,
                [
                    event
                    for event in own
                    if event["tseq"] < end
                    and event["k"] == "list_remove"
                    and event.get("cause") == "flush"
                ],
            )
        )
    begin, unlinked = max(walks, key=lambda walk: len(walk[1]))
    assert len(unlinked) > 3
    changed = [event for event in block.events if event is not begin]
    generate.write(tmp_path / "runs" / "run", "run", block, SHORT, 1, {0: changed})

    def blamed(family: Family) -> list[int]:
        report = validate.check(spark, [tmp_path / "runs"], tmp_path / "_scratch", [family])
        return sorted(
            row["tseq"] for row in report.violations if row["rule"] == "UnlinkInsideFlush"
        )

    assert blamed(program.FAMILY) == [unlinked[0]["tseq"]]
    assert blamed(each_by_itself()) == [event["tseq"] for event in unlinked]
