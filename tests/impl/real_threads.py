"""What tests with real threads share: nothing here depends on how soon a thread gets its turn.

An expected event gets ``PATIENCE_S`` seconds, which cost nothing where it comes. An event that must
not come gets ``MOMENT_S`` in the code as it is, and all the patience in its mutant. So neither
passes or fails by the speed of the machine.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from impl.delay_queue import DelayQueue
from impl.runtime import Gate

PATIENCE_S = 60.0
MOMENT_S = 0.05
HOUR_MS = 3_600_000


def finished(thread: threading.Thread, within_s: float = PATIENCE_S) -> bool:
    thread.join(within_s)
    return not thread.is_alive()


def until(true: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Wait for something to become true; whether it did."""
    end = time.monotonic() + within_s
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def started(*bodies: Callable[[], object]) -> list[threading.Thread]:
    """One daemon thread per body: one that hangs fails its test, and the process still ends."""
    threads = [threading.Thread(target=body, daemon=True) for body in bodies]
    for thread in threads:
        thread.start()
    return threads


class Watched(DelayQueue):
    """A queue that counts its polls, and signals when a poller sleeps."""

    __slots__ = ("polls", "looked")

    def __init__(self) -> None:
        super().__init__()
        self.polls = 0
        self.looked = threading.Event()

    def poll(self, timeout_ms):
        self.polls += 1
        return super().poll(timeout_ms)

    def wait_ms(self):
        wait = super().wait_ms()
        if wait > 0:
            self.looked.set()
        return wait

    def has_a_sleeper(self) -> bool:
        """Wait until a poller has nothing due. It looks with the gate held, and sleeps without."""
        if not self.looked.wait(PATIENCE_S):
            return False
        with self.gate:
            return True


class Deaf(Gate):
    """A mutant that wakes no thread."""

    __slots__ = ()

    def notify(self):
        pass


class Silent(Watched):
    """A mutant whose ``offer`` wakes no thread."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.gate = Deaf()
