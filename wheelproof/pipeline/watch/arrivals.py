"""The lines of a micro-batch, put into the tables of a ledger: recordings, headers and footers,
lines that are no events, and events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof.pipeline import database
from wheelproof.trace.format import jsonl, schema
from wheelproof.trace.format.parts import TraceError, footer_of, header_of

if TYPE_CHECKING:
    import duckdb
    import pyarrow

_TABLES = """
CREATE TABLE batches (number BIGINT);
CREATE TABLE recordings (run INTEGER, path VARCHAR, header VARCHAR, footer VARCHAR,
    problems VARCHAR[], lines BIGINT, judged BOOLEAN, ended BOOLEAN);
CREATE TABLE kinds (run INTEGER, k VARCHAR, times BIGINT);
CREATE TABLE sources (run INTEGER, src INTEGER, times BIGINT);
CREATE TABLE quarantine (run INTEGER, "row" BIGINT, reason VARCHAR, "text" VARCHAR);
CREATE TABLE unsettled (run INTEGER, family VARCHAR);
CREATE TABLE violations (run INTEGER, family VARCHAR, line BIGINT, row JSON);
"""
_COLUMNS = ", ".join(f'"{name}"' for name in schema.NAMES)


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of a ledger."""
    connection.execute(_TABLES)
    database.create(connection, "events_kept", database.EVENT)


def take(connection: duckdb.DuckDBPyConnection, lines: pyarrow.Table) -> tuple[set[int], set[int]]:
    """Take the lines that ``staging.judged`` made, with the events as ``fresh``; the runs that are
    new, and those of the others of which a kind came that they did not have."""
    connection.register("given", lines)
    try:
        problems = _again(connection)
        new = _recordings(connection)
        _heads(connection, new)
        for path, text in problems:
            for run in _column(connection, "SELECT run FROM recordings WHERE path = $1", [path]):
                _problem(connection, run, text)
        grown = _events(connection) - new
        connection.execute("DROP VIEW arriving")
        return new, grown
    finally:
        connection.unregister("given")


_COUNTED = """
SELECT address, coalesce(any_value(lines), 0) AS had,
    greatest(max("row"), coalesce(any_value(lines), 0)) AS top,
    count(DISTINCT "row") FILTER ("row" > coalesce(lines, 0)) AS fresh,
    count(DISTINCT "row") < count(*) OR min("row") <= coalesce(any_value(lines), 0) AS repeated
FROM given LEFT JOIN recordings ON path = address GROUP BY address
"""
_OTHERS = """
SELECT address FROM given JOIN recordings ON path = address
LEFT JOIN events_kept AS kept ON kept.run = recordings.run AND kept.line = "row"
WHERE "row" <= lines AND (
    mark = 'header' AND header <> "text" OR mark = 'footer' AND footer <> "text"
    OR given.tid <> kept.tid OR given.tseq <> kept.tseq OR given.k <> kept.k
)
UNION
SELECT address FROM given GROUP BY address, "row" HAVING count(DISTINCT "text") > 1
"""


def _again(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Make ``arriving`` of the lines without those that have come before, such as from a
    publisher that was killed; recordings, and the problems of their lines' numbers."""
    rows = connection.execute(_COUNTED).fetchall()
    problems = [
        (path, f"of the lines {had + 1:,} to {top:,} only {fresh:,} have come")
        for path, had, top, fresh, _ in rows
        if fresh < top - had
    ]
    table = "given"
    if any(is_repeat for *_, is_repeat in rows):
        foreign = connection.execute(_OTHERS).fetchall()
        problems += [(path, "lines of another recording have its name") for (path,) in foreign]
        table = "alone"
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT given.* FROM given "
            'LEFT JOIN recordings ON path = address WHERE lines IS NULL OR "row" > lines '
            'QUALIFY row_number() OVER (PARTITION BY address, "row") = 1'
        )
    connection.execute(f"CREATE OR REPLACE TEMP VIEW arriving AS SELECT * FROM {table}")
    return problems


def keep(connection: duckdb.DuckDBPyConnection, first: Iterable[Mapping[str, object]]) -> None:
    """Keep the fresh events until their runs end. ``first``: those that headers make."""
    database.create(connection, "initial", database.EVENT, "TEMP")
    database.insert(connection, "initial", database.EVENT, first)
    connection.execute("INSERT INTO fresh BY NAME SELECT * FROM initial")
    connection.execute("INSERT INTO events_kept BY NAME SELECT * FROM fresh")


def compact(connection: duckdb.DuckDBPyConnection, table: str, columns: str) -> None:
    """Sum up the rows of a table that are alike."""
    connection.execute(
        f"CREATE OR REPLACE TABLE {table} AS SELECT {columns} FROM {table} GROUP BY ALL"
    )


def _column(
    connection: duckdb.DuckDBPyConnection, query: str, values: Sequence[object] = ()
) -> set[int]:
    return {value for (value,) in connection.execute(query, list(values)).fetchall()}


def _recordings(connection: duckdb.DuckDBPyConnection) -> set[int]:
    """Note the files of the lines; the runs that are new."""
    before = _column(connection, "SELECT run FROM recordings")
    connection.execute(
        "INSERT INTO recordings SELECT (SELECT count(*) FROM recordings) + "
        "row_number() OVER (ORDER BY address) - 1, address, NULL, NULL, [], 0, FALSE, FALSE "
        "FROM (SELECT DISTINCT address FROM arriving) "
        "WHERE address NOT IN (SELECT path FROM recordings)"
    )
    connection.execute(
        "UPDATE recordings SET lines = greatest(lines, top), problems = CASE WHEN ended AND "
        "len(problems) = 0 THEN ['lines follow the footer'] ELSE problems END FROM (SELECT "
        'address, max("row") AS top FROM arriving GROUP BY address) WHERE address = path'
    )
    return _column(connection, "SELECT run FROM recordings") - before


def _heads(connection: duckdb.DuckDBPyConnection, new: set[int]) -> None:
    """Note headers, footers and lines that are no events."""
    rows = connection.execute(
        'SELECT run, path, mark, "row", "text", recordings.footer IS NOT NULL FROM arriving '
        'JOIN recordings ON path = address WHERE mark IS NOT NULL ORDER BY run, "row"'
    ).fetchall()
    with_header, with_footer = set(), set()
    for run, path, mark, line, text, there in rows:
        if mark == "header" and line == 1:
            with_header.add(run)
            _head(connection, run, "header", path, text)
        elif mark == "footer" and not there and run not in with_footer:
            with_footer.add(run)
            _head(connection, run, "footer", path, text)
        else:
            _problem(connection, run, f"line {line} is a second {mark}")
    for run in sorted(new - with_header):
        _problem(connection, run, "there is no header")
    connection.execute(
        'INSERT INTO quarantine SELECT run, "row", reason, left("text", 200) FROM arriving '
        "JOIN recordings ON path = address WHERE mark IS NULL AND reason IS NOT NULL"
    )


def _head(connection: duckdb.DuckDBPyConnection, run: int, part: str, path: str, text: str) -> None:
    try:
        value = jsonl.object_of(text.encode("utf-8", "surrogatepass"), Path(path), 1)
        if part == "header":
            header_of(value, Path(path), 1)
        else:
            footer_of(value["footer"], Path(path), 1)
    except TraceError as error:
        _problem(connection, run, f"its {part} cannot be read: {error.fault}")
        return
    connection.execute(f"UPDATE recordings SET {part} = $1 WHERE run = $2", [text, run])


def _problem(connection: duckdb.DuckDBPyConnection, run: int, text: str) -> None:
    connection.execute(
        "UPDATE recordings SET problems = list_append(problems, $1) WHERE run = $2", [text, run]
    )


def _events(connection: duckdb.DuckDBPyConnection) -> set[int]:
    """Make ``fresh`` of the events; the runs of which a kind came that they did not have."""
    connection.execute(
        f'CREATE OR REPLACE TEMP TABLE fresh AS SELECT run, {_COLUMNS}, "row" AS line '
        "FROM arriving JOIN recordings ON path = address "
        "WHERE mark IS NULL AND reason IS NULL AND NOT ended"
    )
    grown = _column(
        connection,
        "SELECT DISTINCT run FROM fresh WHERE (run, k) NOT IN (SELECT (run, k) FROM kinds)",
    )
    for table, column in (("kinds", "k"), ("sources", "src")):
        connection.execute(
            f"INSERT INTO {table} SELECT run, {column}, count(*) FROM fresh "
            f"WHERE {column} IS NOT NULL GROUP BY ALL"
        )
        compact(connection, table, f"run, {column}, sum(times)::BIGINT AS times")
    return grown
