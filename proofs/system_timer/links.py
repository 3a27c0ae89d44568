"""Module SystemTimer as a system, with the links of its states to those of the proof.

The system is generated of the module that SANY has read. Ghost variables are added to it: the
thread that has a bucket out of the queue, and whether a key changed in the queue. The links give a
thread's stack and its procedures' variables where they matter, and say that an entry is in one
place.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, Implies, Not, Or, Store

from proofs.system_timer.steps import (
    BUCKET,
    ENTERING,
    ENTRY,
    INT,
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    PLACE,
    THREAD,
    B,
    C,
    E,
    T,
    U,
)
from proofs.system_timer.words import CALLBACK, LEVEL, NO_LEVEL, NO_TASK, OPERATION, TIMER
from wheelproof.prove.arithmetic import POWER, mul
from wheelproof.prove.module.starts import starts
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.system import Step, array, conjunct

K = z3.Int("number")
(V,) = LEVEL.consts("one_level")
IN_ADD = ("W0", *ENTERING)
"""Labels of addTimerTaskEntry."""
IN_HAND = ("W0", "W1", "W2")
"""Those before the entry is linked."""
IN_EXPIRE = ("R5", "R7", "V1", "F2", "F3", "V2", "V3", "R4")
IN_REAP = ("R1", "R2", "R3", "R8", "R6")
OF_KAFKA = ("Q1", "Q2", "Q6")


def at(s: SimpleNamespace, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The thread is at one of these labels."""
    equations = [s.pc[t] == getattr(PLACE, label) for label in labels]
    return Or(equations) if len(equations) > 1 else equations[0]


def enters_for(s: SimpleNamespace, t: z3.ExprRef, back: str) -> z3.BoolRef:
    """The thread is in addTimerTaskEntry, which returns to this label."""
    return And(at(s, t, *IN_ADD), s.ret_addTimerTaskEntry[t] == getattr(PLACE, back))


def number(s: SimpleNamespace, level: z3.ExprRef) -> z3.ArithRef:
    return s.Level_as_Int[level]


def tick(s: SimpleNamespace, level: z3.ExprRef) -> z3.ArithRef:
    """Tick of the module: WheelSize ^ (level - 1)."""
    return POWER(s.WheelSize, number(s, level) - 1)


def every_thread(formula: z3.BoolRef) -> z3.BoolRef:
    """The formula, about the thread T, for every thread that is one."""
    return ForAll([T], Implies(T != NO_THREAD, formula))


class Linked(Generated):
    """The generated system with ghosts, and the links as conjuncts of an invariant.

    ``token``, ``changed``: as ``token`` and ``rekeyed`` of the proof; no step of the module reads
    them. ``thread_of``, ``turn_of``: where an entry is added. ``level_of``, ``slot_of``,
    ``tick_of``: of a bucket, by its number.
    """

    TIMERS: tuple[str, ...] = ("SystemTimer",)
    """Those that it is about."""
    VARIABLES = {"token": array(BUCKET, THREAD), "changed": z3.BoolSort()}
    RIGID = {
        "reaper": THREAD.z3,
        "thread_of": array(ENTRY, THREAD),
        "turn_of": array(ENTRY, INT),
        "level_of": array(BUCKET, LEVEL),
        "slot_of": array(BUCKET, INT),
        "tick_of": array(BUCKET, INT),
    }

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        move = super().taken(name, s, t, choices)
        return Step(
            (*move.guards, *self.heap(name, s)), {**move.updates, **self.ghosts(name, s, t)}
        )

    def heap(self, name: str, s: SimpleNamespace) -> list[z3.BoolRef]:
        """A-HEAP: the queue's first bucket has a smallest key, if no key has changed in it."""
        first = self.way(name).firsts.get("first_queue")
        if first is None:
            return []
        b = first.element
        smaller = Or(C == NO_BUCKET, s.queue[C] <= 0, s.key[b] <= s.key[C])
        return [ForAll([C], Or(s.changed, b == NO_BUCKET, smaller))]

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The ghosts' next values."""
        match name:
            case "R1_to_R2" | "R4_to_R5" | "R8_to_R5" | "Q1_to_Q2":
                element = self.way(name).firsts["first_queue"].element
                return {"token": Store(s.token, element, t)}
            case "R3_to_R8":
                return {"token": Store(s.token, s.polled[t], NO_THREAD)}
            case "W4_to_back":
                return {"token": Store(s.token, s.bucket[t], NO_THREAD)}
            case "W3_to_W4":
                b = s.bucket[t]
                return {
                    "token": Store(s.token, b, t),
                    "changed": Or(s.changed, s.queue[b] > 0),
                }
            case "V2_to_V3":
                b = s.polled[t]
                return {
                    "token": Store(s.token, b, NO_THREAD),
                    "changed": Or(s.changed, s.queue[b] > 0),
                }
        return {}

    def at_start(self, adds: Sequence[str]) -> dict[str, Any]:
        """The ghosts that are not blank at the start. ``adds``: the entries that programs add."""
        return {}

    # -- what is assumed of the constants

    def bucket(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        """Level, slot and tick of a bucket, by its number."""
        level, n = s.level_of[b], s.Bucket_as_Int[b]
        return Implies(
            b != NO_BUCKET,
            And(
                level != NO_LEVEL,
                n == mul(number(s, level) - 1, s.WheelSize) + s.slot_of[b] + 1,
                0 <= s.slot_of[b],
                s.slot_of[b] < s.WheelSize,
                s.tick_of[b] == tick(s, level),
            ),
        )

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().given(s), *self.of_timer(s), *self.of_constants(s)]

    def of_timer(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Which timer it is, and A-REAPER."""
        reaps = And(1 <= K, K <= s.Program_length[T], s.Program_1_word[T][K] == OPERATION.reap)
        return [
            s.Timer == TIMER.SystemTimer,
            s.reaper != NO_THREAD,
            ForAll([T, K], Implies(reaps, T == s.reaper)),
        ]

    def of_constants(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The assumptions about the other constants, of every timer."""
        word, entries = s.Program_1_word[T][K], s.Program_2_Entry[T][K]

        def has(operation: str, *claims: z3.BoolRef) -> z3.BoolRef:
            return Implies(word == getattr(OPERATION, operation), And(*claims))

        return [
            s.WheelSize >= 2,
            s.Levels >= 1,
            ForAll([E], (s.TaskOf[E] == NO_TASK) == (E == NO_ENTRY)),
            # A-REACH
            ForAll(
                [E],
                Implies(
                    E != NO_ENTRY,
                    s.Deadline[E] < mul(s.WheelSize, POWER(s.WheelSize, s.Levels - 1)),
                ),
            ),
            # A-POWER
            ForAll([V], Implies(V != NO_LEVEL, tick(s, V) >= 1)),
            ForAll([B], self.bucket(s, B)),
            s.level_of[NO_BUCKET] == NO_LEVEL,
            # A-PROGRAM, A-ONCE
            ForAll(
                [T, K],
                Implies(
                    And(1 <= K, K <= s.Program_length[T]),
                    And(
                        has(
                            "add",
                            entries != NO_ENTRY,
                            s.thread_of[entries] == T,
                            s.turn_of[entries] == K,
                        ),
                        has("cancel", s.Program_2_Task[T][K] != NO_TASK),
                    ),
                ),
            ),
        ]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Init of the module, but for the number of adds; and the ghosts."""
        return [
            *starts(self, s, left_out=("adding",)),
            ForAll([B], s.token[B] == NO_THREAD),
            Not(s.changed),
        ]

    # -- the links: stacks and procedures' variables

    @conjunct
    def entering_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """addTimerTaskEntry is called by add, which reads, or by expire, with an entry."""
        reads = And(s.ret_addTimerTaskEntry[T] == PLACE.A4, s.readers[T])
        flushes = And(s.ret_addTimerTaskEntry[T] == PLACE.F3, Not(s.readers[T]))
        return every_thread(
            Implies(at(s, T, *IN_ADD), And(Or(reads, flushes), s.ke[T] != NO_ENTRY))
        )

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """The other procedures are called by the program, and expire by reap, with reinsert."""
        return every_thread(
            And(
                Implies(
                    Or(at(s, T, "A1", "A2", "A3", "A4"), enters_for(s, T, "A4")),
                    s.ret_add[T] == PLACE.T1,
                ),
                Implies(at(s, T, "X1"), And(s.ret_cancel[T] == PLACE.T1, s.ct[T] != NO_TASK)),
                Implies(at(s, T, "B1"), s.ret_close[T] == PLACE.T1),
                Implies(at(s, T, *IN_REAP), s.ret_reap[T] == PLACE.T1),
                Implies(
                    Or(at(s, T, *IN_EXPIRE), enters_for(s, T, "F3")),
                    And(
                        s.ret_expire[T] == PLACE.R6,
                        s.ret_reap[T] == PLACE.T1,
                        s.callback[T] == CALLBACK.reinsert,
                    ),
                ),
                Implies(at(s, T, "E2"), s.task[T] != NO_ENTRY),
            ),
        )

    @conjunct
    def kafka_is_elsewhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """No thread is in kafkaReap, and the null thread is between operations."""
        return And(ForAll([T], Not(at(s, T, *OF_KAFKA))), at(s, NO_THREAD, "Idle"))

    @conjunct
    def thrown_is_caught(self, s: SimpleNamespace) -> z3.BoolRef:
        """An exception is on its way only where add and the callback meet it."""
        return every_thread(Implies(s.thrown[T], at(s, T, "A4", "F3")))

    @conjunct
    def level_is_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """Within addTimerTaskEntry there is a level, and at W0 one above it."""
        return every_thread(
            And(
                Implies(at(s, T, "W0", "W1", "W2", "W3", "W4"), s.level[T] != NO_LEVEL),
                Implies(at(s, T, "W0"), number(s, s.level[T]) < s.Levels),
                Implies(
                    at(s, T, "W2", "W3", "W4"),
                    And(s.bucket[T] != NO_BUCKET, s.level_of[s.bucket[T]] == s.level[T]),
                ),
            ),
        )

    @conjunct
    def clocks_are_not_negative(self, s: SimpleNamespace) -> z3.BoolRef:
        """No level's clock is below 0."""
        return ForAll([V], Implies(V != NO_LEVEL, 0 <= s.current[V]))

    # -- the links: an entry is in one place

    @conjunct
    def adds_its_own(self, s: SimpleNamespace) -> z3.BoolRef:
        """An adder has the entry of its program's operation, and hands that over."""
        e = s.ae[T]
        is_own = And(e != NO_ENTRY, s.thread_of[e] == T, s.turn_of[e] == s.turn[T] - 1)
        return every_thread(
            And(
                1 <= s.turn[T],
                Implies(Or(at(s, T, "A1", "A2", "A3", "A4"), enters_for(s, T, "A4")), is_own),
                Implies(enters_for(s, T, "A4"), s.ke[T] == e),
            )
        )

    def begun(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
        """The add of the entry has begun."""
        return s.turn_of[e] < s.turn[s.thread_of[e]]

    @conjunct
    def linked_was_added(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry is in a bucket, or on its way, only after its add has begun."""
        return And(
            ForAll([E, B], Implies(s.content[B][E] > 0, self.begun(s, E))),
            every_thread(Implies(at(s, T, *IN_ADD), self.begun(s, s.ke[T]))),
        )

    @conjunct
    def linked_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry is at most once in a bucket, and in one bucket at most."""
        return And(
            ForAll([B, E], And(0 <= s.content[B][E], s.content[B][E] <= 1)),
            ForAll([B, C, E], Or(B == C, s.content[B][E] <= 0, s.content[C][E] <= 0)),
            ForAll([B], s.content[B][NO_ENTRY] == 0),
            ForAll([E], s.content[NO_BUCKET][E] == 0),
        )

    @conjunct
    def in_hand_is_unlinked(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that a thread is to link is in no bucket."""
        return ForAll(
            [T, B],
            Implies(
                T != NO_THREAD,
                And(
                    Implies(at(s, T, "A1", "A2", "A3"), s.content[B][s.ae[T]] == 0),
                    Implies(at(s, T, *IN_HAND), s.content[B][s.ke[T]] == 0),
                ),
            ),
        )

    @conjunct
    def in_one_hand(self, s: SimpleNamespace) -> z3.BoolRef:
        """No two threads are to link the same entry."""
        return ForAll(
            [T, U],
            Implies(
                And(T != NO_THREAD, U != NO_THREAD, T != U, at(s, T, *IN_HAND)),
                And(
                    Implies(at(s, U, *IN_HAND), s.ke[T] != s.ke[U]),
                    Implies(at(s, U, "A1", "A2", "A3"), s.ke[T] != s.ae[U]),
                ),
            ),
        )
