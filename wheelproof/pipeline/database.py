"""Events, runs and ends as tables of DuckDB: recordings that are checked in this process.

Events arrive one by one and are written in blocks, as JSON that DuckDB reads with the columns of
the schema. The rest, where it does not fit into memory, goes to a folder for scratch.
"""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from wheelproof import temporary
from wheelproof.errors import ToolError
from wheelproof.pipeline import columns as F
from wheelproof.pipeline import on_duckdb
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.frames import ENDS, EVENTS, RUNS
from wheelproof.pipeline.needs import Pair
from wheelproof.pipeline.runs import Run
from wheelproof.trace import declared
from wheelproof.trace.format import schema

BLOCK = 10_000
"""Events that are written at once."""

Row = Mapping[str, object]

_TYPES = {
    "int32": "INTEGER",
    "int64": "BIGINT",
    "text": "VARCHAR",
    "enum": "VARCHAR",
    "bool": "BOOLEAN",
}
_TOKEN = tuple(part.name for part in schema.TOKEN)


def _type(field: schema.Field) -> object:
    """The type of a column as ``from_json`` takes it."""
    if field.type == "token":
        return [{part.name: _TYPES[part.type] for part in schema.TOKEN}]
    if field.type == "observed":
        return {part.name: _TYPES[part.type] for part in schema.OBSERVED}
    return _TYPES[field.type]


EVENT = {
    "run": "INTEGER",
    **{field.name: _type(field) for field in schema.COLUMNS},
    "line": "BIGINT",
}
_RUN = {
    "run": "INTEGER",
    **dict.fromkeys(schema.MEASURES, "BIGINT"),
    **dict.fromkeys(("variant", "module"), "VARCHAR"),
    **dict.fromkeys(("whole", "totalled"), "BOOLEAN"),
}
_END = {"run": "INTEGER", "kind": "VARCHAR", "id": "VARCHAR", "last": "BIGINT"}


class Tables:
    """The tables of the rules in one connection: ``events``, ``runs`` and ``ends``, once
    :meth:`complete` has been called."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.events = 0
        self._waiting: list[dict[str, object]] = []
        create(connection, "given_events", EVENT)

    def add(self, run: int, line: int | None, event: Mapping[str, object]) -> None:
        """Take an event of a run, from a line of its file; None for one that a header makes."""
        row: dict[str, object] = {**event, "run": run, "line": line}
        if (tokens := row.get("ord")) is not None:
            assert isinstance(tokens, Iterable)
            row["ord"] = [dict(zip(_TOKEN, token)) for token in tokens]
        self._waiting.append(row)
        self.events += 1
        if len(self._waiting) == BLOCK:
            self._write()

    def forget(self, run: int) -> None:
        """Take the events of a run away again."""
        self._write()
        self.connection.execute("DELETE FROM given_events WHERE run = $1", [run])

    def _write(self) -> None:
        insert(self.connection, "given_events", EVENT, self._waiting)
        self._waiting.clear()

    def complete(self, runs: Collection[Run]) -> None:
        """Add the statements of headers and footers, of runs whose events are there."""
        for run in runs:
            for event in run.initial():
                self.add(run.index, None, event)
        self._write()
        columns = ", ".join(f'"{name}"' for name in EVENTS.columns)
        self.connection.execute(f"CREATE VIEW events AS SELECT {columns} FROM given_events")
        complete(self.connection, runs)

    def lines(self, violations: Iterable[Row]) -> list[int | None]:
        """The line of the event that each row names: the first where several bear one number, None
        where it names none."""
        types = {"at": "INTEGER", "run": "INTEGER", "tid": "INTEGER", "tseq": "BIGINT"}
        rows = [
            {"at": at, **{name: row.get(name) for name in ("run", "tid", "tseq")}}
            for at, row in enumerate(violations)
        ]
        create(self.connection, "wanted", types, "TEMP")
        insert(self.connection, "wanted", types, rows)
        numbers = self.connection.execute(
            'SELECT "at", min(line) FROM wanted LEFT JOIN given_events USING (run, tid, tseq)'
            ' GROUP BY "at" ORDER BY "at"'
        ).fetchall()
        return [line for _, line in numbers]

    def events_at(self, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Row]:
        """(run, line) -> the event of that line, as a reader gives it."""
        types = {"run": "INTEGER", "line": "BIGINT"}
        create(self.connection, "wanted", types, "TEMP")
        keys = [dict(zip(types, place, strict=True)) for place in places]
        insert(self.connection, "wanted", types, keys)
        names = ", ".join(f'"{name}"' for name in schema.NAMES)
        rows = self.connection.execute(
            f"SELECT run, line, {names} FROM given_events JOIN wanted USING (run, line)"
        ).fetchall()
        return {
            (run, line): _event(dict(zip(schema.NAMES, values, strict=True)))
            for run, line, *values in rows
        }

    def filled(self, pairs: Sequence[Pair]) -> dict[Pair, int]:
        """(kinds, column) -> events of one of the kinds that have a value there."""
        if not pairs:
            return {}
        counts: list[Column] = []
        for kinds, column in pairs:
            value = F.size(column) > 0 if column == "ord" else F.col(column).isNotNull()
            counts.append(F.count_if(F.col("k").isin(*kinds) & value).alias(str(len(counts))))
        rows = self.connection.execute(
            f"SELECT {on_duckdb.select(*counts)} FROM events AS given WHERE lc > 0"
        ).fetchall()
        return dict(zip(pairs, rows[0], strict=True))


def _event(row: Row) -> Row:
    event: dict[str, object] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            event[name] = {part: number for part, number in value.items() if number is not None}
        elif isinstance(value, list):
            tokens = [tuple(token.values()) for token in value]
            event[name] = tuple([token if token[4] is not None else token[:4] for token in tokens])
        elif value is not None:
            event[name] = value
    return event


def complete(connection: duckdb.DuckDBPyConnection, runs: Iterable[Run]) -> None:
    """Make ``runs`` and ``ends`` of runs whose events are in ``events``."""
    start = declared.part("bulk").start
    rows: list[Row] = []
    ends: list[Row] = []
    for run in runs:
        rows.append(
            {
                "run": run.index,
                **dict(zip(schema.MEASURES, start.config(run.header), strict=True)),
                "variant": run.header.get("variant"),
                "whole": run.whole,
                "module": run.module,
                "totalled": run.totalled,
            }
        )
        ends += [dict(zip(_END, end, strict=True)) for end in run.ends()]
    create(connection, "given_runs", _RUN)
    insert(connection, "given_runs", _RUN, rows)
    create(connection, "ends", {name: _END[name] for name in ENDS.columns})
    insert(connection, "ends", _END, ends)
    start_condition = on_duckdb.expression(start.named())
    columns = ", ".join(f'"{name}"' for name in RUNS.columns)
    connection.execute(
        f"CREATE OR REPLACE TABLE runs AS SELECT {columns} FROM (SELECT given_runs.*, "
        "coalesce(seen.kinds, []) AS kinds, coalesce(seen.ran, FALSE) AS ran FROM given_runs "
        "LEFT JOIN (SELECT run, list_sort(list(DISTINCT k) FILTER (WHERE lc > 0)) AS kinds, "
        f"bool_or(lc > 0 AND coalesce({start_condition}, FALSE)) AS ran FROM events AS given "
        "GROUP BY run) AS seen USING (run))"
    )


def create(
    connection: duckdb.DuckDBPyConnection, name: str, types: Mapping[str, object], kind: str = ""
) -> None:
    """Make an empty table with columns of these types, or TEMP one."""
    empty = _selection("'[]'", types)
    connection.execute(f"CREATE OR REPLACE {kind} TABLE {name} AS {empty}")


def insert(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    types: Mapping[str, object],
    rows: Iterable[Row],
) -> None:
    """Put rows into a table that :func:`create` made of the same types."""
    connection.execute(f"INSERT INTO {name} {_selection('$1', types)}", [json.dumps(list(rows))])


def _selection(text: str, types: Mapping[str, object]) -> str:
    """Rows out of a text of JSON, which is a parameter or a literal of SQL."""
    columns = ", ".join(f'one."{name}" AS "{name}"' for name in types)
    return (
        f"SELECT {columns} FROM (SELECT unnest(from_json({text}, '{json.dumps([types])}')) AS one)"
    )


@contextmanager
def opened(scratch: Path | None = None) -> Iterator[Tables]:
    """Empty tables, in memory as far as they fit there. ``scratch``: where the rest goes.

    Raises ToolError where memory or the disk does not suffice.
    """
    with connected(scratch, ":memory:") as connection:
        yield Tables(connection)


@contextmanager
def connected(scratch: Path | None, file: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a file of DuckDB. ``scratch`` and exceptions: as of :func:`opened`."""
    try:
        with temporary.folder("duckdb", scratch) as folder:
            config: dict[str, str | bool | int | float | list[str]] = {
                "temp_directory": str(folder / "spilled"),
                "memory_limit": f"{_memory() >> 20}MiB",
                "preserve_insertion_order": False,
                "autoinstall_known_extensions": False,
                "threads": 1,
            }
            with duckdb.connect(file, config=config) as connection:
                connection.execute("SET enable_progress_bar = false")
                yield connection
    except duckdb.OutOfMemoryException as error:
        raise ToolError(
            f"The check needs more memory than it may take ({_memory() >> 20:,} MiB), or more of "
            "the disk for scratch than there is.",
            "Free memory or room on the disk, name another one with TMPDIR, or check the "
            "recordings with --engine spark.",
        ) from error
    except OSError as error:
        raise ToolError(
            f"No folder for scratch can be made ({error.strerror}).",
            "Name a folder on a disk with room with TMPDIR.",
        ) from error


def _memory() -> int:
    """Bytes that DuckDB may take: half of the memory that the process may have."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = resource.getpagesize() * os.sysconf("SC_PHYS_PAGES")
    return (pages if limit == resource.RLIM_INFINITY else min(limit, pages)) // 2
