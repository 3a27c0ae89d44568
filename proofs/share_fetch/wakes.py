"""The last part of the invariant of module ShareFetch: no fetch waits where there are records.

While there are, a thread will see to each fetch that waits. The thread that has the fetch lock is
to see them, and to check. Or the thread by which the last records came, or which acquired last, is
to check all fetches, or has not come to this one yet. Or it has not come to the fetch that was the
last to see nothing: that one had the fetch lock when others were tried in vain.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.share_fetch.fetches import (
    ANSWER,
    CHECKS,
    NO_ONE,
    NONE,
    PLACE,
    F,
    T,
    at,
    back,
    checks,
    every_fetch,
    every_thread,
    has_come,
)
from proofs.share_fetch.invariant import Shares, here, is_in
from wheelproof.prove.ts.system import conjunct


def is_free(s: SimpleNamespace, place: z3.ArithRef) -> z3.BoolRef:
    """The batch at a place can be acquired."""
    moving = s.cache_item_moving[place]
    return And(here(s, place), is_in(s, place, "available"), Not(moving))


def waits(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The fetch is in the list, and not completed."""
    return And(has_come(s, fetch), Not(s.completed[fetch]))


def sees(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread has the fetch lock, is to see the records that there are, and to check then."""
    won = And(at(s, t, "L3", "F2"), s.won[t])
    return And(t != NO_ONE, Or(at(s, t, "L1", "L2", "K1", "E6", *ANSWER), won))


def saw_nothing(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread has the fetch lock, and has seen no records."""
    return And(at(s, t, "L3", "F2"), Not(s.won[t]))


def is_to_check(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is to check all fetches."""
    won = at(s, t, "A0", "A3", "B3", "E7")
    again = And(Or(at(s, t, *CHECKS), checks(s, t)), s.again[t])
    written = And(at(s, t, "S5", "S6"), s.freed[t])
    lapsed = And(at(s, t, "X5"), s.frees[t])
    return And(t != NO_ONE, Or(at(s, t, "C1", "U3"), And(won, s.won[t]), again, written, lapsed))


def is_to_meet(s: SimpleNamespace, t: z3.ExprRef, fetch: z3.ExprRef) -> z3.BoolRef:
    """The thread checks fetches, and has not come to this one."""
    place = s.rank[fetch]
    ahead = And(s.ahead_1[t] != 0, s.ahead_1[t] <= place)
    at_it = And(at(s, t, "C3", "B1", "B2", "F1"), s.met_1[t] == place)
    checking = Or(at(s, t, *CHECKS), checks(s, t))
    return And(t != NO_ONE, checking, Or(ahead, at_it))


def tries_again(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The thread that lets a fetch in is to try it once more."""
    t = s.Fetcher[fetch]
    first = And(saw_nothing(s, t), back(s, "try", t, "A0"))
    lost = And(at(s, t, "A0"), Not(s.won[t]))
    second = And(at(s, t, "F1"), back(s, "try", t, "A3"))
    return And(fetch != NONE, s.entered[t] == fetch, Or(first, lost, at(s, t, "A2"), second))


def ends(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The thread that ends a fetch is to try the fetch lock."""
    t = s.held[fetch]
    return And(t != NO_ONE, at(s, t, "E4"), s.expiring[t] == fetch)


def is_checked(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The thread that owes a check is to come to a fetch."""
    meets = And(has_come(s, fetch), is_to_meet(s, s.waker, fetch))
    return Or(is_to_check(s, s.waker), meets)


class Wakes(Shares):
    """All conjuncts."""

    @conjunct
    def fetches_have_their_places(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch that waits is at its place, where a check meets it."""
        place = s.rank[F]
        listed = And(1 <= place, s.watched_has[place], s.watched_item[place] == F)
        there = And(1 <= PLACE, s.watched_has[PLACE], s.watched_item[PLACE] != NONE)

        def was_there(place: z3.ArithRef, fetch: z3.ExprRef) -> z3.BoolRef:
            item = s.watched_item[place]
            return And(s.rank[fetch] == place, Or(item == fetch, item == NONE))

        checking = Or(at(s, T, *CHECKS), checks(s, T))
        meets = Or(at(s, T, "C3", "B1", "C4"), checks(s, T))
        goes_on = And(checking, s.ahead_1[T] != 0)
        return And(
            every_fetch(Implies(waits(s, F), listed)),
            ForAll([PLACE], Implies(there, s.rank[s.watched_item[PLACE]] == PLACE)),
            every_thread(Implies(meets, was_there(s.met_1[T], s.met_2[T]))),
            every_thread(Implies(goes_on, was_there(s.ahead_1[T], s.ahead_2[T]))),
            every_thread(Implies(at(s, T, "C4"), s.completed[s.met_2[T]])),
            every_thread(Implies(And(at(s, T, "B3"), s.won[T]), s.completed[s.met_2[T]])),
        )

    @conjunct
    def completes_what_it_won(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has won has completed its fetch."""
        return And(
            every_thread(Implies(And(at(s, T, "F2"), s.won[T]), s.completed[s.tried[T]])),
            every_thread(Implies(And(at(s, T, "A0", "A3"), s.won[T]), s.completed[s.entered[T]])),
            every_thread(
                Implies(And(at(s, T, "A0"), Not(s.won[T])), Not(s.completed[s.entered[T]]))
            ),
            every_thread(Implies(at(s, T, "E6", "E4", "E5"), s.completed[s.expiring[T]])),
            every_thread(
                Implies(back(s, "answer", T, "E6"), And(s.won[T], s.completed[s.expiring[T]]))
            ),
            every_thread(Implies(at(s, T, "E6"), s.won[T])),
            every_thread(Implies(back(s, "answer", T, "F2"), s.completed[s.tried[T]])),
        )

    @conjunct
    def the_last_is_blind(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch that has the fetch lock and saw nothing is the last one that did."""
        return every_thread(Implies(saw_nothing(s, T), s.blind == s.tried[T]))

    @conjunct
    def each_is_seen_to(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where there are records, a thread will see to each fetch that waits."""
        thread = s.held[s.fetching]
        holder = And(s.fetching != NONE, sees(s, thread))
        blind = Or(
            tries_again(s, s.blind),
            ends(s, s.blind),
            And(Not(s.completed[s.blind]), s.blind != NONE, is_checked(s, s.blind)),
        )
        return ForAll(
            [PLACE, F],
            Implies(
                And(is_free(s, PLACE), F != NONE, waits(s, F)),
                Or(holder, is_checked(s, F), blind, tries_again(s, F)),
            ),
        )
