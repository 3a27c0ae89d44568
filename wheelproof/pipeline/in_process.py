"""Checks traces by the table of rules in this process, on DuckDB, without Spark and Java."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof.errors import UsageError
from wheelproof.pipeline import actions, answers, database, needs, runs
from wheelproof.pipeline import report as reports
from wheelproof.pipeline.answers import Answers
from wheelproof.pipeline.database import Tables
from wheelproof.pipeline.report import Report
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.runs import File, Run
from wheelproof.trace import declared
from wheelproof.trace.format.parts import CutOff
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.replay import digest_differs, reader_of


@dataclass
class _Read:
    """The runs whose events are in the tables, and counts of these."""

    runs: list[Run] = field(default_factory=list)
    counts: Counter[tuple[int, str]] = field(default_factory=Counter)
    """(run, kind) -> events."""
    sources: Counter[tuple[int, int]] = field(default_factory=Counter)
    """(run, ``src``) -> events."""

    def take(self, file: File, tables: Tables) -> None:
        """Read a file into the tables. Raises TraceError and UsageError."""
        if file.parts_of is not None:
            raise UsageError(
                f"{file.parts_of} has the parts of one run.", "Check it with --engine spark."
            )
        reader = reader_of(file.path)
        tally, cut = Tally(reader.header), ""
        try:
            for line, event in reader:
                tables.add(file.index, line, event)
                tally.count(event, reader.raw)
                self.counts[file.index, event["k"]] += 1
                if "src" in event:
                    self.sources[file.index, event["src"]] += 1
        except CutOff as error:  # then there is no footer either
            cut = error.message
        run = Run(file.index, str(file.path), [file], reader.header, reader.footer)
        run.problems += [cut] * bool(cut)
        if digest_differs(reader, tally):
            run.problems.append("the footer's sha256 is that of another header or of other events")
        self.runs.append(run)


def check(
    paths: Iterable[Path],
    labels: Mapping[str, frozenset[str]] = {},
    families: Iterable[Family] | None = None,
) -> Report:
    """Check traces in files and folders, as ``validate.check`` does on Spark.

    ``labels``: the actions of the specifications. Raises as ``runs.find`` does, TraceError where a
    line is no event, UsageError for a run in parts, and ToolError where memory does not suffice.
    """
    selection = declared.part("bulk").FAMILIES if families is None else tuple(families)
    read = _Read()
    with database.opened() as tables:
        for file in runs.find(paths):
            read.take(file, tables)
        runs.check(read.runs)
        tables.complete(read.runs)
        outcome = answers.ask(tables.connection, selection)
        report = Report(events=read.counts.total())
        measures = {**outcome.measured, **outcome.by_rule()}
        lost_runs = reports.judge(
            report, read.runs, selection, outcome.broken, measures, read.counts
        )
        _list(report, read.runs, outcome, tables, lost_runs)
        vacuous, kinds = reports.vacuous(report), reports.by_kind(read.counts)
        fill_counts = tables.filled(needs.columns_of(vacuous))
        for name, lacks in needs.lacking(vacuous, kinds, fill_counts).items():
            report.rules[name]["missing"] = lacks
    reports.cover(report, read.counts, outcome.measured)
    counts = actions.counted(read.sources, {run.index: run.header for run in read.runs})
    report.coverage["actions"] = actions.summary(counts, labels)
    return report


def _list(
    report: Report, check_runs: list[Run], outcome: Answers, tables: Tables, lost_runs: set[int]
) -> None:
    """Put the violations into the report, with their places."""
    lines = tables.lines(outcome.violations)
    for row, line in zip(outcome.violations, lines, strict=True):
        run = check_runs[int(str(row["run"]))]
        place = None if line is None else (run.name, line)
        report.violations.append(reports.violation(row, run, place, lost_runs))
