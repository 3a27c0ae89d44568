"""An ensemble of ZooKeeper servers, which can be killed and started again."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from real.chaos.processes import Group
from real.record.broker import free_ports
from real.zookeeper import server
from wheelproof.errors import ToolError

NODES = 3
MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
REMEMBERED = "-Dzookeeper.commitLogCount=10000"
"""So many transactions a server that comes back gets one by one, and writes to its own log."""


def settings(folder: Path, ports: Sequence[int], node: int) -> str:
    """The configuration of a node, from 1. ``ports``: three for each node, one after the other."""
    quorum = "".join(
        f"server.{each}=127.0.0.1:{ports[3 * each - 2]}:{ports[3 * each - 1]}\n"
        for each in range(1, len(ports) // 3 + 1)
    )
    own = server.settings(folder, ports[3 * node - 3])
    return f"{own}initLimit=100\nsyncLimit=40\n{quorum}"


class Ensemble:
    """Three servers. ``folders``: where each writes its log of transactions; ``ports``: theirs."""

    def __init__(self, group: Group, output: Path) -> None:
        """Start all, and wait until they serve. Raises NotHere, and ToolError with a log."""
        self.group, self.command = group, server.launcher()
        self.command.insert(1, REMEMBERED)
        ports = free_ports(3 * NODES)
        self.ports = ports[::3]
        self.folders = [output / f"zookeeper-{node}" for node in range(1, NODES + 1)]
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        for place, folder in enumerate(self.folders):
            folder.mkdir(parents=True)
            text = settings(folder, ports, place + 1)
            (folder / "zoo.cfg").write_text(text, encoding="utf-8")
            (folder / "myid").write_text(f"{place + 1}\n", encoding="utf-8")
            self.start(place)
        self.await_ready()

    def start(self, place: int) -> None:
        folder = self.folders[place]
        command = [*self.command, MAIN, str(folder / "zoo.cfg")]
        self.processes[place] = self.group.start(command, folder, folder / "zookeeper.log")

    def await_ready(self) -> None:
        """Start what was killed, and wait until all serve and one leads."""
        for place, process in self.processes.items():
            if process.poll() is not None:
                self.start(place)
        until = time.monotonic() + server.READY_S
        while True:
            modes = [server.mode(port) for port in self.ports]
            if all(modes) and modes.count("leader") == 1:
                return
            for place, process in self.processes.items():
                log = self.folders[place] / "zookeeper.log"
                if process.poll() is not None:
                    raise server.failed(f"ZooKeeper ended with {process.returncode}", log)
                if time.monotonic() > until and not modes[place]:
                    raise server.failed(f"ZooKeeper did not serve within {server.READY_S} s", log)
            if time.monotonic() > until:
                raise ToolError(f"ZooKeeper has no leader within {server.READY_S} s: {modes}.")
            time.sleep(server.PAUSE_S)

    def leader(self) -> int | None:
        """The place of the server that leads, if one does."""
        modes = [server.mode(port) for port in self.ports]
        return modes.index("leader") if "leader" in modes else None

    def kill(self, place: int) -> None:
        """Kill a server, at once."""
        self.processes[place].kill()
        self.processes[place].wait()

    def whole(self) -> bool:
        """Whether no server has been killed and not been started again."""
        return all(process.poll() is None for process in self.processes.values())
