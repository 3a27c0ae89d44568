"""The blocks of a campaign: a file of Parquet for each that is finished.

A block is a run of units. An executor writes its file whole, under the block's number. So a block
that is run twice, as after a lost executor, is there once.
"""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from wheelproof import files
from wheelproof.campaign.kind import Failure, Result
from wheelproof.campaign.manifest import Manifest, file_of
from wheelproof.errors import ToolError, UsageError
from wheelproof.verdict import Row

_IDENTITY = b"wheelproof.campaign"
"""The key of a block's metadata under which it says of which campaign it is."""

ROWS = pa.schema(
    [
        pa.field("unit", pa.string(), nullable=False),
        pa.field("mechanism", pa.string(), nullable=False),
        pa.field("layer", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("expected", pa.string(), nullable=False),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("property", pa.string()),
        pa.field("bound", pa.string(), nullable=False),
        pa.field("figures", pa.string(), nullable=False),  # JSON
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("ok", pa.bool_(), nullable=False),
        pa.field("why", pa.string(), nullable=False),
        pa.field("failure", pa.string()),
        pa.field("suffix", pa.string()),
        pa.field("command", pa.string()),
    ]
)
"""The columns of a block. A unit has a row for each of its rows, the failure in the first."""


def keep(folder: Path, manifest: Manifest, number: int, results: Mapping[str, Result]) -> int:
    """Write the file of a block; its size in bytes. Raises ToolError.

    ``results``: unit -> its result.
    """
    records = [
        _record(unit, row, results[unit].failure if at == 0 else None)
        for unit in manifest.of_block(number)
        for at, row in enumerate(results[unit].rows)
    ]
    schema = ROWS.with_metadata({_IDENTITY: manifest.identity.encode()})
    stream = io.BytesIO()
    table = pa.Table.from_pylist(records, schema=schema)
    parquet.write_table(table, stream, compression="zstd", write_page_checksum=True)
    content, file = stream.getvalue(), file_of(folder, number)
    try:
        files.replace(file, content)
    except OSError as error:
        raise ToolError(
            f"{file} cannot be written ({error.strerror}).",
            "Give --output a folder that the driver and all executors may write to.",
        ) from error
    return len(content)


def _record(unit: str, row: Row, failure: Failure | None) -> dict[str, Any]:
    return {
        "unit": unit,
        "mechanism": row.mechanism,
        "layer": row.layer,
        "name": row.name,
        "expected": str(row.expected),
        "verdict": str(row.verdict),
        "property": row.property,
        "bound": row.bound,
        "figures": json.dumps(dict(row.figures), sort_keys=True),
        "seconds": row.seconds,
        "ok": row.ok,
        "why": row.why,
        "failure": failure and failure.text,
        "suffix": failure and failure.suffix,
        "command": failure and failure.command,
    }


def load(folder: Path, manifest: Manifest, number: int) -> Iterator[tuple[str, Result]]:
    """The results of a block by unit. UsageError: its file is damaged, or not the campaign's."""
    file = file_of(folder, number)
    try:
        table = parquet.read_table(file, page_checksum_verification=True)
        if (table.schema.metadata or {}).get(_IDENTITY) != manifest.identity.encode():
            raise _damaged(file, "it is of another campaign")
        if table.schema.remove_metadata() != ROWS:
            raise _damaged(file, "it has other columns")
        groups = itertools.groupby(table.to_pylist(), key=lambda record: record["unit"])
        results = [(unit, _result(list(records))) for unit, records in groups]
        if [unit for unit, _ in results] != list(manifest.of_block(number)):
            raise _damaged(file, "its units are not those of the manifest, each once")
        yield from results
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise _damaged(file, str(error).splitlines()[0][:200]) from error


def _result(records: Sequence[dict[str, Any]]) -> Result:
    first = records[0]
    failure = first["failure"] and Failure(first["failure"], first["suffix"], first["command"])
    rows = tuple(
        Row(
            record["mechanism"],
            record["layer"],
            record["name"],
            record["expected"],
            record["verdict"],
            record["property"],
            record["bound"],
            json.loads(record["figures"]),
            record["seconds"],
            ok=record["ok"],
            why=record["why"],
        )
        for record in records
    )
    return Result(rows, failure or None)


def _damaged(file: Path, why: str) -> UsageError:
    return UsageError(
        f"The block {file} is damaged: {why}.",
        "Remove the file: the same command makes the block again.",
    )
