"""The ledger of a watch: one file of DuckDB that takes each micro-batch in one transaction.

It has the events of runs that go on, the carries of keys, counts and
violations. A process that is killed leaves the ledger as after its last whole micro-batch, and
Spark gives the same lines of the next one again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from wheelproof.errors import ToolError
from wheelproof.pipeline import answers, database, on_duckdb
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.document import Quarantined
from wheelproof.pipeline.frames import EVENTS, Frame
from wheelproof.pipeline.rule import BROKEN, Family
from wheelproof.pipeline.runs import Run
from wheelproof.pipeline.watch import arrivals, moments
from wheelproof.pipeline.watch.carried import LATE, Carried, carried
from wheelproof.pipeline.watch.moments import Moment
from wheelproof.trace import declared
from wheelproof.trace.format.parts import footer_of, header_of

if TYPE_CHECKING:
    import pyarrow

SHOWN = 1000
"""Lines in quarantine that are listed; all are counted."""

Row = dict[str, object]

_THESE = "(SELECT unnest($1::INTEGER[]))"


class Watched:
    """A family, and how it is judged while events come."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.carried: Carried | None = carried(family)
        at = moments.moments(family)
        self.rules = {rule.name for rule in family.rules}
        self.by_kinds = Moment.KINDS in at.values()
        self.at_end = Moment.END in at.values() or moments.asks_ends(family.rows)

    @property
    def counted(self) -> str:
        """The table of its rows by run, outcome and groups."""
        return f"counted_{self.family.name}"


class Ledger:
    """The state of a watch, in the file of a connection."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, families: Iterable[Family] | None = None
    ) -> None:
        self.connection = connection
        selection = declared.part("bulk").FAMILIES if families is None else families
        self._there: set[str] = set()
        self._posed: list[list[int]] = []
        self.families = [Watched(family) for family in selection]
        if not self.has("batches"):
            with self.transaction():
                arrivals.create(connection)

    def has(self, name: str) -> bool:
        """Whether there is a table of this name."""
        if name not in self._there:
            rows = self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
            self._there = {table for (table,) in rows}
        return name in self._there

    @contextmanager
    def transaction(self, keep: bool = True) -> Iterator[None]:
        """All of the block or nothing of it; nothing unless ``keep``."""
        self.connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._there = set()
            self.connection.execute("ROLLBACK")
            raise
        if not keep:
            self._there = set()
        self.connection.execute("COMMIT" if keep else "ROLLBACK")

    @property
    def batch(self) -> int:
        """The number of the last micro-batch that is here; -1 before the first."""
        row = self.connection.execute("SELECT max(number) FROM batches").fetchone()
        return -1 if row is None or row[0] is None else int(row[0])

    def take(self, number: int, lines: pyarrow.Table) -> None:
        """Judge a micro-batch, inside a transaction. ``lines``: as ``staging.judged`` has them."""
        self.connection.execute("DELETE FROM batches")
        self.connection.execute("INSERT INTO batches VALUES ($1)", [number])
        new, grown = arrivals.take(self.connection, lines)
        first = [event for run in self.runs(new) for event in _initial(run)]
        arrivals.keep(self.connection, first)
        self._judge_arrived(new, grown)
        self.settle(self._rows("SELECT run FROM recordings WHERE footer IS NOT NULL AND NOT ended"))

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[int]:
        return [row[0] for row in self.connection.execute(query, list(values)).fetchall()]

    # -- runs

    def runs(self, indices: Collection[int] | None = None) -> list[Run]:
        """The runs by their paths, without the problems that the ends of their files show."""
        rows = self.connection.execute(
            "SELECT run, path, header, footer, problems FROM recordings ORDER BY path"
        ).fetchall()
        runs: list[Run] = []
        for index, path, header, footer, problems in rows:
            if indices is not None and index not in indices:
                continue
            run = Run(index, path, [], problems=list(problems))
            if header is not None:
                run.header = header_of(json.loads(header), Path(path), 1)
            if footer is not None:
                run.footer = footer_of(json.loads(footer)["footer"], Path(path), 1)
            runs.append(run)
        return runs

    def ended(self, run: int) -> bool:
        """Whether a run has been settled."""
        return bool(self._rows("SELECT run FROM recordings WHERE run = $1 AND ended", [run]))

    def lines(self) -> dict[str, int]:
        """Of each file, how many lines were taken."""
        return dict(self.connection.execute("SELECT path, lines FROM recordings").fetchall())

    def sizes(self) -> tuple[int, int]:
        """How many events and keys there are of runs that go on."""
        counts = [
            self._rows(f"SELECT count(*) FROM {table}")[0]
            for table in ("events_kept", *self._carries())
        ]
        return counts[0], sum(counts[1:])

    def going_on(self) -> list[int]:
        """The runs that have not been settled."""
        return self._rows("SELECT run FROM recordings WHERE NOT ended ORDER BY run")

    def offsets(self) -> list[str]:
        """Up to which line each run that goes on was judged, and how many have ended."""
        rows = self.connection.execute(
            "SELECT path, lines FROM recordings WHERE NOT ended ORDER BY path"
        ).fetchall()
        whole = self._rows("SELECT count(*) FROM recordings WHERE ended")[0]
        return [f"{whole:,} runs to their ends", *[f"{path} to line {at:,}" for path, at in rows]]

    def quarantine(self) -> tuple[int, list[Quarantined]]:
        """How many lines are no events, and the first of them."""
        rows = self.connection.execute(
            'SELECT path, "row", reason, "text" FROM quarantine JOIN recordings USING (run) '
            f'ORDER BY path, "row" LIMIT {SHOWN}'
        ).fetchall()
        listing = [
            Quarantined(file=path, row=row, reason=reason, text=text)
            for path, row, reason, text in rows
        ]
        return self._rows("SELECT count(*) FROM quarantine")[0], listing

    def note_problems(self, runs: Iterable[Run]) -> None:
        """Add the problems that footers and quarantine show of runs that have ended."""
        bad = {*self._rows("SELECT DISTINCT run FROM quarantine")}
        for run in runs:
            run.problems += [f"lines of {run.name} are in quarantine"] * (run.index in bad)
            run.note_problems()

    def _ask_of(self, table: str, runs: list[Run]) -> None:
        """Make ``events``, ``runs`` and ``ends`` those of some runs, of events in a table."""
        columns = ", ".join(f'"{name}"' for name in EVENTS.columns)
        self.connection.execute("CREATE OR REPLACE TEMP TABLE chosen_runs (run INTEGER)")
        self.connection.execute(
            "INSERT INTO chosen_runs SELECT unnest($1::INTEGER[])", [[run.index for run in runs]]
        )
        self.connection.execute(
            f"CREATE OR REPLACE TEMP VIEW events AS SELECT {columns} FROM {table} "
            "WHERE run IN (SELECT run FROM chosen_runs)"
        )
        database.complete(self.connection, runs)
        self.connection.execute(
            "UPDATE runs SET kinds = seen.kinds FROM (SELECT run, list_sort(list(k)) AS kinds "
            "FROM kinds GROUP BY run) AS seen WHERE seen.run = runs.run"
        )

    # -- rules

    def _judge_arrived(self, new: set[int], grown: set[int]) -> None:
        """Judge the fresh events of runs that go on, or have events from before."""
        ended_runs = {*self._rows("SELECT run FROM recordings WHERE footer IS NOT NULL")}
        runs = [
            run
            for run in self.runs({*self._rows("SELECT DISTINCT run FROM fresh")})
            if run.index not in ended_runs & new
        ]
        for run in runs:
            run.footer = None
        if not runs:
            return
        self._ask_of("fresh", runs)
        self.connection.execute(
            "UPDATE recordings SET judged = TRUE WHERE run IN (SELECT run FROM chosen_runs)"
        )
        old = [run.index for run in runs if run.index not in new]
        self.connection.execute(f"DELETE FROM ends WHERE run IN {_THESE}", [old])
        for family_watch in self.families:
            if family_watch.carried is None:
                continue
            self._carry(family_watch.carried)
            late = self._select(
                family_watch.carried.rows.where(F.col(LATE)).select("run"), "SELECT DISTINCT run"
            )
            late |= grown if family_watch.by_kinds else set()
            for index in sorted(late):
                self._unsettle(index, family_watch.family.name)
            self._answer(family_watch, family_watch.carried.family)
            for carry in family_watch.carried.carries:
                self.connection.execute(
                    f"CREATE OR REPLACE TABLE {carry.table} AS SELECT * FROM {carry.table}_after"
                )

    def _carry(self, carried_family: Carried) -> None:
        """Make the carries after the micro-batch, in tables of their own."""
        for carry in carried_family.carries:
            if not self.has(carry.table):
                tables, last = on_duckdb.frame(carry.empty)
                names = ", ".join(f'"{name}"' for name in carry.after.columns)
                self.connection.execute(
                    f"CREATE TABLE {carry.table} AS WITH {tables} SELECT {names} FROM {last} "
                    "LIMIT 0"
                )
            for table, frame in (
                (carry.rows, carry.looking),
                (f"{carry.table}_after", carry.after),
            ):
                tables, last = on_duckdb.frame(frame)
                self.connection.execute(
                    f"CREATE OR REPLACE TEMP TABLE {table} AS WITH {tables} SELECT * FROM {last}"
                )

    def _select(self, frame: Frame, query: str) -> set[int]:
        tables, last = on_duckdb.frame(frame)
        return {*self._rows(f"WITH {tables} {query} FROM {last}")}

    def _unsettle(self, run: int, family: str) -> None:
        self.connection.execute("INSERT INTO unsettled VALUES ($1, $2)", [run, family])

    def _answer(self, family_watch: Watched, family: Family) -> None:
        """Add the counts and violations of a family to those that are there."""
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE answered AS {answers.counted(family)}"
        )
        if not self.has(family_watch.counted):
            self.connection.execute(
                f"CREATE TABLE {family_watch.counted} AS SELECT * FROM answered LIMIT 0"
            )
        self.connection.execute(f"INSERT INTO {family_watch.counted} SELECT * FROM answered")
        groups = "".join(f'"{name}", ' for name in family.grouped)
        arrivals.compact(
            self.connection,
            family_watch.counted,
            f"run, outcome, {groups}sum(times)::BIGINT AS times",
        )
        became = self._rows("SELECT DISTINCT outcome FROM answered")
        indices = [
            index
            for index in range(len(family.rules))
            if any(outcome & BROKEN << 2 * index for outcome in became)
        ]
        if indices:
            self._list(
                family_watch.family.name, answers.violations(self.connection, family, indices)
            )

    def _list(self, family: str, rows: Iterator[answers.Row]) -> None:
        self.connection.execute(
            "CREATE OR REPLACE TEMP TABLE listed (run INTEGER, tid INTEGER, tseq BIGINT, row JSON)"
        )
        values = [
            [row["run"], row.get("tid"), row.get("tseq"), json.dumps(row)] for row in list(rows)
        ]
        if values:
            self.connection.executemany("INSERT INTO listed VALUES ($1, $2, $3, $4)", values)
        self.connection.execute(
            "INSERT INTO violations SELECT run, $1, (SELECT min(line) FROM events_kept AS kept "
            "WHERE kept.run = listed.run AND kept.tid = listed.tid AND kept.tseq = listed.tseq), "
            "row FROM listed",
            [family],
        )

    def settle(self, indices: Collection[int]) -> None:
        """Judge runs that have ended by the rules that could not be judged before, and let their
        events go."""
        if not indices:
            return
        runs = self.runs(indices)
        self.note_problems(runs)
        self._posed = [[-1]]
        for family_watch in self.families:
            self._settle(family_watch, runs)
        parameters = [[*indices]]
        for table in ("events_kept", "unsettled", *self._carries()):
            self.connection.execute(f"DELETE FROM {table} WHERE run IN {_THESE}", parameters)
        self.connection.execute(
            f"UPDATE recordings SET ended = TRUE WHERE run IN {_THESE}", parameters
        )

    def _carries(self) -> list[str]:
        """The tables of carries that are there."""
        names = [
            carry.table
            for family_watch in self.families
            if family_watch.carried is not None
            for carry in family_watch.carried.carries
        ]
        return [name for name in names if self.has(name)]

    def _settle(self, family_watch: Watched, runs: list[Run]) -> None:
        """Judge a family once more, in runs of which some events could not be judged as they came:
        the result replaces their earlier one."""
        name = family_watch.family.name
        settled_runs = {
            *self._rows(
                "SELECT run FROM recordings WHERE judged EXCEPT "
                "SELECT run FROM unsettled WHERE family = $1",
                [name],
            )
        }
        if family_watch.carried is None or family_watch.at_end:
            settled_runs = set()
        open_runs = [run for run in runs if run.index not in settled_runs]
        if not open_runs:
            return
        indices = [[run.index for run in open_runs]]
        if self.has(family_watch.counted):
            self.connection.execute(
                f"DELETE FROM {family_watch.counted} WHERE run IN {_THESE}", indices
            )
        self.connection.execute(
            f"DELETE FROM violations WHERE run IN {_THESE} AND family = $2", [*indices, name]
        )
        if indices != self._posed:
            self._ask_of("events_kept", open_runs)
            self._posed = indices
        self._answer(family_watch, family_watch.family)


@contextmanager
def opened(file: Path) -> Iterator[Ledger]:
    """The ledger in a file, which is made where it is absent. Raises ToolError where memory or the
    disk does not suffice, and where another process has the file."""
    try:
        with database.connected(file.parent, str(file)) as connection:
            yield Ledger(connection)
    except duckdb.IOException as error:
        raise ToolError(
            f"{file} cannot be opened or written ({str(error).splitlines()[0]}).",
            "End the other watch of this --output, or free room on its disk.",
        ) from error


def _initial(run: Run) -> Iterator[Row]:
    """The objects that were there before the first event of a run, as events."""
    for event in run.initial():
        yield {**event, "run": run.index}
