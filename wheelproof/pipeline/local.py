"""The rules of the table, applied to rows in memory by plain functions: an engine for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wheelproof.pipeline import in_memory
from wheelproof.pipeline.row_values import Row, Struct, truth, value
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.runs import Run
from wheelproof.pipeline.tally import TIMES
from wheelproof.trace import declared
from wheelproof.trace.format import schema
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer, Header

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
