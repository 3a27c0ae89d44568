"""Module DelayedOperation as a system with ghosts: on which level of its stack a thread is where.

The system is generated of the module that SANY has read. The proofs are about one operation, the
viewed one, which may be any. Ghost variables are added: on which level of its stack a thread has
entered the viewed operation's forceComplete, and the values of forceComplete's variables on each
level.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.delayed_operation.steps import CONDITION, NO_THREAD, THREAD, C, T
from proofs.delayed_operation.words import BEGUN, LABEL, LOCK, OPERATION, PROTOCOL
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.system import Step, array

NO_OPERATION, NO_LOCK = OPERATION.null, LOCK.null
(O,) = OPERATION.consts("operation")
K, N = z3.Ints("number level_number")
INT = z3.IntSort()

ATTEMPTS = {
    "tryOnce": ("O2", "oo"),
    "tryPending": ("P3", "po"),
    "lockedTry": ("S2", "so"),
    "safeTryComplete": ("B3", "bo"),
}
"""A procedure that tries an operation: where its call of tryComplete returns to, its variable."""
FORCES = {"forceComplete": "X4", "forceCompleteLocked": "L6"}
"""A procedure that completes an operation: where its call of onComplete returns to."""
PROCEDURES = {
    "onComplete": "D1 D2 D3 D4",
    "forceComplete": "X1 X3 X4",
    "forceCompleteLocked": "L1 L2 L3 L4 L5 L6 L7",
    "tryComplete": "Y1 Y2",
    "tryOnce": "O1 O2",
    "tryPending": "P1 P2 P3 P4 P5 P6",
    "lockedTry": "S1 S2",
    "safeTryComplete": "B1 B2 B3",
}
"""The labels of each procedure."""
BASE = ("T0", "T1", "V1", "H1", "H2", "E1", "G3", "E3", "G4", "G1", "E2", "G2", "Done")
"""The labels of the process: the stack is empty there."""
WORKED = {
    "E1": "deliver",
    "G1": "deliver_holding",
    "E2": "deliver_holding",
    "G2": "deliver_holding",
    "G3": "deliver_after",
    "E3": "deliver_after",
    "G4": "deliver_after",
    "H1": "hold",
    "H2": "hold",
}
"""Labels of the process, and the word of the program's step that leads to them."""


def at(s: SimpleNamespace, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The thread is at one of these labels."""
    return Or([s.pc[t] == LABEL.value(label) for label in labels])


def every_thread(formula: z3.BoolRef) -> z3.BoolRef:
    """The formula, about the thread T, for every thread that is one."""
    return ForAll([T], Implies(T != NO_THREAD, formula))


def every_level(s: SimpleNamespace, formula: z3.BoolRef) -> z3.BoolRef:
    """The formula, about the level N of the stack of the thread T, for each that it has."""
    within = And(T != NO_THREAD, 1 <= N, N <= s.stack_height[T])
    return ForAll([T, N], Implies(within, formula))


def target(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """The operation of the step of the program that the thread has begun."""
    return s.Program_last_Operation[t][s.turn[t] - 1]


def word(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    return s.Program_1_word[t][s.turn[t] - 1]


def condition(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    return s.Program_2_Condition[t][s.turn[t] - 1]


class Stacked(Generated):
    """The generated system with ghosts, the assumptions about its constants, and its start.

    ``viewed``: the operation that the proofs are about. ``place``: the place of a condition among
    those that it needs, 0 for others. ``level``: that of the thread's frame of the viewed
    operation's forceComplete, 0 for none. ``xo_at``, ``lo_at``: the values of xo and lo while a
    level is the innermost. No step of the module reads them.
    """

    VARIABLES = {
        "level": array(THREAD, INT),
        "xo_at": array(THREAD, INT, OPERATION),
        "lo_at": array(THREAD, INT, OPERATION),
    }
    RIGID = {"viewed": OPERATION.z3, "place": array(CONDITION, INT)}

    # -- shorthands

    def called(self, s: SimpleNamespace, t: z3.ExprRef, n: z3.ExprRef, *names: str) -> z3.BoolRef:
        """The frame of a level is that of one of these procedures."""
        procedure = s.stack_procedure[t][n]
        return Or([procedure == getattr(self.words_of_stack, name) for name in names])

    @property
    def words_of_stack(self) -> SimpleNamespace:
        sort = self.VARIABLES["stack_procedure"].range().range()
        return SimpleNamespace(
            **{
                sort.constructor(i).name(): sort.constructor(i)()
                for i in range(sort.num_constructors())
            }
        )

    def back(self, s: SimpleNamespace, t: z3.ExprRef, n: z3.ExprRef, *labels: str) -> z3.BoolRef:
        """The frame of a level returns to one of these labels."""
        return Or([s.stack_pc[t][n] == LABEL.value(label) for label in labels])

    def forced(self, s: SimpleNamespace, t: z3.ExprRef, n: z3.ExprRef) -> z3.ExprRef:
        """The operation that the frame of a level is to complete."""
        by_lock = self.called(s, t, n, "forceCompleteLocked")
        return If(by_lock, s.lo_at[t][n], s.xo_at[t][n])

    # -- ghosts

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        move = super().taken(name, s, t, choices)
        return Step(move.guards, {**move.updates, **self.ghosts(name, s, t, move)})

    def ghosts(
        self, name: str, s: SimpleNamespace, t: z3.ExprRef, move: Step
    ) -> dict[str, z3.ExprRef]:
        """The ghosts' next values."""
        way, height = self.way(name), s.stack_height[t]
        if not way.popped and not way.back:
            return {}
        now = {
            variable: move.updates.get(variable, getattr(s, variable)) for variable in ("xo", "lo")
        }
        slot = height if way.popped else height + 1
        updates: dict[str, z3.ExprRef] = {
            f"{variable}_at": Store(
                getattr(s, f"{variable}_at"),
                t,
                Store(
                    getattr(s, f"{variable}_at")[t],
                    slot,
                    z3.simplify(now[variable][t]) if way.back else NO_OPERATION,
                ),
            )
            for variable in now
        }
        if not way.back:
            updates["level"] = Store(s.level, t, If(s.level[t] == height, 0, s.level[t]))
        elif forces := set(way.back) & set(FORCES):
            operation = now["xo" if "forceComplete" in forces else "lo"][t]
            enters = And(s.level[t] == 0, z3.simplify(operation) == s.viewed)
            updates["level"] = Store(s.level, t, If(enters, slot, s.level[t]))
        return updates

    # -- what is assumed of the constants

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        word, operation = s.Program_1_word[T][K], s.Program_last_Operation[T][K]
        outer = If(s.OuterOf_has[O], s.OuterOf_value[O], s.called_outer)
        lock = If(s.Program_size[T][K] == 4, s.Program_3_CallersLock[T][K], s.called_outer)
        length = s.Needs_length[s.viewed]
        alone = Or(
            [s.Protocol[s.viewed] == getattr(PROTOCOL, p) for p in ("TryOnce", "TryPending")]
        )
        delivers = [word == BEGUN.value(w) for w in BEGUN.called if w.startswith("deliver")]
        return [
            *super().given(s),
            s.viewed != NO_OPERATION,
            Not(s.Guard_has[s.viewed]),
            ForAll([O], Implies(O != NO_OPERATION, 1 <= s.Needs_length[O])),
            ForAll(
                [C],
                Or(
                    s.place[C] == 0,
                    And(
                        1 <= s.place[C],
                        s.place[C] <= length,
                        s.Needs_item[s.viewed][s.place[C]] == C,
                    ),
                ),
            ),
            ForAll([K], Implies(And(1 <= K, K <= length), s.place[s.Needs_item[s.viewed][K]] == K)),
            ForAll(
                [O],
                And(
                    0 <= s.Completes_length[O],
                    s.Completes_length[O] <= 1,
                    Implies(s.Completes_length[O] == 1, s.Completes_item[O][1] != NO_OPERATION),
                    Implies(s.Guard_has[O], s.Guard_value[O] != NO_LOCK),
                    Implies(s.Locking[O], outer != NO_LOCK),
                ),
            ),
            ForAll(
                [T, K],
                Implies(
                    And(T != NO_THREAD, 1 <= K, K <= s.Program_length[T]),
                    And(
                        operation != NO_OPERATION,
                        Implies(
                            Or(
                                word == BEGUN.value("deliver_holding"),
                                word == BEGUN.value("deliver_after"),
                            ),
                            lock != NO_LOCK,
                        ),
                        Implies(
                            And(Or(delivers), operation != s.viewed),
                            s.place[s.Program_2_Condition[T][K]] == 0,
                        ),
                        Implies(word == BEGUN.value("deliver_after"), operation != s.viewed),
                        Implies(And(alone, word == BEGUN.value("hold")), operation != s.viewed),
                    ),
                ),
            ),
        ]

    # -- the start: what Init says

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            ForAll(
                [T],
                And(
                    at(s, T, "T0"),
                    s.stack_height[T] == 0,
                    s.level[T] == 0,
                    Not(s.won[T]),
                    Not(s.raised[T]),
                ),
            ),
            every_thread(And(s.turn[T] == 1, 0 <= s.Program_length[T])),
            ForAll(
                [O],
                And(
                    Not(s.completed[O]),
                    Not(s.pending[O]),
                    s.lock_owner[O] == NO_THREAD,
                    s.lock_depth[O] == 0,
                    s.armed[O] == (O != NO_OPERATION),
                    s.completions[O] == 0,
                    s.expirations[O] == 0,
                    s.winner[O] == NO_THREAD,
                ),
            ),
            ForAll([O, T], Not(s.expiredBy[O][T])),
            ForAll([C], Not(s.ready[C])),
        ]
