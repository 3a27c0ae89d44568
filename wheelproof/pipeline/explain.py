"""Runs that violate are taken, on the executors, event by event through the model, and shrunk to the events that matter.

Spark's rules say where; the model says what was possible there and which few events lead there. A run that is stored
in parts keeps the rules' own violations as its explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from wheelproof.pipeline.validate import VIOLATES, Report

MOST = 50
"""Runs that are explained."""


def explain(spark: SparkSession, report: Report, most_events: int) -> list[dict[str, Any]]:
    """Plain data of each violating run that is one file of at most ``most_events`` events: verdict, property, message, line, shrunk, repair."""
    chosen = [(run["run"], run["path"]) for run in report.runs
              if run["verdict"] == VIOLATES and run["events"] <= most_events and Path(run["path"]).is_file()][:MOST]
    if not chosen:
        return []
    return spark.sparkContext.parallelize(chosen, len(chosen)).mapPartitions(_explained).collect()


def _explained(chosen: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    for run, path in chosen:
        yield {"run": run, "path": path, **explanation(Path(path))}


def explanation(path: Path) -> dict[str, Any]:
    """What the model says of one trace. An error becomes its text: one bad file must not end the others."""
    from wheelproof.errors import WheelproofError
    from wheelproof.trace.replay import key_of, reader_of, replay
    from wheelproof.trace.rules import spoken
    from wheelproof.trace.shrink import shrink

    try:
        verdict = replay(path)
        out: dict[str, Any] = {"verdict": verdict.verdict}
        finding = verdict.first
        if finding is None:
            return out
        out |= {"property": finding.property, "message": finding.message, "line": finding.line, "enabled": list(finding.enabled)}
        if finding.event is not None and verdict.verdict == VIOLATES:
            reader = reader_of(path)
            small = shrink(reader.header, sorted(reader, key=lambda item: key_of(item[1])), (reader.footer or {}).get("cut"))
            if small is not None:
                threads = reader.header["threads"]
                out["shrunk"] = [f"line {line}: {threads.get(str(event['tid']), event['tid'])}: {spoken(event)}" for line, event in zip(small.lines, small.events)]
                out["repair"] = str(small.repair)
        return out
    except WheelproofError as error:
        return {"verdict": "error", "message": str(error)}
