"""What an event of the timer or of an operation says of itself."""

from __future__ import annotations

from wheelproof.trace.judging.events import Event, Refusal, last_lock

__all__ = ["Event", "Refusal", "counter_of", "last_lock", "spoken", "wanted"]


def counter_of(event: Event) -> str | None:
    """The id of the counter that an event touches."""
    for token in event.get("ord", ()):
        if token[0] == "V" and token[1].startswith("counter"):
            return str(token[1])
    return None


def wanted(event: Event) -> str | None:
    """The lock that a thread waits for: the monitor of the innermost kind of object that the event
    names."""
    return next(
        (f"{role}:{event[role]}" for role in ("op", "entry", "list", "task") if role in event), None
    )


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
