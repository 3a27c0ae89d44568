"""Brokers of Kafka, in KRaft mode, with clients; they are recorded while the clients run."""

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
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import SystemRandom
from threading import Event, Thread

from real.d1.classes import NAMED, Classes
from real.patience import LOOK_S, Patience
from real.record.agent import HALTED, HERE, Agent
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError
from wheelproof.jvm.jars import locate

JARS = HERE / "broker.toml"
HEAP = "-Xmx512m"
READY_S, FORMAT_S, END_S, CLIENTS_S = 300, 120, 120, 300
IDLE = 20
"""Consumers whose fetches wait until they expire."""
LOG_LINES = 15
LASTING = range(20_000, 32_768)
"""Ports that no system gives to a connection, or to a listener on any port: one of those may be
taken before a server listens on it."""


def jars() -> list[Path]:
    """The class path of a broker. NotHere where a jar is absent."""
    table = tomllib.loads(JARS.read_text(encoding="utf-8"))[NAMED]
    return locate([Artifact(name, sha256) for name, sha256 in table.items()], fetch=True)


def free_ports(count: int, ports: Sequence[int] = LASTING) -> list[int]:
    """Ports that no process listens on now, drawn from these. OSError: there are too few."""
    numbers: list[int] = []
    for port in SystemRandom().sample(ports, len(ports)):
        if len(numbers) == count:
            return numbers
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            numbers.append(port)
    if len(numbers) < count:
        raise OSError(f"{len(numbers)} of {len(ports)} ports are free instead of {count}")
    return numbers


def properties(folder: Path, node: int, port: int, controllers: Sequence[int]) -> str:
    """The configuration of a broker that is a controller, too. ``controllers``: port of each."""
    voters = [f"{number}@127.0.0.1:{at}" for number, at in enumerate(controllers, 1)]
    replicas, controller = len(controllers), controllers[node - 1]
    return "\n".join(
        f"{name}={value}"
        for name, value in {
            "process.roles": "broker,controller",
            "node.id": node,
            "controller.quorum.voters": ",".join(voters),
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": folder / "data",
            "offsets.topic.replication.factor": replicas,
            "offsets.topic.num.partitions": 1,
            "transaction.state.log.replication.factor": replicas,
            "transaction.state.log.min.isr": 1,
            "share.coordinator.state.topic.replication.factor": replicas,
            "share.coordinator.state.topic.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            "initial.broker.registration.timeout.ms": 1000 * READY_S,
        }.items()
    )


def file_of(output: Path, node: int, nodes: int) -> Path:
    """The recording of a node: ``output`` where it is the only one."""
    name, _, ending = output.name.partition(".")
    return output if nodes == 1 else output.with_name(f"{name}-{node}.{ending}")


def new_cluster() -> str:
    """An id for a new cluster."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


def formatted(
    classes: Classes, folder: Path, node: int, ports: Sequence[int], cluster: str
) -> Path:
    """The configuration of a node of a cluster, whose data are formatted in a folder. Half of the
    ports are the brokers', the others the controllers'. Raises ToolError."""
    nodes = len(ports) // 2
    config = folder / f"{node}.properties"
    text = properties(folder / str(node), node, ports[node - 1], ports[nodes:])
    config.write_text(text, encoding="utf-8")
    path = os.pathsep.join(map(str, jars()))
    process = classes.run(
        *("-cp", path, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", config),
        patience_s=FORMAT_S,
    )
    if process.returncode != 0:
        raise ToolError(f"The storage is not formatted: {process.stderr.strip()}")
    return config


def record(
    agent: Agent, output: Path, seconds: int, options: Sequence[str] = (), nodes: int = 1
) -> str:
    """Record brokers while clients use them; returns the output of the clients.

    Of several the last one is killed halfway: its recording stays without an end. Raises ToolError,
    with a log's last lines, where a process fails or does not end in time.
    """
    path = os.pathsep.join(map(str, jars()))
    clients = agent.classes.compile([HERE / "Clients.java"], *jars())
    output.parent.mkdir(parents=True, exist_ok=True)
    numbers = range(1, nodes + 1)
    files = [file_of(output, node, nodes) for node in numbers]
    with tempfile.TemporaryDirectory(prefix="broker-") as name, ExitStack() as all_nodes:
        ports = free_ports(2 * nodes)
        cluster = new_cluster()
        brokers = []
        for node, file in zip(numbers, files, strict=True):
            for old in (file, file.with_name(f"unfinished-{file.name}")):
                old.unlink(missing_ok=True)
            config = formatted(agent.classes, Path(name), node, ports, cluster)
            command = [HEAP, f"-javaagent:{agent.jar}={agent.options(file, options)}"]
            command += ["-cp", path, "kafka.Kafka", str(config)]
            log = file.with_name(f"{file.name}.log")
            brokers.append(all_nodes.enter_context(running(agent.classes.java, command, log)))
        for broker, port in zip(brokers, ports):
            broker.await_port(port)
        addresses = ",".join(f"127.0.0.1:{port}" for port in ports[:nodes])
        more = f"{clients}{os.pathsep}{path}"
        start_file, over = Path(name) / "begun", Event()
        arguments = (addresses, str(1000 * seconds), str(IDLE), str(nodes), str(start_file))
        killer = Thread(target=kill, args=(brokers[-1], start_file, seconds / 2, over))
        if nodes > 1:
            killer.start()
        try:
            run = agent.classes.run(
                *("-cp", more, "Clients", *arguments),
                patience_s=CLIENTS_S + seconds,
                beside=[broker.process.pid for broker in brokers],
            )
        finally:
            over.set()
        if run.returncode != 0:
            raise ToolError(f"The clients failed: {run.stderr.strip()[-2000:]}")
        count = max(1, nodes - 1)
        if nodes > 1 and brokers[-1].process.poll() is None:
            raise ToolError("The clients ended before the last broker was killed.")
        for file in files[:count]:
            file.with_name(file.name + ".stop").touch()
        for broker, file in zip(brokers[:count], files):
            broker.await_file(file)
        for broker in brokers:  # at once: one that has no quorum any more does not end by itself
            broker.process.terminate()
    for file in files:
        file.with_name(file.name + ".stop").unlink(missing_ok=True)
    return run.stdout.strip()


def kill(broker: Broker, start_file: Path, seconds: float, over: Event) -> None:
    """Kill a broker so many seconds after the clients have begun, unless all is over before."""
    while not start_file.exists():
        if over.wait(0.1):
            return
    if not over.wait(seconds):
        broker.process.kill()


class Broker:
    """A process that runs, and the file of its output."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log

    def failure(self, message: str) -> ToolError:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return ToolError(f"{message}. Its log is {self.log}:\n" + "\n".join(lines[-LOG_LINES:]))

    def _check(self, patience: Patience, problem: str) -> None:
        code = self.process.poll()
        if code is not None:
            raise self.failure(HALTED.get(code, f"The broker ended with {code}"))
        if patience.used_up():
            raise self.failure(f"The broker hangs: it has {problem}")
        time.sleep(LOOK_S)

    def await_port(self, port: int) -> None:
        """Wait until the broker listens."""
        patience = Patience(READY_S, self.process.pid)
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            self._check(patience, f"not listened, and was given {READY_S} s")

    def await_file(self, file: Path) -> None:
        """Wait until the recording is whole."""
        patience = Patience(END_S, self.process.pid)
        while not file.is_file():
            self._check(patience, f"written no recording, and was given {END_S} s")


@contextmanager
def running(java: Path, command: Sequence[str], log: Path, alone: bool = False) -> Iterator[Broker]:
    """A Java process that is ended, and killed where it does not end. ``alone``: Ctrl-C does not
    reach it."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [java, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=alone,
        )
    try:
        yield Broker(process, log)
    finally:
        process.terminate()
        patience = Patience(END_S, process.pid)
        while process.poll() is None and not patience.used_up():
            time.sleep(LOOK_S)
        if process.poll() is None:
            process.kill()
            process.wait()
