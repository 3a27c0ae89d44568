"""JSON Lines as columns on the scratch disk, and Parquet files as they are.

The types are Spark's. A number in a string, a number that is too large and broken syntax make a
line no event, as with the reader in ``wheelproof.trace.format.jsonl``. Inside an order token a
number and its text are the same, and a name that occurs twice counts once.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as t

from wheelproof.pipeline import quarantine
from wheelproof.pipeline.runs import File
from wheelproof.pipeline.schema import EVENT

_CORRUPT = "_corrupt"


_RAW = t.StructType(
    [
        t.StructField(
            column.name,
            t.ArrayType(t.ArrayType(t.StringType())) if column.name == "ord" else column.dataType,
        )
        for column in EVENT
    ]
    + [t.StructField(_CORRUPT, t.StringType())]
)


_UNQUOTED = r'"(k|phase|cause|res)"\s*:\s*[^"\sn]'
"""A text column whose value is a number or a truth value: Spark would read it as its text."""


def staged_lines(spark: SparkSession, files: list[File], scratch: Path) -> DataFrame:
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
    block_rows: list[tuple[str, int, int, int]] = []
    for block in sorted(blocks, key=lambda block: (block.address, block.block)):
        start = before.get(block.address, 0)
        block_rows.append((block.address, block.block, block.least, start))
        before[block.address] = start + block.lines
    starts = F.broadcast(
        spark.createDataFrame(block_rows, "address string, block long, least long, start long")
    )
    # Written first: otherwise each later query would parse the lines again.
    columns = parsed(
        lines.join(starts, ["address", "block"]).select(
            "address", (F.col("id") - F.col("least") + F.col("start") + 1).alias("row"), "value"
        )
    )
    target = str(scratch / "staged")
    columns.write.mode("overwrite").parquet(target)
    return judged(spark.read.schema(columns.schema).parquet(target))


def parsed(lines: DataFrame) -> DataFrame:
    """Lines as columns, with ``wrong`` where they are no such columns. ``lines``: of an address,
    the ``row`` from 1, and the text as ``value``."""
    columns = F.from_json(
        "value", _RAW, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}
    )
    rows = lines.select("address", "row", "value", columns.alias("e")).select(
        "address", "row", "value", "e.*"
    )
    strange = F.col(_CORRUPT).isNotNull() | F.col("k").isNull()
    wrong = (
        F.when(strange, "is no JSON object, or a column has a value of another type")
        .when(
            ~F.forall("ord", lambda token: F.size(token).between(4, 5)),
            "field ord: an order token has four or five parts",
        )
        .when(F.col("value").rlike(_UNQUOTED), "a text is no text")
    )
    tokens = F.transform(
        "ord",
        lambda token: F.struct(
            F.get(token, F.lit(0)).alias("kind"),
            F.get(token, F.lit(1)).alias("id"),
            F.get(token, F.lit(2)).cast("long").alias("seq"),
            F.get(token, F.lit(3)).alias("mode"),
            F.get(token, F.lit(4)).cast("long").alias("upto"),
        ),
    )
    return rows.select(
        "address",
        "row",
        "value",
        wrong.alias("wrong"),
        *[tokens.alias(name) if name == "ord" else name for name in EVENT.names],
    )


def judged(columns: DataFrame) -> DataFrame:
    """The columns of :func:`parsed`, with ``mark`` (header, footer) and ``reason``, and the line as
    ``text``."""
    mark = F.when(
        F.col("wrong").isNotNull() & F.get_json_object("value", "$.schema").isNotNull(), "header"
    ).when(
        F.col("wrong").isNotNull() & F.get_json_object("value", "$.footer").isNotNull(), "footer"
    )
    return (
        columns.withColumn("mark", mark)
        .withColumn("reason", F.coalesce("wrong", quarantine.reason()))
        .withColumnRenamed("value", "text")
    )


def columns_of(spark: SparkSession, files: list[File]) -> DataFrame:
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
        quarantine.reason().alias("reason"),
        F.to_json(F.struct("tid", "tseq", "lc", "k")).alias("text"),
    )
