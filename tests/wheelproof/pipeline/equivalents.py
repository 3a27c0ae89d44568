"""Changed runs that are runs like any other: by rewriting both, the changed and the one it came
from, to one normal form.

Each rewriting stands for a freedom that the program has, and says which. Two runs with one normal
form differ only in what was free: a checker that rejected one of them would reject a run that could
have been made.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

from benchmarks import mutations

Event = dict[str, Any]


def _follows(events: list[Event], index: int) -> int | None:
    """Where the next event of the same thread is."""
    return next(
        (
            later
            for later in range(index + 1, len(events))
            if events[later]["tid"] == events[index]["tid"]
        ),
        None,
    )


def checked_twice(events: list[Event]) -> list[Event]:
    """A thread may ask twice in a row whether an entry is cancelled: a wheel asks on each level,
    and a read changes nothing. One of equal answers stays."""
    out: list[Event] = []
    last: dict[int, Event] = {}
    for event in events:
        was = last.get(event["tid"])
        if not (
            event["k"] == "cancel_check"
            and was
            and was["k"] == "cancel_check"
            and all(was.get(name) == event.get(name) for name in ("entry", "res", "pre"))
        ):
            out.append(event)
        last[event["tid"]] = event
    return out


def watchers_cleaned(events: list[Event]) -> list[Event]:
    """A completed operation may be taken out of a key's watchers at any time, any number of times
    or not at all: any thread that comes by does it, or the purge does."""
    done: set[int] = set()
    out = []
    for event in events:
        if event["k"] == "force_cas" and event["res"] == "true":
            done.add(event["op"])
        if event["k"] != "watch_cancel" or event["op"] not in done:
            out.append(event)
    return out


def reset_beside_end(events: list[Event]) -> list[Event]:
    """A flushed bucket's key may be reset on either side of the event that says that the flush has
    ended: list and lock are held at both."""
    out = list(events)
    for index, event in enumerate(out):
        after = _follows(out, index)
        if (
            after is not None
            and event["k"] == "bucket_expiry_set"
            and event["key_ms"] < 0
            and out[after]["k"] == "flush_end"
            and out[after]["list"] == event["list"]
        ):
            out[index], out[after] = out[after], out[index]
    return out


FREEDOMS: dict[str, Callable[[list[Event]], list[Event]]] = {
    "checked twice": checked_twice,
    "watchers cleaned": watchers_cleaned,
    "reset beside the end": reset_beside_end,
}


def normal(events: list[Event], names: tuple[str, ...] = tuple(FREEDOMS)) -> list[Event]:
    events = copy.deepcopy(events)
    for name in names:
        events = FREEDOMS[name](events)
    return mutations.renumbered(events)


def freedom(conforming: list[Event], changed: list[Event]) -> str | None:
    """The freedom that alone makes the two runs one; None where none does."""
    return next(
        (name for name in FREEDOMS if normal(conforming, (name,)) == normal(changed, (name,))), None
    )


CLOCK = "another clock"


def another_clock(conforming: list[Event], changed: list[Event]) -> bool:
    """Whether the two logs differ in Lamport clocks alone, and those rise along each thread and
    each token as before: a clock may skip numbers, as it does where something that is not recorded
    has moved it."""

    def bare(event: Event) -> Event:
        return {name: value for name, value in event.items() if name != "lc"}

    if len(conforming) != len(changed) or any(
        bare(one) != bare(other) for one, other in zip(conforming, changed)
    ):
        return False
    chains: dict[Any, list[tuple[int, int, bool]]] = {}
    for one, other in zip(conforming, changed):
        chains.setdefault(one["tid"], []).append((one["lc"], other["lc"], False))
        for kind, name, _, mode in one.get("ord", ()):
            chains.setdefault((kind, name), []).append(
                (one["lc"], other["lc"], mode in ("r", "cas-"))
            )
    for chain in chains.values():
        chain.sort()
        if any(
            after <= before and not (shared and shares)
            for (_, before, shares), (_, after, shared) in itertools.pairwise(chain)
        ):
            return False
    return True
