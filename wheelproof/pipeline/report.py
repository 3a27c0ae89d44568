"""The result of a check of the rules in bulk: verdicts by run, violations, coverage, lateness."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from wheelproof.pipeline.document import (
    SCHEMA,
    Coverage,
    Document,
    Lateness,
    Quarantined,
    RuleRow,
    RunRow,
    Violation,
)
from wheelproof.pipeline.rule import Family, Finding, Rule
from wheelproof.pipeline.runs import Run
from wheelproof.trace import declared
from wheelproof.trace.format import schema

KEPT = 10_000
"""Violations that are kept with their events; all are counted."""

CONFORMS, VIOLATES, INCOMPLETE, OUT_OF_MODEL = "conforms", "violates", "incomplete", "out-of-model"


@dataclass
class Report:
    """The outcome as plain data.

    ``runs``: run, verdict, events, problems; ``rules``: name -> applied, broken, verdict (green,
    violated, incomplete, vacuous), and of a vacuous one the needs ``missing``; ``violations``:
    the first :data:`KEPT` in the order of (run, rule, lc), with file and line where the rule is
    about an event; ``seconds`` by phase.
    """

    runs: list[RunRow] = field(default_factory=list)
    rules: dict[str, RuleRow] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)
    violated: int = 0
    quarantined: int = 0
    quarantine: list[Quarantined] = field(default_factory=list)
    events: int = 0
    coverage: Coverage = field(default_factory=Coverage)
    lateness: Lateness = field(default_factory=Lateness)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """1 where a run violates; 3 where one is incomplete or lines were in quarantine; 5 where
        nothing was checked; 0 else."""
        verdicts = {run["verdict"] for run in self.runs}
        if VIOLATES in verdicts:
            return 1
        if verdicts & {INCOMPLETE, OUT_OF_MODEL} or self.quarantined:
            return 3
        return 0 if any(rule["applied"] for rule in self.rules.values()) else 5

    def document(self) -> Document:
        return {
            "schema": SCHEMA,
            "events": self.events,
            "runs": self.runs,
            "rules": self.rules,
            "violated": self.violated,
            "violations": self.violations,
            "quarantined": self.quarantined,
            "quarantine": self.quarantine,
            "coverage": self.coverage,
            "lateness": self.lateness,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "explanations": [],
            "unexplained": "",
        }


def rules() -> dict[str, Rule]:
    """The rules of the project, by name."""
    return declared.part("bulk").RULES


ORDER = ("run", "rule", "lc", "tid", "tseq", *schema.OBJECTS, "token", "detail")
"""The columns by which violations are sorted, absent values last."""


def judge(
    report: Report,
    runs: Iterable[Run],
    families: Iterable[Family],
    by_rule: Mapping[tuple[int, str], int],
    measures: Mapping[str, int],
    counts: Mapping[tuple[int, str], int],
) -> set[int]:
    """Put the verdicts of rules and runs into the report; the runs that have lost events.

    ``by_rule``: violations by (run, rule). ``counts``: events by (run, kind).
    """
    runs = list(runs)
    report.violated = sum(by_rule.values())
    lost_runs = {run.index for run in runs if run.problems} | {
        run for run, rule in by_rule if rules()[rule].finding is Finding.INCOMPLETE
    }
    _judge_rules(report, families, by_rule, measures, lost_runs)
    _judge_runs(report, runs, by_rule, counts, lost_runs)
    return lost_runs


def violation(
    row: Mapping[str, object], run: Run, place: tuple[str, int] | None, lost_runs: Collection[int]
) -> Violation:
    """A violation for the report. ``row``: by the columns of ``schema.VIOLATION``; ``place``: the
    file and line of its event; ``lost_runs``: the runs that have lost events."""
    columns = {name: value for name, value in row.items() if name != "run" and value is not None}
    where = {} if place is None else {"file": place[0], "line": place[1]}
    is_trusted = rules()[str(row["rule"])].alone or run.index not in lost_runs
    return cast(Violation, {"run_id": run.run_id, **columns, **where, "trusted": is_trusted})


def cover(
    report: Report, counts: Mapping[tuple[int, str], int], measures: Mapping[str, int]
) -> None:
    """Put coverage and lateness into the report."""
    bulk = declared.part("bulk")
    report.coverage = bulk.coverage.summary(by_kind(counts), measures)
    if "late_0" in measures:
        report.lateness = bulk.lateness.summary(measures)


def by_kind(counts: Mapping[tuple[int, str], int]) -> dict[str, int]:
    """Events by kind, of events by (run, kind)."""
    kinds: dict[str, int] = {}
    for (_, kind), count in counts.items():
        kinds[kind] = kinds.get(kind, 0) + count
    return kinds


def vacuous(report: Report) -> list[str]:
    """The rules that applied to nothing."""
    return [name for name, rule in report.rules.items() if rule["verdict"] == "vacuous"]


def _judge_rules(
    report: Report,
    families: Iterable[Family],
    by_rule: Mapping[tuple[int, str], int],
    measures: Mapping[str, int],
    lost_runs: set[int],
) -> None:
    for family in families:
        for rule in family.rules:
            column = sum(count for (_, name), count in by_rule.items() if name == rule.name)
            trusted_count = sum(
                count
                for (run, name), count in by_rule.items()
                if name == rule.name and (rule.alone or run not in lost_runs)
            )
            applications = measures[rule.name]
            if rule.finding is Finding.INCOMPLETE or not trusted_count:
                verdict = "incomplete" if column else "green" if applications else "vacuous"
            else:
                verdict = "violated"
            report.rules[rule.name] = {
                "family": family.name,
                "says": rule.says,
                "unit": family.unit,
                "applied": applications,
                "broken": column,
                "verdict": verdict,
            }


def _judge_runs(
    report: Report,
    runs: Iterable[Run],
    by_rule: Mapping[tuple[int, str], int],
    counts: Mapping[tuple[int, str], int],
    lost_runs: set[int],
) -> None:
    for run in runs:
        breaches = {rule: count for (index, rule), count in by_rule.items() if index == run.index}
        reasons = [
            name
            for name in breaches
            if rules()[name].finding is Finding.VIOLATION
            and (rules()[name].alone or run.index not in lost_runs)
        ]
        events = sum(count for (index, _), count in counts.items() if index == run.index)
        verdict = VIOLATES if reasons else INCOMPLETE if run.index in lost_runs else CONFORMS
        report.runs.append(
            {
                "run": run.run_id,
                "path": run.name,
                "verdict": verdict,
                "events": events,
                "broken": dict(sorted(breaches.items())),
                "problems": run.problems,
            }
        )
