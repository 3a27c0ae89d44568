"""The invariant of module ShareFetch: its second part is about batches."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.share_fetch.fetches import (
    NO_ONE,
    NONE,
    OTHER,
    PLACE,
    F,
    Fetches,
    K,
    T,
    at,
    every_fetch,
    every_thread,
)
from proofs.share_fetch.words import OPERATION, REPLY, STATE
from wheelproof.prove.ts.system import conjunct

ACKNOWLEDGES = ("R0", "R1", "R2", "R3", "R4", "R5", "R6")
WRITES = ("S2", "S3", "S4", "S5", "S6")


def here(s: SimpleNamespace, place: z3.ArithRef) -> z3.BoolRef:
    """The partition has a batch at this place."""
    return And(1 <= place, s.cache_has[place])


def is_in(s: SimpleNamespace, place: z3.ArithRef, name: str) -> z3.BoolRef:
    """The batch at a place is in this state."""
    return s.cache_item_state[place] == STATE.value(name)


def is_owned(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The member of a fetch has the batch that the fetch acquired, or may have it again."""
    place = s.seat[fetch]
    return And(here(s, place), s.cache_item_owner[place] == fetch)


def is_held(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    return And(is_owned(s, fetch), is_in(s, s.seat[fetch], "acquired"))


def is_moving(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The batch of a fetch is in transition."""
    return And(is_owned(s, fetch), s.cache_item_moving[s.seat[fetch]])


def has_result(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    return Or(s.result_1[fetch] != 0, s.result_2[fetch] != 0)


def replied(s: SimpleNamespace, fetch: z3.ExprRef, *names: str) -> z3.BoolRef:
    return Or([s.reply[fetch] == REPLY.value(name) for name in names])


def is_written(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The new state of a fetch's batch waits for its write, or is being written."""
    writer = s.writer[fetch]
    writes = And(writer != NO_ONE, at(s, writer, *WRITES), s.task[writer] == fetch)
    return Or(s.writes[fetch] > 0, writes)


def lapses(s: SimpleNamespace, fetch: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """A thread is about to take the batch of a fetch whose time is up."""
    thread = s.lapser[fetch]
    return And(thread != NO_ONE, at(s, thread, *labels), s.lapsed[thread] == fetch)


def is_to_append(s: SimpleNamespace, place: z3.ArithRef) -> z3.BoolRef:
    """The operation at this place of the log's program appends, and has not begun."""
    append = s.Program_1_word[s.Log][place] == OPERATION.value("append")
    return And(s.turn[s.Log] <= place, place <= s.Program_length[s.Log], append)


class Shares(Fetches):
    """All conjuncts."""

    # -- batches

    @conjunct
    def batches_are_locked_as_acquired(self, s: SimpleNamespace) -> z3.BoolRef:
        """A batch has records, and an owner where it is acquired or in transition."""
        owner, moving = s.cache_item_owner[PLACE] != NONE, s.cache_item_moving[PLACE]
        first, last = s.cache_item_first[PLACE], s.cache_item_last[PLACE]
        acquired = is_in(s, PLACE, "acquired")
        return ForAll(
            [PLACE],
            Implies(
                here(s, PLACE),
                And(
                    1 <= first,
                    first <= last,
                    owner == Or(acquired, moving),
                    Not(And(acquired, moving)),
                    Implies(is_in(s, PLACE, "accepted"), moving),
                ),
            ),
        )

    @conjunct
    def batches_are_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """The offsets of batches rise with their places."""
        both = And(here(s, PLACE), PLACE < OTHER, s.cache_has[OTHER])
        return ForAll(
            [PLACE, OTHER], Implies(both, s.cache_item_last[PLACE] < s.cache_item_first[OTHER])
        )

    @conjunct
    def records_come_behind(self, s: SimpleNamespace) -> z3.BoolRef:
        """Records that are to come are beyond all that are there."""
        last, low = s.cache_item_last[PLACE], s.Program_2_Int[s.Log]
        appends = at(s, T, "U1", "U2")
        of_program = And(T == s.Log, 1 <= s.low[T], s.low[T] <= s.high[T])
        to_come = is_to_append(s, K)
        return And(
            ForAll([PLACE, K], Implies(And(here(s, PLACE), to_come), last < low[K])),
            every_thread(Implies(appends, of_program)),
            ForAll([T, K], Implies(And(T != NO_ONE, appends, to_come), s.high[T] < low[K])),
            ForAll([T, PLACE], Implies(And(T != NO_ONE, appends, here(s, PLACE)), last < s.low[T])),
        )

    @conjunct
    def owners_have_their_seats(self, s: SimpleNamespace) -> z3.BoolRef:
        """A batch has the owner that acquired it, which has received it or is about to."""
        fetch = s.cache_item_owner[PLACE]
        first, last = s.cache_item_first[PLACE], s.cache_item_last[PLACE]
        thread = s.held[fetch]
        received = And(s.result_1[fetch] == first, s.result_2[fetch] == last)
        receives = And(
            thread != NO_ONE,
            at(s, thread, "G3", "K2"),
            s.taker[thread] == fetch,
            s.offsets_1[thread] == first,
            s.offsets_2[thread] == last,
            is_in(s, PLACE, "acquired"),
        )
        return ForAll(
            [PLACE],
            Implies(
                And(here(s, PLACE), fetch != NONE),
                And(s.seat[fetch] == PLACE, s.completed[fetch], Or(received, receives)),
            ),
        )

    @conjunct
    def sees_what_it_acquires(self, s: SimpleNamespace) -> z3.BoolRef:
        """The batch that a fetch has seen can be acquired until it acquires one."""
        free = And(is_in(s, s.spare, "available"), Not(s.cache_item_moving[s.spare]))
        return every_thread(Implies(at(s, T, "G2"), And(here(s, s.spare), free)))

    @conjunct
    def acquires_what_it_answers(self, s: SimpleNamespace) -> z3.BoolRef:
        """The offsets of an answer are those of a batch that its fetch has acquired."""
        fetch = s.taker[T]
        none = And(s.offsets_1[T] == 0, s.offsets_2[T] == 0)
        place = s.seat[fetch]
        acquired = And(
            is_held(s, fetch),
            s.offsets_1[T] == s.cache_item_first[place],
            s.offsets_2[T] == s.cache_item_last[place],
        )
        return And(
            every_thread(Implies(at(s, T, "G1", "G2"), none)),
            every_thread(Implies(at(s, T, "G3", "K2"), Or(none, acquired))),
        )

    @conjunct
    def members_hold(self, s: SimpleNamespace) -> z3.BoolRef:
        """A member has its batch, while it has time and has not acknowledged it."""
        has = And(has_result(s, F), Not(s.expired[F]), replied(s, F, "none", "failed"))
        place = s.seat[F]
        received = And(
            s.result_1[F] == s.cache_item_first[place], s.result_2[F] == s.cache_item_last[place]
        )
        return every_fetch(Implies(has, And(is_held(s, F), received)))

    # -- acknowledgements

    @conjunct
    def acknowledges_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch is acknowledged by one operation."""
        fetch, kind = s.acked[T], s.kind[T]
        of_program = And(s.Acker[fetch] == T, s.Acked[fetch] == s.turn[T] - 1)
        kinds = Or([kind == STATE.value(name) for name in ("available", "accepted")])
        return And(
            every_thread(Implies(at(s, T, *ACKNOWLEDGES), And(fetch != NONE, of_program, kinds))),
            every_thread(Implies(at(s, T, "R1", "R2", "R3"), has_result(s, fetch))),
        )

    @conjunct
    def replies_as_it_stands(self, s: SimpleNamespace) -> z3.BoolRef:
        """A reply is pending while an acknowledgement is."""
        fetch = s.acked[T]
        to_come = s.Acked[F] >= s.turn[s.Acker[F]]
        pending = Or(is_moving(s, F), is_written(s, F))
        return And(
            every_fetch(Implies(Or(to_come, Not(has_result(s, F))), replied(s, F, "none"))),
            every_fetch(Implies(pending, replied(s, F, "pending"))),
            every_thread(Implies(at(s, T, "R0", "R1"), replied(s, fetch, "none"))),
            every_thread(
                Implies(at(s, T, "R2", "R3", "R4", "R5", "R6"), replied(s, fetch, "pending"))
            ),
        )

    @conjunct
    def writes_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A write is of a fetch, and no two are of one."""
        task = s.task[T]
        writes = at(s, T, *WRITES)
        return And(
            s.writes[NONE] == 0,
            every_fetch(And(0 <= s.writes[F], s.writes[F] <= 1)),
            every_thread(
                Implies(writes, And(task != NONE, s.writes[task] == 0, s.writer[task] == T))
            ),
        )

    @conjunct
    def moves_until_it_is_written(self, s: SimpleNamespace) -> z3.BoolRef:
        """A batch is in transition from its acknowledgement to the end of its write."""
        fetch, task = s.acked[T], s.task[T]
        has, refused = at(s, T, "R4"), at(s, T, "R6")
        acknowledged = Or(And(has, s.has[T]), at(s, T, "R5"))
        still = Or(at(s, T, "R0", "R1", "R2", "R3"), And(has, Not(s.has[T])), refused)
        given_back = And(at(s, T, "S5", "S6"), s.fails[T], Not(s.late[T]), Not(s.expired[task]))
        return And(
            every_thread(Implies(still, Not(is_moving(s, fetch)))),
            every_thread(Implies(at(s, T, *ACKNOWLEDGES), Not(is_written(s, fetch)))),
            every_thread(Implies(at(s, T, "R3"), And(s.has[T], is_held(s, fetch)))),
            every_thread(Implies(acknowledged, is_moving(s, fetch))),
            every_fetch(Implies(s.writes[F] > 0, is_moving(s, F))),
            every_thread(Implies(at(s, T, "S2", "S3", "S4"), is_moving(s, task))),
            every_thread(Implies(at(s, T, "S5", "S6"), Not(is_moving(s, task)))),
            every_thread(Implies(given_back, is_held(s, task))),
        )

    # -- acquisition locks

    @conjunct
    def freed_in_time(self, s: SimpleNamespace) -> z3.BoolRef:
        """A batch whose time is up is about to be taken from its member."""
        fetch, task = s.cache_item_owner[PLACE], s.task[T]
        acquired = And(here(s, PLACE), is_in(s, PLACE, "acquired"), s.expired[fetch])
        early = And(at(s, T, "S4"), Not(s.late[T]), s.expired[task])
        return And(
            every_fetch(Implies(s.expired[F], has_result(s, F))),
            every_thread(Implies(at(s, T, "X1", "X2", "X3", "X4"), s.lapsed[T] != NONE)),
            every_thread(Implies(at(s, T, "X2", "X3", "X4"), has_result(s, s.lapsed[T]))),
            every_thread(Implies(at(s, T, "X3", "X4"), s.expired[s.lapsed[T]])),
            every_thread(Implies(And(at(s, T, "S4", "S5", "S6"), s.late[T]), s.expired[task])),
            ForAll([PLACE], Implies(acquired, lapses(s, fetch, "X3", "X4"))),
            every_thread(Implies(early, lapses(s, task, "X3"))),
        )
