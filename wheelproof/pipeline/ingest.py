"""Reads traces: runs and their events. Rows that are no events go to quarantine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as t

from wheelproof.pipeline import on_spark, quarantine, runs, staging
from wheelproof.pipeline.addresses import address, plain, spellings
from wheelproof.pipeline.document import Quarantined
from wheelproof.pipeline.outcomes import Inputs
from wheelproof.pipeline.runs import File, Run
from wheelproof.pipeline.schema import EVENT
from wheelproof.trace import declared
from wheelproof.trace.format import schema


@dataclass(frozen=True)
class Ingested:
    """Runs and events. ``quarantined``: how many lines are no events; ``shown``: the first of them
    as rows (file, row, reason, text)."""

    runs: list[Run]
    inputs: Inputs
    quarantined: int
    shown: list[Quarantined]
    counts: dict[tuple[int, str], int]
    """Events by (run, kind)."""
    ran: set[int]
    """Runs of which some event is one that ``start.named`` is about."""
    sources: dict[tuple[int, int], int]
    """Events by (run, src), of those that have one."""

    @property
    def events(self) -> int:
        return sum(self.counts.values())


def read(spark: SparkSession, paths: list[Path], scratch: Path) -> Ingested:
    """Everything in files and folders. ``scratch``: a folder for columns made from JSON Lines; it
    must last while the result is used.

    Raises UsageError: a file that is no trace by name or content as a whole; NothingChecked: no
    file.
    """
    files = runs.find(paths)
    by_address = {address(file.path): file for file in files}
    line_files, column_files = (
        [file for file in files if not file.is_parquet],
        [file for file in files if file.is_parquet],
    )
    marks: dict[int, list[tuple[str, int, str]]] = {}
    frames: list[DataFrame] = []
    if line_files:
        frame = staging.staged_lines(spark, line_files, scratch)
        for row in (
            frame.where(F.col("mark").isNotNull())
            .select("address", "mark", "row", "text")
            .collect()
        ):
            marks.setdefault(by_address[plain(row.address)].index, []).append(
                (row.mark, row.row, row.text)
            )
        frames.append(frame)
    all_runs = runs.gather(files, marks)
    if column_files:
        frames.append(staging.columns_of(spark, column_files))
    rows = reduce(DataFrame.unionByName, frames)
    event_counts, bad = _counts(rows.where(F.col("mark").isNull()), by_address)
    first_faults = quarantine.first(rows.where(F.col("mark").isNull()), by_address) if bad else []
    # Without a bad row only headers and footers are left out, and the checks skip the reasons.
    events = rows.where(F.col("reason" if bad else "wrong").isNull()).select(
        "address", "row", *EVENT.names
    )
    for run in all_runs:
        run.problems += [
            f"lines of {file.path} are in quarantine" for file in run.files if file.index in bad
        ]
    counts: Counter[tuple[int, str]] = Counter()
    sources: Counter[tuple[int, int]] = Counter()
    run_of = {file.index: run.index for run in all_runs for file in run.files}
    ran: set[int] = set()
    for (file, kind, source, starts), count in event_counts.items():
        counts[run_of[file], kind] += count
        if starts:
            ran.add(run_of[file])
        if source is not None:
            sources[run_of[file], source] += count
    return Ingested(
        all_runs,
        _inputs(spark, events, all_runs, counts, ran),
        sum(bad.values()),
        first_faults,
        counts,
        ran,
        sources,
    )


def _counts(
    rows: DataFrame, by_address: dict[str, File]
) -> tuple[Counter[tuple[int, str, int | None, bool]], Counter[int]]:
    """In one pass over everything: events by file, kind, source and whether ``start.named`` is
    about them; and of each file how many rows are no events."""
    counts: Counter[tuple[int, str, int | None, bool]] = Counter()
    starts = on_spark.column(declared.part("bulk").start.named()).alias("named")
    bad: Counter[int] = Counter()
    for row in (
        rows.groupBy(
            "address", F.when(F.col("reason").isNull(), F.struct("k", "src", starts)).alias("event")
        )
        .count()
        .collect()
    ):
        file = by_address[plain(row.address)].index
        if row.event is None:
            bad[file] += row["count"]
        else:
            counts[file, row.event.k, row.event.src, row.event.named] += row["count"]
    return counts, bad


def _inputs(
    spark: SparkSession,
    events: DataFrame,
    all_runs: list[Run],
    counts: Counter[tuple[int, str]],
    ran: set[int],
) -> Inputs:
    if len(all_runs) == 1:
        frame = events.withColumn("run", F.lit(all_runs[0].index))
    else:
        of_file = [
            (spelling, run.index)
            for run in all_runs
            for file in run.files
            for spelling in spellings(file.path)
        ]
        frame = events.join(
            F.broadcast(spark.createDataFrame(of_file, "address string, run int")), "address"
        )
    initial = [(run.index, *_row(event)) for run in all_runs for event in run.initial()]
    if initial:
        first = spark.createDataFrame(
            initial, t.StructType([t.StructField("run", t.IntegerType()), *EVENT])
        )
        frame = frame.unionByName(
            first.withColumn("address", F.lit(None).cast("string")).withColumn(
                "row", F.lit(None).cast("long")
            )
        )
    kinds: dict[int, list[str]] = {run.index: [] for run in all_runs}
    for run, kind in sorted(counts):
        kinds[run].append(kind)
    start = declared.part("bulk").start
    table = spark.createDataFrame(
        [
            (
                run.index,
                *start.config(run.header),
                run.header.get("variant"),
                run.whole,
                kinds[run.index],
                run.module,
                run.index in ran,
                run.totalled,
            )
            for run in all_runs
        ],
        ", ".join(("run int", *(f"{name} long" for name in schema.MEASURES)))
        + ", variant string, whole boolean, kinds array<string>, module string, ran boolean, "
        "totalled boolean",
    )
    ends = spark.createDataFrame(
        [end for run in all_runs for end in run.ends()],
        "run int, kind string, id string, last long",
    )
    return Inputs(frame, table, ends)


def _row(event: Mapping[str, object]) -> tuple[object, ...]:
    def value(name: str) -> object:
        entry = event.get(name)
        return (
            tuple(entry.get(column.name) for column in schema.OBSERVED)
            if isinstance(entry, dict)
            else entry
        )

    return tuple(value(name) for name in EVENT.names)
