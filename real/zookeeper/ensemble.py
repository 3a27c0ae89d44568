"""A ZooKeeper ensemble of several nodes, as processes that always end."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path

from real.record.broker import free_ports
from real.zookeeper import server
from real.zookeeper.links import Link

MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
SIZE = 3
SYNC_LIMIT, LINKED_LIMIT = 100, 600


class Ensemble:
    """Nodes, numbered from 0."""

    def __init__(
        self,
        folder: Path,
        output: Path,
        size: int = SIZE,
        sync_limit: int = SYNC_LIMIT,
        linked: bool = False,
    ) -> None:
        """Nothing is started yet. ``sync_limit``: ticks that a follower may be behind.

        ``linked``: followers reach their leader by links. Raises NotHere where Java or a jar is
        absent.
        """
        self.command = server.command(MAIN)
        ports = free_ports(3 * size)
        self.ports = ports[:size]
        """The port of each node for clients."""
        self.logs = [output / f"zookeeper-{node + 1}.log" for node in range(size)]
        self.folders = [folder / f"zookeeper-{node + 1}" for node in range(size)]
        self.links = (
            {pair: Link(ports[size + pair[1]]) for pair in permutations(range(size), 2)}
            if linked
            else {}
        )
        """Node and leader -> the way on which the node follows that leader, if it is linked."""
        self.settings = []
        for node, place in enumerate(self.folders):
            place.mkdir(parents=True)
            (place / "myid").write_text(str(node + 1), encoding="utf-8")
            limits = f"initLimit=100\nsyncLimit={sync_limit}\n"
            links = {
                leader: link.port
                for (follower, leader), link in self.links.items()
                if follower == node
            }
            members = "".join(
                f"server.{number + 1}=127.0.0.1:{links.get(number, ports[size + number])}:"
                f"{ports[2 * size + number]}\n"
                for number in range(size)
            )
            self.settings.append(server.settings(place, self.ports[node]) + limits + members)
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def begin(self, node: int) -> None:
        """Start a node, which need not serve yet."""
        self.processes[node] = server.process_of(
            self.command, self.folders[node], self.settings[node], self.logs[node]
        )

    def modes(self) -> list[str]:
        """The mode of each node: leader, follower, or "" where it does not serve."""
        return [server.mode(port) for port in self.ports]

    def await_ready(self) -> None:
        """Wait until all nodes serve, one of them as the leader."""
        until = time.monotonic() + server.READY_S
        while sorted(modes := self.modes()) != ["follower"] * (len(self.ports) - 1) + ["leader"]:
            for node, process in self.processes.items():
                if (code := process.poll()) is not None:
                    raise server.failure(
                        f"ZooKeeper's node {node + 1} ended with {code}", self.logs[node]
                    )
            if time.monotonic() > until:
                node = modes.index("") if "" in modes else 0
                raise server.failure(
                    f"ZooKeeper's nodes are {modes} after {server.READY_S} s", self.logs[node]
                )
            time.sleep(server.PAUSE_S)

    def leader(self) -> int:
        """The node that leads."""
        return self.modes().index("leader")

    def end(self) -> None:
        """End all processes."""
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            server.end(process)
        for link in self.links.values():
            link.close()


@contextmanager
def running(output: Path, size: int = SIZE, linked: bool = False) -> Iterator[Ensemble]:
    """An ensemble that serves. Its data is in a temporary folder, its logs are in ``output``.

    ``linked``: the messages of a leader to its followers can be held, and a follower is not given
    up for that before ``LINKED_LIMIT`` ticks. Raises NotHere where Java or a jar is absent,
    ToolError where it does not serve. So does an OSError inside: a node has ended, or hangs.
    """
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="zookeeper-") as name:
        limit = LINKED_LIMIT if linked else SYNC_LIMIT
        ensemble = Ensemble(Path(name), output, size, limit, linked)
        try:
            for node in range(size):
                ensemble.begin(node)
            ensemble.await_ready()
            yield ensemble
        except OSError as error:
            raise server.failure(
                f"ZooKeeper does not answer ({error})", ensemble.logs[0]
            ) from error
        finally:
            ensemble.end()
