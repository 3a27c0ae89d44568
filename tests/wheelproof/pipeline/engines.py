"""The violations that both engines name in the same traces, and where they disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import checked
import duckdb

from benchmarks import duck
from traces.bulk import FAMILIES
from wheelproof.pipeline import validate
from wheelproof.pipeline.answers import Answers, ask
from wheelproof.pipeline.rule import Family


def of_run(report: validate.Report, run: str) -> Counter:
    """(rule, what) of one run's violations, as :func:`checked.place` has them."""
    return Counter(checked.place(row) for row in report.violations if row["run_id"] == run)


def by_duckdb(
    files: list[Path], families: Iterable[Family] = FAMILIES
) -> tuple[dict[str, Counter], Answers]:
    """By the rules on DuckDB: the violations of each run as :func:`of_run` writes them, and what
    the rules gave."""
    with duckdb.connect(config={"threads": 2}) as connection:
        names = [run.run_id for run in duck.load(connection, files)]
        answers = ask(connection, families, 1_000_000)
    out: dict[str, Counter] = {name: Counter() for name in names}
    for row in answers.violations:
        out[names[row["run"]]][checked.place(row)] += 1
    return out, answers


def disagreements(report: validate.Report, on_duckdb: dict[str, Counter]) -> list[str]:
    """Each (run, rule, place) that one engine names and the other does not, or not as often."""
    out = []
    for run, named in on_duckdb.items():
        by_spark = of_run(report, run)
        out += [
            f"{run} {key}: Spark {by_spark[key]}, DuckDB {named[key]}"
            for key in sorted(by_spark.keys() | named.keys(), key=str)
            if by_spark[key] != named[key]
        ]
    return out
