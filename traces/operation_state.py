"""What a trace has shown of one delayed operation so far."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(slots=True)
class Operation:
    """One operation. ``completed`` and ``pending`` are None while nothing is known of them.

    ``task``: its timer task, 0 where that is not known. ``winner``: the thread that completed it,
    0 for none. ``tried``: the winner is still in the tryComplete that completed it. ``cleared``:
    how often its note was taken away.
    """

    protocol: str = ""
    completed: bool | None = None
    pending: bool | None = None
    task: int = 0
    winner: int = 0
    cause: str = ""
    tried: bool = False
    cancelled: bool = False
    begun: int = 0
    ended: int = 0
    expired: int = 0
    cleared: int = 0

    def data(self) -> dict[str, Any]:
        """As a header's ``initial`` has it."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }
