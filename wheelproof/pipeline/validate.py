"""Asks every rule of every event, and puts together what a team reads: verdicts by run, violations, what was covered, lateness."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from wheelproof.errors import ToolError
from wheelproof.pipeline import actions, ingest, needs
from wheelproof.pipeline.ingest import Ingested
from wheelproof.pipeline.rule import Family, Finding, Inputs, Rule
from wheelproof.pipeline.schema import VIOLATION
from wheelproof.trace import declared, schema

SCHEMA = "wheelproof.trace-check/1"
KEPT = 10_000
"""Violations that are kept with their events; all are counted."""

Progress = Callable[[str], None]
CONFORMS, VIOLATES, INCOMPLETE, OUT_OF_MODEL = "conforms", "violates", "incomplete", "out-of-model"


@dataclass
class Report:
    """The outcome as plain data.

    ``runs``: run, verdict, events, problems; ``rules``: name -> applied, broken, verdict (green, violated, incomplete, vacuous), and of a vacuous one what it
    was ``missing``; ``violations``:
    the first :data:`KEPT` in the order of (run, rule, lc), with file and line where the rule is about an event; ``seconds`` by phase.
    """

    runs: list[dict[str, Any]] = field(default_factory=list)
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    violations: list[dict[str, Any]] = field(default_factory=list)
    violated: int = 0
    quarantined: int = 0
    quarantine: list[dict[str, Any]] = field(default_factory=list)
    events: int = 0
    coverage: dict[str, Any] = field(default_factory=dict)
    lateness: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """1 where a run violates; 3 where one is incomplete or lines were in quarantine; 5 where nothing was checked; 0 else."""
        verdicts = {run["verdict"] for run in self.runs}
        if VIOLATES in verdicts:
            return 1
        if verdicts & {INCOMPLETE, OUT_OF_MODEL} or self.quarantined:
            return 3
        return 0 if any(rule["applied"] for rule in self.rules.values()) else 5

    def document(self) -> dict[str, Any]:
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
        }


@dataclass(frozen=True)
class Asked:
    """What asking one family gave: its VIOLATION rows, made from what is on disk (None where there are none), and the counts of the same pass."""

    violations: DataFrame | None
    measured: dict[str, Any]
    broken: dict[tuple[int, str], int]
    """Violations by (run, rule)."""


def ask(spark: SparkSession, family: Family, inputs: Inputs, folder: Path) -> Asked:
    """One pass over the events for one family. What it found is written to ``folder``: violations may be many."""
    found = family.tallied(family.marked(family.prepare(inputs)))
    target = str(folder / family.name)
    found.write.mode("overwrite").parquet(target)
    tallied = spark.read.schema(found.schema).parquet(target)
    measured = tallied.agg(*family.counts(), F.count("row").alias("blamed")).head().asDict()
    broken = family.broken(tallied) if measured.pop("blamed") else {}
    return Asked(
        family.violations(family.blamed(tallied), {rule for _, rule in broken}) if broken else None,
        measured,
        broken,
    )


@contextmanager
def folder_for(scratch: Path | None) -> Iterator[Path]:
    """A folder that is removed at the end. ToolError: it cannot be made."""
    try:
        if scratch is not None:
            scratch.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="wheelproof-pipeline-", dir=scratch))
    except OSError as error:
        raise ToolError(
            f"{scratch or tempfile.gettempdir()}: no folder can be made there for scratch ({error.strerror}).",
            "Give a folder on a disk with room: --scratch DIR.",
        ) from error
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def check(
    spark: SparkSession,
    paths: Iterable[Path],
    scratch: Path | None = None,
    families: Iterable[Family] | None = None,
    progress: Progress = lambda said: None,
    known: Mapping[str, frozenset[str]] = {},
) -> Report:
    """Check traces in files and folders. ``known``: the specifications' actions, of :func:`wheelproof.pipeline.actions.table`, of which coverage is told.

    Raises as :func:`wheelproof.pipeline.ingest.read` does.
    """
    with folder_for(scratch) as folder:
        began = time.perf_counter()
        progress("reading")
        ingested = ingest.read(spark, list(paths), folder)
        report = Report(
            events=ingested.events, quarantined=ingested.quarantined, quarantine=ingested.shown
        )
        report.seconds["ingest"] = time.perf_counter() - began
        frames: list[DataFrame] = []
        measured: dict[str, Any] = {}
        broken: dict[tuple[int, str], int] = {}
        asked_for = declared.part("bulk").FAMILIES if families is None else tuple(families)
        for family in asked_for:
            progress(f"{family.name}: {len(family.rules)} rules")
            began = time.perf_counter()
            asked = ask(spark, family, ingested.inputs, folder)
            report.seconds[family.name] = time.perf_counter() - began
            frames += [asked.violations] if asked.violations is not None else []
            measured |= asked.measured
            broken |= asked.broken
        _conclude(report, spark, ingested, asked_for, frames, measured, broken)
        taken = actions.counted(ingested.sources, {run.index: run.header for run in ingested.runs})
        report.coverage["actions"] = actions.summary(taken, known)
    return report


def _rules() -> dict[str, Rule]:
    """The rules of the subject, by name."""
    rules: dict[str, Rule] = declared.part("bulk").RULES
    return rules


def _conclude(
    report: Report,
    spark: SparkSession,
    ingested: Ingested,
    families: tuple[Family, ...],
    frames: list[DataFrame],
    measured: dict[str, Any],
    by_rule: dict[tuple[int, str], int],
) -> None:
    """``frames``: the violations of the families that found any."""
    began = time.perf_counter()
    report.violated = sum(by_rule.values())
    lost = {run.index for run in ingested.runs if run.problems} | {
        run for run, rule in by_rule if _rules()[rule].finding is Finding.INCOMPLETE
    }
    _judge_rules(report, families, by_rule, measured, lost)
    _judge_runs(report, ingested, by_rule, lost)
    if by_rule:
        names = {run.index: run for run in ingested.runs}
        kept = (
            reduce(DataFrame.unionByName, frames)
            .orderBy(
                *[
                    F.col(name).asc_nulls_last()
                    for name in (
                        "run",
                        "rule",
                        "lc",
                        "tid",
                        "tseq",
                        *schema.OBJECTS,
                        "token",
                        "detail",
                    )
                ]
            )
            .limit(KEPT)
        )
        report.violations = _located(
            spark, ingested, [row.asDict() for row in kept.collect()], names
        )
        for row in report.violations:
            row["trusted"] = _rules()[row["rule"]].alone or row.pop("index") not in lost
            row.pop("index", None)
    kinds: dict[str, int] = {}
    for (_, kind), count in ingested.counts.items():
        kinds[kind] = kinds.get(kind, 0) + count
    vacuous = [name for name, rule in report.rules.items() if rule["verdict"] == "vacuous"]
    for name, said in needs.missing(ingested.inputs.events, kinds, vacuous).items():
        report.rules[name]["missing"] = said
    report.coverage = declared.part("bulk").coverage.summary(kinds, measured)
    if "late_0" in measured:
        report.lateness = declared.part("bulk").lateness.summary(measured)
    report.seconds["conclude"] = time.perf_counter() - began


def _judge_rules(
    report: Report,
    families: tuple[Family, ...],
    by_rule: dict[tuple[int, str], int],
    measured: dict[str, Any],
    lost: set[int],
) -> None:
    for family in families:
        for rule in family.rules:
            broken = sum(count for (_, name), count in by_rule.items() if name == rule.name)
            trusted = sum(
                count
                for (run, name), count in by_rule.items()
                if name == rule.name and (rule.alone or run not in lost)
            )
            applied = measured[rule.name]
            if rule.finding is Finding.INCOMPLETE or not trusted:
                verdict = "incomplete" if broken else "green" if applied else "vacuous"
            else:
                verdict = "violated"
            report.rules[rule.name] = {
                "family": family.name,
                "says": rule.says,
                "unit": family.unit,
                "applied": applied,
                "broken": broken,
                "verdict": verdict,
            }


def _judge_runs(
    report: Report, ingested: Ingested, by_rule: dict[tuple[int, str], int], lost: set[int]
) -> None:
    for run in ingested.runs:
        broken = {rule: count for (index, rule), count in by_rule.items() if index == run.index}
        blamed = [
            name
            for name in broken
            if _rules()[name].finding is Finding.VIOLATION
            and (_rules()[name].alone or run.index not in lost)
        ]
        events = sum(count for (index, _), count in ingested.counts.items() if index == run.index)
        verdict = VIOLATES if blamed else INCOMPLETE if run.index in lost else CONFORMS
        report.runs.append(
            {
                "run": run.run_id,
                "path": run.name,
                "verdict": verdict,
                "events": events,
                "broken": dict(sorted(broken.items())),
                "problems": run.problems,
            }
        )


def _located(
    spark: SparkSession, ingested: Ingested, rows: list[dict[str, Any]], names: dict[int, Any]
) -> list[dict[str, Any]]:
    """The violations with file and line: one more look at the events, for only those that are blamed."""
    wanted = sorted(
        {(row["run"], row["tid"], row["tseq"]) for row in rows if row["tseq"] is not None}
    )
    places: dict[tuple[int, int, int], tuple[str, int]] = {}
    if wanted:
        keys = F.broadcast(spark.createDataFrame(wanted, "run int, tid int, tseq long"))
        for row in (
            ingested.inputs.events.where("lc > 0")
            .select("run", "tid", "tseq", "address", "row")
            .join(keys, ["run", "tid", "tseq"])
            .collect()
        ):
            key, place = (row.run, row.tid, row.tseq), (ingest.plain(row.address), row.row)
            places[key] = min(place, places.get(key, place))
    files = {
        ingest.address(file.path): str(file.path) for run in ingested.runs for file in run.files
    }
    out = []
    for row in rows:
        place = places.get((row["run"], row["tid"], row["tseq"]))
        out.append(
            {
                "index": row["run"],
                "run_id": names[row["run"]].run_id,
                **{
                    name: row[name]
                    for name in VIOLATION.names
                    if name != "run" and row[name] is not None
                },
                **({"file": files[place[0]], "line": place[1]} if place else {}),
            }
        )
    return out
