"""An ensemble of ZooKeeper servers, which can be killed and started again."""

from __future__ import annotations

from pathlib import Path

from real.chaos.processes import Group
from real.zookeeper import ensemble, server

NODES = ensemble.SIZE
SYNC_LIMIT = 40
REMEMBERED = "-Dzookeeper.commitLogCount=10000"
"""So many transactions a server that comes back gets one by one, and writes to its own log."""


class Ensemble(ensemble.Ensemble):
    """Three servers of a group."""

    def __init__(self, group: Group, output: Path) -> None:
        """Start all, and wait until they serve. Raises NotHere, and ToolError with a log."""
        super().__init__(output, output, NODES, SYNC_LIMIT)
        self.group = group
        self.command.insert(1, REMEMBERED)
        for node in range(NODES):
            self.begin(node)
        self.await_ready()

    def begin(self, node: int) -> None:
        """Start a server, which need not serve yet."""
        folder = self.folders[node]
        file = server.write_configuration(folder, self.settings[node])
        self.processes[node] = self.group.start([*self.command, file], folder, self.logs[node])

    def await_ready(self) -> None:
        """Start the killed servers, and wait until all serve and one leads."""
        for node, process in list(self.processes.items()):
            if process.poll() is not None:
                self.begin(node)
        super().await_ready()

    def leading(self) -> int | None:
        """The server that leads, if one does."""
        modes = self.modes()
        return modes.index("leader") if "leader" in modes else None

    def kill(self, node: int) -> None:
        """Kill a server, at once."""
        self.processes[node].kill()
        self.processes[node].wait()

    def whole(self) -> bool:
        """Whether no server has been killed and not been started again."""
        return all(process.poll() is None for process in self.processes.values())
