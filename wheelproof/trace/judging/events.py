"""What an event says of itself, and why one is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Refusal:
    """Why an event is no step of the model: the property that it breaks, and a sentence. ``op``:
    the operation that it is about, where the event does not name it."""

    property: str
    message: str
    op: int | None = None


def last_lock(event: Event) -> str | None:
    """The lock that a lock event is about: the innermost of its tokens."""
    return next((token[1] for token in reversed(event.get("ord", ())) if token[0] == "L"), None)
