"""Traces as Parquet: the schema's columns with their types, header and footer in the file's
metadata.

``pyarrow`` comes with the extra ``data``; it is imported when a function is called. A column that
no event has is still in the file, so that files of one folder have one schema. Rows are in the
order in which they were given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wheelproof import files, reading
from wheelproof.errors import ToolError, UsageError
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.parts import TraceError, event_of, footer_of, header_of
from wheelproof.trace.format.schema import COLUMNS, OBSERVED, TOKEN, Field
from wheelproof.trace.format.tally import Tally

if TYPE_CHECKING:
    import pyarrow

HEADER_KEY, FOOTER_KEY = b"wheelproof.trace.header", b"wheelproof.trace.footer"
ROWS = 1 << 16
"""Events in one row group."""
METADATA_BYTES = (1 << 31) - 1
"""Of a file's metadata: a footer that names each token is larger than Arrow reads by itself."""


def _arrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed.",
            "Install the extra: pip install 'wheelproof[data]'; JSON Lines need nothing.",
        ) from error
    return pyarrow, pyarrow.parquet


def schema(header: Mapping[str, object] | None = None) -> pyarrow.Schema:
    """The Arrow schema of the columns; with a header, it is in the metadata."""
    arrow, _ = _arrow()
    simple = {
        "int32": arrow.int32(),
        "int64": arrow.int64(),
        "text": arrow.string(),
        "bool": arrow.bool_(),
        "enum": arrow.dictionary(arrow.int32(), arrow.string()),
    }

    def plain(field: Field) -> pyarrow.Field:
        return arrow.field(
            field.name,
            arrow.string() if field.type == "enum" else simple[field.type],
            nullable=not field.required,
        )

    structs = {
        "token": arrow.list_(
            arrow.field("element", arrow.struct([plain(field) for field in TOKEN]), nullable=False)
        ),
        "observed": arrow.struct([plain(field) for field in OBSERVED]),
    }
    fields = [
        arrow.field(
            field.name, structs.get(field.type) or simple[field.type], nullable=not field.required
        )
        for field in COLUMNS
    ]
    return arrow.schema(
        fields, {HEADER_KEY: json.dumps(header).encode()} if header is not None else None
    )


def write(
    path: Path,
    header: Mapping[str, object],
    events: Iterable[Event],
    footer: Mapping[str, object] | bool | None = True,
    compression: str = "zstd",
) -> None:
    """Write a trace under a temporary name, then rename it. ``footer`` as in ``jsonl.write``.
    Raises ToolError, and UsageError without pyarrow."""
    arrow, parquet = _arrow()
    path = Path(path)
    columns, tally, rest = schema(header), Tally(header), iter(events)
    names = [field.name for field in TOKEN]
    try:
        with (
            files.draft(path) as draft,
            parquet.ParquetWriter(draft, columns, compression=compression) as writer,
        ):
            while rows := list(islice(rest, ROWS)):
                for event in rows:
                    tally.count(event)
                table = [
                    {**event, "ord": [dict(zip(names, token)) for token in event["ord"]]}
                    if "ord" in event
                    else event
                    for event in rows
                ]
                writer.write_table(arrow.Table.from_pylist(table, schema=columns))
            if footer is True:
                footer = tally.footer()
            if footer:
                writer.add_key_value_metadata({FOOTER_KEY: json.dumps(footer).encode()})
    except OSError as error:
        raise ToolError(
            f"{path} cannot be written ({error.strerror}).", "Choose another folder."
        ) from error


class Reader:
    """A trace in a Parquet file: as ``jsonl.Reader``, with the number of the row, from 1, in the
    place of the line's."""

    def __init__(self, path: Path) -> None:
        arrow, parquet = _arrow()
        self.path = Path(path)
        try:
            reading.opened(self.path).close()
            self._file = parquet.ParquetFile(self.path, thrift_string_size_limit=METADATA_BYTES)
            metadata = self._file.schema_arrow.metadata or {}
            file_metadata = self._file.metadata.metadata or {}
            names = self._file.schema_arrow.names
        except reading.Unreadable as error:
            raise TraceError(self.path, 0, "", error.fault, error.remedy) from error
        except (OSError, ValueError, MemoryError, arrow.ArrowException) as error:
            raise TraceError(
                self.path,
                0,
                "",
                f"cannot be read as Parquet ({_first(error)})",
                "Give the path of a trace; a file that was cut off is to be recorded again.",
            ) from error
        self.header = header_of(self._json(metadata.get(HEADER_KEY)), self.path, 0)
        footer = self._json(file_metadata.get(FOOTER_KEY))
        self.footer = None if footer is None else footer_of(footer, self.path, 0)
        column_names = {field.name for field in COLUMNS}
        self.unknown = set(names) - column_names
        self.raw = None  # a row has no line of its own: its canonical one is made

    def _json(self, text: bytes | None) -> object:
        try:
            return None if text is None else json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TraceError(self.path, 0, "metadata", f"is no JSON ({error})") from error

    def __iter__(self) -> Iterator[tuple[int, Event]]:
        row, names = 0, [field.name for field in TOKEN]
        for batch in self._batches():
            for value in batch:
                row += 1
                tokens = value.get("ord")
                if isinstance(tokens, list):
                    value["ord"] = [
                        tuple([token.get(name) for name in names]) if type(token) is dict else token
                        for token in tokens
                    ]
                yield row, event_of(value, self.path, row)

    def _batches(self) -> Iterator[list[dict[str, object]]]:
        """The rows, some at a time; an error of Arrow on the way becomes a TraceError."""
        arrow, _ = _arrow()
        try:
            for batch in self._file.iter_batches(batch_size=ROWS):
                yield batch.to_pylist()
        except (OSError, ValueError, OverflowError, MemoryError, arrow.ArrowException) as error:
            raise TraceError(
                self.path,
                0,
                "",
                f"cannot be read as Parquet to its end ({_first(error)})",
                "It is damaged: record it again.",
            ) from error


def _first(error: Exception) -> str:
    """The first line of Arrow's message."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
