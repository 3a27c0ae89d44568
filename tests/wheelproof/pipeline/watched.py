"""Recordings as micro-batches, and what a ledger says of them."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow

from traces.bulk import FAMILIES
from wheelproof.errors import WheelproofError
from wheelproof.pipeline import in_process
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.watch import outcome
from wheelproof.pipeline.watch.ledger import Ledger
from wheelproof.trace.format import schema
from wheelproof.trace.format.parts import event_of

Row = dict[str, Any]

_SIMPLE = {
    "int32": pyarrow.int32(),
    "int64": pyarrow.int64(),
    "text": pyarrow.string(),
    "enum": pyarrow.string(),
    "bool": pyarrow.bool_(),
}


def _type(field):
    structs = {"token": schema.TOKEN, "observed": schema.OBSERVED}
    if field.type not in structs:
        return _SIMPLE[field.type]
    made = pyarrow.struct([(part.name, _SIMPLE[part.type]) for part in structs[field.type]])
    return pyarrow.list_(made) if field.type == "token" else made


SCHEMA = pyarrow.schema(
    [
        ("address", pyarrow.string()),
        ("row", pyarrow.int64()),
        *[(name, pyarrow.string()) for name in ("mark", "reason", "text")],
        *[(field.name, _type(field)) for field in schema.COLUMNS],
    ]
)
"""What Spark makes of lines."""


def lines(path: Path) -> Iterator[Row]:
    """The lines of a file, as Spark gives them to the ledger."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for number, text in enumerate(file, 1):
            yield {"address": str(path), "row": number, "text": text.decode(), **_of(text, path)}


def _of(text: bytes, path: Path) -> Row:
    try:
        value = json.loads(text)
        for mark, field in (("header", "schema"), ("footer", "footer")):
            if field in value:
                return {"mark": mark}
        event: Row = dict(event_of(value, path, 1))
    except (ValueError, WheelproofError) as error:
        return {"reason": str(error)}
    if "ord" in event:
        names = [part.name for part in schema.TOKEN]
        event["ord"] = [dict(zip(names, token)) for token in event["ord"]]
    return event


def pieces(files: Iterable[Path], many: int, seed: int) -> Iterator[list[Row]]:
    """The lines of all files in so many micro-batches, cut at random."""
    draw = random.Random(seed)
    batches: list[list[Row]] = [[] for _ in range(many)]
    for path in files:
        rows = list(lines(path))
        at = sorted(draw.randint(0, len(rows)) for _ in range(many - 1))
        for batch, first, end in zip(batches, [0, *at], [*at, len(rows)], strict=True):
            batch += rows[first:end]
    yield from batches


def ledger(
    connection: duckdb.DuckDBPyConnection,
    batches: Iterable[list[Row]],
    families: Iterable[Family] = FAMILIES,
) -> Ledger:
    """A ledger that took these micro-batches."""
    made = Ledger(connection, families)
    for batch in batches:
        take(made, batch)
    return made


def take(made: Ledger, batch: list[Row]) -> None:
    """Let a ledger take one more micro-batch."""
    with made.transaction():
        made.take(made.batch + 1, pyarrow.Table.from_pylist(batch, SCHEMA))


def concluded(made: Ledger):
    """Its report, with the runs that go on judged as they are."""
    with made.transaction(keep=False):
        made.settle(made.going_on())
        return outcome.report(made, {})


def differences(report, folder: Path, families: Iterable[Family] = FAMILIES) -> list[str]:
    """What a check of the whole folder says otherwise."""
    batch = in_process.check([folder], families=families)
    named = {
        "violations": (report.violations, batch.violations),
        "runs": (_runs(report), _runs(batch)),
        "rules": (_rules(report), _rules(batch)),
        "lateness": (report.lateness, batch.lateness),
        "coverage": (report.coverage, batch.coverage),
    }
    found = []
    for name, (here, there) in named.items():
        if here != there:
            one, other = [
                [*each.items()] if isinstance(each, dict) else each for each in (here, there)
            ]
            watch = [each for each in one if each not in other][:3]
            check = [each for each in other if each not in one][:3]
            found.append(f"{name}: only the watch {watch}, only the check {check}")
    return found


def _runs(report):
    """Runs without what only a reader of whole files sees."""
    return [
        {**run, "problems": [text for text in run["problems"] if "sha256" not in text]}
        for run in report.runs
    ]


def _rules(report):
    return {
        name: {key: value for key, value in rule.items() if key != "missing"}
        for name, rule in report.rules.items()
    }
