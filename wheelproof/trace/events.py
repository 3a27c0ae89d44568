"""What an event says of itself, and why one is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Refusal:
    """Why an event is no step of the model: the property that it breaks, and a sentence. ``op``: the operation that it is about, where the event does not name it."""

    property: str
    message: str
    op: int | None = None


def counter_of(event: Event) -> str | None:
    """The id of the counter that an event touches."""
    for token in event.get("ord", ()):
        if token[0] == "V" and token[1].startswith("counter"):
            return token[1]
    return None


def wanted(event: Event) -> str | None:
    """The lock that a thread waits for: the monitor of the innermost kind of object that the event names."""
    return next(
        (f"{role}:{event[role]}" for role in ("op", "entry", "list", "task") if role in event), None
    )


def last_lock(event: Event) -> str | None:
    """The lock that a lock event is about: the innermost of its tokens."""
    return next((token[1] for token in reversed(event.get("ord", ())) if token[0] == "L"), None)


def spoken(event: Event) -> str:
    """An event in a few words: ``list_remove(e17, l7)``."""
    names = [
        f"{letter}{event[column]}"
        for column, letter in (("task", "t"), ("entry", "e"), ("list", "l"), ("op", "op"))
        if event.get(column)
        and not (
            column == "task"
            and event.get("entry")
            and event["k"] not in ("cancel", "set_entry", "cancel_check")
        )
    ]
    return f"{event['k']}({', '.join(names)})"
