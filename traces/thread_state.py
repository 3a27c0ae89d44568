"""What a trace has shown of one thread so far: its open flushes, its checks, and what it owes."""

from __future__ import annotations

from traces.initial import Place
from traces.schema import NONE


class ThreadState:
    """``flushes``: (span, list) of the open flushes, outermost first. ``checked``: the entry last
    checked, and whether it was cancelled. ``hand``: the entry that a flush has taken out and
    not yet handed on. ``inside``: the tryComplete and onComplete that it is in, innermost last.
    ``duty``: what it must do next, for which operation, and how often that one's note had been
    cleared.

    Of a thread that was seen from its start ``linked`` is the bucket that it has linked into and
    not keyed, and ``made`` whether it has made a level that no other thread knows of. ``flushed``:
    the bucket that it has flushed and still holds, if it has not reset its key. ``reset``: the
    bucket whose key it has reset last. ``fired``: the entry that it has handed over last. ``lc``:
    the clock of its last event. ``request``: the task that it was handed, the time and the delay.
    ``placed``: the entry that the wheel has chosen a list for, and the list. ``back``: the entry
    that a flush has unlinked, and has not handed back.
    """

    __slots__ = (
        "flushes",
        "checked",
        "hand",
        "inside",
        "duty",
        "stopped",
        "linked",
        "flushed",
        "reset",
        "made",
        "fired",
        "lc",
        "request",
        "placed",
        "back",
    )

    def __init__(self, place: Place | None = None) -> None:
        place = {} if place is None else place
        self.flushes = [(span, bucket) for span, bucket in place.get("open", ())]
        entry, is_cancelled = place.get("checked", (NONE, False))
        self.checked = entry, is_cancelled
        self.hand = place.get("hand", NONE)
        self.inside = [(what, operation) for what, operation in place.get("inside", ())]
        self.duty: tuple[str, int, int] | None = None
        if "duty" in place:
            what, operation, times = place["duty"]
            self.duty = what, operation, times
        self.stopped = False
        self.linked: int | None = None
        self.made: bool | None = None
        self.flushed = NONE
        self.reset = NONE
        self.fired = NONE
        self.lc = 0
        self.request: tuple[int, int | None, int | None] = (NONE, None, None)
        self.placed: tuple[int, int] = (NONE, NONE)
        self.back = NONE

    def place(self) -> Place:
        """As ``initial`` has it; empty for a thread that is in no flush and has checked nothing."""
        found: Place = {}
        if self.flushes:
            found["open"] = list(self.flushes)
        if self.hand != NONE:
            found["hand"] = self.hand
        if self.checked != (NONE, False):
            found["checked"] = self.checked
        if self.inside:
            found["inside"] = list(self.inside)
        if self.duty is not None:
            found["duty"] = self.duty
        return found
