"""A broker of released Kafka that no agent records, through which recordings go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from real.d1.classes import NAMED, Classes, of_release
from real.record import broker
from real.record.broker import Broker
from wheelproof import temporary


class Transport:
    """A node in a folder. It may be stopped or killed, and be started again with its data."""

    def __init__(self, classes: Classes, folder: Path) -> None:
        self.classes, self.folder = classes, folder
        self.ports = broker.free_ports(2)
        self.config = broker.formatted(classes, folder, 1, self.ports, broker.new_cluster())
        self.starts = 0
        self._process: AbstractContextManager[Broker] | None = None
        self.broker: Broker | None = None

    @property
    def servers(self) -> str:
        """Where it listens, as clients take it."""
        return f"127.0.0.1:{self.ports[0]}"

    def start(self) -> None:
        """Start the node, and wait until it listens. Raises ToolError with its log."""
        self.starts += 1
        path = os.pathsep.join(map(str, broker.jars()))
        command = [broker.HEAP, "-cp", path, "kafka.Kafka", str(self.config)]
        log = self.folder / f"{self.starts}.log"
        self._process = broker.running(self.classes.java, command, log, alone=True)
        self.broker = self._process.__enter__()
        self.broker.await_port(self.ports[0])

    def stop(self) -> None:
        """End the node, and kill it where it does not end."""
        if self._process is not None:
            self._process.__exit__(None, None, None)
            self._process = self.broker = None

    def kill(self) -> None:
        """Kill the node."""
        assert self.broker is not None
        self.broker.process.kill()
        self.stop()


@contextmanager
def transport(build: Path) -> Iterator[Transport]:
    """A node that runs, with its data, until the end of the block. ``build``: for classes.

    Raises NotHere where Java or a jar is absent, and ToolError where it does not start.
    """
    classes = of_release(NAMED, build, fixed=False)
    with temporary.folder("broker") as folder:
        node = Transport(classes, folder)
        try:
            node.start()
            yield node
        finally:
            node.stop()
