"""Failures that end Spark: a full heap, a full disk, an interrupt, a killed JVM."""

import gzip
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.wheelproof.pipeline.test_failures import GOLDEN, HUGE_LINE, ROOT, TINY_DISK
from wheelproof.trace.format import jsonl


def command(*arguments: object) -> list[str]:
    return [
        sys.executable,
        "-m",
        "wheelproof",
        "trace",
        "check",
        "--engine",
        "spark",
        "--master",
        "local[2]",
        *map(str, arguments),
    ]


def run(*words: object, **more) -> subprocess.CompletedProcess:
    return subprocess.run(
        list(map(str, words)),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
        cwd=ROOT,
        **more,
    )


def group(number: int) -> list[int]:
    """The processes of a session that live."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == number and fields[0] not in "ZX":
            found.append(int(status.parent.name))
    return found


def there(folder: Path, pattern: str) -> bool:
    """Whether a folder has such a file somewhere. Folders that vanish amid the look are Spark's own
    affair: look again."""
    try:
        return any(folder.rglob(pattern))
    except FileNotFoundError:
        return False


def nothing_left(scratch: Path) -> bool:
    return not scratch.exists() or list(scratch.iterdir()) == []


@pytest.mark.nightly
def test_a_heap_that_is_too_small_is_a_tool_error_and_leaves_nothing(tmp_path):
    (tmp_path / "traces").mkdir()
    with gzip.open(tmp_path / "traces" / "huge.jsonl.gz", "wb", compresslevel=1) as file:
        for _ in range(HUGE_LINE >> 20):
            file.write(b"a" * (1 << 20))
    ended = run(
        *command(
            "--memory",
            "512m",
            "--scratch",
            tmp_path / "scratch",
            "--output",
            tmp_path / "out",
            tmp_path / "traces",
        )
    )
    assert (
        ended.returncode == 4
        and "Spark ran out of memory: its heap of 512m is full" in ended.stderr
        and "Traceback" not in ended.stderr
    ), ended.stderr
    assert nothing_left(tmp_path / "scratch") and not (tmp_path / "out").exists()


@pytest.mark.nightly
@pytest.mark.parametrize("means", ["a disk of 200 kB", "a limit of 20 kB for a file"])
def test_a_full_disk_is_a_tool_error_and_leaves_nothing(tmp_path, means):
    traces, scratch = tmp_path / "traces", tmp_path / "scratch"
    for folder in (traces, scratch):
        folder.mkdir()
    jsonl.write(traces / "long.jsonl", header("long"), Simulator(3, 2000).run())
    words, more = (
        command("--memory", "1g", "--scratch", scratch, "--output", tmp_path / "out", traces),
        {},
    )
    if means.startswith("a disk"):
        if shutil.which("unshare") is None or run(*TINY_DISK, scratch, "true").returncode:
            pytest.skip("not run: this user may not mount a file system")
        words = [*TINY_DISK, str(scratch), *words]
    else:
        more["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    ended = run(*words, **more)
    assert (
        ended.returncode == 4
        and "The scratch disk is full" in ended.stderr
        and "Traceback" not in ended.stderr
    ), ended.stderr
    assert nothing_left(scratch) and not (tmp_path / "out").exists()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("moment", "number", "code"),
    [
        ("while Spark starts", signal.SIGINT, 130),
        ("amid the check", signal.SIGINT, 130),
        ("while Spark starts", signal.SIGTERM, 143),
        ("amid the check", signal.SIGTERM, 143),
        ("amid the check", signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_an_interrupt_ends_every_process_and_leaves_nothing(tmp_path, moment, number, code):
    """Of a command that is killed at once Java notices that it is alone; no process is left to
    remove the scratch folder."""
    scratch, out = tmp_path / "scratch", tmp_path / "out"
    words = command("--memory", "1g", "--scratch", scratch, "--output", out, GOLDEN)
    with (tmp_path / "printed").open("wb") as stream:
        child = subprocess.Popen(
            words,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + 600
        begun = (
            (lambda: len(group(child.pid)) > 1)
            if moment == "while Spark starts"
            else (lambda: there(scratch, "part-*"))
        )
        while not begun() and child.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        assert child.poll() is None and group(child.pid), (tmp_path / "printed").read_text()
        # A terminal tells the whole group, other senders the one process.
        (os.killpg if number == signal.SIGINT else os.kill)(child.pid, number)
        assert child.wait(300) == code, (tmp_path / "printed").read_text()
        while group(child.pid) and time.monotonic() < until:
            time.sleep(0.1)
        assert group(child.pid) == []
    finally:
        for each in group(child.pid):
            os.kill(each, signal.SIGKILL)
    text = (tmp_path / "printed").read_text()
    expected = {
        signal.SIGINT: "wheelproof: interrupted",
        signal.SIGTERM: "wheelproof: ended by SIGTERM",
    }
    assert "Traceback" not in text and expected.get(number, "") in text, text
    assert number == signal.SIGKILL or nothing_left(scratch)
    assert not out.exists()


@pytest.mark.nightly
def test_after_a_jvm_was_killed_the_same_process_can_begin_anew(tmp_path):
    """A session of its own process: the others share one."""
    code = (
        "import os, signal, sys\nfrom wheelproof.errors import ToolError\nfrom "
        "wheelproof.pipeline.session import SessionOptions, session\n"
        "options = SessionOptions(master='local[1]', memory='512m')\ntry:\n    with "
        "session(options) as spark:\n"
        "        os.kill(int(spark._jvm.java.lang.ProcessHandle.current().pid()), "
        "signal.SIGKILL)\n        spark.range(3).count()\n"
        "except ToolError as error:\n    print(error.message)\nwith session(options) as spark:\n  "
        "  print(spark.range(3).count())"
    )
    ended = run(sys.executable, "-c", code)
    assert ended.returncode == 0 and ended.stdout.splitlines() == [
        "Spark's Java was killed, most likely because the machine ran out of memory.",
        "3",
    ], ended.stderr
