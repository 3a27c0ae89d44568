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
    ended_runs = {run.index for run in runs if ledger.ended(run.index)}
    ledger.note_problems([run for run in runs if run.index in ended_runs])
    kinds = connection.execute("SELECT run, k, times FROM kinds").fetchall()
    counts = Counter({(run, kind): times for run, kind, times in kinds})
    result = Report(events=counts.total())
    applications: Counter[str] = Counter()
    breaches: Counter[tuple[int, str]] = Counter()
    measures: dict[str, int] = {}
    for family_watch in ledger.families:
        family = family_watch.family
        applications.update(dict.fromkeys(family_watch.rules, 0))
        if not ledger.has(family_watch.counted):
            measures |= dict.fromkeys(family.measures, 0)
            continue
        rows = connection.execute(
            f"SELECT run, outcome, sum(times)::BIGINT FROM {family_watch.counted} GROUP BY ALL"
        )
        for run, became, times in rows.fetchall():
            for index, rule in enumerate(family.rules):
                applications[rule.name] += times * bool(became & APPLIES << 2 * index)
                if became & BROKEN << 2 * index:
                    breaches[run, rule.name] += times
        if family.measures:
            columns = [column.alias(name) for name, column in family.measures.items()]
            (values,) = connection.execute(
                f"SELECT {on_duckdb.select(*columns)} FROM {family_watch.counted} AS given"
            ).fetchall()
            measures |= dict(zip(family.measures, values, strict=True))
    measures |= applications
    families = [family_watch.family for family_watch in ledger.families]
    lost_runs = reports.judge(result, runs, families, breaches, measures, counts)
    result.violations = _violations(ledger, runs, lost_runs)
    for run, row in zip(runs, result.runs, strict=True):
        if run.index not in ended_runs and row["verdict"] == CONFORMS:
            row["verdict"] = OPEN
    reports.cover(result, counts, measures)
    places = connection.execute("SELECT run, src, times FROM sources").fetchall()
    sources = {(run, src): times for run, src, times in places}
    action_counts = actions.counted(sources, {run.index: run.header for run in runs})
    result.coverage["actions"] = actions.summary(action_counts, labels)
    result.quarantined, result.quarantine = ledger.quarantine()
    return result


def _violations(ledger: Ledger, runs: list[Run], lost_runs: set[int]) -> list[Violation]:
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
    listing: list[Violation] = []
    for row, line in rows[:KEPT]:
        run = by_index[row["run"]]
        place = None if line is None else (run.name, line)
        listing.append(reports.violation(row, run, place, lost_runs))
    return listing


def ids(violations: list[Violation]) -> list[str]:
    """The id of each violation: run, rule, object and event, and which of several that agree in
    all of these."""
    repeats: Counter[str] = Counter()
    result: list[str] = []
    for violation in violations:
        columns: dict[str, object] = {**violation}
        objects = [
            f"{name}:{columns[name]}" for name in (*schema.OBJECTS, "token") if name in columns
        ]
        event = f"{columns['tid']}.{columns['tseq']}" if "tseq" in columns else "-"
        name = "/".join((violation["run_id"], violation["rule"], ",".join(objects) or "-", event))
        repeats[name] += 1
        result.append(name if repeats[name] == 1 else f"{name}/{repeats[name]}")
    return result
