"""The first part of the invariant of module ShareFetch: stacks, locks, and how fetches end.

Ghost variables of a fetch are the place of the batch that it has acquired, its place in the list,
the thread that writes the state of its batch, and that of its last time-out. Others are the place
of a batch that can be acquired, seen by the fetch that has the fetch lock, the thread that owes a
check, and the fetch that was the last to see no records.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.share_fetch.words import FETCH, LABEL, OPERATION, THREAD
from wheelproof.prove.invariant import system
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.ts.system import WHOLE, Step, array, conjunct

at, back = partial(system.at, LABEL), partial(system.back, LABEL)
(T,) = THREAD.consts("thread")
(F,) = FETCH.consts("fetch")
K, LATER, PLACE, OTHER = z3.Ints("number later place_ other_place")
NO_ONE, NONE = THREAD.null, FETCH.null
ANSWER = ("G1", "G2", "G3", "K2")
LOOKS = ("L1", "L2", "L3", "K1")
CHECKS = ("C0", "C2", "C3", "B1", "C4")
ENDS = ("E2", "E3", "E4", "E5", "E6", "E7")
GHOSTS = {
    "spare": z3.IntSort(),
    "waker": THREAD.z3,
    "blind": FETCH.z3,
    **dict.fromkeys(["rank", "seat"], array(FETCH, WHOLE)),
    **dict.fromkeys(["writer", "lapser"], array(FETCH, THREAD)),
}


def is_ended_by(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread ends a fetch whose time is up."""
    return Or(at(s, t, *ENDS), back(s, "answer", t, "E6"))


def enters(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread lets a fetch in, and has its lock."""
    return Or(at(s, t, "A0", "A2", "A3"), back(s, "try", t, "A0", "A3"))


def checks(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread tries a fetch that waits, and has its lock."""
    return Or(at(s, t, "B2", "B3"), back(s, "try", t, "B3"))


def completes(s: SimpleNamespace, t: z3.ExprRef, fetch: z3.ExprRef) -> z3.BoolRef:
    """The thread has completed a fetch, and not answered it."""
    ended = And(at(s, t, "E4", "E5"), s.expiring[t] == fetch)
    return Or(And(at(s, t, *ANSWER), s.taker[t] == fetch), ended)


def looks(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread has the fetch lock for the fetch that it tries."""
    return Or(at(s, t, *LOOKS, "F2"), back(s, "answer", t, "F2"))


def takes_last(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread has the fetch lock for a fetch whose time is up."""
    return Or(at(s, t, "E6"), back(s, "answer", t, "E6"))


def has_come(s: SimpleNamespace, fetch: z3.ExprRef) -> z3.BoolRef:
    """The fetch is in the list, or has been."""
    t = s.Fetcher[fetch]
    comes = Or(at(s, t, "A1", "A0", "A2"), back(s, "try", t, "A0"))
    return And(s.Fetched[fetch] < s.turn[t], Not(And(comes, s.entered[t] == fetch)))


def every_thread(claim: z3.BoolRef) -> z3.BoolRef:
    return ForAll([T], Implies(T != NO_ONE, claim))


def every_fetch(claim: z3.BoolRef) -> z3.BoolRef:
    return ForAll([F], Implies(F != NONE, claim))


class Fetches(Invariant):
    """The generated system, and the conjuncts about locks, the list and answers.

    ``Fetcher``, ``Fetched``: of a fetch, the operation that it comes by: a thread, and the place in
    its program. ``Acker``, ``Acked``: likewise of its acknowledgement. ``Log``: the thread that
    appends records.
    """

    RETURNS = {
        "answer": ("F2", "E6"),
        "try": ("A0", "A3", "B3"),
        **dict.fromkeys(
            [
                *("check", "enter", "expire", "acknowledge", "end_write", "time_out"),
                *("append", "trim"),
            ],
            ("T0",),
        ),
    }
    RIGID = {
        "Fetcher": array(FETCH, THREAD),
        "Fetched": array(FETCH, WHOLE),
        "Acker": array(FETCH, THREAD),
        "Acked": array(FETCH, WHOLE),
        "Log": THREAD.z3,
    }
    VARIABLES = GHOSTS

    def taken(
        self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: Mapping[str, z3.ExprRef]
    ) -> Step:
        """The ghosts' next values: those of a label that sets one, where it does."""
        step, ghosts = super().taken(name, s, t, choices), dict[str, z3.ExprRef]()
        match name.partition("_")[0]:
            case "A2":
                ghosts["rank"] = Store(s.rank, s.entered[t], choices["last_1"] + 1)
            case "E6" | "U2":
                ghosts["waker"] = t
            case "F2":
                ghosts["waker"] = If(s.won[t], t, s.waker)
            case "L2":
                ghosts["blind"] = If(choices["last_1"] == 0, s.tried[t], s.blind)
            case "G1":
                ghosts["spare"] = choices["last_1"]
            case "G2":
                ghosts["seat"] = Store(s.seat, s.taker[t], choices["first_1"])
            case "S1" if "first_writes" in choices:
                ghosts["writer"] = Store(s.writer, choices["first_writes"], t)
            case "X2":
                ghosts["lapser"] = Store(s.lapser, s.lapsed[t], t)
            case "S4" | "X4":
                ghosts["waker"] = If(choices["more_1"] == 1, t, s.waker)
        return Step(step.guards, {**step.updates, **ghosts})

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The formulas of Init. No fetch has come, and no thread owes a check."""
        no_place = And(s.seat[F] == 0, s.rank[F] == 0)
        no_thread = And(s.writer[F] == NO_ONE, s.lapser[F] == NO_ONE)
        return [
            *super().initially(s),
            ForAll([F], And(no_place, no_thread)),
            And(s.spare == 0, s.waker == NO_ONE, s.blind == NONE),
        ]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """A fetch comes once, ends behind that, and is acknowledged once.

        One thread appends records. Their offsets rise, and begin behind those that are there.
        """
        word, fetch = s.Program_1_word[T][K], s.Program_2_ShareFetch[T][K]
        low, high = s.Program_2_Int[T], s.Program_3_Int[T]
        there = And(T != NO_ONE, 1 <= K, K <= s.Program_length[T])
        appends = OPERATION.value("append")
        acknowledged = And(s.Acker[fetch] == T, s.Acked[fetch] == K)
        of_words = {
            "fetch": And(s.Fetcher[fetch] == T, s.Fetched[fetch] == K),
            "expire": And(s.Fetcher[fetch] == T, s.Fetched[fetch] < K),
            "release": acknowledged,
            "accept": acknowledged,
            "append": And(T == s.Log, 1 <= low[K], low[K] <= high[K]),
        }
        of_fetches = ("fetch", "expire", "release", "accept", "time_out")
        program = [
            Implies(word == OPERATION.value(name), claim) for name, claim in of_words.items()
        ] + [Implies(word == OPERATION.value(name), fetch != NONE) for name in of_fetches]
        thread, place = s.Fetcher[F], s.Fetched[F]
        comes = And(
            thread != NO_ONE,
            1 <= place,
            place <= s.Program_length[thread],
            s.Program_1_word[thread][place] == OPERATION.value("fetch"),
            s.Program_2_ShareFetch[thread][place] == F,
        )
        two = And(there, K < LATER, LATER <= s.Program_length[T])
        both = And(two, word == appends, s.Program_1_word[T][LATER] == appends)
        first, last = s.Batches_item_1, s.Batches_item_2
        here = And(1 <= PLACE, s.Batches_has[PLACE])
        pair = And(here, PLACE < OTHER, s.Batches_has[OTHER])
        return [
            *super().given(s),
            ForAll([T, K], Implies(there, And(program))),
            ForAll([T, K, LATER], Implies(both, high[K] < low[LATER])),
            ForAll([PLACE], Implies(here, And(1 <= first[PLACE], first[PLACE] <= last[PLACE]))),
            ForAll([PLACE, OTHER], Implies(pair, last[PLACE] < first[OTHER])),
            ForAll(
                [PLACE, T, K],
                Implies(And(here, there, word == appends), last[PLACE] < low[K]),
            ),
            ForAll([F], Implies(F != NONE, And(s.Acker[F] != NO_ONE, comes))),
            s.Log != NO_ONE,
        ]

    def pointers(self, s: SimpleNamespace) -> list[z3.ExprRef]:
        """The places of batches that were acquired, and the threads of time-outs and fetches."""
        return [s.seat, s.lapser, s.Fetcher, s.Fetched]

    # -- stacks and locks

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure that a thread is in returns to a label behind a call of it."""
        return every_thread(self.frames(s, T))

    @conjunct
    def one_holds_the_partition(self, s: SimpleNamespace) -> z3.BoolRef:
        """The partition's lock is held by the thread that is where it is held."""
        holds = at(
            s,
            T,
            *("G2", "G3", "L2", "L3", "R3", "R4", "S3", "S4", "S5", "X4", "X5"),
            *("U2", "U3", "M2", "M3", "M4"),
        )
        return every_thread(holds == (s.lock == T))

    @conjunct
    def one_holds_a_fetch(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch's own lock is held by the thread that is where it is held."""
        return every_thread(
            And(
                Implies(enters(s, T), s.held[s.entered[T]] == T),
                Implies(checks(s, T), s.held[s.met_2[T]] == T),
                Implies(is_ended_by(s, T), s.held[s.expiring[T]] == T),
            )
        )

    @conjunct
    def tries_what_it_holds(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread tries, and answers, the fetch whose lock it has."""
        return every_thread(
            And(
                Implies(Or(self.inside(s, T, "enter"), at(s, T, "A1")), s.entered[T] != NONE),
                Implies(Or(is_ended_by(s, T), at(s, T, "E1")), s.expiring[T] != NONE),
                Implies(back(s, "try", T, "A0", "A3"), s.tried[T] == s.entered[T]),
                Implies(back(s, "try", T, "B3"), s.tried[T] == s.met_2[T]),
                Implies(back(s, "answer", T, "F2"), s.taker[T] == s.tried[T]),
                Implies(back(s, "answer", T, "E6"), s.taker[T] == s.expiring[T]),
            )
        )

    @conjunct
    def one_fetches(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch has the fetch lock where the thread that has its own lock is."""
        f, thread = s.fetching, s.held[s.fetching]
        has = Or(
            And(looks(s, thread), s.tried[thread] == f),
            And(takes_last(s, thread), s.expiring[thread] == f),
        )
        return And(
            every_thread(Implies(looks(s, T), f == s.tried[T])),
            every_thread(Implies(takes_last(s, T), f == s.expiring[T])),
            Implies(f != NONE, And(thread != NO_ONE, has)),
        )

    # -- the list

    @conjunct
    def operations_are_of_the_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread has begun the operations before its turn."""
        entered, expiring = s.entered[T], s.expiring[T]
        turn = s.turn[T] - 1
        return every_thread(
            And(
                turn >= 0,
                Implies(at(s, T, "Done"), turn >= s.Program_length[T]),
                Implies(
                    Or(at(s, T, "A1"), enters(s, T)),
                    And(s.Fetcher[entered] == T, s.Fetched[entered] == turn),
                ),
                Implies(
                    Or(at(s, T, "E1"), is_ended_by(s, T)),
                    And(s.Fetcher[expiring] == T, s.Fetched[expiring] < turn),
                ),
            )
        )

    @conjunct
    def waits_as_it_has_come(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch in the list, or that a check has met there, has come."""
        waits = And(1 <= PLACE, s.watched_has[PLACE], s.watched_item[PLACE] != NONE)

        def was_there(place: z3.ArithRef, fetch: z3.ExprRef) -> z3.BoolRef:
            return And(1 <= place, s.watched_has[place], fetch != NONE, has_come(s, fetch))

        meets = Or(at(s, T, "C3", "B1", "C4"), checks(s, T))
        checking = Or(at(s, T, *CHECKS), checks(s, T))
        goes_on = And(checking, s.ahead_1[T] != 0)
        return And(
            ForAll([PLACE], Implies(waits, has_come(s, s.watched_item[PLACE]))),
            every_thread(Implies(meets, was_there(s.met_1[T], s.met_2[T]))),
            every_thread(Implies(goes_on, was_there(s.ahead_1[T], s.ahead_2[T]))),
            every_thread(Implies(at(s, T, "C2"), s.ahead_1[T] != 0)),
            every_thread(Implies(checking, Or(s.ahead_1[T] != 0, s.ahead_2[T] == NONE))),
        )

    @conjunct
    def fresh_fetches(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch that has not come is completed by the thread alone that lets it in."""
        to_come = s.Fetched[F] >= s.turn[s.Fetcher[F]]
        return And(
            every_fetch(Implies(to_come, Not(s.completed[F]))),
            every_thread(Implies(at(s, T, "A1", "A2"), Not(s.completed[s.entered[T]]))),
            every_thread(
                Implies(And(at(s, T, "A0"), Not(s.won[T])), Not(s.completed[s.entered[T]]))
            ),
            every_thread(Implies(And(at(s, T, "F2"), Not(s.won[T])), Not(s.completed[s.tried[T]]))),
            every_thread(Implies(at(s, T, "K1"), s.won[T])),
            every_thread(Implies(back(s, "answer", T, "F2"), s.won[T])),
            every_thread(Implies(at(s, T, "F1", *LOOKS), Not(s.completed[s.tried[T]]))),
            every_thread(Implies(at(s, T, "E3"), Not(s.completed[s.expiring[T]]))),
        )

    # -- answers

    @conjunct
    def answers_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A fetch is answered once, and completed before that."""
        unanswered = And(s.answers[F] == 0, s.result_1[F] == 0, s.result_2[F] == 0)
        return And(
            every_fetch(And(0 <= s.answers[F], s.answers[F] <= 1)),
            every_fetch(Implies(Not(s.completed[F]), unanswered)),
            every_fetch(
                Implies(
                    And(s.held[F] != NO_ONE, completes(s, s.held[F], F)),
                    And(s.completed[F], unanswered),
                )
            ),
        )
