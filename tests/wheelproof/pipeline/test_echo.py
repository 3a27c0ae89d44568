"""One fault is reported where it shows, and not again for as long as the trace goes on: what comes
after it adds no violation."""

import json
from collections import Counter
from dataclasses import replace

import checked
import pytest
from pyarrow import parquet as columns
from test_layouts import events_of

from benchmarks import generate, mutations
from tests.nights import only
from traces.bulk import lists, program, trace
from wheelproof.pipeline import columns as F
from wheelproof.pipeline import runs
from wheelproof.pipeline.columns import Window
from wheelproof.pipeline.rule import Family
from wheelproof.trace.format import parquet
from wheelproof.trace.format.tally import Tally

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


@pytest.mark.parametrize(
    ("every", "operations"), [(48, 8), pytest.param(1, OPERATIONS, marks=pytest.mark.nightly)]
)
def test_no_rule_rejects_what_comes_after_a_fault(tmp_path, every, operations):
    """Changes of a log, in runs of two lengths; but for those that move an event into a later
    block."""
    block = generate.block(3, operations)
    generate.write(tmp_path / "run", "run", block, LONG, 1)
    head = json.loads((tmp_path / "run" / runs.HEADER_FILE).read_text())
    named = columns.read_table(
        tmp_path / "run" / "events" / "part-00000.parquet"
    ).replace_schema_metadata(parquet.schema(head).metadata)
    columns.write_table(named, tmp_path / "named.parquet")
    events = [event for _, event in parquet.Reader(tmp_path / "named.parquet")]
    of_length = {blocks: events[: block.length * blocks] for blocks in (SHORT, LONG)}
    ends = {blocks: footer(head, conforming) for blocks, conforming in of_length.items()}
    changes = [
        (kind, operator, changed)
        for kind, operator, _, changed in mutations.all_mutants(block.events, "log")
        if operator != "retime"
    ][::every]
    short, long = (
        checked.broken(
            {
                f"{kind} {operator}": (head, changed + conforming[block.length :], ends[blocks])
                for kind, operator, changed in changes
            }
        )
        for blocks, conforming in of_length.items()
    )
    assert sum(map(bool, short.values())) > 60 // every
    assert {fault: long[fault] for fault in short if short[fault] != long[fault]} == {}


SINCE_THE_BEGINNING = replace(
    lists.LISTS, rows=lists.LISTS.rows.withColumn("left", F.lit(0).cast("long"))
)
"""The family of lists as it would be if each flush were judged by all that was ever linked."""

_TAKEN = F.sum(
    F.when(F.col("k") == "rw_acquire", 1).when(F.col("k") == "rw_release", -1).otherwise(0)
).over(Window.partitionBy("run", "tid").orderBy("end", "tseq", "lc", "k", "held").before())
HALVES_SINCE_THE_BEGINNING = replace(
    trace.FAMILY,
    rows=trace.FAMILY.rows.withColumn(
        "half", F.when(_TAKEN > 0, "rw_acquire").otherwise("rw_release")
    ),
)
"""The family of threads as it would be if a thread held a half of the timer's lock that took more
of them than it gave back, of all before."""


@pytest.mark.parametrize("operations", only([8, OPERATIONS], 8))
def test_a_fault_is_reported_once_however_long_the_run_is(operations, tmp_path):
    """The controls count from the beginning, of lists and of the timer's lock. They report more in
    the longer run."""
    block, traces = generate.block(3, operations), {}
    for kind, operator in COUNTED:
        for blocks in (SHORT, LONG):
            fault = {0: mutations.mutate(block.events, kind, operator, "log", 0)}
            folder = tmp_path / f"{kind}-{operator}-{blocks}"
            generate.write(folder, folder.name, block, blocks, 1, fault)
            head, footer, events = events_of(folder)
            traces[folder.name] = head, events, footer

    def longer(found: dict[str, Counter]) -> list[str]:
        return [
            f"{kind}-{operator}"
            for kind, operator in COUNTED
            if found[f"{kind}-{operator}-{SHORT}"] != found[f"{kind}-{operator}-{LONG}"]
        ]

    once = checked.broken(traces, [lists.LISTS, trace.FAMILY])
    assert longer(once) == []
    assert all(
        "FlushEmpties" in once[f"{kind}-{operator}-{LONG}"] for kind, operator in COUNTED[:3]
    )
    assert all(
        "TimerLockBalanced" in once[f"{kind}-{operator}-{LONG}"] for kind, operator in COUNTED[3:]
    )
    assert longer(checked.broken(traces, [SINCE_THE_BEGINNING])) == [
        f"{kind}-{operator}" for kind, operator in COUNTED[:3]
    ]
    assert longer(checked.broken(traces, [HALVES_SINCE_THE_BEGINNING])) == [
        f"{kind}-{operator}" for kind, operator in COUNTED[3:]
    ]


EACH_BY_ITSELF = replace(
    program.FAMILY, rows=program.FAMILY.rows.withColumn("unlinked", F.lit(0).cast("long"))
)
"""The family of the program's text as it would be if a flush did not know what it has unlinked."""


def test_a_flush_without_its_beginning_is_reported_at_its_first_unlink(block, tmp_path):
    """The longest flush of the block. The control rejects each of its unlinks."""
    begins = [event for event in block.events if event["k"] == "flush_begin"]
    flushes = []
    for begin in begins:
        own = [
            event
            for event in block.events
            if event["tid"] == begin["tid"] and event["tseq"] > begin["tseq"]
        ]
        end = next(event["tseq"] for event in own if event["k"] == "flush_end")
        flushes.append(
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
    begin, unlinked = max(flushes, key=lambda flush: len(flush[1]))
    assert len(unlinked) > 3
    changed = [event for event in block.events if event is not begin]
    generate.write(tmp_path / "runs" / "run", "run", block, SHORT, 1, {0: changed})

    trace_at_hand = events_of(tmp_path / "runs" / "run")

    def reported(family: Family) -> list[int]:
        found = checked.judge_one(*trace_at_hand, [family]).violations
        return sorted(row["tseq"] for row in found if row["rule"] == "UnlinkInsideFlush")

    assert reported(program.FAMILY) == [unlinked[0]["tseq"]]
    assert reported(EACH_BY_ITSELF) == [event["tseq"] for event in unlinked]
