"""What three engines name in the same traces, and where they disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import checked
import pytest

from benchmarks import duck
from traces.bulk import FAMILIES
from wheelproof.pipeline import validate
from wheelproof.pipeline.rule import Family

Known = dict[str, checked.Trace]
"""Run -> header, events, footer."""


def of_run(report: validate.Report, run: str) -> Counter:
    """(rule, what) of one run's violations, as :func:`checked.place` has them."""
    return Counter(checked.place(row) for row in report.violations if row["run_id"] == run)


def by_duckdb(
    files: list[Path], families: Iterable[Family] = FAMILIES
) -> tuple[dict[str, Counter], duck.Answers]:
    """By the rules on DuckDB: the violations of each run as :func:`of_run` writes them, and what
    the rules gave."""
    duckdb = pytest.importorskip(
        "duckdb", reason="the extra `data-test` is not installed: make setup-data"
    )
    with duckdb.connect(config={"threads": 2}) as database:
        names = [run.run_id for run in duck.load(database, files, kept=True)]
        answers = duck.ask(database, families)
    out: dict[str, Counter] = {name: Counter() for name in names}
    for (rule, *place), count in answers.violations.items():
        run, *where = zip(duck.PLACE, place, strict=True)
        row = {"rule": rule} | {name: value for name, value in where if value is not None}
        out[names[run[1]]][checked.place(row)] += count
    return out, answers


def disagreements(
    report: validate.Report,
    duckdb: dict[str, Counter],
    known: Known,
    families: Iterable[Family] = FAMILIES,
) -> list[str]:
    """Each (run, rule, place) that one of three engines names and another does not, or not as
    often."""
    out = []
    for run, found in duckdb.items():
        head, events, footer = known[run]
        in_memory = checked.violations(head, footer, events, families)
        engines = {"Spark": of_run(report, run), "DuckDB": found, "memory": in_memory}
        for key in sorted({key for named in engines.values() for key in named}, key=str):
            counts = {engine: named[key] for engine, named in engines.items()}
            if len(set(counts.values())) > 1:
                out.append(f"{run} {key}: {counts}")
    return out
