"""The invariant of the purgatory, seen from one operation, under all callers."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or

from proofs.purgatory.lists import ListSteps
from proofs.purgatory.state import (
    CALLERS,
    HOLDING,
    INSIDE,
    NO_KEY,
    NO_LIST,
    NO_SHARD,
    NO_THREAD,
    RESULT,
    SEC,
    TO_COMPLETE,
    TOUR,
    VIA,
    WON,
    H,
    K,
    T,
    W,
    enters,
    holds,
    in_sec,
    is_at,
    outer,
    rests,
    via,
    waits,
)
from proofs.purgatory.steps import OperationSteps
from wheelproof.prove.ts.system import conjunct, kept


class Invariant(OperationSteps, ListSteps):
    """Conjuncts that hold for every program."""

    # -- the operation

    @conjunct
    def null_rests(self, s: SimpleNamespace) -> z3.BoolRef:
        """The null thread is in no operation, and in no traversal."""
        none = s.via[NO_THREAD] == VIA.none
        return And(rests(s, NO_THREAD), none, Not(s.passed[NO_THREAD]))

    @conjunct
    def lock_has_its_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The operation's lock is held by exactly the thread that is between lock and unlock."""
        return ForAll([T], Implies(T != NO_THREAD, (s.owner == T) == holds(s, T)))

    @conjunct
    def depth_counts_entries(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock's depth is the number of times its owner has entered it and not left it."""
        return s.depth == If(
            s.owner == NO_THREAD,
            0,
            If(outer(s, s.owner), 1, 0) + If(is_at(s, s.owner, *INSIDE), 1, 0),
        )

    @conjunct
    def called_where_tried(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread in tryComplete or forceComplete has a caller, and others have none."""
        return ForAll(
            [T],
            And(
                (s.via[T] != VIA.none) == is_at(s, T, "Y1", "L1", "L2", *INSIDE),
                Implies(is_at(s, T, "Y1"), Not(via(s, T, "expiry", "force"))),
            ),
        )

    @conjunct
    def one_enters(self, s: SimpleNamespace) -> z3.BoolRef:
        """The registrar is the one thread that enters the operation, which happens once."""
        return And(
            ForAll([T], Implies(T != NO_THREAD, (s.registrar == T) == enters(s, T))),
            s.begun == Or(s.entered, s.registrar != NO_THREAD),
            Implies(s.entered, s.registrar == NO_THREAD),
        )

    @conjunct
    def one_has_it_from_the_timer(self, s: SimpleNamespace) -> z3.BoolRef:
        """The taker is the thread that completes the operation for the timer."""
        return ForAll([T], Implies(T != NO_THREAD, (s.taker == T) == (s.via[T] == VIA.expiry)))

    @conjunct
    def winner_completed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has set completed is the winner; one that is to do so finds it open."""
        return ForAll(
            [T],
            And(
                Implies(is_at(s, T, *WON), And(s.completed, s.winner == T)),
                Implies(is_at(s, T, "L4"), Not(s.completed)),
            ),
        )

    @conjunct
    def open_is_untouched(self, s: SimpleNamespace) -> z3.BoolRef:
        """An open operation has no winner, and neither onComplete nor onExpiration has run."""
        return Implies(
            Not(s.completed), And(s.winner == NO_THREAD, s.completions == 0, s.expirations == 0)
        )

    @conjunct
    def completes_after_winning(self, s: SimpleNamespace) -> z3.BoolRef:
        """onComplete runs once: not before the winner is there."""
        return And(
            0 <= s.completions,
            s.completions <= 1,
            ForAll([T], Implies(is_at(s, T, "X1", "L5", "D1"), s.completions == 0)),
        )

    @conjunct
    def completed_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """A completed operation's onComplete has run, or its winner is about to call it."""
        return Implies(And(s.completed, s.completions == 0), is_at(s, s.winner, "X1", "L5", "D1"))

    @conjunct
    def won_is_completed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread whose try did not end as lost has completed the operation.

        A thread that leaves forceComplete leaves it completed.
        """
        return ForAll(
            [T],
            And(
                Implies(
                    s.result[T] != RESULT.lost,
                    And(s.completed, Implies(is_at(s, T, "L7", "T1"), s.winner == T)),
                ),
                Implies(is_at(s, T, "L7"), s.completed),
            ),
        )

    @conjunct
    def expiring_won(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that is to run onExpiration has won for the timer, and it has not run."""
        to_expire = Or(
            is_at(s, T, "V1"),
            And(is_at(s, T, "T1"), s.result[T] == RESULT.won),
            And(
                s.via[T] == VIA.expiry,
                Or(is_at(s, T, *WON), And(is_at(s, T, "L7"), s.result[T] == RESULT.won)),
            ),
        )
        return ForAll([T], Implies(to_expire, And(s.winner == T, s.expirations == 0)))

    @conjunct
    def expired_won(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has run onExpiration has won; it has run once."""
        return And(
            0 <= s.expirations,
            s.expirations <= 1,
            ForAll([T], Implies(s.expired[T], And(s.winner == T, s.expirations == 1))),
        )

    @conjunct
    def tried_was_ready(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that completes the operation after a try has seen its condition hold."""
        return ForAll(
            [T],
            Implies(And(via(s, T, "first", "second", "check"), Not(is_at(s, T, "Y1"))), s.ready),
        )

    @kept(
        "it says what the callers' lock is: without it the lock would have no effect in the proof"
    )
    def callers_lock_excludes(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that is through with its wait for the callers' lock has it."""
        return ForAll([T], Implies(in_sec(s, T, "D3"), s.outer == T))

    # -- shards and lists

    @conjunct
    def shard_has_its_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """A shard's lock is held by exactly the thread that is in a section of that shard."""
        return ForAll(
            [T, H],
            Implies(
                And(T != NO_THREAD, H != NO_SHARD),
                (s.shut[H] == T) == And(in_sec(s, T, *HOLDING), s.room[T] == H),
            ),
        )

    @conjunct
    def section_is_of_its_key(self, s: SimpleNamespace) -> z3.BoolRef:
        """A section that is about a key is in that key's shard."""
        return ForAll(
            [T],
            Implies(
                Not(in_sec(s, T, "Aside", *CALLERS)),
                And(
                    s.room[T] != NO_SHARD,
                    s.key[T] != NO_KEY,
                    s.room[T] == s.shard_of[s.key[T]],
                ),
            ),
        )

    @conjunct
    def section_is_innermost(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread in a section is in no step on the operation, and in no step of a traversal."""
        return ForAll(
            [T],
            Implies(
                s.section[T] != SEC.Aside,
                And(
                    is_at(s, T, "Idle", "W", "L6"),
                    Implies(is_at(s, T, "W"), in_sec(s, T, "W2", "W3", "W4", "W5", "W6")),
                ),
            ),
        )

    @conjunct
    def found_is_of_its_key(self, s: SimpleNamespace) -> z3.BoolRef:
        """A list that a thread has in a section is one that was made for the section's key."""
        has_one = in_sec(s, T, "W4", "W5", "R1", "R2", "R3", "R4", "F3", "F4", "FX", "F5")
        return ForAll(
            [T],
            And(
                Implies(has_one, s.found[T] != NO_LIST),
                Implies(in_sec(s, T, "Aside", *CALLERS), s.found[T] == NO_LIST),
                Implies(
                    s.found[T] != NO_LIST,
                    And(s.made[s.found[T]], s.key_of[s.found[T]] == s.key[T]),
                ),
            ),
        )

    @conjunct
    def lists_are_of_their_keys(self, s: SimpleNamespace) -> z3.BoolRef:
        """A key's list, and the one that the operation was added to, were made for that key."""
        return And(
            ForAll(
                [K],
                And(
                    Implies(
                        s.list_of[K] != NO_LIST,
                        And(
                            s.made[s.list_of[K]],
                            s.key_of[s.list_of[K]] == K,
                            Not(s.dropped[s.list_of[K]]),
                        ),
                    ),
                    Implies(s.home[K] != NO_LIST, And(s.made[s.home[K]], s.key_of[s.home[K]] == K)),
                ),
            ),
            ForAll([W], Implies(Or(s.has[W], s.dropped[W]), s.made[W])),
        )

    @conjunct
    def section_knows_the_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """A section's list is the key's, or new, or found empty, as long as the lock is held."""
        current, list_ = s.list_of[s.key[T]], s.found[T]
        return ForAll(
            [T],
            And(
                Implies(
                    in_sec(s, T, "W4"),
                    And(
                        current == NO_LIST,
                        Not(s.dropped[list_]),
                        Not(s.has[list_]),
                        s.home[s.key[T]] != list_,
                    ),
                ),
                Implies(in_sec(s, T, "W5", "R3", "R4"), current == list_),
                Implies(in_sec(s, T, "R4"), Not(s.has[list_])),
            ),
        )

    @conjunct
    def taken_out_when_done(self, s: SimpleNamespace) -> z3.BoolRef:
        """The operation leaves a list only completed, or with its key cancelled."""
        return ForAll(
            [T],
            And(
                Implies(s.tour[T] == TOUR.C7, s.completed),
                Implies(in_sec(s, T, "FX", "F5"), s.revoked),
            ),
        )

    @conjunct
    def waits_in_its_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """A waiting operation is in each list that it was added to: its key's, or a dropped one."""
        home = s.home[K]
        return ForAll(
            [K],
            Implies(
                And(waits(s), home != NO_LIST),
                And(s.has[home], Or(s.dropped[home], s.list_of[K] == home)),
            ),
        )

    # -- the timer

    @conjunct
    def armed_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """The timer gets the operation once, from its registrar, and then one thread takes it."""
        before = Or(
            Not(s.begun),
            And(s.registrar != NO_THREAD, Not(is_at(s, s.registrar, "A7", "XA", "Z1"))),
        )
        return And(
            Implies(before, And(Not(s.armed), s.taker == NO_THREAD)),
            Implies(s.armed, s.taker == NO_THREAD),
        )

    @conjunct
    def completed_is_disarmed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A completed operation is not in the timer, or a thread is about to cancel it there."""
        return And(
            Implies(
                And(s.completed, s.armed),
                Or(is_at(s, s.winner, "X1"), is_at(s, s.registrar, "A7", "XA")),
            ),
            Implies(is_at(s, s.registrar, "XA"), s.completed),
        )

    @conjunct
    def timer_has_what_waits(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entered operation that waits is in the timer, or the timer's thread completes it."""
        through = Or(s.entered, is_at(s, s.registrar, "A7", "Z1"))
        return Implies(And(waits(s), through), Or(s.armed, is_at(s, s.taker, *TO_COMPLETE)))

    def being_dropped(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread has the section's list from cancelForKey, with the operation in it."""
        return Or(in_sec(s, t, "F3"), And(in_sec(s, t, "F4"), s.takes[t]))

    @kept("P7.InOrder needs it: what waits in a dropped list has a thread that takes it")
    def dropped_is_taken(self, s: SimpleNamespace) -> z3.BoolRef:
        """An operation that waits in a dropped list is about to be taken by the dropping thread."""
        home = s.home[K]
        dropper = s.dropper[home]
        return ForAll(
            [K],
            Implies(
                And(waits(s), home != NO_LIST, s.dropped[home]),
                And(self.being_dropped(s, dropper), s.found[dropper] == home),
            ),
        )
