"""P6 - P9, P14: the purgatory, for any number of operations, keys, lists, shards and threads.

The system is the view of one operation: itself, every key, list and thread, and the steps of
threads on other operations at any time. As the operation is any one, a theorem is about each of
them.

``Purgatory``: under all callers. ``InOrder``: callers keep three duties. An operation is not
completed by its caller before it is entered. An event checks a key of each operation that waits for
its condition. No other operation's onComplete raises in a traversal.

Theorems: P6 onComplete runs at most once; in order, tryComplete never runs beside it or after it.
P7 no completion is lost. P8 onExpiration runs only for the thread that completed the operation by
its timeout. P9 a waiting operation is in the list that its key has. P14 the timer has the waiting
operations, and nothing else.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, Implies, Not, Or

from proofs.purgatory.ranking import Ranking
from proofs.purgatory.state import (
    INSIDE,
    KEY,
    NO_LIST,
    NO_THREAD,
    RESULT,
    THREAD,
    TO_COMPLETE,
    TOUR,
    VIA,
    WON,
    K,
    T,
    U,
    W,
    in_sec,
    is_at,
    one_of,
    rests,
    via,
    waits,
)
from proofs.purgatory.steps import YES
from wheelproof.prove.ts.system import Step, action, conjunct, safety, when


class Purgatory(Ranking):
    """Any thread does anything, but enters the operation once."""

    # -- safety

    @safety("P6")
    def completed_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """onComplete runs at most once, and only for a completed operation."""
        return And(s.completions <= 1, Implies(s.completions > 0, s.completed))

    @safety("P6")
    def completed_by_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """At most one thread is between setting completed and the end of onComplete."""
        return ForAll([T, U], Implies(And(is_at(s, T, *WON), is_at(s, U, *WON)), T == U))

    @safety("P6")
    def completed_means_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """When no thread is in forceComplete, a completed operation's onComplete has run."""
        away = ForAll([T], Not(is_at(s, T, *INSIDE)))
        return Implies(And(s.completed, away), s.completions == 1)

    @safety("P6")
    def completed_for_a_reason(self, s: SimpleNamespace) -> z3.BoolRef:
        """A try completes the operation only when its condition holds."""
        tries = And(is_at(s, T, *WON), via(s, T, "first", "second", "check"))
        return ForAll([T], Implies(tries, s.ready))

    @safety("P8")
    def expired_by_timeout_only(self, s: SimpleNamespace) -> z3.BoolRef:
        """onExpiration runs only for the thread that completed the operation, once."""
        return And(
            s.expirations <= 1, ForAll([T], Implies(s.expired[T], And(s.completed, s.winner == T)))
        )

    @safety("P9")
    def watcher_reachable(self, s: SimpleNamespace) -> z3.BoolRef:
        """What waits is in the list that its key has, unless cancelForKey has dropped the list."""
        home = s.home[K]
        return ForAll(
            [K],
            Implies(
                And(waits(s), home != NO_LIST, Not(s.dropped[home])),
                And(s.list_of[K] == home, s.has[home]),
            ),
        )

    @safety("P14")
    def no_leaked_timer(self, s: SimpleNamespace) -> z3.BoolRef:
        """When all threads rest, the timer has no operation that is completed."""
        return Implies(ForAll([T], rests(s, T)), Not(And(s.completed, s.armed)))

    @safety("P14")
    def num_delayed_exact(self, s: SimpleNamespace) -> z3.BoolRef:
        """When all threads rest, the timer has what was entered and waits, and nothing else."""
        return Implies(
            And(ForAll([T], rests(s, T)), s.entered, Not(s.revoked)), s.armed != s.completed
        )

    @safety("P14")
    def waiting_is_timed(self, s: SimpleNamespace) -> z3.BoolRef:
        """What was entered and waits is in the timer, or the timer's thread is completing it."""
        completing = Exists([T], And(s.via[T] == VIA.expiry, is_at(s, T, *TO_COMPLETE)))
        return Implies(And(s.entered, waits(s)), Or(s.armed, completing))

    @safety("P15", enabled=True)
    def helper_can_step(self, s: SimpleNamespace) -> z3.BoolRef:
        """An operation that is not completed has a helper that can step, or the timer has it."""
        return self.helps(s)


class InOrder(Purgatory):
    """The same with callers that keep their duties."""

    another_raises = None

    def may_force(self, s: SimpleNamespace) -> z3.BoolRef:
        has_begun: z3.BoolRef = s.begun
        return has_begun

    @action(t=THREAD, k=KEY, begins=True)
    def delivers(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(rests(s, t), s.keyed[k], ready=YES, **self.comes(s, t, "C1", k))

    @conjunct
    def untouched_before(self, s: SimpleNamespace) -> z3.BoolRef:
        """Before the operation is entered no thread has found it, and none completes it."""
        touches = Or(
            is_at(s, T, "Y1", "B1", "B2", "B3", "L1", "L2", *INSIDE),
            one_of(s.tour[T], TOUR, "C5", "C6", "C7"),
            s.takes[T],
        )
        return Implies(
            Not(s.begun),
            And(
                waits(s),
                ForAll([W], Not(s.has[W])),
                ForAll([T], Not(touches)),
            ),
        )

    @conjunct
    def open_while_tried(self, s: SimpleNamespace) -> z3.BoolRef:
        """No other thread completes the operation while it is entered or tried."""
        tries = via(s, T, "first", "second", "check")
        return ForAll(
            [T],
            And(
                Implies(
                    Or(
                        is_at(s, T, "Y1", "W", "A3"),
                        And(is_at(s, T, "A2"), s.result[T] == RESULT.lost),
                        And(tries, is_at(s, T, *TO_COMPLETE)),
                    ),
                    Not(s.completed),
                ),
                Implies(And(tries, is_at(s, T, "L7")), s.result[T] != RESULT.lost),
            ),
        )

    @conjunct
    def all_watched(self, s: SimpleNamespace) -> z3.BoolRef:
        """From the second try on, the operation was added to a list of each of its keys."""
        early = Or(is_at(s, s.registrar, "A2", "W"), via(s, s.registrar, "first"))
        return ForAll(
            [K],
            Implies(
                And(s.begun, waits(s), s.keyed[K], s.home[K] == NO_LIST),
                And(s.registrar != NO_THREAD, early),
            ),
        )

    @conjunct
    def passed_in_a_traversal(self, s: SimpleNamespace) -> z3.BoolRef:
        """Only a thread that goes through a list has gone past the operation."""
        return ForAll(
            [T],
            And(
                Implies(s.passed[T], s.tour[T] != TOUR.Out),
                Implies(in_sec(s, T, "C1", "C2", "C3"), s.tour[T] == TOUR.Out),
            ),
        )

    def will_look(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread has not read the condition yet, or has and will complete the operation."""
        list_ = s.found[t]
        ahead = And(
            one_of(s.tour[t], TOUR, "C4", "C0"),
            s.on[t] != NO_LIST,
            s.on[t] == s.home[s.key_of[s.on[t]]],
            Not(s.passed[t]),
        )
        return Or(
            is_at(s, t, "A2", "W", "A3", "B1", "B2", "Y1"),
            And(is_at(s, t, *TO_COMPLETE), s.via[t] != VIA.expiry),
            And(in_sec(s, t, "C1", "C2"), s.keyed[s.key[t]]),
            And(in_sec(s, t, "C3"), list_ != NO_LIST, list_ == s.home[s.key_of[list_]]),
            ahead,
            s.tour[t] == TOUR.C5,
        )

    @conjunct
    def ready_is_looked_at(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once its condition holds, a waiting operation has a thread that will complete it.

        Or a list that it is in was dropped.
        """
        return Implies(
            And(s.begun, s.ready, waits(s)),
            Or(
                Exists([T], And(T != NO_THREAD, self.will_look(s, T))),
                Exists([K], And(s.home[K] != NO_LIST, s.dropped[s.home[K]])),
            ),
        )

    @safety("P6")
    def try_excludes_complete(self, s: SimpleNamespace) -> z3.BoolRef:
        """tryComplete runs neither while onComplete runs nor after it."""
        return ForAll([T], Implies(is_at(s, T, "Y1"), And(Not(s.completed), s.completions == 0)))

    @safety("P7")
    def no_completion_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once all who bring events are through, what can complete has completed.

        Threads of the timer do not count.
        """

        def away(t: z3.ExprRef) -> z3.BoolRef:
            return And(
                s.tour[t] == TOUR.Out,
                in_sec(s, t, "Aside", "W2", "W3", "W4", "W5", "W6", "D2", "D3"),
                Or(is_at(s, t, "Idle", "K1", "T1", "V1"), s.via[t] == VIA.expiry),
            )

        # That each dropper is away is stated once more, as a term to take the first part at.
        all_away = And(ForAll([T], away(T)), ForAll([K], away(s.dropper[s.home[K]])))
        return Implies(And(all_away, s.ready, s.entered, Not(s.revoked)), s.completed)
