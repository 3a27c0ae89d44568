"""One broker of Kafka, in KRaft mode, with clients; it is recorded while they run."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import tempfile
import time
import tomllib
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from real.d1.classes import NAMED
from real.record.agent import HALTED, HERE, Agent
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError
from wheelproof.jvm.jars import locate

JARS = HERE / "broker.toml"
HEAP = "-Xmx512m"
READY_S, FORMAT_S, END_S, CLIENTS_S = 120, 120, 60, 120
IDLE = 20
"""Consumers whose fetches wait until they expire."""
LOG_LINES = 15


def jars() -> list[Path]:
    """The class path of a broker. NotHere where a jar is absent."""
    table = tomllib.loads(JARS.read_text(encoding="utf-8"))[NAMED]
    return locate([Artifact(name, sha256) for name, sha256 in table.items()], fetch=True)


def free_ports(count: int) -> list[int]:
    """Ports that no process listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return found


def properties(folder: Path, port: int, controller: int) -> str:
    """The configuration of a broker that is its own controller."""
    return "\n".join(
        f"{name}={value}"
        for name, value in {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": folder / "data",
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 1,
            "transaction.state.log.replication.factor": 1,
            "share.coordinator.state.topic.replication.factor": 1,
            "group.initial.rebalance.delay.ms": 0,
        }.items()
    )


def record(agent: Agent, output: Path, seconds: int, options: Sequence[str] = ()) -> str:
    """Record a broker into ``output`` while clients use it; returns what the clients print.

    Raises ToolError, with the log's last lines, where a process fails or does not end in time.
    """
    path = os.pathsep.join(map(str, jars()))
    clients = agent.classes.compile([HERE / "Clients.java"], *jars())
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="broker-") as name:
        folder = Path(name)
        port, controller = free_ports(2)
        config = folder / "broker.properties"
        config.write_text(properties(folder, port, controller), encoding="utf-8")
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        formatted = agent.classes.run(
            *("-cp", path, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", config),
            timeout_s=FORMAT_S,
        )
        if formatted.returncode != 0:
            raise ToolError(f"The broker's storage is not formatted: {formatted.stderr.strip()}")
        command = [HEAP, f"-javaagent:{agent.jar}={agent.options(output, options)}"]
        command += ["-cp", path, "kafka.Kafka", str(config)]
        with running(agent.classes.java, command, output.with_suffix(".log")) as broker:
            broker.await_port(port)
            more = f"{clients}{os.pathsep}{path}"
            address, length = f"127.0.0.1:{port}", str(1000 * seconds)
            arguments = ("-cp", more, "Clients", address, length, str(IDLE))
            ended = agent.classes.run(*arguments, timeout_s=CLIENTS_S + seconds)
            if ended.returncode != 0:
                raise ToolError(f"The clients failed: {ended.stderr.strip()[-2000:]}")
            output.with_name(output.name + ".stop").touch()
            broker.await_file(output)
    output.with_name(output.name + ".stop").unlink(missing_ok=True)
    return ended.stdout.strip()


class Broker:
    """A process that runs, and the file of what it prints."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log

    def failed(self, message: str) -> ToolError:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return ToolError(f"{message}. Its log is {self.log}:\n" + "\n".join(lines[-LOG_LINES:]))

    def _check(self, end: float, what: str) -> None:
        code = self.process.poll()
        if code is not None:
            raise self.failed(HALTED.get(code, f"The broker ended with {code}"))
        if time.monotonic() > end:
            raise self.failed(f"The broker has {what}")
        time.sleep(0.1)

    def await_port(self, port: int) -> None:
        """Wait until the broker listens."""
        end = time.monotonic() + READY_S
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            self._check(end, f"not listened within {READY_S} s")

    def await_file(self, file: Path) -> None:
        """Wait until the recording is whole."""
        end = time.monotonic() + END_S
        while not file.is_file():
            self._check(end, f"written no recording within {END_S} s")


@contextmanager
def running(java: Path, command: Sequence[str], log: Path) -> Iterator[Broker]:
    """A Java process that is ended, and killed where it does not end."""
    with log.open("wb") as printed:
        process = subprocess.Popen(
            [java, *command], stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT
        )
    try:
        yield Broker(process, log)
    finally:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
