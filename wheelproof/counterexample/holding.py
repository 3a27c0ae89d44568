"""Which thread holds which lock in a counterexample, and which threads wait for each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wheelproof.counterexample.document import Counterexample, Wait

_TAKES = frozenset({"lock", "try"})


@dataclass(frozen=True)
class Hold:
    """A thread holds the lock at ``place`` after the steps ``first`` to ``last`` (from 0).

    The step after ``last`` gives it back. A lock that is held in the end has the last step there.
    """

    thread: str
    place: str
    first: int
    last: int


def holds(trace: Counterexample) -> list[Hold]:
    """The holds in the order in which they begin.

    A step of the kind ``lock`` or ``try`` takes the places that name its thread afterwards and did
    not before. A lock whose value names no thread has no holds.
    """
    open_: dict[tuple[str, str], int] = {}
    intervals = []
    for index, step in enumerate(trace.steps):
        for place, (before, after) in step.changes.items():
            for thread, place_there in [key for key in open_ if key[1] == place]:
                if not names(after, thread):
                    intervals.append(
                        Hold(thread, place, open_.pop((thread, place_there)), index - 1)
                    )
            if step.kind in _TAKES and names(after, step.thread) and not names(before, step.thread):
                open_[step.thread, place] = index
    intervals += [
        Hold(thread, place, first, len(trace.steps) - 1) for (thread, place), first in open_.items()
    ]
    return sorted(intervals, key=lambda hold: (hold.first, hold.place))


def cycle(waits: Sequence[Wait]) -> list[str]:
    """Threads of which each waits for the next, and the last for the first; [] if none do."""
    after = {wait.thread: wait.holders for wait in waits}
    for start in after:
        path = [start]
        while True:
            following = [name for name in after.get(path[-1], ()) if name in after]
            if not following:
                break
            if following[0] in path:
                return path[path.index(following[0]) :]
            path.append(following[0])
    return []


def circle(trace: Counterexample) -> list[str]:
    """The circle of :func:`cycle` with the places between: thread, place, thread ... the first.

    The place is the one whose last value names the next thread.
    """
    ring, wait_of = cycle(trace.waits), {wait.thread: wait for wait in trace.waits}
    last = final_values(trace)
    names_there = ring[:1]
    for thread, following in zip(ring, [*ring[1:], *ring[:1]], strict=True):
        places = [
            place for place in wait_of[thread].places if names(last.get(place, ""), following)
        ]
        names_there += [*(places or wait_of[thread].places)[:1], following]
    return names_there


def final_values(trace: Counterexample) -> dict[str, str]:
    """The values after the last step."""
    last = dict(trace.initial)
    for step in trace.steps:
        last |= {place: after for place, (_, after) in step.changes.items()}
    return last


def names(value: str, thread: str) -> bool:
    """Whether a text in TLA+ notation has the thread's name as a string or as a name."""
    return re.search(rf"(?<![\w-]){re.escape(thread)}(?![\w-])", value) is not None
