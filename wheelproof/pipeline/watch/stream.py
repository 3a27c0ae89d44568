"""A watch as it runs: Spark's query, the ledger, and its output."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof import documents, files
from wheelproof.console import visible
from wheelproof.errors import ToolError, UsageError, WheelproofError
from wheelproof.pipeline import command, staging, validate
from wheelproof.pipeline.report import Report
from wheelproof.pipeline.session import SessionOptions, session
from wheelproof.pipeline.watch import outcome
from wheelproof.pipeline.watch.ledger import Ledger, opened
from wheelproof.pipeline.watch.spool import TAB, Spool

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LEDGER, CHECKPOINT, SPOOL = "watch.duckdb", "checkpoint", "spool"
VIOLATIONS, REPORT = "violations.jsonl", "trace-check.json"

FILES = 4
"""Files of the spool that a micro-batch has at most."""

LOOK_SECONDS = 0.5
"""Time between two looks at the folder."""

Labels = Mapping[str, frozenset[str]]


class Watch:
    """One watch. ``output``: its folder, by which it goes on after its end."""

    def __init__(self, ledger: Ledger, output: Path, labels: Labels) -> None:
        self.ledger, self.output, self.labels = ledger, output, labels
        self.failure: BaseException | None = None
        self.ending = threading.Event()
        self.lock = threading.Lock()
        self.ids = {*self._ids(outcome.report(ledger, labels))}

    def batch(self, rows: DataFrame, number: int) -> None:
        """Take one micro-batch; nothing where it is in the ledger already."""
        with self.lock:
            if self.ending.is_set():
                raise _Ended
            try:
                if number > self.ledger.batch:
                    self._take(rows, number)
                else:
                    self.write(outcome.report(self.ledger, self.labels))
            except BaseException as error:
                self.failure = error
                raise

    def _take(self, rows: DataFrame, number: int) -> None:
        lines = rows.toArrow()
        with self.ledger.transaction():
            self.ledger.take(number, lines)
            report = outcome.report(self.ledger, self.labels)
            self.tell(report)  # before it is kept: a line may be printed again, and none is lost
        self.write(report)

    def _ids(self, report: Report) -> list[str]:
        return outcome.ids(report.violations)

    def tell(self, report: Report) -> None:
        """Print the violations that are new."""
        for name, violation in zip(self._ids(report), report.violations, strict=True):
            if name not in self.ids:
                self.ids.add(name)
                print(visible(f"{command.line(violation)} [{name}]"), flush=True)

    def write(self, report: Report) -> None:
        """Write the report and the violations as they are now."""
        lines = [
            json.dumps({"id": name, **violation})
            for name, violation in zip(self._ids(report), report.violations, strict=True)
        ]
        try:
            text = "".join(f"{line}\n" for line in lines)
            files.replace(self.output / VIOLATIONS, text.encode())
            documents.write(self.output / REPORT, report.document())
        except OSError as error:
            raise ToolError(
                f"{self.output} cannot be written to ({error.strerror}).",
                "Free room on the disk, and watch again: it goes on where it was.",
            ) from error

    def conclude(self) -> Report:
        """The report as if nothing came any more: open runs are judged as they are. The ledger
        stays as it was, so that a later watch goes on."""
        with self.lock, self.ledger.transaction(keep=False):
            self.ledger.settle(self.ledger.going_on())
            report = outcome.report(self.ledger, self.labels)
            self.tell(report)
        self.write(report)
        return report


class _Ended(Exception):
    """The watch is to end: the micro-batch that would begin is left to the next one."""


def run(
    folder: Path, options: SessionOptions, output: Path, labels: Labels, once: bool = False
) -> int:
    """Watch a folder until Ctrl-C, or ``once`` up to the lines that are there; the exit code."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder.", "Give the folder of recordings.")
    command.writable(output)
    output.mkdir(parents=True, exist_ok=True)
    with opened(output / LEDGER) as ledger, validate.folder_for(options.scratch) as scratch:
        _belong(ledger, folder.resolve(), output)
        watch = Watch(ledger, output, labels)
        with session(replace(options, scratch=scratch)) as spark:
            try:
                follow(spark, watch, folder, once)
            except KeyboardInterrupt:
                print(_judged(watch), flush=True)
                raise
        report = watch.conclude()
        print(_judged(watch))
    print(command.summary(report.document()))
    return report.exit_code


def _belong(ledger: Ledger, folder: Path, output: Path) -> None:
    """Raise UsageError where the halves of the state, or state and folder, are not of one watch."""
    remedy = f"Remove {output}, or name another folder with --output."
    if output.resolve().is_relative_to(folder):
        raise UsageError(
            f"{output} is in the folder that is watched.", "Name a folder elsewhere with --output."
        )
    noted = any((output / CHECKPOINT / "commits").glob("[0-9]*"))
    begun = any((output / CHECKPOINT / "offsets").glob("[0-9]*"))
    if (noted and ledger.batch < 0) or (ledger.batch >= 0 and not begun):
        raise UsageError(f"{output}: {LEDGER} and {CHECKPOINT} are not of one watch.", remedy)
    for run in ledger.runs():
        if not Path(run.name).is_relative_to(folder):
            raise UsageError(f"{output} is of a watch of other files, as {run.name}.", remedy)


def follow(spark: SparkSession, watch: Watch, folder: Path, once: bool) -> None:
    """Take the lines of a folder until Ctrl-C, or ``once`` those that are there."""
    place = watch.output.resolve() / SPOOL
    spool = Spool(folder.resolve(), place, watch.ledger.lines())
    while once and spool.add():
        pass
    texts = spark.readStream.format("text").options(maxFilesPerTrigger=FILES, cleanSource="delete")
    query = (
        staging.judged(staging.parsed(_lines(texts.load(str(place)))))
        .writeStream.foreachBatch(watch.batch)
        .option("checkpointLocation", str(watch.output.resolve() / CHECKPOINT))
        .trigger(processingTime="1 second")
        .start()
    )
    waiting = _Waiting(query.processAllAvailable if once else query.awaitTermination)
    try:
        while not waiting.over(LOOK_SECONDS):
            if not once:
                spool.add()
    except Exception as error:
        if isinstance(watch.failure, WheelproofError):
            raise watch.failure from error
        raise
    finally:
        watch.ending.set()
        with watch.lock:  # the micro-batch that runs comes to its end
            pass
        _quietly(query.stop)


def _lines(texts: DataFrame) -> DataFrame:
    """Lines of the spool as ``staging.parsed`` takes them."""
    from pyspark.sql import functions as F

    parts = F.split("value", TAB, 3)
    return texts.select(
        parts[1].alias("address"), parts[0].cast("long").alias("row"), parts[2].alias("value")
    )


class _Waiting:
    """A call to Java in a thread of its own, so that Ctrl-C finds this thread outside of Java."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.raised: list[Exception] = []
        self.thread = threading.Thread(target=self._run, args=(act,), daemon=True)
        self.thread.start()

    def _run(self, act: Callable[[], object]) -> None:
        try:
            act()
        except Exception as error:
            self.raised.append(error)

    def over(self, seconds: float) -> bool:
        """Whether it has ended within so many seconds. Raises its exception."""
        self.thread.join(seconds)
        if self.raised:
            raise self.raised[0]
        return not self.thread.is_alive()


def _quietly(act: Callable[[], object]) -> None:
    waiting = _Waiting(act)
    with suppress(Exception):
        while not waiting.over(1):
            pass


def _judged(watch: Watch) -> str:
    """How far each file was judged."""
    return visible("judged: " + "; ".join(watch.ledger.offsets()))
