"""Traces in Parquet as the tables that the rules read on DuckDB: the yardstick of the benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wheelproof.pipeline import database, runs
from wheelproof.pipeline.runs import Run


def load(connection: Any, paths: Iterable[Path]) -> list[Run]:
    """Make the tables; each query reads the files.

    Raises as :func:`wheelproof.pipeline.runs.find` and ``gather`` do.
    """
    gathered_runs = runs.gather(runs.find(paths), {})
    parts = [
        f"SELECT {run.index} AS run, * FROM read_parquet({[str(file.path) for file in run.files]})"
        for run in gathered_runs
    ]
    tables = database.Tables(connection)
    tables.complete(gathered_runs)
    parts.append("SELECT * FROM given_events")
    connection.execute(f"CREATE OR REPLACE VIEW events AS {' UNION ALL BY NAME '.join(parts)}")
    database.complete(connection, gathered_runs)
    return gathered_runs
