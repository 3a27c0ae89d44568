"""What a trace has shown of one delayed operation so far, and of its timeout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields


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

    @classmethod
    def of(cls, known: Mapping[str, object]) -> Operation:
        """As :meth:`data` has it."""
        made = cls()
        for name, value in known.items():
            setattr(made, name, value)
        return made

    def data(self) -> dict[str, object]:
        """As a header's ``initial`` has it."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }


@dataclass(slots=True)
class Timeout:
    """What a trace has shown of one operation's timeout. ``own``: the operation is its own timer's
    task; ``entered``: tryCompleteElseWatch has begun; ``left``: it has left the operation open;
    ``timed``, ``ran``: how often the timer got it and ran it."""

    own: bool = False
    entered: bool = False
    left: bool = False
    timed: int = 0
    ran: int = 0
