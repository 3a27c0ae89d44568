"""The type of an event of the timer or of an operation, and the event in words."""

from __future__ import annotations

from typing import TypedDict, cast

from wheelproof.trace.format import event as format
from wheelproof.trace.format.event import columns

__all__ = ["Columns", "Event", "Observed", "columns", "observed", "read", "spoken"]


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


class Event(Columns):
    """A recorded step."""

    tid: int
    k: str
    tseq: int
    lc: int
    phase: str


def read(event: format.Event) -> Event:
    """An event of a reader, which has checked its columns."""
    return cast(Event, event)


def observed(event: Event) -> tuple[Observed, Observed]:
    """``pre`` and ``post``, each empty where the event has none."""
    before: Observed = event.get("pre", {})
    after: Observed = event.get("post", {})
    return before, after


def spoken(event: Event) -> str:
    """An event in a few words: ``list_remove(e17, l7)``."""
    cells = columns(event)
    names = [
        f"{letter}{cells[column]}"
        for column, letter in (("task", "t"), ("entry", "e"), ("list", "l"), ("op", "op"))
        if cells.get(column)
        and not (
            column == "task"
            and event.get("entry")
            and event["k"] not in ("cancel", "set_entry", "cancel_check")
        )
    ]
    return f"{event['k']}({', '.join(names)})"
