"""Module SystemTimerReaper as a system, and an invariant of the module itself."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or

from proofs.system_timer_reaper.words import THREAD
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.ts.system import conjunct

(T,) = THREAD.consts("thread")
NO_ONE = THREAD.null
WAITING = ("J1", "J2", "J3", "J4", "J5")
"""Within Thread.join."""
CLOSES = ("T1", "E2", *WAITING, "S1")
OF_REAPER = ("E1", "P1", "T2", "H1", "H2", "H3", "H4")
HOLDING = ("J2", "J5", "H2", "H3", "H4")
"""Where a thread has the condition of the reaper's thread."""


class Reaper(Invariant):
    """The generated system, and the conjuncts. ``TheReaper``: the thread that reaps."""

    RIGID = {"TheReaper": THREAD.z3}

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Threads close, or are the one that reaps. Each has an operation."""
        return [
            *super().given(s),
            ForAll([T], Implies(T != NO_ONE, s.Closers[T] != s.Reapers[T])),
            ForAll([T], s.Reapers[T] == (T == s.TheReaper)),
            And(s.TheReaper != NO_ONE, Not(s.Closers[NO_ONE])),
            ForAll([T], Implies(s.Closers[T], s.Program_length[T] >= 1)),
        ]

    # -- threads

    @conjunct
    def one_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread where the condition is held has it, and no other one."""
        holds = ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, *HOLDING)), s.mutex == T))
        return And(holds, Implies(s.mutex != NO_ONE, self.at(s, s.mutex, *HOLDING)))

    @conjunct
    def threads_have_their_places(self, s: SimpleNamespace) -> z3.BoolRef:
        """The reaper is at its labels or closes, and joins no thread. A closer joins."""
        reaper = self.at(s, T, *OF_REAPER, "T1", "E2", "S1", "Done")
        return ForAll(
            [T],
            And(
                Implies(s.Closers[T], self.at(s, T, "T0", "Done", *CLOSES)),
                Implies(s.Reapers[T], reaper),
            ),
        )

    @conjunct
    def close_returns_to_its_caller(self, s: SimpleNamespace) -> z3.BoolRef:
        """A close is on a thread's stack where the thread is in it."""
        home = If(s.Closers[T], self.label("T0"), self.label("T2"))
        frame = If(self.at(s, T, *CLOSES), home, self.label("Nowhere"))
        return ForAll([T], Implies(T != NO_ONE, s.ret_close[T] == frame))

    @conjunct
    def turns_count_closes(self, s: SimpleNamespace) -> z3.BoolRef:
        """A closer that closes or has ended is past its first turn."""
        has_begun = Implies(self.at(s, T, "Done", *CLOSES), s.turn[T] >= 2)
        return ForAll([T], Implies(s.Closers[T], And(s.turn[T] >= 1, has_begun)))

    # -- the reaper's end

    @conjunct
    def ends_where_it_is_to(self, s: SimpleNamespace) -> z3.BoolRef:
        """The reaper has ended where its thread is past its loop."""
        r = s.TheReaper
        return And(
            Implies(self.at(s, r, "H1", "H2"), s.stopping),
            s.ended == self.at(s, r, "H3", "H4", "Done"),
        )

    @conjunct
    def reaps_until_closed(self, s: SimpleNamespace) -> z3.BoolRef:
        """ReapsUntilClosed: the reaper's thread does not end before it is stopped."""
        return Implies(s.ended, s.stopping)

    @conjunct
    def closer_has_stopped_it(self, s: SimpleNamespace) -> z3.BoolRef:
        """Behind E2 the reaper is to stop. A closer that is to close the timer has seen its end."""
        behind = Implies(self.at(s, T, *WAITING, "S1"), s.stopping)
        has_seen = Implies(And(s.Closers[T], self.at(s, T, "J5", "S1")), s.ended)
        return ForAll([T], Implies(T != NO_ONE, And(behind, has_seen)))

    # -- the timer

    @conjunct
    def reaper_ends_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """ReaperEndsFirst: no other thread has closed the timer before the reaper had ended."""
        return Not(s.early)

    @conjunct
    def polls_while_it_is_open(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once the timer is closed, the reaper is to stop, and is not about to poll."""
        stops = And(s.stopping, Not(self.at(s, s.TheReaper, "P1")))
        return And(s.closed >= 0, Implies(s.closed > 0, stops))

    @conjunct
    def polls_no_more(self, s: SimpleNamespace) -> z3.BoolRef:
        """PollsNoMore: no poll has begun after the timer was closed."""
        return Not(s.late)

    @conjunct
    def closes_its_timer(self, s: SimpleNamespace) -> z3.BoolRef:
        """ClosesItsTimer: where a close has returned, the timer is closed."""
        has_returned = Or(self.at(s, T, "Done"), And(self.at(s, T, "T0"), s.turn[T] >= 2))
        return ForAll([T], Implies(And(s.Closers[T], has_returned), s.closed > 0))

    # -- waits

    @conjunct
    def sleepers_are_asleep(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that waits for a ticket is asleep."""
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, "J3")), s.asleep[T]))

    @conjunct
    def sleeps_before_its_end(self, s: SimpleNamespace) -> z3.BoolRef:
        """One that goes to sleep has seen under the condition that the reaper has not ended."""
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, "J2")), Not(s.ended)))

    @conjunct
    def closers_are_notified(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where a closer sleeps without a ticket, the reaper has not ended, or is to notify."""
        has_ticket = Or(s.tickets[T], Not(s.ended), self.at(s, s.TheReaper, "H3"))
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, "J3")), has_ticket))

    def waits(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        locks = And(self.at(s, t, "J1", "J4", "H1"), s.mutex != NO_ONE)
        return Or(locks, And(self.at(s, t, "J3"), Not(s.tickets[t])))
