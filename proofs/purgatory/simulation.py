"""Each step of module Purgatory is a step of the proof's system, or a stutter.

A state of the module is seen as one of the viewed operation. A way through a label is shown to be
the action that `cases` names, where the label is about the viewed operation or about a list, and no
step at all elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, Implies, Not, Or

from proofs.purgatory.ghosts import at, key_at, target
from proofs.purgatory.links import enters_viewed
from proofs.purgatory.links_lists import Linked
from proofs.purgatory.seen import (
    cancels,
    forced,
    seen,
    within_force,
)
from proofs.purgatory.state import KEY, THREAD
from proofs.purgatory.system import Purgatory
from wheelproof.prove.module import simulation
from wheelproof.prove.module.simulation import Case, simple
from wheelproof.prove.ts.system import Action, Step

OF_FORCE = {
    "L1_to_back": "need_not_lock",
    "L1_to_L2": "is_to_lock",
    "L2_to_L3": "locks_to_force",
    "L3_to_L7": "finds_completed",
    "L3_to_L4": "may_complete",
    "L4_to_Q1": "sets_completed",
    "L5_to_D1": "is_to_call",
    "L7_to_back": "unlocks_after_force",
}
OF_ENTRY = {
    "A1_to_Y1": "begins_to_enter",
    "A2_to_A4": "need_not_watch",
    "A2_to_W0": "is_to_watch",
    "W0_to_A3": "has_watched",
    "A3_to_Y1": "tries_again",
    "A4_to_Z1": "leaves_lock_completed",
    "A4_to_A5": "leaves_lock",
    "A5_to_Z1": "need_not_arm",
    "A5_to_A6": "is_to_arm",
    "A6_to_A7": "arms",
    "A7_to_Q1": "is_to_disarm",
    "A7_to_Z1": "leaves_armed",
    "Z1_to_back": "has_entered",
}
OF_TRY = {
    "Y1_to_back": "reads_false",
    "Y1_to_L1": "reads_true",
    "B1_to_B2": "locks_to_try",
    "B2_to_Y1": "finds_open",
    "B2_to_B3": "need_not_try",
    "B3_to_back": "unlocks_after_try",
}
OF_TIMER = {
    "K1_to_L1": "runs",
    "K1_to_T0": "need_not_run",
    "T1_to_V1": "expires",
    "T1_to_T0": "does_not_expire",
    "V1_to_T0": "calls_on_expiration",
}
"""Way -> the action that it is where it is about the viewed operation; elsewhere a stutter."""
AT_SHARDS = {
    "W2_to_W3": "shuts_to_watch",
    "W3_to_W5": "finds_list",
    "W4_to_W5": "puts_list",
    "W6_to_W0": "opens_after_watching",
    "R1_to_R2": "shuts_to_remove",
    "R2_to_R3": "is_its_list",
    "R2_to_R5": "has_another_list",
    "R3_to_R4": "finds_it_empty",
    "R3_to_R5": "finds_it_used",
    "R4_to_R5": "removes_list",
    "R5_to_back": "opens_after_removing",
    "C1_to_C2": "shuts_to_check",
    "C2_to_C3": "gets_list",
    "C3_to_back": "opens_to_traverse",
    "C3_to_C4": "opens_to_traverse",
    "C4_to_C8": "sees_no_more",
    "C4_to_C0": "sees_more",
    "F1_to_F2": "shuts_to_cancel",
    "F2_to_F6": "has_no_list",
    "F2_to_F3": "drops_list",
    "F3_to_F6": "reads_nothing",
    "F3_to_F4": "reads_dropped",
    "F6_to_back": "opens_after_cancelling",
    "D2_to_D3": "locks_callers_lock",
    "D3_to_back": "unlocks_callers_lock",
    "J2_to_T0": "lets_callers_lock_go",
}
"""Way -> the action that it is for every operation."""
SILENT = (
    *("T0_to_J1", "T0_to_E1", "T0_to_G1", "T0_to_N0", "T0_to_M1", "T0_to_Done", "M1_to_T0"),
    *("C8_to_back", "H1_to_H4", "H1_to_H0", "H0_to_H2", "H2_to_H4", "H2_to_H0", "H2_to_H3"),
    *("H4_to_back", "G1_to_G2", "G2_to_back", "G2_to_G3", "G3_to_G4", "G4_to_G0", "G0_to_back"),
    *("G0_to_G5", "G5_to_G0", "G5_to_G6", "G6_to_H1", "G6_to_G0", "N0_to_back", "N0_to_N1"),
    *("N1_to_N0", "N1_to_N2", "N2_to_N0", "N2_to_N4", "N4_to_N2"),
    *("A0_to_A1", "W0_to_W1", "W1_to_W0"),
)
"""Ways that are a stutter for every operation."""
ENABLED = "enabled"
"""The name of the goal that a label has beside those of its ways."""
WAITING = ("J1", "D2", "L2", "B1", "A1", "W2", "R1", "C1", "F1", "K1")
"""Labels at which a thread waits."""


def cases(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    """The actions that a way may be; none for one that only TryPending has."""
    if name in SILENT:
        return [Case("")]
    if name in AT_SHARDS:
        return [Case(AT_SHARDS[name])]
    for table, condition in (
        (OF_FORCE, forced(s, t)),
        (OF_ENTRY, enters_viewed(s, t)),
        (OF_TRY, (s.yo if name[0] == "Y" else s.bo)[t] == s.viewed),
        (OF_TIMER, target(s, t) == s.viewed),
    ):
        if name in table:
            return _if_mine(table[name], condition)
    make = _MAKERS.get(name[0])
    return make(name, s, t) if make else []


def _if_mine(action: str, condition: z3.BoolRef, *arguments: z3.ExprRef) -> list[Case]:
    return [Case(action, arguments, condition), Case("", (), Not(condition))]


def _begins(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    number = s.turn[t]
    is_viewed = s.Program_2_Operation[t][number] == s.viewed
    key = s.Program_2_Key[t][number]
    match name:
        case "T0_to_A0":
            return _if_mine("comes_to_enter", is_viewed)
        case "T0_to_L1":
            return _if_mine("forces", is_viewed)
        case "T0_to_K1":
            return _if_mine("comes_to_run", is_viewed)
        case "T0_to_C1":
            return [Case("checks", (key,))]
        case "T0_to_F1":
            return [Case("comes_to_cancel", (key,))]
        case "J1_to_A0":
            is_viewed = target(s, t) == s.viewed
            return [
                Case("comes_to_enter_holding", (), is_viewed),
                Case("holds_callers_lock", (), Not(is_viewed)),
            ]
    return []


def _delivers(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    last = s.turn[t] - 1
    is_needed = s.Program_2_Condition[t][last] == s.Need[s.viewed]
    key = s.Program_3_Key[t][last]
    return [Case("delivers", (key,), is_needed), Case("checks", (key,), Not(is_needed))]


def _cancels_task(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    forces, is_viewed = within_force(s, t), s.xo[t] == s.viewed
    return [
        Case("cancels_task", (), forces),
        Case("cancels_taken", (), And(is_viewed, cancels(s, t))),
        Case("disarms", (), And(is_viewed, Not(forces), Not(cancels(s, t)))),
        Case("", (), And(Not(is_viewed), Not(forces))),
    ]


def _on_complete(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    formula = within_force(s, t)
    if name == "D1_to_D2":
        return [
            Case("calls_on_complete_locking", (), formula),
            Case("another_is_to_lock", (), Not(formula)),
        ]
    if name == "D1_to_back":
        return _if_mine("calls_on_complete", formula)
    enters = s.Adds_item[s.co[t]][1] == s.viewed
    return [
        Case("calls_on_complete", (), formula),
        Case("comes_to_enter", (), And(Not(formula), enters)),
        Case("", (), And(Not(formula), Not(enters))),
    ]


def _on_complete_ends(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    if name != "L6_to_L7":
        return []
    is_viewed, raises = forced(s, t), s.raised[t]
    return [
        Case("on_complete_raises", (), And(is_viewed, raises)),
        Case("on_complete_ends", (), And(is_viewed, Not(raises))),
        Case("", (), Not(is_viewed)),
    ]


def _watches(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    enters, key = enters_viewed(s, t), key_at(s, t)
    if name == "W1_to_W2":
        return [
            Case("is_to_watch_key", (key,), enters),
            Case("comes_to_watch_another", (key,), Not(enters)),
        ]
    if name == "W3_to_W4":
        return [Case("makes_list", (s.watchers[key][s.content_length[key] + 1],))]
    return [Case("adds", (), enters), Case("adds_another", (), Not(enters))]


def _traverses(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    is_viewed = s.here_2[t] == s.viewed
    match name:
        case "C8_to_R1":
            return [Case("comes_to_remove", (s.watchers[s.ck[t]][s.mine[t]],))]
        case "C0_to_C5":
            ahead, none = s.ahead_2[t] == s.viewed, z3.Int("found_First!") == 0
            return [
                Case("meets_it", (), ahead),
                Case("sees_the_end", (), And(Not(ahead), none)),
                Case("", (), And(Not(ahead), Not(none))),
            ]
        case "C5_to_B1":
            return _if_mine("is_to_try", is_viewed)
        case "C5_to_C7":
            return _if_mine("need_not_try_it", is_viewed)
        case "C6_to_back":
            return [Case("unwinds", (), is_viewed), Case("another_raises", (), Not(is_viewed))]
        case "C6_to_C7":
            return _if_mine("has_completed_it", is_viewed)
        case "C6_to_C8":
            return [
                Case("goes_on_to_the_end", (), is_viewed),
                Case("is_through", (), Not(is_viewed)),
            ]
        case "C6_to_C0":
            return _if_mine("goes_on", is_viewed)
        case "C7_to_C0":
            return _if_mine("takes_out", is_viewed)
        case "C7_to_C8":
            return [Case("takes_out_last", (), is_viewed), Case("is_through", (), Not(is_viewed))]
    return []


def _drops(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    is_viewed = s.held_2[t] == s.viewed
    if name == "F4_to_Q1":
        return _if_mine("takes_it", s.left_2[t] == s.viewed)
    if name == "F5_to_F4":
        return _if_mine("drops_taken", is_viewed)
    return [Case("drops_last", (), is_viewed), Case("has_dropped_all", (), Not(is_viewed))]


def _purges(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    watchers = s.watchers[s.hk[t]][s.hw[t]]
    if name == "H4_to_R1":
        return [Case("comes_to_remove", (watchers,))]
    return _if_mine("purges", s.one_2[t] == s.viewed, watchers)


_MAKERS = {
    "T": _begins,
    "J": _begins,
    "E": _delivers,
    "Q": _cancels_task,
    "D": _on_complete,
    "L": _on_complete_ends,
    "W": _watches,
    "C": _traverses,
    "F": _drops,
    "H": _purges,
}
"""A label's first letter -> the function that gives the actions of its ways."""


class Simulation(simulation.Simulation):
    """The conditions of one way: guards and values of the proof's system, and its conjuncts."""

    PROVED = (
        "lock_has_its_holder",
        "winner_completed",
        "callers_lock_excludes",
        "shard_has_its_holder",
        "section_is_of_its_key",
        "waits_in_its_list",
        "taken_out_when_done",
    )
    """The conjuncts of the proof's invariant that a step needs."""

    def __init__(self, module: Linked) -> None:
        super().__init__(module, Purgatory())

    def seen(self, s: SimpleNamespace) -> SimpleNamespace:
        return seen(s)

    def guards(self, action: Action, arguments: Mapping[str, Any], step: Step) -> list[z3.BoolRef]:
        return [at_any_key(guard) for guard in super().guards(action, arguments, step)]

    def premises(self) -> dict[str, z3.BoolRef]:
        """The formulas of every state, by name: of the constants, the links, and the invariant."""
        lemmas = {f"proof {name}": simple(self.proof.formula(name, self.a)) for name in self.PROVED}
        return super().premises() | lemmas

    def start(self) -> dict[str, z3.BoolRef]:
        """A start of the module is one of the proof's system, whose constants are as it assumes."""
        return {
            **{f"proof given {i}": simple(f) for i, f in enumerate(self.proof.given(self.a), 1)},
            **{f"start {i}": simple(f) for i, f in enumerate(self.proof.initially(self.a), 1)},
            **{name: self.module.formula(name, self.s) for name in self.module.conjuncts()},
        }

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        """The goals of a way, by name."""
        values, step = self.step(name)
        after, t = self.module.after(self.s, step), values["t"]
        own_cases = cases(name, self.s, t)
        yield "cases", Or([z3.BoolVal(False), *[case.when for case in own_cases]])
        if not own_cases:
            return
        for number, obligation in enumerate(self.module.obligations(name), 1):
            yield f"obligation {number}", obligation
        for case in own_cases:
            yield from self.simulated(case, t, after)
        yield from self.conjuncts_after(step)

    def enabled(self, label: str) -> z3.BoolRef:
        """Where the system can take a step of a label, the module can.

        At a lock of an operation the viewed one's is meant, and so is the timer's wait.
        """
        s, a, t = self.s, self.a, z3.Const("t!", THREAD.z3)
        here = [t != THREAD.null, at(s, t, label)]
        if label in ("J1", "D2"):
            here.append(s.outer == THREAD.null)
        elif label in ("L2", "B1", "A1"):
            owner = s.lock_owner[s.viewed]
            conditions = {"L2": forced(s, t), "B1": s.bo[t] == s.viewed, "A1": enters_viewed(s, t)}
            here += [conditions[label], Or(owner == THREAD.null, owner == t)]
        elif label == "K1":
            here += [target(s, t) == s.viewed, Or(s.armed[s.viewed], Not(s.entering[s.viewed]))]
        elif label in WAITING:
            here.append(simple(s.shard[a.room[t]]) == THREAD.null)
        ways = []
        for name in self.module.LABELS[label]:
            way = self.module.way(name)
            ways.append(And(way.guards[: len(way.guards) - len(way.defining)]))
        return simple(Implies(And(here), Or(ways)))


def at_any_key(guard: z3.BoolRef) -> z3.BoolRef:
    """A formula that is about every key, as one about an arbitrary key."""
    if z3.is_quantifier(guard) and guard.is_forall():
        return z3.substitute_vars(guard.body(), z3.Const(f"any_{KEY.name}_1", KEY.z3))
    if z3.is_or(guard):
        return Or([at_any_key(child) for child in guard.children()])
    return guard
