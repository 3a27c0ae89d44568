"""The rules of the table, applied to traces in memory, without Spark and without Java."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof.errors import UsageError
from wheelproof.pipeline import actions, in_memory, needs, runs
from wheelproof.pipeline import columns as F
from wheelproof.pipeline import report as reports
from wheelproof.pipeline.report import Report
from wheelproof.pipeline.row_values import Row, Struct, truth, value
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.runs import Run
from wheelproof.pipeline.tally import TIMES
from wheelproof.trace import declared
from wheelproof.trace.format import schema
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.parts import CutOff
from wheelproof.trace.judging.replay import reader_of

_TOKEN = tuple(part.name for part in schema.TOKEN)


@dataclass
class Answers:
    """What the rules gave. ``applied``: rule -> rows; ``violations``: as ``schema.VIOLATION`` has
    them, without what is null; ``measured``: of coverage and lateness, by name."""

    applied: Counter[str] = field(default_factory=Counter)
    violations: list[Row] = field(default_factory=list)
    measured: dict[str, int] = field(default_factory=dict)


def run_of(index: int, header: Header, footer: Footer | None) -> Run:
    """The run of a trace at hand."""
    run = Run(index, header.get("run_id", ""), [], header, footer)
    run.note_problems()
    return run


def sources(traces: Iterable[tuple[Run, Iterable[Event]]]) -> dict[str, list[Row]]:
    """The rows of ``frames.EVENTS``, ``RUNS`` and ``ENDS``."""
    start = declared.part("bulk").start
    named = truth(start.named())
    events, runs, ends = [], [], []
    for run, given in traces:
        rows = [_row(run.index, event) for event in given]
        events += rows + [_row(run.index, event) for event in run.initial()]
        runs.append(
            {
                "run": run.index,
                **dict(zip(schema.MEASURES, start.config(run.header), strict=True)),
                "variant": run.header.get("variant"),
                "whole": run.whole,
                "kinds": sorted({row["k"] for row in rows}),
                "module": run.module,
                "ran": any(named(row) for row in rows),
                "totalled": run.totalled,
            }
        )
        ends += [dict(zip(("run", "kind", "id", "last"), each, strict=True)) for each in run.ends()]
    return {"events": events, "runs": runs, "ends": ends}


_ABSENT: Row = dict.fromkeys(schema.NAMES)


def _row(run: int, event: Mapping[str, object]) -> Row:
    row = {"run": run, **_ABSENT, **event}
    if row["ord"] is not None:
        row["ord"] = [Struct(_TOKEN, (*token, None)[:5]) for token in row["ord"]]
    return row


def ask(families: Iterable[Family], given: Mapping[str, list[Row]]) -> Answers:
    """Every rule of every row. ``given``: of :func:`sources`."""
    answers = Answers()
    for family in families:
        _ask(family, in_memory.frame(family.rows, given), answers)
    return answers


def _ask(family: Family, rows: list[Row], answers: Answers) -> None:
    made = {name: value(column) for name, column in family.made.items()}
    chosen = in_memory.Chosen(rows)
    for rule in family.rules:
        holds = truth(rule.holds)
        detail = value(rule.detail)
        concerned = chosen.where(rule.applies)
        answers.applied[rule.name] += len(concerned)
        for row in concerned:
            if not holds(row):
                found = {name: of(row) for name, of in made.items()}
                found |= {"rule": rule.name, "detail": detail(row)}
                columns = {name: found.get(name, row.get(name)) for name in _VIOLATION}
                answers.violations.append(
                    {name: seen for name, seen in columns.items() if seen is not None}
                )
    if family.measures:
        by = {name: value(column) for name, column in family.grouped.items()}
        counts = Counter(tuple(of(row) for of in by.values()) for row in rows)
        groups = [
            dict(zip(by, group, strict=True)) | {TIMES: count} for group, count in counts.items()
        ]
        measures = tuple(column.alias(name) for name, column in family.measures.items())
        answers.measured |= in_memory.aggregated(groups, (), measures)[0]


_VIOLATION = ("run", "rule", "tid", "tseq", "lc", "k", *schema.OBJECTS, "token", "detail")


def check(
    paths: Iterable[Path],
    known: Mapping[str, frozenset[str]] = {},
    families: Iterable[Family] | None = None,
) -> Report:
    """Check traces in files and folders, as ``validate.check`` does on Spark.

    ``known``: the actions of the specifications. Raises as ``runs.find`` does, TraceError where a
    line is no event, and UsageError for a run in parts.
    """
    found: list[Run] = []
    traces: list[tuple[Run, list[Event]]] = []
    lines: dict[tuple[int, int | None, int | None], int] = {}
    for file in runs.find(paths):
        if file.parts_of is not None:
            raise UsageError(
                f"{file.parts_of} has the parts of one run.", "Check it with --engine spark."
            )
        reader = reader_of(file.path)
        events = []
        cut = ""
        try:
            for line, event in reader:
                events.append(event)
                lines.setdefault((file.index, event["tid"], event["tseq"]), line)
        except CutOff as error:  # then there is no footer either
            cut = error.message
        run = Run(file.index, str(file.path), [file], reader.header, reader.footer)
        run.problems += [cut] * bool(cut)
        found.append(run)
        traces.append((run, events))
    runs.check(found)
    chosen = declared.part("bulk").FAMILIES if families is None else tuple(families)
    given = sources(traces)
    answers = ask(chosen, given)
    report = Report()
    counts: Counter[tuple[int, str]] = Counter()
    of_source: Counter[tuple[int, int]] = Counter()
    for run, events in traces:
        counts.update((run.index, event["k"]) for event in events)
        of_source.update((run.index, event["src"]) for event in events if "src" in event)
    report.events = counts.total()
    by_rule = Counter((row["run"], row["rule"]) for row in answers.violations)
    measured = {**answers.measured, **answers.applied}
    lost = reports.judge(report, found, chosen, by_rule, measured, counts)
    for row in sorted(answers.violations, key=_last_if_absent):
        run = found[row["run"]]
        at = lines.get((run.index, row.get("tid"), row.get("tseq")))
        place = None if at is None else (run.name, at)
        report.violations.append(reports.violation(row, run, place, lost))
    _say_what_lacks(report, given["events"], reports.by_kind(counts))
    reports.cover(report, counts, answers.measured)
    taken = actions.counted(of_source, {run.index: run.header for run in found})
    report.coverage["actions"] = actions.summary(taken, known)
    return report


def _last_if_absent(row: Row) -> list[tuple[bool, object]]:
    return [(row.get(name) is None, row.get(name)) for name in reports.ORDER]


def _say_what_lacks(report: Report, events: list[Row], kinds: Mapping[str, int]) -> None:
    vacuous = reports.vacuous(report)
    filled = {}
    for of_kinds, column in needs.columns_of(vacuous):
        seen = value(F.col(column))
        filled[of_kinds, column] = sum(
            bool(seen(row)) if column == "ord" else seen(row) is not None
            for row in events
            if row["k"] in of_kinds and row["lc"] > 0
        )
    for name, lacks in needs.lacking(vacuous, kinds, filled).items():
        report.rules[name]["missing"] = lacks
