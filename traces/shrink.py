"""From a trace that is refused to the few events that show why: the cone of the failure, then delta
debugging, with replay as the oracle.

What is left is a trace of its own, with new numbers: it is refused at its last event, by the same
property. Thrown away are events that cannot have led there, then entries, threads and single events
as long as the very same event is refused first. What came before is folded into the header's
``initial``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from traces.events import Event, columns
from traces.facts import BY_NAME
from traces.failure import ABOUT_LOCKS, LOCKS, Failure, Item
from traces.repair import repair
from wheelproof.trace.format.heads import Capture, Footer, Header
from wheelproof.trace.format.renumbering import renumbered
from wheelproof.trace.format.schema import KINDS
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.cut import Cut


@dataclass(frozen=True)
class Shrunk:
    """A shrunk trace: ``lines[n]`` is the line of ``events[n]`` in the file it is from. ``repair``:
    the cheapest edit that would do, as a sentence."""

    header: Header
    events: tuple[Event, ...]
    lines: tuple[int, ...]
    footer: Footer
    property: str
    message: str
    repair: str
    slice: tuple[Item, ...]


def within(events: Iterable[Item], cut: Mapping[str, int] | None) -> list[Item]:
    """The events that a footer's ``cut`` vouches for. ``events``: in the order of their clocks."""
    limits = Cut(cut)
    return [item for item in events if not (limits and limits.crossed(item[1]))]


def shrink(
    header: Header,
    events: Sequence[Item],
    cut: Mapping[str, int] | None = None,
    seconds: float | None = None,
) -> Shrunk | None:
    """The smallest trace found that is refused as the given one is first; None if none of its
    events is. ``events``: in the order of their clocks; ``cut``: of the footer, what lies beyond it
    is no evidence. ``seconds``: after so many no smaller trace is tried, and the smallest one so
    far is the result."""
    deadline = None if seconds is None else time.monotonic() + seconds
    events = within(events, cut)
    found = Failure.of(header, events)
    if found is None:
        return None
    found.deadline = deadline
    kept = found.cone()
    sliced = tuple(kept)
    if found.property not in ABOUT_LOCKS:
        kept = found.tried([item for item in kept if item[1]["k"] not in LOCKS], kept)
    kept = ddmin_by(kept, lambda event: event.get("entry"), found.fails)
    kept = ddmin_by(kept, lambda event: event.get("op"), found.fails)
    kept = ddmin_by(kept, lambda event: event["tid"], found.fails)
    kept = ddmin_by(kept, lambda event: (event["tid"], event["tseq"]), found.fails)
    edit = repair(found)
    kept = found.without_bystanders(found.folded(kept))
    initial = found.needed(kept)
    plain = [event for _, event in kept]
    renewed = renumbered(found.counted(initial, plain))
    kinds = header.get("capture", {}).get("kinds")
    capture: Capture = {"mode": "full"}
    if found.property not in ABOUT_LOCKS and not any(event["k"] in LOCKS for event in renewed):
        # A header that names no kinds has none that rules demand by name.
        capture["kinds"] = sorted((set(KINDS) - BY_NAME if kinds is None else set(kinds)) - LOCKS)
    elif kinds is not None:
        capture["kinds"] = list(kinds)
    if "before" in header.get("capture", {}):
        capture["before"] = header["capture"]["before"]
    used = {str(event["tid"]) for event in renewed}
    named = {
        str(columns(event)[column])
        for event in renewed
        for column in ("task", "entry", "list", "op")
        if column in event
    }
    small = header.copy()
    small.pop("program", None)  # it asks for more than is left
    small["run_id"] = f"{header['run_id']}-shrunk"
    small["capture"], small["initial"] = capture, initial
    small["threads"] = {tid: name for tid, name in header["threads"].items() if tid in used}
    if "names" in header:
        small["names"] = {
            number: name for number, name in header["names"].items() if number in named
        }
    tally = Tally(small)
    for event in renewed:
        tally.count(event)
    return Shrunk(
        small,
        tuple(renewed),
        tuple([line for line, _ in kept]),
        tally.footer(),
        found.property,
        found.message,
        edit,
        sliced,
    )


def ddmin_by(
    items: list[Item], group: Callable[[Event], Hashable], fails: Callable[[list[Item]], bool]
) -> list[Item]:
    """Delta debugging over groups of events: ever smaller sets of groups are taken away while
    ``fails`` holds.

    Events of the group None stay. The result fails, if the items do, and no single group of it can
    be spared.
    """
    groups = list(dict.fromkeys(key for _, event in items if (key := group(event)) is not None))
    parts = 2
    while len(groups) > 0:
        size = max(1, -(-len(groups) // parts))
        for begin in range(0, len(groups), size):
            left = groups[:begin] + groups[begin + size :]
            chosen = set(left)
            smaller = [item for item in items if (key := group(item[1])) is None or key in chosen]
            if fails(smaller):
                items, groups, parts = smaller, left, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(groups))
    return items
