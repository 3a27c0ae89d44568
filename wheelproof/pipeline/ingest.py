"""Reads traces: Parquet as it is, JSON Lines into columns on the scratch disk; what is no event
goes to quarantine with file, line and reason.

The types are Spark's. A number in a string, a number that is too large and broken syntax make a
line no event, as with the reader in ``wheelproof.trace.format.jsonl``. Inside an order token a
number and its text are the same, and a name that occurs twice counts once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as t

from wheelproof.errors import WheelproofError
from wheelproof.pipeline import on_spark, runs
from wheelproof.pipeline.outcomes import Inputs
from wheelproof.pipeline.runs import File, Run
from wheelproof.pipeline.schema import EVENT, QUARANTINED
from wheelproof.trace import declared
from wheelproof.trace.format import jsonl, schema
from wheelproof.trace.format.parts import event_of

SHOWN = 1000
"""Quarantined lines that are shown with their own reason; the others are counted."""

_CORRUPT = "_corrupt"
_RAW = t.StructType(
    [
        t.StructField(
            each.name,
            t.ArrayType(t.ArrayType(t.StringType())) if each.name == "ord" else each.dataType,
        )
        for each in EVENT
    ]
    + [t.StructField(_CORRUPT, t.StringType())]
)
_IDS = (*(column for column in schema.NAMES if column in schema.IDS), "span")
_UNQUOTED = r'"(k|phase|cause|res)"\s*:\s*[^"\sn]'
"""A text column whose value is a number or a truth value: Spark would read it as its text."""


@dataclass(frozen=True)
class Ingested:
    """Runs and events. ``quarantined``: how many lines are no events; ``shown``: the first of them
    as rows (file, row, reason, text)."""

    runs: list[Run]
    inputs: Inputs
    quarantined: int
    shown: list[dict[str, Any]]
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
    lined, columned = (
        [file for file in files if not file.is_parquet],
        [file for file in files if file.is_parquet],
    )
    marks: dict[int, list[tuple[str, int, str]]] = {}
    frames: list[DataFrame] = []
    if lined:
        staged = _stage(spark, lined, scratch)
        for row in (
            staged.where(F.col("mark").isNotNull())
            .select("address", "mark", "row", "text")
            .collect()
        ):
            marks.setdefault(by_address[plain(row.address)].index, []).append(
                (row.mark, row.row, row.text)
            )
        frames.append(staged)
    found = runs.gather(files, marks)
    if columned:
        frames.append(_columns(spark, columned))
    rows = reduce(DataFrame.unionByName, frames)
    counted, bad = _counted(rows.where(F.col("mark").isNull()), by_address)
    shown = _quarantined(rows.where(F.col("mark").isNull()), by_address) if bad else []
    # Where nothing is to be kept out but headers and footers the checks read the columns without
    # asking again.
    events = rows.where(F.col("reason" if bad else "wrong").isNull()).select(
        "address", "row", *EVENT.names
    )
    for run in found:
        run.problems += [
            f"lines of {file.path} are in quarantine" for file in run.files if file.index in bad
        ]
    counts: Counter[tuple[int, str]] = Counter()
    sources: Counter[tuple[int, int]] = Counter()
    run_of = {file.index: run.index for run in found for file in run.files}
    ran: set[int] = set()
    for (file, kind, source, named), count in counted.items():
        counts[run_of[file], kind] += count
        if named:
            ran.add(run_of[file])
        if source is not None:
            sources[run_of[file], source] += count
    return Ingested(
        found,
        _inputs(spark, events, found, counts, ran),
        sum(bad.values()),
        shown,
        counts,
        ran,
        sources,
    )


def address(path: Path) -> str:
    """How a file is named beside its events, once :func:`plain` has made one spelling of it."""
    return plain(path.as_uri())


def plain(spelled: str) -> str:
    """Spark writes the address of a local file with one slash or with three."""
    return "/" + spelled.removeprefix("file:").lstrip("/")


def _spelled(path: Path) -> list[str]:
    return [f"file:{address(path)}", f"file://{address(path)}"]


def _stage(spark: SparkSession, files: list[File], scratch: Path) -> DataFrame:
    """JSON Lines as columns on the scratch disk: ``mark`` (header, footer), the file's address,
    line from 1, the text, and ``reason`` null for each row that is an event."""
    lines = spark.read.text([str(file.path) for file in files]).select(
        "value",
        F.col("_metadata.file_path").alias("address"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("id"),
    )
    # A file may be read in blocks, by several tasks: a line's number is that in its block and the
    # lines of the blocks before.
    blocks = (
        lines.groupBy("address", "block")
        .agg(F.min("id").alias("least"), F.count("*").alias("lines"))
        .collect()
    )
    before: dict[str, int] = {}
    numbered: list[tuple[str, int, int, int]] = []
    for block in sorted(blocks, key=lambda each: (each.address, each.block)):
        start = before.get(block.address, 0)
        numbered.append((block.address, block.block, block.least, start))
        before[block.address] = start + block.lines
    starts = F.broadcast(
        spark.createDataFrame(numbered, "address string, block long, least long, start long")
    )
    parsed = F.from_json(
        "value", _RAW, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}
    )
    rows = (
        lines.join(starts, ["address", "block"])
        .select(
            "address",
            (F.col("id") - F.col("least") + F.col("start") + 1).alias("row"),
            "value",
            parsed.alias("e"),
        )
        .select("address", "row", "value", "e.*")
    )
    strange = F.col(_CORRUPT).isNotNull() | F.col("k").isNull()
    wrong = (
        F.when(strange, "is no JSON object, or a column has a value of another type")
        .when(
            ~F.forall("ord", lambda each: F.size(each).between(4, 5)),
            "field ord: an order token has four or five parts",
        )
        .when(F.col("value").rlike(_UNQUOTED), "a text is no text")
    )
    tokens = F.transform(
        "ord",
        lambda each: F.struct(
            F.get(each, F.lit(0)).alias("kind"),
            F.get(each, F.lit(1)).alias("id"),
            F.get(each, F.lit(2)).cast("long").alias("seq"),
            F.get(each, F.lit(3)).alias("mode"),
            F.get(each, F.lit(4)).cast("long").alias("upto"),
        ),
    )
    # Written before anything else is asked: Spark would else put the parsing into each of the
    # questions.
    columns = rows.select(
        "address",
        "row",
        "value",
        wrong.alias("wrong"),
        *[tokens.alias(name) if name == "ord" else name for name in EVENT.names],
    )
    target = str(scratch / "staged")
    columns.write.mode("overwrite").parquet(target)
    staged = spark.read.schema(columns.schema).parquet(target)
    marked = F.when(
        F.col("wrong").isNotNull() & F.get_json_object("value", "$.schema").isNotNull(), "header"
    ).when(
        F.col("wrong").isNotNull() & F.get_json_object("value", "$.footer").isNotNull(), "footer"
    )
    return (
        staged.withColumn("mark", marked)
        .withColumn("reason", F.coalesce("wrong", _reason()))
        .withColumnRenamed("value", "text")
    )


def _columns(spark: SparkSession, files: list[File]) -> DataFrame:
    """Parquet files, with ``reason`` null for each row that is an event."""
    read = spark.read.schema(EVENT).parquet(*[str(file.path) for file in files])
    place, none = (
        (
            F.col("_metadata.file_path").alias("address"),
            (F.col("_metadata.row_index") + 1).alias("row"),
        ),
        F.lit(None).cast("string"),
    )
    return read.select(
        *place,
        *EVENT.names,
        none.alias("wrong"),
        none.alias("mark"),
        _reason().alias("reason"),
        F.to_json(F.struct("tid", "tseq", "lc", "k")).alias("text"),
    )


def _reason() -> Column:
    """What keeps a row from being an event; null for nothing."""
    reasons: list[Column] = []
    for column in schema.COLUMNS:
        if column.required:
            reasons.append(F.when(F.col(column.name).isNull(), f"field {column.name}: is missing"))
        if column.values:
            says = F.concat(
                F.lit(f"field {column.name}: "), F.col(column.name), F.lit(" is not known")
            )
            reasons.append(F.when(~F.col(column.name).isin(*column.values), says))
    for needed in sorted({name for names in schema.REQUIRED_IDS.values() for name in names}):
        kinds = [kind for kind, names in schema.REQUIRED_IDS.items() if needed in names]
        reasons.append(
            F.when(
                F.col(needed).isNull() & F.col("k").isin(*kinds),
                f"field {needed}: is missing, and an event of this kind says nothing without it",
            )
        )
    for name in ("tseq", "lc"):
        reasons.append(F.when(F.col(name) < 1, f"field {name}: counts from 1"))
    for name in _IDS:
        reasons.append(F.when(F.col(name) < 1, f"field {name}: must be a positive id"))
    reasons.append(
        F.when(
            ~F.forall("ord", _sound),
            "field ord: an order token is not [kind, id, seq, mode] or [kind, id, seq, mode, upto]",
        )
    )
    return F.coalesce(*reasons)


def _sound(token: Column) -> Column:
    modes = reduce(
        lambda one, other: one | other,
        [(token.kind == kind) & token["mode"].isin(*modes) for kind, modes in schema.MODES.items()],
    )
    return F.coalesce(
        modes
        & token.id.isNotNull()
        & (token.seq >= F.when(token.kind == "L", 1).otherwise(0))
        & (token.upto.isNull() | (token.upto >= token.seq)),
        F.lit(False),
    )


def _counted(
    rows: DataFrame, by_address: dict[str, File]
) -> tuple[Counter[tuple[int, str, int | None, bool]], Counter[int]]:
    """In one pass over everything: events by file, kind, source and whether ``start.named`` is
    about them; and of each file how many rows are no events."""
    counts: Counter[tuple[int, str, int | None, bool]] = Counter()
    named = on_spark.column(declared.part("bulk").start.named()).alias("named")
    bad: Counter[int] = Counter()
    for row in (
        rows.groupBy(
            "address", F.when(F.col("reason").isNull(), F.struct("k", "src", named)).alias("event")
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


def _quarantined(rows: DataFrame, by_address: dict[str, File]) -> list[dict[str, Any]]:
    """The first rows that are no events, by file and line, each with as good a reason as there
    is."""
    shown = []
    first = (
        rows.where(F.col("reason").isNotNull())
        .orderBy("address", "row")
        .limit(SHOWN)
        .select("address", "row", "reason", "text")
        .collect()
    )
    for file, row in sorted(
        ((by_address[plain(row.address)], row) for row in first),
        key=lambda each: (each[0].index, each[1].row),
    ):
        reason = (
            row.reason
            if file.is_parquet
            else _reason_of_line(row.text, file.path, row.row) or row.reason
        )
        shown.append(
            dict(
                zip(
                    QUARANTINED.names,
                    (str(file.path), row.row, reason, row.text[:200]),
                    strict=True,
                )
            )
        )
    return shown


def _reason_of_line(text: str, path: Path, number: int) -> str:
    """What the reader of single traces says of the line; "" where it would have taken it."""
    try:
        event_of(jsonl.object_of(text.encode("utf-8", "surrogatepass"), path, number), path, number)
    except WheelproofError as error:
        return error.message.removeprefix(f"{path}:{number}: ").rstrip(".")
    return ""


def _inputs(
    spark: SparkSession,
    events: DataFrame,
    found: list[Run],
    counts: Counter[tuple[int, str]],
    ran: set[int],
) -> Inputs:
    if len(found) == 1:
        placed = events.withColumn("run", F.lit(found[0].index))
    else:
        of_file = [
            (spelled, run.index)
            for run in found
            for file in run.files
            for spelled in _spelled(file.path)
        ]
        placed = events.join(
            F.broadcast(spark.createDataFrame(of_file, "address string, run int")), "address"
        )
    initial = [(run.index, *_row(event)) for run in found for event in run.initial()]
    if initial:
        first = spark.createDataFrame(
            initial, t.StructType([t.StructField("run", t.IntegerType()), *EVENT])
        )
        placed = placed.unionByName(
            first.withColumn("address", F.lit(None).cast("string")).withColumn(
                "row", F.lit(None).cast("long")
            )
        )
    kinds: dict[int, list[str]] = {run.index: [] for run in found}
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
            for run in found
        ],
        f"run int, {start.CONFIG}, variant string, whole boolean, kinds array<string>, module "
        "string, ran boolean, totalled boolean",
    )
    ends = spark.createDataFrame(
        [end for run in found for end in run.ends()], "run int, kind string, id string, last long"
    )
    return Inputs(placed, table, ends)


def _row(event: dict[str, Any]) -> tuple[Any, ...]:
    def value(name: str) -> Any:
        found = event.get(name)
        return (
            tuple(found.get(each.name) for each in schema.OBSERVED)
            if isinstance(found, dict)
            else found
        )

    return tuple(value(name) for name in EVENT.names)
