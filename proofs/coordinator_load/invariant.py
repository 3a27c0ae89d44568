"""The invariant of module CoordinatorLoad: its last part is about the high watermark."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or

from proofs.coordinator_load.events import (
    ABSENT,
    NO_ONE,
    NONE,
    PLACE,
    C,
    T,
    about,
    at,
    every_thread,
    in_state,
    is_loaded_by,
    is_of,
    puts,
    takes,
    waits,
)
from proofs.coordinator_load.loads import Loads
from wheelproof.prove.ts.system import conjunct


def is_rising(s: SimpleNamespace, context: z3.ExprRef) -> z3.BoolRef:
    """The context is about to be given the newest high watermark."""
    f = s.Follower
    return Or(at(s, f, "F2"), And(at(s, f, "F3"), s.hearer[f] == context))


class Load(Loads):
    """All conjuncts."""

    @conjunct
    def nothing_uncommitted(self, s: SimpleNamespace) -> z3.BoolRef:
        """No offset that is under way is beyond the high watermark."""
        high = s.highWatermark
        offsets = [offsets[C] <= high for offsets in (s.committed, s.heard, s.pending)]
        return And(
            high >= 0,
            ForAll([C], Implies(s.Contexts[C], And(offsets))),
            every_thread(Implies(at(s, T, "F2", "F3"), s.reached[T] == high)),
            every_thread(Implies(at(s, T, "M7"), s.mark[T] <= high)),
            every_thread(Implies(at(s, T, "H0", "H2", "H3"), s.offset[T] <= high)),
        )

    @conjunct
    def listens_while_it_loads(self, s: SimpleNamespace) -> z3.BoolRef:
        """A context that loads or serves listens to the log. One that did not has heard nothing."""
        c, h = s.current, s.handler
        begins = And(h != NO_ONE, at(s, h, "A4"))
        deaf = And(Not(s.submitted[C]), s.listener != C)
        silent = And(
            s.pending[C] == NONE, Not(And(at(s, s.Follower, "F3"), s.hearer[s.Follower] == C))
        )
        hearer = s.hearer[T]
        return And(
            Implies(
                And(c != ABSENT, in_state(s, c, "loading", "active"), Not(begins)),
                s.listener == c,
            ),
            Implies(
                s.listener != ABSENT,
                And(
                    Not(in_state(s, s.listener, "initial")),
                    Implies(h != NO_ONE, Not(at(s, h, "A1", "A3", "A4"))),
                ),
            ),
            ForAll([C], Implies(And(s.Contexts[C], deaf), silent)),
            every_thread(Implies(at(s, T, "F3"), s.Contexts[hearer])),
        )

    @conjunct
    def rises_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A high watermark that is pending has one event, and none else has one."""
        f, item = s.Follower, about(s, s.item_2[T])
        event = about(s, s.event_2[T])
        is_put = And(puts(s, f, "rise"), about(s, s.item_2[f]) == C)
        has_event = Or(is_put, s.rises_at[C] > s.handled, takes(s, "rise", C, "H1"))
        waiting = And(waits(s, PLACE), is_of(s.waiting_item_1[PLACE], "rise"))
        taken_up = And(at(s, T, "R4", "H1"), is_of(s.event_1[T], "rise"))
        to_put = And(
            s.pending[item] != NONE,
            s.rises_at[item] <= s.handled,
            Not(takes(s, "rise", item, "H1")),
        )
        to_take = And(s.pending[event] != NONE, s.rises_at[event] == s.handled)
        return And(
            ForAll([C], Implies(And(s.Contexts[C], s.pending[C] != NONE), has_event)),
            ForAll(
                [PLACE],
                Implies(waiting, s.pending[about(s, s.waiting_item_2[PLACE])] != NONE),
            ),
            every_thread(Implies(puts(s, T, "rise"), to_put)),
            every_thread(Implies(taken_up, to_take)),
        )

    @conjunct
    def newest_is_pending(self, s: SimpleNamespace) -> z3.BoolRef:
        """An offset on its way to the context that listens is the newest one, or that comes."""
        c, high, offset = s.listener, s.highWatermark, s.offset[T]
        comes = Or(is_rising(s, c), s.pending[c] == high)
        carried = And(at(s, T, "H0", "H2", "H3"), s.target[T] == c, c != ABSENT)
        return And(
            Implies(And(c != ABSENT, s.pending[c] != NONE), comes),
            every_thread(Implies(carried, Or(offset == high, comes))),
        )

    @conjunct
    def high_watermark_is_seen(self, s: SimpleNamespace) -> z3.BoolRef:
        """A context that loads or serves knows the high watermark, or will."""
        c, high, h = s.listener, s.highWatermark, s.handler
        reads = Or(
            s.applied[c] != s.End,
            is_loaded_by(s, c, "M6"),
            If(
                is_loaded_by(s, c, "M7"),
                s.mark[s.loader[c]] == high,
                s.committed[c] == high,
            ),
        )
        before = Or(s.heard[c] == high, reads)
        takes_over = And(h != NO_ONE, at(s, h, "C2"))
        serves = If(takes_over, s.heard[c] == high, s.committed[c] == high)
        carried = And(
            h != NO_ONE, at(s, h, "H0", "H2", "H3"), s.target[h] == c, s.offset[h] == high
        )
        comes = Or(is_rising(s, c), s.pending[c] == high, carried)
        return Implies(
            c != ABSENT,
            And(
                Implies(in_state(s, c, "loading"), Or(comes, before)),
                Implies(in_state(s, c, "active"), Or(comes, serves)),
            ),
        )
