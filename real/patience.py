"""Limits of time that a busy machine does not use up.

A process that hangs waits for no processor. So time counts against a limit only while no thread of
the process waits for one. Linux says how long each thread has waited
(``/proc/PID/task/TID/schedstat``); where no system says so, all time counts.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from wheelproof.errors import ToolError

LOOK_S = 0.1
LONGEST_S = 1.0
"""A look counts for so much at most: the observer may have been stopped, too."""
NS_PER_S = 1_000_000_000


def waited_ns(pid: int) -> dict[str, int]:
    """Thread of a process -> how long it has waited for a processor; empty where unknown."""
    waits = {}
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, IndexError, ValueError):
                waits[thread.name] = int((thread / "schedstat").read_text().split()[1])
    return waits


class Patience:
    """So many seconds in which the processes could have gone on.

    ``clock`` and ``waited`` are those of the machine, and a test's otherwise.
    """

    def __init__(
        self,
        seconds: float,
        *pids: int,
        clock: Callable[[], float] = time.monotonic,
        waited: Callable[[int], dict[str, int]] = waited_ns,
    ) -> None:
        self.left, self.pids, self.clock, self.waited = seconds, pids, clock, waited
        self._last = clock()
        self._before = {pid: waited(pid) for pid in pids}

    def used_up(self) -> bool:
        """Whether the time is over; to be checked again and again."""
        now, queue_ns = self.clock(), 0
        elapsed, self._last = min(now - self._last, LONGEST_S), now
        for pid in self.pids:
            waits, before = self.waited(pid), self._before[pid]
            queue_ns += sum(time - before.get(thread, 0) for thread, time in waits.items())
            self._before[pid] = waits
        self.left -= max(0.0, elapsed - queue_ns / NS_PER_S)
        return self.left <= 0


def run(
    command: Sequence[str | Path], patience_s: float, beside: Sequence[int] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a program, which may end with any exit code, and keep its output. ``beside``: the
    processes that it needs.

    Raises ToolError where it hangs: it has had so many seconds, and did not wait for a processor.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            patience = Patience(patience_s, process.pid, *beside)
            while True:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK_S)
                    break
                if patience.used_up():
                    raise ToolError(
                        f"{Path(command[0]).name} hangs: it was given {patience_s:g} s in which it "
                        "waited for no processor, and did not end."
                    )
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return subprocess.CompletedProcess(command, process.returncode, *texts)
