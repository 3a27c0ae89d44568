"""The purgatory as it is seen from one operation: its sorts, the places of threads, shorthands.

A thread has up to three places at a time. ``at``: where it is on this operation, by the label of
``spec/Purgatory.tla`` that it takes next there. ``tour``: where it is in the traversal of a list.
``section``: where it is under a shard's lock, the innermost of the three. A thread that goes
through a list may enter this operation in another one's onComplete, and then be at a shard.

Callers have a lock of their own. A thread that enters an operation may have it. A thread that waits
for it in an onComplete, this operation's or another one's, is in the section D2, and then in D3.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Not, Or, Store

from wheelproof.prove.ts.system import Enumeration, System, array, sort

THREAD = sort("Thread", null="no_thread")
KEY = sort("Key", null="no_key")
SHARD = sort("Shard", null="no_shard")
WATCHERS = sort("Watchers", null="no_list")
NO_THREAD, NO_KEY, NO_SHARD, NO_LIST = THREAD.null, KEY.null, SHARD.null, WATCHERS.null
AT = Enumeration(
    "PurgatoryAt",
    "Idle A1 A2 W A3 A4 A5 A6 A7 XA Z1 Y1 B1 B2 B3 L1 L2 L3 L4 X1 L5 D1 L6 L7 K1 T1 V1",
)
TOUR = Enumeration("PurgatoryTour", "Out C4 C0 C5 C6 C7")
SEC = Enumeration(
    "PurgatorySection",
    "Aside W2 W3 W4 W5 W6 R1 R2 R3 R4 R5 C1 C2 C3 F1 F2 F3 F4 FX F5 F6 D2 D3",
)
VIA = Enumeration("PurgatoryVia", "none first second check expiry force")
"""The caller of tryComplete or forceComplete: the first try of an entering thread, its second one,
a traversal, the timer, or a caller that forces the completion."""
RESULT = Enumeration("PurgatoryResult", "lost won raised")
"""The result that a try or forceComplete returned to this thread."""

T, U = THREAD.consts("thread other")
K = KEY.consts("one_key")[0]
H = SHARD.consts("one_shard")[0]
W = WATCHERS.consts("watchers")[0]
BOOL, INT = z3.BoolSort(), z3.IntSort()

INSIDE = ("L3", "L4", "X1", "L5", "D1", "L6", "L7")
"""Places between forceComplete's lock and its unlock."""
ENTERING = ("A2", "W", "A3", "A4", "A5", "A6", "A7", "XA", "Z1")
"""Places of the thread that enters the operation, from its lock on, outside of its tries."""
LOCKED = ("A2", "W", "A3", "A4", "B2", "B3", "Y1")
"""Places under the operation's lock, outside of forceComplete."""
TO_COMPLETE = ("L1", "L2", "L3", "L4")
"""Places from which a thread sets completed, if no other does."""
WON = ("X1", "L5", "D1", "L6")
WAITING = ("W2", "R1", "C1", "F1")
"""Places of a thread that waits for a shard's lock."""
CALLERS = ("D2", "D3")
"""Places at the callers' own lock, which are at no shard."""
HOLDING = tuple(name for name in SEC.values if name not in ("Aside", *WAITING, *CALLERS))
"""Places under a shard's lock."""


class Seen(System):
    """The variables of one operation, of the lists and of the threads.

    ``home``: the list that the operation was added to under a key. ``has``: the lists that it is
    in. ``passed``: threads whose traversal does not meet it any more. Their iterator has gone past
    it, or has found the list's end. ``takes``: threads whose cancelForKey is still to take it. Both
    are kept only while it waits.
    ``registrar``: the thread that enters it. ``taker``: the one that has it from the timer.
    ``dropper``: the thread that cancels the key of a list, and has it. ``outer``: the thread that
    has the callers' own lock.
    """

    SORTS = (THREAD, KEY, SHARD, WATCHERS)
    STATES = "one operation, and every key, list and thread"
    VARIABLES = {
        "at": array(THREAD, AT),
        "via": array(THREAD, VIA),
        "result": array(THREAD, RESULT),
        "tour": array(THREAD, TOUR),
        "on": array(THREAD, WATCHERS),
        "passed": array(THREAD, BOOL),
        "section": array(THREAD, SEC),
        "room": array(THREAD, SHARD),
        "key": array(THREAD, KEY),
        "found": array(THREAD, WATCHERS),
        "takes": array(THREAD, BOOL),
        "begun": BOOL,
        "entered": BOOL,
        "registrar": THREAD.z3,
        "taker": THREAD.z3,
        "ready": BOOL,
        "completed": BOOL,
        "revoked": BOOL,
        "armed": BOOL,
        "owner": THREAD.z3,
        "depth": INT,
        "outer": THREAD.z3,
        "winner": THREAD.z3,
        "completions": INT,
        "expirations": INT,
        "expired": array(THREAD, BOOL),
        "shut": array(SHARD, THREAD),
        "list_of": array(KEY, WATCHERS),
        "home": array(KEY, WATCHERS),
        "made": array(WATCHERS, BOOL),
        "has": array(WATCHERS, BOOL),
        "dropped": array(WATCHERS, BOOL),
        "dropper": array(WATCHERS, THREAD),
    }
    RIGID = {
        "shard_of": array(KEY, SHARD),
        "key_of": array(WATCHERS, KEY),
        "keyed": array(KEY, BOOL),
        "unset": array(THREAD, BOOL),
    }

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            ForAll([T], Not(s.unset[T])),
            Not(s.keyed[NO_KEY]),
            ForAll([K], (s.shard_of[K] == NO_SHARD) == (K == NO_KEY)),
            ForAll([W], (s.key_of[W] == NO_KEY) == (W == NO_LIST)),
        ]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            ForAll(
                [T],
                And(
                    is_at(s, T, "Idle"),
                    s.via[T] == VIA.none,
                    s.result[T] == RESULT.lost,
                    s.tour[T] == TOUR.Out,
                    s.on[T] == NO_LIST,
                    s.section[T] == SEC.Aside,
                    s.room[T] == NO_SHARD,
                    s.key[T] == NO_KEY,
                    s.found[T] == NO_LIST,
                    Not(s.passed[T]),
                    Not(s.takes[T]),
                    Not(s.expired[T]),
                ),
            ),
            Not(s.begun),
            Not(s.entered),
            Not(s.ready),
            Not(s.completed),
            Not(s.revoked),
            Not(s.armed),
            And(s.registrar == NO_THREAD, s.taker == NO_THREAD),
            And(s.owner == NO_THREAD, s.winner == NO_THREAD, s.outer == NO_THREAD),
            And(s.depth == 0, s.completions == 0, s.expirations == 0),
            ForAll([H], s.shut[H] == NO_THREAD),
            ForAll([K], And(s.list_of[K] == NO_LIST, s.home[K] == NO_LIST)),
            ForAll([W], And(Not(s.made[W]), Not(s.has[W]), Not(s.dropped[W]))),
            ForAll([W], s.dropper[W] == NO_THREAD),
        ]


# -- shorthands


def one_of(value: z3.ExprRef, enumeration: Enumeration, *names: str) -> z3.BoolRef:
    equations = [value == getattr(enumeration, name) for name in names]
    return Or(equations) if len(equations) > 1 else equations[0]


def is_at(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places on the operation."""
    return one_of(s.at[t], AT, *places)


def in_sec(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places at a shard."""
    return one_of(s.section[t], SEC, *places)


def tours(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places of a traversal, and does nothing within it."""
    return And(one_of(s.tour[t], TOUR, *places), is_at(s, t, "Idle"), in_sec(s, t, "Aside"))


def rests(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is in no operation."""
    return tours(s, t, "Out")


def via(s: SimpleNamespace, t: z3.ExprRef, *names: str) -> z3.BoolRef:
    return one_of(s.via[t], VIA, *names)


def go(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    """The places on the operation after the thread went to one."""
    return Store(s.at, t, getattr(AT, place))


def go_sec(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    """The places at shards after the thread went to one."""
    return Store(s.section, t, getattr(SEC, place))


def go_tour(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    """The places of traversals after the thread went to one."""
    return Store(s.tour, t, getattr(TOUR, place))


def waits(s: SimpleNamespace) -> z3.BoolRef:
    """The operation is neither completed nor taken by cancelForKey."""
    return And(Not(s.completed), Not(s.revoked))


def enters_lock(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """Whether the thread does not have to wait for the operation's lock."""
    return Or(s.owner == NO_THREAD, s.owner == t)


def taken(s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
    """The updates of entering the operation's lock once more."""
    return {"owner": t, "depth": s.depth + 1}


def left(s: SimpleNamespace) -> dict[str, z3.ExprRef]:
    """The updates of leaving the operation's lock once."""
    return {"owner": If(s.depth == 1, NO_THREAD, s.owner), "depth": s.depth - 1}


def holds(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is in a section under the operation's lock."""
    return Or(outer(s, t), is_at(s, t, *INSIDE))


def outer(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread has the operation's lock for entering or trying it."""
    return Or(is_at(s, t, *LOCKED), via(s, t, "first", "second", "check"))


def enters(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread has begun to enter the operation, and has not ended."""
    return Or(is_at(s, t, *ENTERING), via(s, t, "first", "second"))
