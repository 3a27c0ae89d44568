"""A campaign's folder: the manifest, and a file of Parquet for each block that is finished.

A block is a run of units. An executor writes its file whole, under the block's
number. So a block that is run twice, as after a lost executor, is there once.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from wheelproof import __version__, documents, files
from wheelproof.campaign.kind import CONTROL, Campaign, Failure, Request, Result, Seeds
from wheelproof.errors import ToolError, UsageError
from wheelproof.verdict import Row

SCHEMA = "wheelproof.campaign/1"
MANIFEST, BLOCKS, FAILURES, ARCHIVE = "manifest.json", "blocks", "failures", "project.zip"

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


@dataclass(frozen=True)
class Manifest:
    """The plan of a campaign, which never changes: all that its blocks depend on."""

    request: Request
    release: str
    python: str
    project: str
    """The digest of the files that are shipped."""
    size: int
    """Units of a block."""
    limit: float
    """Seconds of a unit, at most."""
    units: Sequence[str]
    """The controls, then the units of the kind."""

    @property
    def blocks(self) -> int:
        return -(-len(self.units) // self.size)

    def of_block(self, number: int) -> Sequence[str]:
        """The units of a block."""
        part: Sequence[str] = self.units[number * self.size : (number + 1) * self.size]
        return part

    def document(self) -> dict[str, Any]:
        controls = [unit for unit in self.units if unit.startswith(CONTROL)]
        seeds = self.request.seeds
        is_seeds = seeds is not None and len(self.units) == len(controls) + seeds[1] - seeds[0]
        return {
            "schema": SCHEMA,
            "release": self.release,
            "python": self.python,
            "project": self.project,
            "size": self.size,
            "limit": self.limit,
            "request": self.request.document(),
            "controls": controls,
            "units": None if is_seeds else list(self.units[len(controls) :]),
        }

    @cached_property
    def identity(self) -> str:
        """A digest of the plan."""
        return hashlib.sha256(documents.encode(self.document()).encode()).hexdigest()


class Units(Sequence[str]):
    """Controls, and then units."""

    def __init__(self, controls: Sequence[str], units: Sequence[str]) -> None:
        self._controls, self._units = controls, units

    def __len__(self) -> int:
        return len(self._controls) + len(self._units)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        many = len(self._controls)
        return self._controls[at] if at < many else self._units[at - many]


def python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def plan(campaign: Campaign, project: str, size: int, limit: float) -> Manifest:
    """The manifest of a campaign that begins now. Raises UsageError."""
    units = campaign.units()
    if not units:
        raise UsageError("The campaign has no units.", "Choose other names, or more seeds.")
    controls = [CONTROL + fault for fault in campaign.controls()]
    request = campaign.request
    return Manifest(request, __version__, python(), project, size, limit, Units(controls, units))


def write(folder: Path, manifest: Manifest) -> None:
    """Write a manifest. Raises ToolError where the folder refuses it."""
    documents.write(folder / MANIFEST, manifest.document())


def read(folder: Path) -> Manifest:
    """The manifest of a folder. UsageError: it is none, or of another release."""
    file = folder / MANIFEST
    document = documents.read(file, SCHEMA)
    release = document.text("release")
    if release != __version__:
        raise UsageError(
            f"{file} is of release {release}, and this is {__version__}.",
            "Go on with that release, or begin anew with --fresh.",
        )
    try:
        request = Request.read(document.object("request").value)
    except (TypeError, KeyError) as error:
        raise document.fault("request", f"is no request ({error})") from None
    units: Sequence[str]
    if document.value.get("units") is not None:
        units = document.texts("units")
    elif request.seeds is not None:
        units = Seeds(*request.seeds)
    else:
        raise document.fault("units", "is missing")
    return Manifest(
        request,
        release,
        document.text("python"),
        document.text("project"),
        int(document.number("size")) or 1,
        document.number("limit"),
        Units(document.texts("controls"), units),
    )


def check_same(folder: Path, there: Manifest, new: Manifest) -> None:
    """UsageError where the campaign of a folder is not the one of this plan."""
    reasons = {
        "other choices": there.request != new.request,
        f"blocks of {there.size} units, not {new.size}": there.size != new.size,
        f"a limit of {there.limit:g} s, not {new.limit:g} s": there.limit != new.limit,
        f"Python {there.python}, not {new.python}": there.python != new.python,
        "the project's files as they were then": there.project != new.project,
        "other units": there.identity != new.identity,
    }
    if why := next((reason for reason, differs in reasons.items() if differs), ""):
        raise UsageError(
            f"{folder} has another campaign: with {why}.",
            "Give another --output, or begin anew with --fresh.",
        )


def file_of(folder: Path, number: int) -> Path:
    return folder / BLOCKS / f"{number:06d}.parquet"


def finished(folder: Path, manifest: Manifest) -> set[int]:
    """The blocks whose files are there, by their names alone."""
    names = {file.name for file in (folder / BLOCKS).glob("*.parquet")}
    return {number for number in range(manifest.blocks) if file_of(folder, number).name in names}


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
