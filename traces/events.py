"""The type of an event of the timer or of an operation, and the event in words."""

from __future__ import annotations

from typing import TypedDict, cast

from wheelproof.trace.format import event as format
from wheelproof.trace.format.event import columns
from wheelproof.trace.judging.events import Refusal, last_lock

__all__ = [
    "Columns",
    "Event",
    "Observed",
    "Refusal",
    "Step",
    "clock_of",
    "columns",
    "counter_of",
    "last_lock",
    "observed",
    "read",
    "seen_by",
    "spoken",
    "wanted",
]


class Observed(TypedDict, total=False):
    """The columns of ``pre`` and ``post``, as ``schema.OBSERVED`` declares them."""

    list: int
    entry: int
    counter: int
    key_ms: int
    completed: bool
    pending: bool


class Columns(format.Columns, total=False):
    """The columns of ``schema.COLUMNS`` and ``schema.SEQUENCES``, beside the tool's."""

    timer: int
    purgatory: int
    task: int
    entry: int
    list: int
    op: int
    key: int
    level: int
    bucket: int
    vid: int
    exp_ms: int
    delay_ms: int
    now_ms: int
    wheel_ms: int
    key_ms: int
    eseq: int
    lseq: int
    oseq: int
    pre: Observed
    post: Observed


class Step(Columns):
    """What rules judge: an event, or a step that was not recorded and might have been. Such a step
    has no clock."""

    tid: int
    k: str


class Event(Step):
    """A recorded step."""

    tseq: int
    lc: int
    phase: str


def read(event: format.Event) -> Event:
    """An event of a reader, which has checked its columns."""
    return cast(Event, event)


def observed(event: Step) -> tuple[Observed, Observed]:
    """``pre`` and ``post``, each empty where the event has none."""
    before: Observed = event.get("pre", {})
    after: Observed = event.get("post", {})
    return before, after


def seen_by(checkpoint: Step) -> Observed:
    """What holds at a checkpoint, whatever came before: ``post``, or else ``pre``."""
    before, after = observed(checkpoint)
    seen: Observed = {**before, **after}
    if "key_ms" in checkpoint:
        seen["key_ms"] = checkpoint["key_ms"]
    return seen


def clock_of(step: Step) -> int:
    """The Lamport clock of an event; 0 for a step that was not recorded."""
    return int(columns(step).get("lc", 0))


def counter_of(event: Step) -> str | None:
    """The id of the counter that an event touches."""
    for token in event.get("ord", ()):
        if token[0] == "V" and token[1].startswith("counter"):
            return str(token[1])
    return None


def wanted(event: Step) -> str | None:
    """The lock that a thread waits for: the monitor of the innermost kind of object that the event
    names."""
    named = columns(event)
    return next(
        (f"{role}:{named[role]}" for role in ("op", "entry", "list", "task") if role in named), None
    )


def spoken(event: Step) -> str:
    """An event in a few words: ``list_remove(e17, l7)``."""
    given = columns(event)
    names = [
        f"{letter}{given[column]}"
        for column, letter in (("task", "t"), ("entry", "e"), ("list", "l"), ("op", "op"))
        if given.get(column)
        and not (
            column == "task"
            and event.get("entry")
            and event["k"] not in ("cancel", "set_entry", "cancel_check")
        )
    ]
    return f"{event['k']}({', '.join(names)})"
