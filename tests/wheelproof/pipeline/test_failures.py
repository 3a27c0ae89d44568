"""What ends a check from outside. Each failure is brought about for real, those that end Spark at
night; each has its sentence and its exit code."""

import gzip
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.errors import AnalysisException

from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.nights import only
from traces.bulk import trace as of_threads
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline import command as command_module
from wheelproof.pipeline import failures, runs, session, validate
from wheelproof.trace.format import jsonl, parquet
from wheelproof.trace.format.tally import Tally, line_of

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parents[1] / "trace" / "golden"
TINY_DISK = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=200k none "$0" && exec "$@"')
"""Starts a command that sees a disk of 200 kB at a folder, the first argument."""
HUGE_LINE = 400 << 20
"""Bytes of a line that no heap of 512 MiB holds."""


class Broken(SimpleNamespace):
    """A session whose JVM has ended with a code, or still lives (None)."""

    def __init__(self, code):
        self.cancelled = []
        process = SimpleNamespace(poll=lambda: code, wait=lambda seconds: code)
        java = SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: code is not None))
        super().__init__(
            sparkContext=SimpleNamespace(
                _gateway=SimpleNamespace(proc=process),
                _jsc=java,
                cancelAllJobs=lambda: self.cancelled.append(True),
            )
        )


@pytest.mark.parametrize(
    ("cause", "error", "message"),
    [
        (
            "Job aborted: java.lang.OutOfMemoryError: Java heap space",
            ToolError,
            "ran out of memory, of which its driver has 3g.*--memory",
        ),
        (
            "ExecutorLostFailure (executor 0 exited): Command exited with code 52",
            ToolError,
            "ran out of memory",
        ),
        (
            "[UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire 65536 bytes of memory",
            ToolError,
            "ran out of memory",
        ),
        (
            "java.io.IOException: No space left on device",
            ToolError,
            "scratch disk is full.*--scratch DIR",
        ),
        ("java.io.IOException: File too large", ToolError, "scratch disk is full, or refuses"),
        (
            "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file "
            "file:///a/b.parquet. File does not exist.",
            UsageError,
            r"vanished .*: /a/b.parquet is not there",
        ),
        (
            "java.io.FileNotFoundException: File file:/t/wheelproof-pipeline-x/staged/p.parquet "
            "does not exist",
            ToolError,
            "scratch folder was removed",
        ),
        (
            "[FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH] Encountered error while reading "
            "file file:///a%20b/c.parquet.",
            UsageError,
            "other types: /a b/c.parquet",
        ),
        (
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:/a.jsonl.  "
            "SQLSTATE: KD001",
            UsageError,
            r"cannot be read: /a\.jsonl\.",
        ),
        (
            "ModuleNotFoundError: No module named 'wheelproof'",
            ToolError,
            "no module wheelproof.*PYSPARK_PYTHON",
        ),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version",
            ToolError,
            "another version",
        ),
        (
            'java.io.IOException: Cannot run program "/opt/python3.9": error=2',
            ToolError,
            "cannot run /opt/python3.9",
        ),
        (
            "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: "
            "worker lost",
            ToolError,
            "Executors were lost",
        ),
        (
            "org.apache.spark.SparkException: All masters are unresponsive! Giving up.",
            ToolError,
            "master does not answer",
        ),
    ],
)
def test_what_spark_says_becomes_a_sentence_and_a_remedy(cause, error, message):
    found = failures.of_text(cause, "3g")
    assert type(found) is error and re.search(message, str(found)) and found.remedy


def test_what_nothing_knows_stays_what_it_is():
    assert (
        failures.of_text("[UNRESOLVED_COLUMN] A column with name x cannot be resolved", "1g")
        is None
    )
    with (
        pytest.raises(AnalysisException, match="UNRESOLVED"),
        failures.reported(Broken(None), "1g"),
    ):
        raise AnalysisException("[UNRESOLVED_COLUMN] x")
    with pytest.raises(ZeroDivisionError), failures.reported(Broken(52), "1g"):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (52, "its heap of 1g is full"),
        (-9, "Java was killed"),
        (1, r"Java ended amid the check \(exit code 1\)"),
        (-6, "signal 6"),
    ],
)
def test_a_jvm_that_is_gone_is_reported_by_how_it_ended(code, message):
    with pytest.raises(ToolError, match=message), failures.reported(Broken(code), "1g"):
        raise Py4JNetworkError("Answer from Java side is empty")


def test_that_the_report_can_be_written_is_found_out_without_a_trace(tmp_path):
    """The nightly tests of a full heap, a full disk and an interrupt found a folder for a report
    that there was none of."""
    command_module.writable(tmp_path / "new" / "inner")
    assert list(tmp_path.iterdir()) == []
    kept = tmp_path / "old"
    kept.mkdir()
    command_module.writable(kept / "inner")
    assert list(tmp_path.rglob("*")) == [kept]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--output", "the report is to go there"),
        ("--scratch", "no folder can be made there for scratch"),
    ],
)
def test_a_folder_that_cannot_be_written_to_is_reported_before_spark_starts(
    tmp_path, monkeypatch, option, message
):
    from typer.testing import CliRunner

    from wheelproof.cli import app

    def build(options):
        raise ToolError("Spark would start now.")

    monkeypatch.setattr(session, "build", build)
    (tmp_path / "file").write_text("in the way")
    for folder, cause in (
        (tmp_path / "file", message),
        (tmp_path / "file" / "below", message),
        (tmp_path / "free", "Spark would start now"),
    ):
        result = CliRunner().invoke(
            app,
            [
                "trace",
                "check",
                "--engine",
                "spark",
                str(GOLDEN / "readd.jsonl"),
                option,
                str(folder),
            ],
        )
        assert (
            result.exit_code == 4
            and cause in result.output
            and (str(folder) in result.output) == (cause == message)
        )
    assert (tmp_path / "file").read_text() == "in the way" and not list(
        (tmp_path / "free").glob("*")
    )


def test_ctrl_c_ends_the_jobs_that_run_and_goes_on():
    broken = Broken(None)
    with pytest.raises(KeyboardInterrupt), failures.reported(broken, "1g"):
        raise KeyboardInterrupt
    assert broken.cancelled


def test_a_master_that_is_none_is_a_wrong_option(spark):
    error = failures.of_start(
        RuntimeError("org.apache.spark.SparkException: Could not parse Master URL: 'lokal'"),
        "lokal",
        "1g",
    )
    assert type(error) is UsageError and "'lokal' is no master of Spark" in str(error)
    stopped = RuntimeError(
        "An error occurred while calling z:org.apache.spark.SparkFiles.getRootDirectory."
    )
    assert "Spark's master does not answer" in str(
        failures.of_start(stopped, "spark://127.0.0.1:1", "1g")
    )
    assert "Spark did not start (An error" in str(failures.of_start(stopped, "local[2]", "1g"))
    assert "Spark did not start (odd)" in str(
        failures.of_start(RuntimeError("odd"), "local[2]", "1g")
    )


@pytest.fixture(scope="module")
def conforming() -> list[dict]:
    return Simulator(3, 25).run()


def checked(spark, folder: Path, scratch: Path) -> validate.Report:
    with failures.reported(spark, "1g"):
        return validate.check(spark, [folder], scratch, [of_threads.FAMILY])


@pytest.mark.nightly
@pytest.mark.parametrize("count", only([8, 120], 8))
def test_a_run_in_many_files_is_one_run_and_one_that_lacks_a_file_is_not_whole(
    spark, conforming, tmp_path, count
):
    for name in ("many", "lacking"):
        folder, tally = tmp_path / "traces" / name / "parts", Tally(header(name))
        folder.mkdir(parents=True)
        for event in conforming:
            tally.count(event)
        (folder.parent / "header.json").write_text(json.dumps(header(name)))
        (folder.parent / "footer.json").write_text(json.dumps(tally.footer()))
        for part in range(count):
            text = b"".join(line_of(event) for event in conforming[part::count])
            (folder / f"{part}.jsonl.gz").write_bytes(gzip.compress(text)) if part % 2 else (
                folder / f"{part}.jsonl"
            ).write_bytes(text)
    (folder / "7.jsonl.gz").unlink()
    report = checked(spark, tmp_path / "traces", tmp_path)
    assert {run["run"]: (run["verdict"], run["events"]) for run in report.runs} == {
        "many": ("conforms", len(conforming)),
        "lacking": ("incomplete", len(conforming) - len(conforming[7::count])),
    }


@pytest.mark.daily(2)
@pytest.mark.parametrize("moment", ["find", "gather"])
def test_a_trace_that_vanishes_while_it_is_read_is_named(
    spark, conforming, tmp_path, monkeypatch, moment
):
    """Before Spark lists the files, and when it has begun to read."""
    folder = tmp_path / "traces"
    folder.mkdir()
    jsonl.write(folder / "stays.jsonl", header("stays"), conforming)
    jsonl.write(
        folder / "goes.jsonl", header("goes"), conforming
    ) if moment == "find" else parquet.write(folder / "goes.parquet", header("goes"), conforming)
    called = getattr(runs, moment)

    def then_remove(*arguments):
        found = called(*arguments)
        next(folder.glob("goes.*")).unlink()
        return found

    monkeypatch.setattr(runs, moment, then_remove)
    with pytest.raises(
        UsageError, match=r"vanished while it was read: .*goes\.(jsonl|parquet) is not there"
    ):
        checked(spark, folder, tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "cut.jsonl.gz",
            gzip.compress(os.urandom(90_000))[:50_000],
            r"compressed trace is cut off: /.*/traces/cut\.jsonl\.gz\.",
        ),
        (
            "plain.jsonl.gz",
            b'{"schema":"wheelproof.trace/1"}\n',
            r"is not compressed so, or damaged: /.*/plain\.jsonl\.gz",
        ),
    ],
)
def test_a_compressed_trace_that_is_none_is_refused(spark, tmp_path, name, content, message):
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / name).write_bytes(content)
    with pytest.raises(UsageError, match=message):
        checked(spark, tmp_path / "traces", tmp_path)


def test_memory_is_checked_before_spark_starts(monkeypatch):
    with pytest.raises(UsageError, match="too little memory for Spark"):
        session.build(session.SessionOptions(memory="256m"))
