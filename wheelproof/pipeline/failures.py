"""Causes that end a check from outside: memory, disk, a lost file, a lost machine, Ctrl-C. Each
becomes one sentence with a remedy.

Spark reports these as errors of Java, of py4j or of the system, under names of its own, and a JVM
that has died only by its silence.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote

from wheelproof.errors import ToolError, UsageError, WheelproofError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OUT_OF_MEMORY_CODE = 52
"""With this Spark's JVM ends when its heap is full (SparkExitCode.OOM); an executor says it in a
sentence."""
_DYING_SECONDS = 10
_SHOWN = 300

_MEMORY = re.compile(
    r"OutOfMemoryError|UNABLE_TO_ACQUIRE_MEMORY|Java heap space|GC overhead limit"
    r"|exited with code (?:52|137)\b|insufficient memory for the Java"
)
_DISK = re.compile(
    r"No space left on device|Disk quota exceeded|File too large|DISK_STORE"
    r"|Failed to create local dir"
)
_GONE = re.compile(r"FILE_NOT_EXIST|PATH_NOT_FOUND|FileNotFoundException|NoSuchFileException")
_MODULE = re.compile(r"ModuleNotFoundError: No module named '?([\w.]+)")
_PYTHON = re.compile(r"PYTHON_VERSION_MISMATCH")
_PROGRAM = re.compile(r'Cannot run program "([^"]*python[^"]*)"')
_MASTER = re.compile(
    r"All masters are unresponsive|Master removed our application|application has been killed"
    r"|SparkContext was shut down|stopped SparkContext"
)
_STOPPED_EARLY = "SparkFiles.getRootDirectory"
"""The last call of the start of a session: it fails there alone if the context, which gave its
master up, has stopped meanwhile."""

_NO_MASTER = re.compile(r"Could not parse Master URL|Master must either be|Invalid master URL")
_EXECUTOR = re.compile(
    r"ExecutorLostFailure|Remote RPC client disassociated|executor lost", re.IGNORECASE
)
_CUT = re.compile(r"EOFException|Unexpected end of (?:ZLIB )?input stream|unexpected end of file")
_PACKED = re.compile(
    r"not a gzip file|ZipException|ZlibException|DataFormatException|stored gzip (?:CRC|size)"
    r"|invalid (?:block type|stored block|distance|code|literal)|incorrect (?:header|data) check"
)
_TYPE = re.compile(
    r"PARQUET_COLUMN_DATA_TYPE_MISMATCH|CANNOT_MERGE|SchemaColumnConvertNotSupported"
)
_READ = re.compile(r"FAILED_READ_FILE")
_PATH = re.compile(r"file:(/[^\s,;\]\"']+)")
_SCRATCH = re.compile(r"/wheelproof-pipeline-|/blockmgr-|/spark-[0-9a-f]{8}-")


@contextmanager
def reported(spark: SparkSession, memory: str) -> Iterator[None]:
    """Turns an error of Spark or the system inside into a WheelproofError; Ctrl-C ends the jobs
    that run and goes on as it was.

    Raises ToolError: memory, disk, the JVM or an executor is gone, or the executors' Python will
    not do; UsageError: a trace vanished while it was read. An error that is none of these is raised
    as it is: it is a defect.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    logging.getLogger().addFilter(_not_py4j)
    try:
        yield
    except WheelproofError:
        raise
    except (PySparkException, Py4JError, OSError) as error:
        ending = _ending(spark)
        failure = of_jvm(ending, memory) if ending is not None else of_text(_text(error), memory)
        if failure is None:
            raise
        raise failure from error
    except BaseException:
        with suppress(Exception):
            _in_a_thread(spark.sparkContext.cancelAllJobs)
        raise


def end(spark: SparkSession) -> None:
    """Stop Spark. Nothing is raised where its JVM has died already: a session can be started
    afterwards all the same."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context, ending = spark.sparkContext, _ending(spark, 0)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # that the JVM did not answer, which `reported` has printed
        try:
            _in_a_thread(spark.stop)
        except Exception:
            if ending is None and _ending(spark) is None:
                raise
    if ending is not None or _ending(spark, 0) is not None:
        # pyspark would ask the dead JVM for the next session, or take the session that it could not
        # stop for a living one.
        if server := getattr(context, "_accumulatorServer", None):
            server.shutdown()
            context._accumulatorServer = None  # type: ignore[assignment]
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None


STOPPING, ENDING = 4.0, 2.0
"""Seconds for Spark to stop, and for its JVM to end after that, where a command is interrupted."""


def abandon(spark: SparkSession) -> None:
    """Stop Spark and end its JVM soon, also amid its work: tasks may go on for minutes."""
    from pyspark import SparkContext

    java = getattr(SparkContext._gateway, "proc", None)
    stopping = threading.Thread(target=_quietly, args=(spark.stop,), daemon=True)
    stopping.start()
    stopping.join(STOPPING)
    if java is None:
        return
    with suppress(OSError):
        java.stdin.close()  # by which the JVM notices that it is alone
    with suppress(subprocess.TimeoutExpired):
        java.wait(ENDING)
    if java.poll() is None:
        java.kill()
        java.wait()


def _quietly(act: Callable[[], None]) -> None:
    with suppress(Exception):
        act()


def _not_py4j(record: logging.LogRecord) -> bool:
    """py4j writes every loss of its JVM, with a traceback, to the root of all logs."""
    return "py4j" not in record.pathname


def _in_a_thread(act: Callable[[], None]) -> None:
    """A call to Java over a connection of its own: one that was interrupted has left its answer on
    this thread's, for the next call to read."""
    errors: list[Exception] = []

    def guard() -> None:
        try:
            act()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=guard)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def of_start(error: BaseException, master: str, memory: str) -> WheelproofError:
    """The error for a session that did not begin."""
    text = _text(error)
    if _NO_MASTER.search(text):
        return UsageError(
            f"{master!r} is no master of Spark.",
            "Write local[N], spark://HOST:PORT, yarn or k8s://URL.",
        )
    if not master.startswith("local") and _STOPPED_EARLY in text:
        text = f"SparkContext was shut down. {text}"
    why = _first(text) or type(error).__name__
    return of_text(text, memory) or ToolError(
        f"Spark did not start ({why}).",
        f"See whether {os.environ.get('JAVA_HOME')}/bin/java runs, and try less memory than "
        f"{memory}.",
    )


def of_jvm(code: int, memory: str) -> ToolError:
    """The error for a JVM that ended by itself. ``code``: as of ``subprocess``: of a signal its
    negative number."""
    if code == _OUT_OF_MEMORY_CODE:
        return _memory(f"Spark ran out of memory: its heap of {memory} is full.")
    if code in (-9, 137):
        return _memory(
            "Spark's Java was killed, most likely because the machine ran out of memory."
        )
    return ToolError(
        "Spark's Java ended amid the check "
        f"({f'signal {-code}' if code < 0 else f'exit code {code}'}).",
        "Its output stands above. Check once more.",
    )


def of_text(text: str, memory: str) -> WheelproofError | None:
    """The error for an exception's text; None where nothing here knows it."""
    reasons: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], WheelproofError]], ...] = (
        (_MEMORY, lambda _: _memory(f"Spark ran out of memory, of which its driver has {memory}.")),
        (
            _DISK,
            lambda match: ToolError(
                f"The scratch disk is full, or refuses to be written to ({match[0]}).",
                "Give a folder on a larger disk: --scratch DIR.",
            ),
        ),
        (_GONE, lambda _: _vanished_file(text)),
        (
            _CUT,
            lambda _: UsageError(
                f"A compressed trace is cut off: {_path_in(text)}.",
                "Test the files with gzip -t, and record the one again.",
            ),
        ),
        (
            _PACKED,
            lambda _: UsageError(
                f"A trace that is named .gz is not compressed so, or damaged: {_path_in(text)}.",
                "Test the files with gzip -t.",
            ),
        ),
        (
            _TYPE,
            lambda _: UsageError(
                f"A trace has columns of other types: {_path_in(text)}.",
                "Columns must have the types of docs/trace-format.md.",
            ),
        ),
        (
            _READ,
            lambda _: UsageError(
                f"A trace cannot be read: {_path_in(text)}.",
                "It may be damaged: record it again.",
            ),
        ),
        (
            _PYTHON,
            lambda _: ToolError(
                "The executors' Python is of another version than this one.", _REMEDY_PYTHON
            ),
        ),
        (
            _MODULE,
            lambda match: ToolError(
                f"The executors' Python has no module {match[1]}.", _REMEDY_PYTHON
            ),
        ),
        (
            _PROGRAM,
            lambda match: ToolError(f"The executors cannot run {match[1]}.", _REMEDY_PYTHON),
        ),
        (
            _EXECUTOR,
            lambda _: ToolError(
                f"Executors were lost ({_first(text)}).",
                "See the log of the one that ended: too little memory is the usual reason.",
            ),
        ),
        (
            _MASTER,
            lambda match: ToolError(
                f"Spark's master does not answer, or has ended the application ({match[0]}).",
                "See whether it runs, and the URL of --master.",
            ),
        ),
    )
    for pattern, error_of in reasons:
        if match := pattern.search(text):
            return error_of(match)
    return None


_REMEDY_PYTHON = (
    "Set PYSPARK_PYTHON to a Python of this version that all executors have, with the packages of "
    "requirements-data.lock; "
    "the rules need none of that, only the replay of violating runs does."
)


def _memory(message: str) -> ToolError:
    return ToolError(
        message,
        "Give it more (--memory 4g), or check fewer traces at a time. A single line or value of "
        "hundreds of megabytes is no event.",
    )


def _vanished_file(text: str) -> WheelproofError:
    if _SCRATCH.search(text):
        return ToolError(
            "The scratch folder was removed amid the check.",
            "Check once more, with a folder of its own: --scratch DIR.",
        )
    return UsageError(
        f"A trace vanished while it was read: {_path_in(text)} is not there (any more) for all of "
        "Spark.",
        "Give files that stay in place, at the same path on the driver and on every executor.",
    )


def _path_in(text: str) -> str:
    """The first path in a text of Spark."""
    path_match = _PATH.search(text)
    return "/" + unquote(path_match[1]).strip("/").rstrip(".") if path_match else "a file"


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:_SHOWN]


def _text(error: BaseException) -> str:
    """The text of the error and its causes. A Java exception asks the JVM for its text, which may
    be gone by then."""
    if isinstance(error, FileNotFoundError) and error.filename:
        return f"FileNotFoundException file:{error.filename}"
    try:
        return str(error)
    except Exception:
        return ""


def _ending(spark: SparkSession, seconds: float = _DYING_SECONDS) -> int | None:
    """The exit code of Spark's JVM; None while it lives, or where another process started it. A
    dying one is given ``seconds``."""
    process = getattr(spark.sparkContext._gateway, "proc", None)
    if process is None:
        return None
    if seconds and not _sound(spark):
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    code: int | None = process.poll()
    return code


def _sound(spark: SparkSession) -> bool:
    """Whether the JVM answers, and says that its context goes on: on its way down it still answers
    for a while."""
    try:
        return not spark.sparkContext._jsc.sc().isStopped()
    except Exception:
        return False
