"""An action that runs once, however many threads ask for it."""

from __future__ import annotations

from wheelproof_runtime import Lock, Plain, Volatile


class OneShot:
    """``runs`` stands for the action: it counts how often it ran."""

    __slots__ = ("lock", "done", "runs")

    done: Volatile[bool]
    runs: Plain[int]

    def __init__(self) -> None:
        self.lock = Lock()
        self.done = False
        self.runs = 0

    def run(self) -> None:
        """Run the action unless it has run; return when it has."""
        if not self.done:  # read O1
            with self.lock:  # lock O2, unlock O6
                if not self.done:  # read O3
                    self.runs = self.runs + 1  # write O4
                    self.done = True  # write O5
