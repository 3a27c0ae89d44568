"""A ZooKeeper server of one node, as a process that always ends."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from real.record.broker import free_ports
from real.zookeeper.client import SESSION_MS
from wheelproof import java
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError
from wheelproof.jvm import declaration
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.setup import MINIMUM

RELEASE = "3.9.4"
JARS = Path(__file__).with_name("zookeeper.toml")
MAIN = "org.apache.zookeeper.server.ZooKeeperServerMain"
FLAGS = (
    "-Xmx64m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Djava.net.preferIPv4Stack=true",
    "-Dzookeeper.jmx.log4j.disable=true",
    "-Dzookeeper.forceSync=no",
    "-Dzookeeper.preAllocSize=1024",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)
"""A small and quick server, whose data need not survive the machine."""

READY_S, END_S, PROBE_S, PAUSE_S = 60, 20, 5, 0.02
LOG_LINES = 15
MODE = "Mode: "


def jars() -> list[Path]:
    """The class path. NotHere where a jar is absent and cannot be fetched."""
    table = declaration.load(JARS)[RELEASE]
    return locate([Artifact(name, sha256) for name, sha256 in table.items()], fetch=True)


def settings(folder: Path, port: int) -> str:
    """The server's configuration."""
    values = {
        "tickTime": 100,
        "dataDir": folder,
        "clientPort": port,
        "clientPortAddress": "127.0.0.1",
        "maxSessionTimeout": SESSION_MS,
        "maxClientCnxns": 0,
        "admin.enableServer": "false",
        "4lw.commands.whitelist": "srvr,wchc",
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


@contextmanager
def running(output: Path) -> Iterator[int]:
    """A server, by its port. Its data is in a temporary folder, its log in ``output``.

    Raises NotHere where Java or a jar is absent, ToolError where the server does not serve. So
    does an OSError inside: the server has ended, or hangs.
    """
    start = command(MAIN)
    output.mkdir(parents=True, exist_ok=True)
    log = output / "zookeeper.log"
    with tempfile.TemporaryDirectory(prefix="zookeeper-") as name:
        port = free_ports(1)[0]
        process = process_of(start, Path(name), settings(Path(name), port), log)
        try:
            await_ready(process, port, log)
            yield port
        except OSError as error:
            raise failure(f"ZooKeeper does not answer ({error})", log) from error
        finally:
            end(process)


def command(main: str) -> list[str]:
    """The command of a server, without its configuration. NotHere where Java or a jar is absent."""
    try:
        runtime = java.locate("ZooKeeper", MINIMUM, f"Install Java {MINIMUM} or newer.")
    except ToolError as error:
        raise NotHere(error.message, error.remedy) from error
    return [str(runtime.executable), *FLAGS, "-cp", os.pathsep.join(map(str, jars())), main]


def process_of(
    start: list[str], folder: Path, configuration: str, log: Path
) -> subprocess.Popen[bytes]:
    """A server's process, with its data in ``folder``."""
    file = write_configuration(folder, configuration)
    with log.open("wb") as output:
        return subprocess.Popen(
            [*start, file],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def write_configuration(folder: Path, configuration: str) -> str:
    """The file of a server's configuration, which is written."""
    file = folder / "zoo.cfg"
    file.write_text(configuration, encoding="utf-8")
    return str(file)


def await_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the server serves."""
    until = time.monotonic() + READY_S
    while not serves(port):
        code = process.poll()
        if code is not None:
            raise failure(f"ZooKeeper ended with {code}", log)
        if time.monotonic() > until:
            raise failure(f"ZooKeeper did not serve within {READY_S} s", log)
        time.sleep(PAUSE_S)


def serves(port: int) -> bool:
    """Whether the server describes itself, which it does when it serves."""
    return mode(port) != ""


def mode(port: int) -> str:
    """The mode of the server: standalone, leader or follower, "" where it does not serve."""
    try:
        lines = report_of(port, "srvr").splitlines()
    except OSError:
        return ""
    return next((line[len(MODE) :] for line in lines if line.startswith(MODE)), "")


def report_of(port: int, word: str) -> str:
    """The report of a server on itself: of its state by ``srvr``, of its watches by ``wchc``."""
    return begin_report(port, word)()


def begin_report(port: int, word: str) -> Callable[[], str]:
    """Let a server report, and do not wait yet. Returns a function that waits for it."""
    probe = socket.create_connection(("127.0.0.1", port), PROBE_S)
    probe.sendall(word.encode())

    def report() -> str:
        content = b""
        with probe:
            while more := probe.recv(4096):
                content += more
        return content.decode(errors="replace")

    return report


def failure(message: str, log: Path) -> ToolError:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return ToolError(f"{message}. Its log is {log}:\n" + "\n".join(lines[-LOG_LINES:]))


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process, and kill it where it does not end."""
    process.terminate()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
