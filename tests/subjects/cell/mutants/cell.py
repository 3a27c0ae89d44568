"""The cell with one decision taken away at a time."""
from __future__ import annotations

from impl import cell as impl
from impl.runtime import NoMonitor
from mapping import cell as mapping


class Unlocked:
    """The monitor excludes nobody."""

    switch = "Monitor"

    class Cell(impl.Cell):
        __slots__ = ()

        def __init__(self) -> None:
            super().__init__()
            self.monitor = NoMonitor()


class OneShot:
    """drain makes one attempt."""

    switch = "Retry"

    class Cell(impl.Cell):
        __slots__ = ()

        def drain(self) -> None:
            if self.full:  # read D1
                self.take()


class Polite:
    """The environment puts twice as much."""

    switch = "Once"

    class World(mapping.World):
        def put(self, item) -> None:
            super().put(item)
            super().put(item)
