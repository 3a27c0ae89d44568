"""The Spark session: the one place that configures it."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof.errors import ToolError, UsageError, installation
from wheelproof.pipeline import failures, java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MEGABYTE = 1 << 20
_UNITS = {"k": 1 << 10, "m": _MEGABYTE, "g": 1 << 30, "t": 1 << 40}
_HEADROOM = 512 * _MEGABYTE
"""The memory of a JVM beside its heap, and of Python beside the JVM."""


@dataclass(frozen=True)
class SessionOptions:
    """How Spark runs. ``partitions``: of a shuffle; 0 leaves it to Spark's own adaptive choice from
    two for each core."""

    master: str = "local[*]"
    memory: str = "2g"
    partitions: int = 0
    scratch: Path | None = None
    more: dict[str, str] = field(default_factory=dict)


@contextmanager
def session(options: SessionOptions = SessionOptions()) -> Iterator[SparkSession]:
    """A Spark session that is always stopped at the end. Raises as :func:`build` and
    :func:`failures.reported` do."""
    spark = build(options)
    try:
        with failures.reported(spark, options.memory):
            yield spark
    except BaseException as error:
        if isinstance(error, Exception):
            failures.end(spark)
        else:  # the command is to end soon
            failures.abandon(spark)
        raise
    failures.end(spark)


def check() -> None:
    """Raise ToolError where there is no pyspark."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise ToolError(
            f"The pipeline needs pyspark, which is not installed ({error}).",
            installation("data", "setup-data"),
        ) from error


def build(options: SessionOptions = SessionOptions()) -> SparkSession:
    """Start Spark. ToolError: no pyspark, no Java that will do, too little memory, or Spark did not
    start; UsageError: a bad option."""
    check()
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    local = options.master.startswith("local")
    if local:
        _check_memory(options.memory)
    os.environ["JAVA_HOME"] = str(java.launcher(java.locate()))
    os.environ["PATH"] = java.with_tools(os.environ.get("PATH", ""))
    # An environment that is not activated would otherwise hand the work to the system's Python.
    # Other machines may have theirs elsewhere.
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if local:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.appName("wheelproof").master(options.master)
    for name, value in _configuration(options, local).items():
        builder = builder.config(name, value)
    handler = (
        signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread()
        else None
    )
    try:
        with _quiet_banner():
            spark = builder.getOrCreate()
    except (PySparkException, Py4JError, RuntimeError, OSError) as error:
        raise failures.of_start(error, options.master, options.memory) from error
    finally:
        # Spark takes Ctrl-C for itself, for as long as the process lives. The user of a session
        # stops it on the way out.
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _configuration(options: SessionOptions, local: bool) -> dict[str, str]:
    logging = _on_disk("log4j2.properties")
    # The incubator module's warning and the launcher's own lines would be the first thing that a
    # user reads.
    # Spark makes one long method of a family's rules, which HotSpot would otherwise leave to its
    # interpreter.
    # Its collector is the one for throughput: no thread waits for a result within a task.
    whole = "-XX:-DontCompileHugeMethods -XX:+UseParallelGC"
    quiet = f"-Dlog4j2.configurationFile={logging.as_uri()} {whole}"
    settings = {
        "spark.driver.memory": options.memory,
        "spark.driver.extraJavaOptions": quiet,
        "spark.executor.extraJavaOptions": whole,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.adaptive.enabled": "true",
        # A larger method is not made for a whole stage but for each step of it: C2 gives up on the
        # methods of a family of many rules.
        "spark.sql.codegen.hugeMethodLimit": "8000",
        # A number that is absurd must break a rule, not the query.
        "spark.sql.ansi.enabled": "false",
        # It would parse a line once for each of its columns.
        "spark.sql.optimizer.enableJsonExpressionOptimization": "false",
        # Up to so many texts are compared one by one, as bytes; a set of more is Scala's, which
        # hashes each row's text.
        "spark.sql.optimizer.inSetConversionThreshold": "16",
        # Where in Python each piece of an expression was made: five calls for one, and a family's
        # rules are thousands of pieces.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # A job of one task for each of the files takes longer than to look at ten thousand.
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.parquet.filterPushdown": "true",
        # A key's rows that do not fit are read back once for each of its windows: with two buffers
        # for each file they fill a small heap.
        "spark.unsafe.sorter.spill.read.ahead.enabled": "false",
        # It detects that a repeated task wrote other rows; all that is shuffled here is a function
        # of the files.
        "spark.sql.shuffle.orderIndependentChecksum.enabled": "false",
        "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "20000",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    if local:
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
        settings["spark.sql.shuffle.partitions"] = str(
            options.partitions or 2 * _cores(options.master)
        )
    elif options.partitions:
        settings["spark.sql.shuffle.partitions"] = str(options.partitions)
    if options.scratch and local:
        # Executors elsewhere have disks of their own for this; the scratch folder is one that they
        # share.
        settings["spark.local.dir"] = str(options.scratch)
    return settings | options.more


@cache
def _on_disk(name: str) -> Path:
    """A file of this folder as Java can open it: a copy, until this process ends, where the package
    is in a zip."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(resources.as_file(resources.files("wheelproof.pipeline") / name))


def _cores(master: str) -> int:
    word = master.removeprefix("local").strip("[]").split(",")[0]
    return int(word) if word.isdigit() else os.cpu_count() or 1


def size_in_bytes(text: str) -> int:
    """Bytes that a size such as 512m or 2g stands for. UsageError where it is none."""
    digits, unit = text[:-1], text[-1:].lower()
    if unit not in _UNITS or not digits.isdigit() or int(digits) == 0:
        raise UsageError(
            f"{text!r} is no size of memory.",
            "Write a whole number and a unit, such as 512m or 2g.",
        )
    return int(digits) * _UNITS[unit]


def available_memory() -> int | None:
    """Bytes that the machine could give now; None where it does not say (not Linux)."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return None


def _check_memory(memory: str) -> None:
    demand, free = size_in_bytes(memory) + _HEADROOM, available_memory()
    if demand < 1 << 30:
        raise UsageError(f"{memory} is too little memory for Spark.", "Give it 512m or more.")
    if free is not None and demand > free:
        raise ToolError(
            f"Spark is to have {memory} and {_HEADROOM // _MEGABYTE} MiB beside it, and "
            f"{free // _MEGABYTE} MiB are free.",
            "Give it less (--memory 1g), or end what holds the memory.",
        )


@contextmanager
def _quiet_banner() -> Iterator[None]:
    """Holds back the JVM launcher's text on standard error while it starts; it is shown if
    the start fails."""
    import tempfile

    sys.stderr.flush()
    with tempfile.TemporaryFile() as buffer:
        descriptor = os.dup(2)
        os.dup2(buffer.fileno(), 2)
        try:
            yield
        except BaseException:
            buffer.seek(0)
            os.write(descriptor, buffer.read())
            raise
        finally:
            os.dup2(descriptor, 2)
            os.close(descriptor)
