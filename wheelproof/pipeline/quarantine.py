"""Rows that are no events: why, and the first of them with file, line, reason and text."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wheelproof.errors import WheelproofError
from wheelproof.pipeline.addresses import plain
from wheelproof.pipeline.document import Quarantined
from wheelproof.pipeline.runs import File
from wheelproof.trace.format import jsonl, schema
from wheelproof.trace.format.parts import event_of

SHOWN = 1000
"""Quarantined lines that are shown with a reason of their own; the others are counted."""


_IDS = (*(column for column in schema.NAMES if column in schema.IDS), "span")


def reason() -> Column:
    """The reason why a row is no event; null for an event."""
    reasons: list[Column] = []
    for column in schema.COLUMNS:
        if column.required:
            reasons.append(F.when(F.col(column.name).isNull(), f"field {column.name}: is missing"))
        if column.values:
            says = F.concat(
                F.lit(f"field {column.name}: "), F.col(column.name), F.lit(" is not known")
            )
            reasons.append(F.when(~F.col(column.name).isin(*column.values), says))
    for id_column in sorted({name for names in schema.REQUIRED_IDS.values() for name in names}):
        kinds = [kind for kind, names in schema.REQUIRED_IDS.items() if id_column in names]
        reasons.append(
            F.when(
                F.col(id_column).isNull() & F.col("k").isin(*kinds),
                f"field {id_column}: is missing, and an event of this kind says nothing without it",
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
        lambda matches, match: matches | match,
        [(token.kind == kind) & token["mode"].isin(*modes) for kind, modes in schema.MODES.items()],
    )
    return F.coalesce(
        modes
        & token.id.isNotNull()
        & (token.seq >= F.when(token.kind == "L", 1).otherwise(0))
        & (token.upto.isNull() | (token.upto >= token.seq)),
        F.lit(False),
    )


def first(rows: DataFrame, by_address: dict[str, File]) -> list[Quarantined]:
    """The first rows that are no events, by file and line, each with its most exact reason."""
    listing: list[Quarantined] = []
    bad_rows = (
        rows.where(F.col("reason").isNotNull())
        .orderBy("address", "row")
        .limit(SHOWN)
        .select("address", "row", "reason", "text")
        .collect()
    )
    for file, row in sorted(
        ((by_address[plain(row.address)], row) for row in bad_rows),
        key=lambda pair: (pair[0].index, pair[1].row),
    ):
        reason = (
            row.reason
            if file.is_parquet
            else reason_of_line(row.text, file.path, row.row) or row.reason
        )
        listing.append(
            Quarantined(file=str(file.path), row=row.row, reason=reason, text=row.text[:200])
        )
    return listing


def reason_of_line(text: str, path: Path, number: int) -> str:
    """The reason that the reader of single traces gives for a line; "" where it accepts it."""
    try:
        event_of(jsonl.object_of(text.encode("utf-8", "surrogatepass"), path, number), path, number)
    except WheelproofError as error:
        return error.message.removeprefix(f"{path}:{number}: ").rstrip(".")
    return ""
