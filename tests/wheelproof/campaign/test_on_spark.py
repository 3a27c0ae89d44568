"""The command on Spark: small by day; by night killed, on a cluster, and interrupted."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the extra `data` is not installed: make setup-data")

from tests.wheelproof.campaign import folders
from tests.wheelproof.pipeline import standalone
from wheelproof.campaign import manifest as manifests
from wheelproof.commands import INTERRUPTED

FEW = ("--seeds", "0:12", "--block", "5")
MANY = ("--seeds", "0:35", "--block", "4")


LOCAL = """
import sys
from wheelproof.cli import main
from wheelproof.pipeline import cluster
cluster.impatience = None
sys.argv[0] = "wheelproof"
main()
"""
"""The command, where it must not wait for executors: in one process none will ever come."""


def arguments(output, *more, oracle="Sorting"):
    return [
        *(sys.executable, "-c", LOCAL) * ("--master" not in more),
        *(sys.executable, "-m", "wheelproof") * ("--master" in more),
        *("campaign", "programs", f"oracles:{oracle}"),
        *("--memory", "512m", "--output", str(output), *more),
    ]


def environment(**more):
    return os.environ | {"PYTHONPATH": str(folders.ROOT), "SPARK_LOCAL_IP": "127.0.0.1", **more}


def command(root, output, *more, oracle="Sorting", **variables):
    return subprocess.run(
        arguments(output, *more, oracle=oracle),
        cwd=root,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def summary_of(output):
    return json.loads((output / "summary.json").read_text())


@pytest.fixture(scope="module")
def digest(project, shipped, tmp_path_factory):
    """The sum of the larger campaign, made without Spark in one block."""
    output = tmp_path_factory.mktemp("digest")
    subject, manifest = folders.begun(project, output, "oracles:Slow", (0, 35), size=100)
    folders.run_all(output, manifest, shipped, SLOW="0")
    return folders.sum_of(output, manifest, subject).digest


@pytest.mark.slow
def test_a_campaign_on_two_local_threads_shrinks_its_failures_which_replay_alone(
    project, shipped, tmp_path
):
    ended = command(project, tmp_path / "c", *FEW, oracle="Losing")
    assert ended.returncode == 1, ended.stderr
    assert "13 of 13 units, 1 of 1 planted faults rejected" in ended.stdout
    subject, manifest = folders.begun(project, tmp_path / "alone", "oracles:Losing", size=100)
    folders.run_all(tmp_path / "alone", manifest, shipped)
    alone = folders.sum_of(tmp_path / "alone", manifest, subject)
    assert summary_of(tmp_path / "c")["digest"] == alone.digest
    again = [line for line in ended.stdout.splitlines() if line.startswith("again: ")]
    assert len(again) == len(alone.failures) > 2
    words = again[0].removeprefix("again: ").split()
    failure = tmp_path / "moved.json"
    shutil.move(words[-1], failure)
    shutil.rmtree(tmp_path / "c")
    replayed = subprocess.run(
        [sys.executable, "-m", *words[:-1], str(failure)],
        cwd=project,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert replayed.returncode == 1, replayed.stderr
    assert "violated" in replayed.stdout and "sorted([" in replayed.stdout


@contextmanager
def driver(root, output, *more, **variables):
    """The command, which goes on meanwhile, with the processes that it starts."""
    log = output.with_suffix(".log")
    with log.open("w") as stream:
        process = subprocess.Popen(
            arguments(output, *more, oracle="Slow"),
            cwd=root,
            env=environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    process.log = log
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def come(output, process, count, seconds=300.0):
    """Wait until so many blocks are there."""
    until = time.monotonic() + seconds
    while len(list((output / manifests.BLOCKS).glob("*.parquet"))) < count:
        assert process.poll() is None, process.log.read_text()
        assert time.monotonic() < until, process.log.read_text()
        time.sleep(0.1)


def there(output):
    return {file: file.stat().st_mtime_ns for file in (output / manifests.BLOCKS).glob("*.parquet")}


@pytest.mark.nightly
@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT])
def test_a_campaign_that_is_ended_goes_on_and_loses_and_doubles_nothing(
    project, digest, tmp_path, way
):
    output = tmp_path / "c"
    with driver(project, output, *MANY, SLOW="1") as process:
        come(output, process, 2)
        process.send_signal(way)
        code = process.wait(120)
        text = process.log.read_text()
    if way == signal.SIGINT:
        assert code == INTERRUPTED, text
        assert "interrupted: the same command goes on" in text and " of 36 units" in text
    else:
        assert code == -signal.SIGKILL
    gone(output)
    before = there(output)
    assert 2 <= len(before) < 9
    ended = command(project, output, *MANY, oracle="Slow", SLOW="0")
    assert ended.returncode == 0, ended.stderr
    assert f"9 blocks, {len(before)} of them there already" in ended.stdout
    after = there(output)
    assert len(after) == 9 and {file: after[file] for file in before} == before
    assert summary_of(output)["digest"] == digest


def processes(pattern):
    """The processes of this user whose command has a text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if pattern in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def gone(output):
    """Wait until no process runs a block: one may outlive its driver by a moment."""
    until = time.monotonic() + 60
    while processes(f"-m wheelproof.campaign {output} "):
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.nightly
def test_a_cluster_has_the_same_sum_though_an_executor_and_a_block_are_killed(
    project, digest, tmp_path
):
    python = standalone.bare_python(tmp_path / "bare")
    output = tmp_path / "c"
    with standalone.cluster(tmp_path, cores=1, workers=2) as url:
        options = (*MANY, "--master", url)
        with driver(project, output, *options, SLOW="0.5", PYSPARK_PYTHON=str(python)) as process:
            come(output, process, 2)
            executors = [pid for pid in processes(EXECUTOR) if works_below(pid, tmp_path)]
            assert len(executors) == 2, "one on each worker"
            os.kill(executors[0], signal.SIGKILL)
            come(output, process, 4)
            os.kill(processes(f"-m wheelproof.campaign {output} ")[0], signal.SIGKILL)
            assert process.wait(600) == 0, process.log.read_text()
    assert summary_of(output)["digest"] == digest
    assert len(there(output)) == 9


EXECUTOR = "executor.CoarseGrainedExecutorBackend"


def works_below(pid, folder):
    """Whether a process works below a folder."""
    try:
        return Path(f"/proc/{pid}/cwd").resolve().is_relative_to(folder.resolve())
    except OSError:
        return False
