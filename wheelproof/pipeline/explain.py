"""Violating runs are shrunk on the executors to the events that matter.

A run that is stored in parts keeps the violations of the rules as its explanation. The verdicts do
not depend on any of this: an explanation that fails, or takes too long, is left out and the reason
is in its place.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from wheelproof.errors import ToolError, WheelproofError
from wheelproof.pipeline import failures
from wheelproof.pipeline.document import Explanation
from wheelproof.pipeline.validate import VIOLATES, Report
from wheelproof.trace import declared

if TYPE_CHECKING:
    from wheelproof.pipeline.shrinking import Small

MOST = 50
"""Runs that are explained."""

SHRINK_SECONDS = 60.0
"""Time for shrinking one run: the smallest trace found by then is shown."""

PATIENCE_SECONDS = 900.0
"""Time for all explanations of a check."""

SHOWN = 200
"""Events of a shrunk trace that are kept, the last ones: more of them are left only where the time
ran out."""


def explain(
    spark: SparkSession, report: Report, most_events: int, patience: float = PATIENCE_SECONDS
) -> list[Explanation]:
    """Plain data of each violating run that is one file of at most ``most_events`` events.

    Raises ToolError where all of them take longer than ``patience`` seconds, and every error that
    Spark raises.
    """
    candidates = [
        (run["run"], run["path"])
        for run in report.runs
        if run["verdict"] == VIOLATES
        and run["events"] <= most_events
        and Path(run["path"]).is_file()
    ][:MOST]
    if not candidates:
        return []
    with _at_most(spark, patience):
        return (
            spark.sparkContext.parallelize(candidates, len(candidates))
            .mapPartitions(_explanations)
            .collect()
        )


def attempted(
    spark: SparkSession, report: Report, most_events: int, memory: str
) -> tuple[list[Explanation], str]:
    """The explanations, and the reason where there are none: the report stands either way.
    ``memory``: of Spark's driver, for messages."""
    try:
        with failures.reported(spark, memory):
            return explain(spark, report, most_events), ""
    except WheelproofError as error:
        return [], str(error)
    except Exception as error:
        return [], f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"[:_REASON]


_REASON = 500


@contextmanager
def _at_most(spark: SparkSession, seconds: float) -> Iterator[None]:
    """Cancels the jobs inside after so many seconds, and raises ToolError then."""
    context, late = spark.sparkContext, threading.Event()

    def cancel() -> None:
        late.set()
        context.cancelAllJobs()

    timer = threading.Timer(seconds, cancel)
    timer.start()
    try:
        yield
    except Exception as error:
        if not late.is_set():
            raise
        raise ToolError(
            f"The explanations took longer than {seconds:.0f} s and were given up.",
            "Shrink a file by itself: wheelproof trace shrink FILE.",
        ) from error
    finally:
        timer.cancel()


def _explanations(candidates: Iterable[tuple[str, str]]) -> Iterator[Explanation]:
    for run, path in candidates:
        yield {"run": run, "path": path, **explanation(Path(path))}


def explanation(path: Path) -> Explanation:
    """The few events that show why one trace is refused. An error becomes its text: one bad file
    must not end the others."""
    from wheelproof.pipeline import shrinking

    try:
        small = shrinking.shrunk(path, SHRINK_SECONDS)
    except WheelproofError as error:
        return {"not_shrunk": str(error)}
    except Exception as error:  # an executor may lack DuckDB
        return {"not_shrunk": f"shrinking raised {type(error).__name__}: {error}"}
    if small is None:
        return {"not_shrunk": "by itself no event breaks a rule"}
    return {"property": small.property, "message": small.message, "shrunk": _event_lines(small)}


def _event_lines(small: Small) -> list[str]:
    """The last events of a shrunk trace, in words."""
    threads = small.header["threads"]
    return [
        f"line {line}: {threads.get(str(event['tid']), event['tid'])}: "
        f"{declared.part('events').spoken(event)}"
        for line, event in list(zip(small.lines, small.events, strict=True))[-SHOWN:]
    ]
