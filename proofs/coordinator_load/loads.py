"""The second part of the invariant of module CoordinatorLoad: contexts, and their loads."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.coordinator_load.events import (
    ABSENT,
    ENDS,
    LOADS,
    NO_ONE,
    OTHER,
    PLACE,
    C,
    Events,
    T,
    about,
    at,
    back,
    every_thread,
    in_state,
    is_loaded_by,
    is_of,
    is_to_begin,
    puts,
    takes,
)
from wheelproof.prove.ts.system import conjunct


class Loads(Events):
    """The conjuncts about contexts."""

    # -- contexts

    @conjunct
    def contexts_are_contexts(self, s: SimpleNamespace) -> z3.BoolRef:
        """There is a context where one is needed."""
        here = ("A2", "A3", "A4", "S1", "S2", "S3", "B1", "B2", "B3", "C1", "C2", "C3", "C4")
        beyond = ("H3", "H2")
        return And(
            Implies(s.current != ABSENT, s.Contexts[s.current]),
            Or(s.listener == ABSENT, s.listener == s.current),
            every_thread(
                Implies(Or(at(s, T, "B3"), back(s, "reply_all", T, "B3")), s.listener == ABSENT)
            ),
            every_thread(Implies(at(s, T, *here, "V1"), s.current != ABSENT)),
            every_thread(Implies(at(s, T, "C1", "C2", "C3", "C4"), s.ended[T] == s.current)),
            every_thread(Implies(at(s, T, *beyond), s.target[T] == s.current)),
            every_thread(Implies(at(s, T, "A1"), s.current == ABSENT)),
        )

    @conjunct
    def a_context_begins_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """Before its leadership's event is handled, a context is not there."""
        fresh = And(s.current != C, in_state(s, C, "initial"), s.epoch[C] == 0)
        return ForAll([C], Implies(And(s.Contexts[C], is_to_begin(s, C)), fresh))

    @conjunct
    def states_are_of_their_labels(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where an event is being handled, the context's state is known."""
        c, begun, h = s.current, ("loading", "active", "failed"), s.handler
        closing = Or(at(s, T, "B2", "B3"), back(s, "reply_all", T, "B3"))
        midway = Or(at(s, h, "A2", "A3", "B2", "B3"), back(s, "reply_all", h, "B3"))
        closed = And(c != ABSENT, in_state(s, c, "closed"))
        return And(
            Or(c == ABSENT, in_state(s, c, *begun), And(h != NO_ONE, midway)),
            every_thread(Implies(at(s, T, "A2"), in_state(s, c, "initial", *begun))),
            every_thread(Implies(at(s, T, "A3"), in_state(s, c, "initial"))),
            every_thread(Implies(at(s, T, "A4", "S1", "S2", "S3"), in_state(s, c, "loading"))),
            every_thread(Implies(at(s, T, "B1"), in_state(s, c, *begun))),
            every_thread(Implies(closing, closed)),
            every_thread(Implies(at(s, T, "C1", "C3"), in_state(s, c, "loading"))),
            every_thread(Implies(at(s, T, "C2", "H3"), in_state(s, c, "active"))),
            every_thread(Implies(at(s, T, "H2"), Not(in_state(s, c, "active")))),
            every_thread(Implies(at(s, T, "C4"), in_state(s, c, "failed"))),
        )

    @conjunct
    def newest_is_there(self, s: SimpleNamespace) -> z3.BoolRef:
        """From its event on, the newest leadership has the coordinator."""
        newest = s.Int_as_Epoch[s.Newest]
        has = And(s.current != ABSENT, s.epoch[s.current] == s.Newest)
        rises = s.epoch[s.current] < s.Epoch_as_Int[s.first[T]]
        goes = s.epoch[s.current] < s.Epoch_as_Int[s.last[T]]
        closing = Or(at(s, T, "B1", "B2", "B3"), back(s, "reply_all", T, "B3"))
        return And(
            Implies(And(s.Contexts[newest], Not(is_to_begin(s, newest, "A2"))), has),
            ForAll([C], Implies(s.Contexts[C], And(0 <= s.epoch[C], s.epoch[C] <= s.Newest))),
            every_thread(Implies(at(s, T, "A2"), rises)),
            every_thread(Implies(closing, goes)),
        )

    # -- loads

    @conjunct
    def loads_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A context is submitted once, and one thread loads it."""
        here = And(1 <= PLACE, PLACE <= s.loads_length)
        context, other = s.loads_item[PLACE], s.loads_item[OTHER]
        untaken = And(s.Contexts[context], s.submitted[context], s.loader[context] == NO_ONE)
        two = And(here, 1 <= OTHER, OTHER <= s.loads_length, PLACE != OTHER)
        new = Or(
            in_state(s, C, "initial"),
            And(s.handler != NO_ONE, at(s, s.handler, "A4", "S1", "S2"), s.current == C),
        )
        c = s.task[T]
        loading = And(s.Contexts[c], s.loader[c] == T, s.submitted[c], s.ends_at[c] == 0)
        done = about(s, s.item_2[T])
        ended = And(s.loader[done] == T, s.submitted[done], s.ends_at[done] == 0)
        return And(
            s.loads_length >= 0,
            ForAll([PLACE], Implies(here, untaken)),
            ForAll([PLACE, OTHER], Implies(two, context != other)),
            ForAll([C], Implies(s.Contexts[C], new == Not(s.submitted[C]))),
            ForAll([C], Implies(Not(s.submitted[C]), s.loader[C] == NO_ONE)),
            ForAll([C], Implies(s.loader[C] == NO_ONE, And(s.ends_at[C] == 0, s.applied[C] == 0))),
            every_thread(Implies(at(s, T, "M2"), s.loads_length >= 1)),
            every_thread(Implies(at(s, T, "M1", "M2"), c == ABSENT)),
            every_thread(Implies(And(at(s, T, "M3", *LOADS), c != ABSENT), loading)),
            every_thread(Implies(at(s, T, *LOADS), c != ABSENT)),
            every_thread(Implies(puts(s, T, "complete"), ended)),
        )

    @conjunct
    def applies_the_log(self, s: SimpleNamespace) -> z3.BoolRef:
        """A context has applied nothing before its load reads, and the whole log behind that."""
        c = s.task[T]
        before = And(at(s, T, "M3", "M4", "M5"), c != ABSENT)
        return And(
            every_thread(Implies(before, s.applied[c] == 0)),
            every_thread(Implies(at(s, T, "M6", "M7"), s.applied[c] == s.End)),
        )

    @conjunct
    def ends_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A load has one end. Before that its context neither serves nor has failed."""
        taken_up = And(at(s, T, "R4", *ENDS), is_of(s.event_1[T], "complete"))
        own_place = s.ends_at[about(s, s.event_2[T])]
        to_end = Or(
            s.ends_at[C] == 0,
            s.ends_at[C] > s.handled,
            takes(s, "complete", C, "C0", "C1", "C3"),
        )
        return And(
            every_thread(Implies(taken_up, And(s.handled > 0, own_place == s.handled))),
            ForAll([C], Implies(to_end, Not(in_state(s, C, "active", "failed")))),
        )

    @conjunct
    def a_load_that_succeeds_counts(self, s: SimpleNamespace) -> z3.BoolRef:
        """A context that has applied the log serves, or will when its load's end is handled."""
        thread = s.loader[C]
        on_the_way = Or(
            is_loaded_by(s, C, "M6", "M7"),
            And(thread != NO_ONE, puts(s, thread, "complete"), about(s, s.item_2[thread]) == C),
            s.ends_at[C] > s.handled,
            takes(s, "complete", C, "C0", "C1"),
        )
        is_current = And(s.current == C, s.Contexts[C])
        return And(
            ForAll(
                [C],
                Implies(
                    And(is_current, in_state(s, C, "loading"), s.applied[C] == s.End), on_the_way
                ),
            ),
            ForAll([C], Implies(And(is_current, in_state(s, C, "active")), s.applied[C] == s.End)),
            ForAll([C], Implies(And(is_current, in_state(s, C, "failed")), s.applied[C] != s.End)),
            every_thread(Implies(at(s, T, "C1"), s.loaded[T])),
            every_thread(Implies(at(s, T, "C3"), Not(s.loaded[T]))),
        )
