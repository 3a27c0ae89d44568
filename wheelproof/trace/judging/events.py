"""What an event says of itself, and why one is refused."""

from __future__ import annotations

from dataclasses import dataclass

from wheelproof.trace.format.event import Columns, Event

__all__ = ["Event", "Refusal", "last_lock"]


@dataclass(frozen=True)
class Refusal:
    """Why an event is no step of the model: the property that it breaks, and a sentence. ``op``:
    the operation that it is about, where the event does not name it."""

    property: str
    message: str
    op: int | None = None


def last_lock(event: Columns) -> str | None:
    """The lock that a lock event is about: the innermost of its tokens."""
    return next((token[1] for token in reversed(event.get("ord", ())) if token[0] == "L"), None)
