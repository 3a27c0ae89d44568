"""A cluster of one master and its workers on this machine, in processes of their own, whose Python
does not have this package."""

import os
import re
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from wheelproof.pipeline import java

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
ROOT = Path(__file__).parents[3]
LISTENS = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
_STARTED_SECONDS = 180


def bare_python(folder: Path) -> Path:
    """A Python with the packages of this one and without those that are installed as links to a
    source tree, which this package is."""
    venv.create(folder, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    # A .pth file that a .pth file leads to is not read.
    (folder / "lib" / version / "site-packages" / "others.pth").write_text(
        f"{Path(pyspark.__file__).parents[1]}\n"
    )
    python = folder / "bin" / "python"
    found = subprocess.run(
        [python, "-c", "import pyspark, pyarrow, wheelproof"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=outside(),
        check=False,
    )
    assert "No module named 'wheelproof'" in found.stderr, found.stderr
    return python


def outside() -> dict[str, str]:
    """The environment, without what would lead Python to this tree."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYSPARK", "SPARK"))
    } | {"SPARK_LOCAL_IP": "127.0.0.1"}


@contextmanager
def cluster(
    folder: Path,
    worker_before: tuple[str, ...] = (),
    memory: str = "1g",
    workers: int = 1,
    cores: int = 2,
) -> Iterator[str]:
    """The URL of a master whose workers have so many processors each. ``worker_before``: a command
    that starts a worker."""
    environment = outside() | {
        "JAVA_HOME": str(java.launcher(java.locate())),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    started: list[subprocess.Popen] = []

    def start(name: str, pattern: str, *command: str) -> str:
        log = folder / f"{name}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        started.append(process)
        until = time.monotonic() + _STARTED_SECONDS
        while time.monotonic() < until and process.poll() is None:
            if found := re.search(pattern, log.read_text(errors="replace")):
                return found[0]
            time.sleep(0.2)
        raise AssertionError(f"the {name} has not started:\n{log.read_text(errors='replace')}")

    def stop(process: subprocess.Popen) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            if process.poll() is None:
                os.killpg(process.pid, number)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    continue

    classes = "org.apache.spark.deploy"
    try:
        url = start(
            "master",
            r"spark://127\.0\.0\.1:\d+",
            str(SPARK_CLASS),
            f"{classes}.master.Master",
            *LISTENS,
        )
        for number in range(workers):
            start(
                f"worker{number}",
                "Successfully registered with master",
                *worker_before,
                str(SPARK_CLASS),
                f"{classes}.worker.Worker",
                *LISTENS,
                *("--cores", str(cores), "--memory", memory),
                url,
            )
        yield url
    finally:
        for process in reversed(started):
            stop(process)


def check(
    master: str, traces: Path, python: Path, *arguments: str, before: str = "", timeout: float = 600
) -> subprocess.CompletedProcess:
    """`wheelproof trace check --engine spark` on a master, from this tree, with the executors'
    ``python``. ``before``: statements in the same process."""
    command = (
        f"import sys\n{before}\nfrom wheelproof.cli import main\nsys.argv[0] = 'wheelproof'\nmain()"
    )
    return subprocess.run(
        [
            sys.executable,
            "-c",
            command,
            "trace",
            "check",
            "--engine",
            "spark",
            "--master",
            master,
            "--memory",
            "1g",
            *arguments,
            str(traces),
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYSPARK_PYTHON": str(python), "SPARK_LOCAL_IP": "127.0.0.1"},
    )
