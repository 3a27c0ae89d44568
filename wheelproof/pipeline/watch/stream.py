"""A watch as it runs: Spark's query, the ledger, and its output."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof import documents, files
from wheelproof.console import visible
from wheelproof.errors import ToolError, UsageError, WheelproofError
from wheelproof.pipeline import actions, command, validate
from wheelproof.pipeline.report import Report
from wheelproof.pipeline.session import SessionOptions, session
from wheelproof.pipeline.watch import outcome, sinks, topics
from wheelproof.pipeline.watch.ledger import Ledger, opened
from wheelproof.pipeline.watch.metrics import Meter, serving
from wheelproof.pipeline.watch.sinks import Sink
from wheelproof.pipeline.watch.source import CHECKPOINT, Folder, Source
from wheelproof.pipeline.watch.topics import Topic
from wheelproof.pipeline.watch.waiting import LOOK_SECONDS, Waiting, quietly
from wheelproof.trace.topics import Address, is_address, parsed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LEDGER = "watch.duckdb"
VIOLATIONS, REPORT = "violations.jsonl", "trace-check.json"


def source_of(text: str) -> Source:
    """The source that a word of the command line names. Raises UsageError."""
    return Topic(parsed(text)) if is_address(text) else Folder(Path(text))


@dataclass(frozen=True)
class Options:
    """How a watch runs. ``once``: to the end of the lines that are there; ``as_json``: its
    standard output is JSON Lines; ``violations``: a topic for them; ``port``: of its metrics."""

    once: bool = False
    as_json: bool = False
    violations: Address | None = None
    port: int | None = None


class Watch:
    """One watch. ``output``: its folder, by which it goes on after its end."""

    def __init__(
        self,
        ledger: Ledger,
        output: Path,
        labels: actions.Table,
        places: Sequence[Sink] = (sinks.Text(),),
        meter: Meter | None = None,
    ) -> None:
        self.ledger, self.output, self.labels = ledger, output, labels
        self.places, self.meter = places, meter
        self.failure: BaseException | None = None
        self.ending = threading.Event()
        self.lock = threading.Lock()
        report = outcome.report(ledger, labels)
        self.ids = {*outcome.ids(report.violations)}
        self._measure(report, 0.0)

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
        began = time.monotonic()
        lines = rows.toArrow()
        with self.ledger.transaction():
            self.ledger.take(number, lines)
            report = outcome.report(self.ledger, self.labels)
            self.tell(report)  # before it is kept: a line may be printed again, and none is lost
        self.write(report)
        self._measure(report, time.monotonic() - began)

    def _measure(self, report: Report, seconds: float) -> None:
        if self.meter is not None:
            self.meter.measure(report, self.ledger, self.output / LEDGER, seconds)

    def tell(self, report: Report) -> None:
        """Tell the violations that are new."""
        by_id = dict(zip(outcome.ids(report.violations), report.violations, strict=True))
        if new := {name: by_id[name] for name in by_id if name not in self.ids}:
            for place in self.places:
                place.tell(new)
            self.ids |= new.keys()

    def write(self, report: Report) -> None:
        """Write the report and the violations as they are now."""
        pairs = zip(outcome.ids(report.violations), report.violations, strict=True)
        try:
            text = "".join(f"{sinks.line(name, violation)}\n" for name, violation in pairs)
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
    source: Source,
    session_options: SessionOptions,
    output: Path,
    labels: actions.Table,
    options: Options = Options(),
) -> int:
    """Watch a source until Ctrl-C, or up to the lines that are there; the exit code."""
    source.check(output)
    command.writable(output)
    output.mkdir(parents=True, exist_ok=True)
    more = source.settings() | (topics.jars() if options.violations else {})
    with ExitStack() as stack:
        meter = stack.enter_context(serving(str(source), options.port))
        ledger = stack.enter_context(opened(output / LEDGER))
        _belong(ledger, source, output)
        scratch = stack.enter_context(validate.folder_for(session_options.scratch))
        settings = replace(session_options, scratch=scratch, more=dict(session_options.more) | more)
        spark = stack.enter_context(session(settings))
        places: list[Sink] = [sinks.JsonLines() if options.as_json else sinks.Text()]
        if options.violations:
            places.append(topics.TopicSink(spark, options.violations))
        watch = Watch(ledger, output, labels, places, meter)
        try:
            follow(spark, watch, source, options.once)
        except KeyboardInterrupt:
            _say(watch, options)
            raise
        report = watch.conclude()
        _say(watch, options)
    if not options.as_json:
        print(command.summary(report.document()))
    return report.exit_code


def _say(watch: Watch, options: Options) -> None:
    """Print how far each recording was judged."""
    if not options.as_json:
        print(visible("judged: " + "; ".join(watch.ledger.offsets())), flush=True)


def _belong(ledger: Ledger, source: Source, output: Path) -> None:
    """Raise UsageError where the halves of the state, or state and source, are not of one watch."""
    remedy = f"Remove {output}, or name another folder with --output."
    has_commits = any((output / CHECKPOINT / "commits").glob("[0-9]*"))
    has_offsets = any((output / CHECKPOINT / "offsets").glob("[0-9]*"))
    if (has_commits and ledger.batch < 0) or (ledger.batch >= 0 and not has_offsets):
        raise UsageError(f"{output}: {LEDGER} and {CHECKPOINT} are not of one watch.", remedy)
    for run in ledger.runs():
        if not source.owns(run.name):
            raise UsageError(f"{output} is of a watch of other recordings, as {run.name}.", remedy)


def follow(spark: SparkSession, watch: Watch, source: Source, once: bool) -> None:
    """Take the lines of a source until Ctrl-C, or ``once`` those that are there."""
    while True:
        try:
            return _follow(spark, watch, source, once)
        except WheelproofError:
            raise
        except Exception as error:
            if isinstance(watch.failure, WheelproofError):
                raise watch.failure from error
            if once or not source.answers(spark, error):
                raise
            watch.failure = None
            watch.ending.clear()


def _weakly(watch: Watch) -> Callable[[DataFrame, int], None]:
    """A function for micro-batches that Spark's Java may hold until the process ends: the ledger
    ends before."""
    reference = weakref.ref(watch)

    def batch(rows: DataFrame, number: int) -> None:
        watch = reference()
        if watch is None:
            raise _Ended
        watch.batch(rows, number)

    return batch


def _follow(spark: SparkSession, watch: Watch, source: Source, once: bool) -> None:
    query = (
        source.rows(spark, watch.ledger, watch.output, once)
        .writeStream.foreachBatch(_weakly(watch))
        .option("checkpointLocation", str(watch.output.resolve() / CHECKPOINT))
        .trigger(processingTime="1 second")
        .start()
    )
    waiting = Waiting(query.processAllAvailable if once else query.awaitTermination)
    try:
        while not waiting.over(LOOK_SECONDS):
            if not once:
                source.look()
            if watch.meter is not None:
                watch.meter.look(*source.lag(watch.meter.lines, watch.meter.batch))
    finally:
        watch.ending.set()
        with watch.lock:  # the micro-batch that runs comes to its end
            pass
        quietly(query.stop)
