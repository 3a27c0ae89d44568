"""What three engines name in the same traces, and where they disagree."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import checked
import pytest

from traces.bulk import FAMILIES, RULES
from wheelproof.pipeline import validate
from wheelproof.pipeline.rule import Family

Known = dict[str, checked.Trace]
"""Run -> header, events, footer."""


def of_run(report: validate.Report, run: str) -> Counter:
    """(rule, what) of one run's violations, as :func:`checked.place` has them."""
    return Counter(checked.place(row) for row in report.violations if row["run_id"] == run)


def by_duckdb(files: list[Path]) -> tuple[dict[str, Counter], dict[str, int]]:
    """By all rules' own expressions on DuckDB: the violations of each run as :func:`of_run` writes
    them, and how often each rule applied."""
    pytest.importorskip(
        "sqlframe", reason="the extra `data-test` is not installed: make setup-data"
    )
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "duck_rules.py"), *map(str, files)],
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert not done.returncode, done.stderr[-3000:]
    printed = json.loads(done.stdout)
    assert printed["applied"].keys() == RULES.keys()
    out: dict[str, Counter] = {name: Counter() for name in printed["runs"]}
    for run, rule, tid, tseq, lc, op, token in printed["violations"]:
        what = (
            None
            if rule in checked.ABOUT_OBJECTS
            else (tid, tseq, lc)
            if tid is not None
            else op
            if op is not None
            else token
        )
        out[run][rule, what] += 1
    return out, printed["applied"]


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
