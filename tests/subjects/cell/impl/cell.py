"""A cell that holds at most one item: small, and with one of every kind of step."""

from __future__ import annotations

from impl.runtime import Atomic, Lock, Monitor, Plain, Volatile


class Cell:
    """``full`` is read without the monitor, ``item`` only with it."""

    __slots__ = ("monitor", "gate", "item", "full", "taken", "claimed")

    item: Plain[str | None]
    full: Volatile[bool]

    def __init__(self) -> None:
        self.monitor = Monitor()
        self.gate = Lock()
        self.item = None
        self.full = False
        self.taken = Atomic(0)
        self.claimed = Atomic(False)

    def put(self, item: str) -> None:
        """Fill the cell if it is empty."""
        with self.monitor:  # lock P1, unlock P5
            if not self.full:  # read P2
                self.item = item  # write P3
                self.full = True  # write P4

    def take(self) -> None:
        """Empty the cell if it is full."""
        with self.monitor:  # lock T1, unlock T6
            if self.full:  # read T2
                self.item = None  # write T3
                self.full = False  # write T4
                self.taken.add_and_get(1)  # update T5

    def drain(self) -> None:
        """Empty the cell; again, while other threads fill it."""
        while self.full:  # read D1
            self.take()

    def claim(self) -> bool:
        """True for the first caller only."""
        return self.claimed.compare_and_set(False, True)  # cas C1

    def attempt(self) -> None:
        """Empty the cell unless another thread is at it."""
        if self.gate.acquire(blocking=False):  # try G1
            try:
                self.take()
            finally:
                self.gate.release()  # unlock G2
