"""A group of processes that ends with this one, however this one ends.

``python -m real.chaos.processes`` is the group's keeper. It reads a pipe that this process holds
open. When the pipe is closed, by this process or by its end, the keeper kills the whole group.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
END_S = 20


class Group:
    """Starts processes in the keeper's group."""

    def __init__(self, keeper: subprocess.Popen[bytes]) -> None:
        self.keeper = keeper
        self.started: list[subprocess.Popen[bytes]] = []

    def start(
        self,
        command: Sequence[str | Path],
        folder: Path,
        log: Path,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a process in a folder. It appends its output to a log."""
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=self.keeper.pid,
            )
        self.started.append(process)
        return process

    def close(self) -> None:
        """Kill the whole group, and wait for its end."""
        if self.keeper.stdin is not None:
            self.keeper.stdin.close()
        for process in (self.keeper, *self.started):
            process.wait(END_S)


@contextmanager
def group() -> Iterator[Group]:
    """A group of processes, none of which outlives the block or this process.

    SIGTERM ends the block as Ctrl-C does.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    keeper = subprocess.Popen(
        [sys.executable, "-m", "real.chaos.processes"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        process_group=0,
    )
    processes = Group(keeper)
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield processes
    finally:
        signal.signal(signal.SIGTERM, before)
        processes.close()


def keep() -> None:
    """Wait until the pipe is closed, and kill one's own group."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    keep()
