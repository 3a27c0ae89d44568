"""Checks every rule at every event on Spark, and makes the report of it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from wheelproof import temporary
from wheelproof.errors import ToolError
from wheelproof.pipeline import actions, ingest, needs, outcomes, skew
from wheelproof.pipeline import report as reports
from wheelproof.pipeline.addresses import address, plain
from wheelproof.pipeline.ingest import Ingested
from wheelproof.pipeline.outcomes import Inputs
from wheelproof.pipeline.report import CONFORMS, INCOMPLETE, KEPT, OUT_OF_MODEL, VIOLATES, Report
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.skew import LIMITS, Limits
from wheelproof.pipeline.splitting import Cut
from wheelproof.trace import declared

__all__ = [
    "CONFORMS",
    "INCOMPLETE",
    "KEPT",
    "OUT_OF_MODEL",
    "VIOLATES",
    "Answers",
    "Report",
    "ask",
    "check",
    "folder_for",
]

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Answers:
    """The answers for one family: its VIOLATION rows, made from files on disk (None where there
    are none), and the counts of the same pass."""

    violations: DataFrame | None
    measured: dict[str, int]
    broken: dict[tuple[int, str], int]
    """Violations by (run, rule)."""


def ask(
    spark: SparkSession, family: Family, inputs: Inputs, folder: Path, cuts: Sequence[Cut] = ()
) -> Answers:
    """One pass over the events for one family, and a second over the keys of ``cuts``. The findings
    are written to ``folder``: violations may be many."""
    rows = outcomes.prepared(family, inputs, cuts)
    frame = outcomes.tallied(family, outcomes.marked(family, rows))
    target = str(folder / family.name)
    frame.write.mode("overwrite").parquet(target)
    tallies = spark.read.schema(frame.schema).parquet(target)
    totals = tallies.agg(*outcomes.counts(family), F.count("row").alias("breaking")).first()
    assert totals is not None
    measures = totals.asDict()
    breaches = outcomes.broken(family, tallies) if measures.pop("breaking") else {}
    return Answers(
        outcomes.violations(family, outcomes.breaking(tallies), {rule for _, rule in breaches})
        if breaches
        else None,
        measures,
        breaches,
    )


@contextmanager
def folder_for(scratch: Path | None) -> Iterator[Path]:
    """A folder that is removed at the end. ToolError: it cannot be made."""
    try:
        if scratch is not None:
            scratch.mkdir(parents=True, exist_ok=True)
        folder = temporary.make("pipeline", scratch)
    except OSError as error:
        raise ToolError(
            f"{scratch or tempfile.gettempdir()}: no folder can be made there for scratch "
            f"({error.strerror}).",
            "Give a folder on a disk with room: --scratch DIR.",
        ) from error
    try:
        yield folder
    finally:
        temporary.remove(folder)


def check(
    spark: SparkSession,
    paths: Iterable[Path],
    scratch: Path | None = None,
    families: Iterable[Family] | None = None,
    progress: Progress = lambda text: None,
    labels: Mapping[str, frozenset[str]] = {},
    limits: Limits = LIMITS,
) -> Report:
    """Check traces in files and folders. ``labels``: the specifications' actions, of
    :func:`wheelproof.pipeline.actions.table`, for the coverage. ``limits``: which keys are looked
    at in pieces.

    Raises as :func:`wheelproof.pipeline.ingest.read` does.
    """
    with folder_for(scratch) as folder:
        began = time.perf_counter()
        progress("reading")
        intake = ingest.read(spark, list(paths), folder)
        report = Report(
            events=intake.events, quarantined=intake.quarantined, quarantine=intake.shown
        )
        sample = skew.sample(spark, intake.inputs, intake.events, folder, limits)
        report.seconds["ingest"] = time.perf_counter() - began
        frames: list[DataFrame] = []
        measures: dict[str, int] = {}
        breaches: dict[tuple[int, str], int] = {}
        selection = declared.part("bulk").FAMILIES if families is None else tuple(families)
        for family in selection:
            progress(f"{family.name}: {len(family.rules)} rules")
            began = time.perf_counter()
            cuts = skew.cuts(family, sample)
            answers = ask(spark, family, intake.inputs, folder, cuts)
            report.seconds[family.name] = time.perf_counter() - began
            frames += [answers.violations] if answers.violations is not None else []
            measures |= answers.measured
            breaches |= answers.broken
        _conclude(report, spark, intake, selection, frames, measures, breaches)
        action_counts = actions.counted(
            intake.sources, {run.index: run.header for run in intake.runs}
        )
        report.coverage["actions"] = actions.summary(action_counts, labels)
    return report


def _conclude(
    report: Report,
    spark: SparkSession,
    intake: Ingested,
    families: tuple[Family, ...],
    frames: list[DataFrame],
    measures: dict[str, int],
    by_rule: dict[tuple[int, str], int],
) -> None:
    """``frames``: the violations of the families that found any."""
    began = time.perf_counter()
    lost_runs = reports.judge(report, intake.runs, families, by_rule, measures, intake.counts)
    if by_rule:
        names = {run.index: run for run in intake.runs}
        first_rows = (
            reduce(DataFrame.unionByName, frames)
            .orderBy(*[F.col(name).asc_nulls_last() for name in reports.ORDER])
            .limit(KEPT)
        )
        rows = [row.asDict() for row in first_rows.collect()]
        places = _places(spark, intake, rows)
        report.violations = [
            reports.violation(row, names[row["run"]], places.get(_event(row)), lost_runs)
            for row in rows
        ]
    kinds, events = reports.by_kind(intake.counts), intake.inputs.events
    for name, lacks in needs.missing(events, kinds, reports.vacuous(report)).items():
        report.rules[name]["missing"] = lacks
    reports.cover(report, intake.counts, measures)
    report.seconds["conclude"] = time.perf_counter() - began


def _event(row: Mapping[str, object]) -> tuple[object, ...]:
    return row["run"], row["tid"], row["tseq"]


def _places(
    spark: SparkSession, intake: Ingested, rows: Iterable[Mapping[str, object]]
) -> dict[tuple[object, ...], tuple[str, int]]:
    """File and line of the events that violate: the events are read once more."""
    event_keys = sorted({_event(row) for row in rows if row["tseq"] is not None})
    if not event_keys:
        return {}
    keys = F.broadcast(spark.createDataFrame(event_keys, "run int, tid int, tseq long"))
    events = intake.inputs.events.where("lc > 0").select("run", "tid", "tseq", "address", "row")
    files = {address(file.path): str(file.path) for run in intake.runs for file in run.files}
    places: dict[tuple[object, ...], tuple[str, int]] = {}
    for event in events.join(keys, ["run", "tid", "tseq"]).collect():
        key = (event.run, event.tid, event.tseq)
        place = (plain(event.address), event.row)
        places[key] = min(place, places.get(key, place))
    return {key: (files[at], row) for key, (at, row) in places.items()}
