"""A state of module Purgatory as one of the viewed operation, in the proof's variables."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, If, Not, Or

from proofs.purgatory.ghosts import at, back, bottom, called, key_at, target
from proofs.purgatory.links_lists import listed
from proofs.purgatory.state import (
    AT,
    KEY,
    NO_KEY,
    NO_LIST,
    NO_SHARD,
    NO_THREAD,
    RESULT,
    SEC,
    THREAD,
    TOUR,
    VIA,
    WATCHERS,
)

_T = z3.Const("seen_thread", THREAD.z3)
_K = z3.Const("seen_key", KEY.z3)
_W = z3.Const("seen_list", WATCHERS.z3)

WATCHING = ("W2", "W3", "W4", "W5", "W6")
REMOVING = ("R1", "R2", "R3", "R4", "R5")
CHECKING = ("C1", "C2", "C3")
"""Labels at shards, which are places in the proof."""


def first(*choices: tuple[z3.BoolRef, z3.ExprRef], default: z3.ExprRef) -> z3.ExprRef:
    """The value of the first condition that holds."""
    for condition, value in reversed(choices):
        default = If(condition, value, default)
    return default


def forced(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is in the viewed operation's forceComplete, and in nothing within it."""
    return And(0 < s.forcing[t], s.forcing[t] == s.stack_height[t])


def within_force(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is in a call of the viewed operation's forceComplete."""
    return And(0 < s.forcing[t], s.forcing[t] + 1 == s.stack_height[t])


def checks_viewed(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is in a safeTryComplete of the viewed operation."""
    tries = called(s, t, z3.IntVal(2), "safeTryComplete")
    return And(2 <= s.stack_height[t], tries, s.bo[t] == s.viewed)


def cancels(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    return bottom(s, t, "cancelForKey")


def place_of(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """The thread's place on the operation, by its innermost procedure about that."""

    def label_of(*labels: str, default: z3.ExprRef) -> z3.ExprRef:
        return first(*((at(s, t, label), getattr(AT, label)) for label in labels), default=default)

    height = s.stack_height[t]
    calls = first((at(s, t, "Q1"), AT.X1), (at(s, t, "D1"), AT.D1), default=AT.L6)
    force = first(
        (forced(s, t), label_of("L1", "L2", "L3", "L4", "L5", "L7", default=AT.L6)),
        (within_force(s, t), calls),
        default=AT.L6,
    )
    enters = first(
        (at(s, t, "A0", "A1"), AT.A1),
        (at(s, t, "Y1"), AT.Y1),
        (at(s, t, "Q1"), AT.XA),
        default=label_of("A2", "A3", "A4", "A5", "A6", "A7", "Z1", default=AT.W),
    )
    tries = label_of("B1", "B2", "B3", default=AT.Y1)
    runs = label_of("K1", "T1", "V1", default=AT.Idle)
    return first(
        (0 < s.forcing[t], force),
        (0 < s.entry[t], enters),
        (checks_viewed(s, t), tries),
        (And(height == 0, target(s, t) == s.viewed), runs),
        default=AT.Idle,
    )


def tour_of(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """The thread's place in the traversal of a list."""
    is_viewed = s.here_2[t] == s.viewed
    inner = first((at(s, t, "C5"), TOUR.C5), (at(s, t, "C7"), TOUR.C7), default=TOUR.C6)
    return first(
        (Or(Not(bottom(s, t, "checkAndComplete")), at(s, t, *CHECKING, "C8")), TOUR.Out),
        (at(s, t, "C4"), TOUR.C4),
        (And(is_viewed, Not(at(s, t, "C0"))), inner),
        default=TOUR.C0,
    )


def section_of(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """The thread's place at a shard."""
    is_viewed = s.held_2[t] == s.viewed
    labels = ("D2", "D3", *WATCHING, *REMOVING, *CHECKING, "F1", "F2", "F3", "F4", "F6")
    return first(
        (And(cancels(s, t), at(s, t, "Q1")), If(is_viewed, SEC.FX, SEC.F4)),
        (at(s, t, "F5"), If(is_viewed, SEC.F5, SEC.F4)),
        *((at(s, t, label), getattr(SEC, label)) for label in labels),
        default=SEC.Aside,
    )


def key_of(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """The key that a thread is at a shard for."""
    return first(
        (cancels(s, t), s.fk[t]),
        (at(s, t, *WATCHING), key_at(s, t)),
        (at(s, t, *REMOVING), s.rk[t]),
        (at(s, t, *CHECKING), s.ck[t]),
        default=NO_KEY,
    )


def number_of(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """The number of the list that a thread has there."""
    return first(
        (cancels(s, t), s.gone[t]),
        (at(s, t, "W4", "W5", "W6"), s.found[t]),
        (at(s, t, *REMOVING), s.rw[t]),
        (at(s, t, "C3"), s.mine[t]),
        default=z3.IntVal(0),
    )


def room_of(s: SimpleNamespace, key: z3.ExprRef) -> z3.ExprRef:
    """The shard that a thread is at, which has the key."""
    return first((key != NO_KEY, s.of_Shard[key]), default=NO_SHARD)


def via_of(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """Where a thread goes back to from the try of an operation."""
    by = If(0 < s.forcing[t], s.forcing[t], s.stack_height[t])
    return first(
        (back(s, t, by, "A2"), VIA.first),
        (back(s, t, by, "A4"), VIA.second),
        (back(s, t, by, "B3"), VIA.check),
        (back(s, t, by, "T1"), VIA.expiry),
        default=VIA.force,
    )


def is_in(s: SimpleNamespace, key: z3.ExprRef, number: z3.ExprRef) -> z3.BoolRef:
    """The viewed operation is in a list."""
    there = listed(s, key, number, s.spot[key]) == s.viewed
    return And(number != 0, s.home[key] == number, there)


def seen(s: SimpleNamespace) -> SimpleNamespace:
    """A state of the module as one of the viewed operation's system."""
    t, v = _T, s.viewed

    def of_thread(value: z3.ExprRef) -> z3.ExprRef:
        return z3.Lambda([_T], value)

    place, tour = place_of(s, t), tour_of(s, t)
    waits = And(Not(s.completed[v]), Not(s.revoked[v]))
    key, number, section = key_of(s, t), number_of(s, t), section_of(s, t)
    room = room_of(s, key)
    has_tour = tour != TOUR.Out
    ahead, rest = s.ahead_1[t], s.left_1[t]
    past = Or(ahead == 0, And(is_in(s, s.ck[t], s.mine[t]), s.spot[s.ck[t]] < ahead))
    takes = And(0 < rest, is_in(s, s.fk[t], s.gone[t]), rest <= s.spot[s.fk[t]])
    via = via_of(s, t)
    tries = Or(0 < s.forcing[t], And(at(s, t, "Y1"), s.yo[t] == v))
    enters = And(0 < s.entry[t], s.entry[t] == s.stack_height[t])
    checks = Or(
        And(checks_viewed(s, t), at(s, t, "B3")),
        And(at(s, t, "C6"), s.here_2[t] == v),
    )
    reports = Or(
        And(forced(s, t), at(s, t, "L7")),
        And(enters, at(s, t, "A2", "A4")),
        checks,
        And(at(s, t, "T1"), target(s, t) == v),
    )
    result = first((s.raised[t], RESULT.raised), (s.won[t], RESULT.won), default=RESULT.lost)
    w = _W
    return SimpleNamespace(
        at=of_thread(place),
        via=of_thread(If(tries, via, VIA.none)),
        result=of_thread(If(reports, result, RESULT.lost)),
        tour=of_thread(tour),
        on=of_thread(If(has_tour, s.watchers[s.ck[t]][s.mine[t]], NO_LIST)),
        passed=of_thread(And(waits, has_tour, Not(at(s, t, "C4")), past)),
        section=of_thread(section),
        room=of_thread(room),
        key=of_thread(key),
        found=of_thread(If(number == 0, NO_LIST, s.watchers[key][number])),
        takes=of_thread(And(waits, cancels(s, t), at(s, t, "F4", "F5", "Q1"), takes)),
        begun=s.begun,
        entered=Not(s.entering[v]),
        registrar=If(And(s.begun, s.entering[v]), s.enterer, NO_THREAD),
        taker=s.taker,
        ready=s.ready[s.Need[v]],
        completed=s.completed[v],
        revoked=s.revoked[v],
        armed=s.armed[v],
        owner=s.lock_owner[v],
        depth=s.lock_depth[v],
        outer=s.outer,
        winner=s.winner[v],
        completions=s.completions[v],
        expirations=s.expirations[v],
        expired=s.expiredBy[v],
        shut=s.shard,
        list_of=z3.Lambda([_K], s.watchers[_K][s.list[_K]]),
        home=z3.Lambda([_K], s.watchers[_K][s.home[_K]]),
        made=z3.Lambda([w], And(w != NO_LIST, s.number_of[w] <= s.content_length[s.key_of[w]])),
        has=z3.Lambda([w], is_in(s, s.key_of[w], s.number_of[w])),
        dropped=z3.Lambda([w], And(w != NO_LIST, s.dropped[s.key_of[w]][s.number_of[w]])),
        dropper=s.dropper,
        shard_of=s.of_Shard,
        key_of=s.key_of,
        keyed=z3.Lambda([_K], s.place[_K] != 0),
        unset=s.unset,
    )
