"""A door at which threads wait until it is open. It stays open."""

from __future__ import annotations

from wheelproof_runtime import Condition, Plain


class Door:
    """``inside``: how many threads have entered."""

    __slots__ = ("changed", "inside", "opened")

    opened: Plain[bool]
    inside: Plain[int]

    def __init__(self) -> None:
        self.changed = Condition()
        self.opened = False
        self.inside = 0

    def enter(self) -> None:
        """Wait until the door is open, and enter."""
        with self.changed:  # lock E1, unlock E7
            while not self.opened:  # read E2
                self.changed.wait()  # wait E3, wake E4, lock E5
            self.inside = self.inside + 1  # write E6

    def unlock(self) -> None:
        """Open the door for all."""
        with self.changed:  # lock U1, unlock U4
            self.opened = True  # write U2
            self.changed.notify_all()  # notify U3
