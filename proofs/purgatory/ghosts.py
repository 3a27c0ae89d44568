"""Module Purgatory as a system with ghosts: where on its stack a thread has the viewed operation.

The system is generated of the module that SANY has read. The proofs are about one operation, the
viewed one, which may be any. Ghost variables are added, which no step of the module reads.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.purgatory.state import (
    KEY,
    NO_KEY,
    NO_LIST,
    NO_SHARD,
    NO_THREAD,
    THREAD,
    WATCHERS,
    H,
    K,
    T,
    U,
    W,
)
from proofs.purgatory.words import BEGUN, LABEL, NO_CONDITION, NO_OPERATION, OPERATION
from proofs.purgatory.words import PROTOCOL as PROTOCOLS
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.system import Step, array

INT, BOOL = z3.IntSort(), z3.BoolSort()
(O,) = OPERATION.consts("operation")
N, L, M = z3.Ints("level_number list_number place_number")
"""Numbers of a level, of a list, and of a place in a list or in a program."""

PROCEDURES = {
    "cancelTask": "Q1",
    "onComplete": "D1 D2 D3",
    "forceComplete": "L1 L2 L3 L4 L5 L6 L7",
    "tryComplete": "Y1",
    "safeTryComplete": "B1 B2 B3",
    "tryCompleteElseWatch": "A0 A1 A2 W0 W1 W2 W3 W4 W5 W6 A3 A4 A5 A6 A7 Z1",
    "removeKeyIfEmpty": "R1 R2 R3 R4 R5",
    "checkAndComplete": "C1 C2 C3 C4 C0 C5 C6 C7 C8",
    "cancelForKey": "F1 F2 F3 F4 F5 F6",
    "purgeCompleted": "H1 H0 H2 H3 H4",
    "purge": "G1 G2 G3 G4 G0 G5 G6",
    "watched": "N0 N1 N2 N4",
}
"""The labels of each procedure."""
BASE = ("T0", "J1", "J2", "E1", "M1", "K1", "T1", "V1")
"""The labels of the process, but for the last: the stack is empty there."""
NEVER = ("X1", "X3", "X4", "P1", "P2", "P3", "P4", "P5", "P6", "A8")
"""Labels that only operations of TryPending come to."""
ENTER, FORCE = "tryCompleteElseWatch", "forceComplete"


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
    return s.Program_2_Operation[t][s.turn[t] - 1]


def word(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    return s.Program_1_word[t][s.turn[t] - 1]


def says(word_: z3.ExprRef, *words: str) -> z3.BoolRef:
    return Or([word_ == BEGUN.value(word) for word in words])


def back(s: SimpleNamespace, t: z3.ExprRef, n: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The frame of a level returns to one of these labels."""
    return Or([s.stack_pc[t][n] == LABEL.value(label) for label in labels])


def called(s: SimpleNamespace, t: z3.ExprRef, n: z3.ExprRef, *names: str) -> z3.BoolRef:
    """The frame of a level is that of one of these procedures."""
    procedure = s.stack_procedure[t][n]
    sort = procedure.sort()
    constants = {
        sort.constructor(i).name(): sort.constructor(i)() for i in range(sort.num_constructors())
    }
    return Or([procedure == constants[name] for name in names])


def bottom(s: SimpleNamespace, t: z3.ExprRef, *names: str) -> z3.BoolRef:
    """The outermost frame is that of one of these procedures."""
    return And(1 <= s.stack_height[t], called(s, t, z3.IntVal(1), *names))


def key_at(s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
    """The key that a thread that enters an operation is at."""
    return s.KeysOf_item[s.ao[t]][s.nth[t]]


class Stacked(Generated):
    """The generated system with ghosts, the assumptions about its constants, and its start.

    ``viewed``: the operation that the proofs are about. ``place``: the place of a key among its
    keys, 0 for others. ``watchers``: a list by its key and number.

    ``forcing``, ``entry``: the levels of the frames of forceComplete and of tryCompleteElseWatch
    for the viewed operation, 0 for none. ``ao_at``, ``lo_at``: the values of ao and lo while a
    level is the innermost. ``home``, ``spot``: the number of the list that the viewed operation was
    added to under a key, and its place there. ``given_to``, ``enterer``: it was given to
    tryCompleteElseWatch, by this thread. ``begun``: its lock was taken for that. ``taker``: the
    thread that has it from the timer. ``dropper``: the thread that cancels the key of a list.
    """

    VARIABLES = {
        "forcing": array(THREAD, INT),
        "entry": array(THREAD, INT),
        "ao_at": array(THREAD, INT, OPERATION),
        "lo_at": array(THREAD, INT, OPERATION),
        "home": array(KEY, INT),
        "spot": array(KEY, INT),
        "given_to": BOOL,
        "enterer": THREAD.z3,
        "begun": BOOL,
        "taker": THREAD.z3,
        "dropper": array(WATCHERS, THREAD),
    }
    RIGID = {
        "viewed": OPERATION.z3,
        "place": array(KEY, INT),
        "watchers": array(KEY, INT, WATCHERS),
        "key_of": array(WATCHERS, KEY),
        "number_of": array(WATCHERS, INT),
        "unset": array(THREAD, BOOL),
    }

    # -- ghosts

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        move = super().taken(name, s, t, choices)
        updates = {**move.updates, **self.ghosts(name, s, t, move)}
        return Step((*move.guards, *self.assumed(name, s, t, move)), updates)

    def assumed(self, name: str, s: SimpleNamespace, t: z3.ExprRef, move: Step) -> list[z3.BoolRef]:
        """The assumptions about a step: A-ENTERED of a call, A-ORDER of the list of a purge."""
        if ENTER in self.way(name).back:
            enters = z3.simplify(move.updates.get("ao", s.ao)[t]) == s.viewed
            return [Implies(enters, And(Not(s.given_to), s.forcing[t] == 0))]
        if name == "G6_to_H1":
            key, number = (z3.simplify(move.updates[variable][t]) for variable in ("hk", "hw"))
            return [key != NO_KEY, s.list[key] != 0, number == s.list[key]]
        return []

    def ghosts(
        self, name: str, s: SimpleNamespace, t: z3.ExprRef, move: Step
    ) -> dict[str, z3.ExprRef]:
        """The ghosts' next values."""
        way, height = self.way(name), s.stack_height[t]
        label = name.partition("_to_")[0]
        updates: dict[str, z3.ExprRef] = {}
        enters = And(0 < s.entry[t], s.entry[t] == height)
        forces = And(0 < s.forcing[t], s.forcing[t] == height)
        if way.popped or way.back:
            updates |= self.levels(name, s, t, move)
        if name == "A1_to_Y1":
            updates["begun"] = Or(s.begun, enters)
        elif name == "W5_to_W6":
            key = key_at(s, t)
            updates["home"] = If(enters, Store(s.home, key, s.found[t]), s.home)
            last = s.content_item_length[key][s.found[t]] + 1
            updates["spot"] = If(enters, Store(s.spot, key, last), s.spot)
        elif name == "K1_to_L1":
            updates["taker"] = If(target(s, t) == s.viewed, t, s.taker)
        elif name in ("L1_to_back", "L7_to_back", "Y1_to_back"):
            condition = s.yo[t] == s.viewed if label == "Y1" else forces
            updates["taker"] = If(And(condition, s.taker == t), NO_THREAD, s.taker)
        elif name in ("F2_to_F3", "F6_to_back"):
            number = s.list[s.fk[t]] if label == "F2" else s.gone[t]
            dropper = t if label == "F2" else NO_THREAD
            updates["dropper"] = Store(s.dropper, s.watchers[s.fk[t]][number], dropper)
        return updates

    def levels(
        self, name: str, s: SimpleNamespace, t: z3.ExprRef, move: Step
    ) -> dict[str, z3.ExprRef]:
        """The ghosts of levels after a call, a return, or both."""
        way, height = self.way(name), s.stack_height[t]
        now = {
            variable: z3.simplify(move.updates.get(variable, getattr(s, variable))[t])
            for variable in ("ao", "lo")
        }
        slot = height if way.popped else height + 1
        updates: dict[str, z3.ExprRef] = {}
        for variable, value in now.items():
            array_ = getattr(s, f"{variable}_at")
            level_value = value if way.back else NO_OPERATION
            updates[f"{variable}_at"] = Store(array_, t, Store(array_[t], slot, level_value))
        if not way.back:
            for variable in ("forcing", "entry"):
                level = getattr(s, variable)
                updates[variable] = Store(level, t, If(level[t] == height, 0, level[t]))
            return updates
        if FORCE in way.back:
            level = If(now["lo"] == s.viewed, slot, s.forcing[t])
            updates["forcing"] = Store(s.forcing, t, level)
        if ENTER in way.back:
            is_viewed = now["ao"] == s.viewed
            updates["entry"] = Store(s.entry, t, If(is_viewed, slot, s.entry[t]))
            updates["given_to"] = Or(s.given_to, is_viewed)
            updates["enterer"] = If(is_viewed, t, s.enterer)
        return updates

    # -- what is assumed of the constants

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        word, operation = s.Program_1_word[T][M], s.Program_2_Operation[T][M]
        condition, key = s.Program_2_Condition[T][M], s.Program_2_Key[T][M]
        keys, length = s.KeysOf_item, s.KeysOf_length
        watchers, number = s.watchers[s.key_of[W]][s.number_of[W]], s.number_of[s.watchers[K][L]]
        return [
            *super().given(s),
            s.viewed != NO_OPERATION,
            s.Protocol == PROTOCOLS.value("Blocking"),
            1 <= s.Shards,
            ForAll([K], (s.of_Shard[K] == NO_SHARD) == (K == NO_KEY)),
            ForAll([O], And(0 <= s.Adds_length[O], s.Adds_length[O] <= 1, 0 <= length[O])),
            ForAll(
                [O],
                And(
                    (s.Need[O] == NO_CONDITION) == (O == NO_OPERATION),
                    Implies(s.Adds_length[O] == 1, s.Adds_item[O][1] != NO_OPERATION),
                ),
            ),
            ForAll([O, M], Implies(And(1 <= M, M <= length[O]), keys[O][M] != NO_KEY)),
            ForAll(
                [M],
                Implies(And(1 <= M, M <= length[s.viewed]), s.place[keys[s.viewed][M]] == M),
            ),
            ForAll(
                [K],
                Or(
                    s.place[K] == 0,
                    And(
                        K != NO_KEY,
                        1 <= s.place[K],
                        s.place[K] <= length[s.viewed],
                        keys[s.viewed][s.place[K]] == K,
                    ),
                ),
            ),
            ForAll([T], Not(s.unset[T])),
            ForAll([K, L], (s.watchers[K][L] == NO_LIST) == Or(K == NO_KEY, L < 1)),
            ForAll(
                [K, L],
                Or(
                    K == NO_KEY,
                    L < 1,
                    And(s.key_of[s.watchers[K][L]] == K, number == L),
                ),
            ),
            ForAll(
                [W],
                And(
                    (s.key_of[W] == NO_KEY) == (W == NO_LIST),
                    If(W == NO_LIST, s.number_of[W] == 0, And(1 <= s.number_of[W], watchers == W)),
                ),
            ),
            ForAll(
                [T, M],
                Implies(
                    And(T != NO_THREAD, 1 <= M, M <= s.Program_length[T]),
                    And(
                        Implies(
                            says(word, "watch", "watch_holding", "force", "expire"),
                            operation != NO_OPERATION,
                        ),
                        Implies(says(word, "check", "cancel_key"), key != NO_KEY),
                        Implies(
                            says(word, "deliver"),
                            And(condition != NO_CONDITION, s.Program_3_Key[T][M] != NO_KEY),
                        ),
                    ),
                ),
            ),
        ]

    # -- the start: what Init says

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        nowhere = [s.forcing[T] == 0, s.entry[T] == 0, s.stack_height[T] == 0]
        blank = [s.stack_nth[T][N] == 0, s.stack_at[T][N] == 0, s.stack_no[T][N] == 0]
        return [
            ForAll([T], And(at(s, T, "T0"), *nowhere, Not(s.won[T]), Not(s.raised[T]))),
            every_thread(
                And(
                    *[getattr(s, counter)[T] == 1 for counter in ("turn", "nth", "at", "no")],
                    0 <= s.Program_length[T],
                )
            ),
            ForAll([T, N], And(blank)),
            ForAll(
                [O],
                And(
                    Not(s.completed[O]),
                    s.lock_owner[O] == NO_THREAD,
                    s.lock_depth[O] == 0,
                    Not(s.armed[O]),
                    s.entering[O] == (O != NO_OPERATION),
                    s.completions[O] == 0,
                    s.expirations[O] == 0,
                    s.winner[O] == NO_THREAD,
                    Not(s.revoked[O]),
                ),
            ),
            ForAll([O, U], Not(s.expiredBy[O][U])),
            ForAll([O], Implies(O != NO_OPERATION, Not(s.ready[s.Need[O]]))),
            ForAll([H], And(s.shard[H] == NO_THREAD, Not(s.used[H]))),
            ForAll([K], And(s.list[K] == 0, s.content_length[K] == 0)),
            ForAll([K], And(s.home[K] == 0, s.spot[K] == 0)),
            ForAll([K, L], And(s.content_item_length[K][L] == 0, Not(s.dropped[K][L]))),
            ForAll([K, L, M], s.content_item_item[K][L][M] == NO_OPERATION),
            ForAll([O, K, L], Not(s.places[O][K][L])),
            ForAll([W], s.dropper[W] == NO_THREAD),
            And(Not(s.given_to), Not(s.begun)),
            And(s.outer == NO_THREAD, s.taker == NO_THREAD, s.enterer == NO_THREAD),
        ]
