"""The report of a watch, made from its ledger: at any time the same for the same micro-batches."""

from __future__ import annotations

import json
from collections import Counter

from wheelproof.pipeline import actions, on_duckdb
from wheelproof.pipeline import report as reports
from wheelproof.pipeline.document import Violation
from wheelproof.pipeline.report import CONFORMS, KEPT, Report
from wheelproof.pipeline.rule import APPLIES, BROKEN
from wheelproof.pipeline.runs import Run
from wheelproof.pipeline.watch.ledger import Ledger
from wheelproof.trace.format import schema

OPEN = "open"
"""The verdict on a run that goes on, and has broken no rule so far."""


def report(ledger: Ledger, labels: actions.Table) -> Report:
    """The report of all runs. ``labels``: the actions of the specifications."""
    connection, runs = ledger.connection, ledger.runs()
    ended = {run.index for run in runs if ledger.ended(run.index)}
    ledger.note_problems([run for run in runs if run.index in ended])
    kinds = connection.execute("SELECT run, k, times FROM kinds").fetchall()
    counts = Counter({(run, kind): times for run, kind, times in kinds})
    result = Report(events=counts.total())
    applied: Counter[str] = Counter()
    broken: Counter[tuple[int, str]] = Counter()
    measured: dict[str, int] = {}
    for watched in ledger.families:
        family = watched.family
        applied.update(dict.fromkeys(watched.rules, 0))
        if not ledger.has(watched.counted):
            measured |= dict.fromkeys(family.measures, 0)
            continue
        rows = connection.execute(
            f"SELECT run, outcome, sum(times)::BIGINT FROM {watched.counted} GROUP BY ALL"
        )
        for run, became, times in rows.fetchall():
            for index, rule in enumerate(family.rules):
                applied[rule.name] += times * bool(became & APPLIES << 2 * index)
                if became & BROKEN << 2 * index:
                    broken[run, rule.name] += times
        if family.measures:
            columns = [column.alias(name) for name, column in family.measures.items()]
            (values,) = connection.execute(
                f"SELECT {on_duckdb.select(*columns)} FROM {watched.counted} AS given"
            ).fetchall()
            measured |= dict(zip(family.measures, values, strict=True))
    measured |= applied
    families = [watched.family for watched in ledger.families]
    lost = reports.judge(result, runs, families, broken, measured, counts)
    result.violations = _violations(ledger, runs, lost)
    for run, row in zip(runs, result.runs, strict=True):
        if run.index not in ended and row["verdict"] == CONFORMS:
            row["verdict"] = OPEN
    reports.cover(result, counts, measured)
    places = connection.execute("SELECT run, src, times FROM sources").fetchall()
    sources = {(run, src): times for run, src, times in places}
    labelled = actions.counted(sources, {run.index: run.header for run in runs})
    result.coverage["actions"] = actions.summary(labelled, labels)
    result.quarantined, result.quarantine = ledger.quarantine()
    return result


def _violations(ledger: Ledger, runs: list[Run], lost: set[int]) -> list[Violation]:
    """The first violations in the order of the report."""
    by_index = {run.index: run for run in runs}
    ranks = {run.index: rank for rank, run in enumerate(runs)}
    rows = [
        (json.loads(row), line)
        for row, line in ledger.connection.execute("SELECT row, line FROM violations").fetchall()
    ]
    rows.sort(
        key=lambda pair: [
            (value is None, value)
            for value in (
                ranks[pair[0]["run"]],
                *[pair[0].get(name) for name in reports.ORDER[1:]],
            )
        ]
    )
    listed: list[Violation] = []
    for row, line in rows[:KEPT]:
        run = by_index[row["run"]]
        place = None if line is None else (run.name, line)
        listed.append(reports.violation(row, run, place, lost))
    return listed


def ids(violations: list[Violation]) -> list[str]:
    """The id of each violation: run, rule, object and event, and which of several that agree in
    all of these."""
    repeated: Counter[str] = Counter()
    result: list[str] = []
    for violation in violations:
        columns: dict[str, object] = {**violation}
        objects = [
            f"{name}:{columns[name]}" for name in (*schema.OBJECTS, "token") if name in columns
        ]
        event = f"{columns['tid']}.{columns['tseq']}" if "tseq" in columns else "-"
        name = "/".join((violation["run_id"], violation["rule"], ",".join(objects) or "-", event))
        repeated[name] += 1
        result.append(name if repeated[name] == 1 else f"{name}/{repeated[name]}")
    return result
