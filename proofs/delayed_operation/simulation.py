"""Each step of module DelayedOperation is a step of a generation's system, or a stutter.

A state of the generated system is seen as one of the viewed operation: `seen` gives the variables
of a system of `delayed_operation` as terms. A way through a label is shown to be the action that
`STEPS` names, where the label is about the viewed operation, and no step at all elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, If, Implies, Not, Or

from proofs.delayed_operation.blocking import Blocking
from proofs.delayed_operation.ghosts import at, condition, target
from proofs.delayed_operation.links import Linked
from proofs.delayed_operation.steps import CONDITION, THREAD, VIA, Operation
from proofs.delayed_operation.words import PROTOCOL
from wheelproof.prove.module import simulation
from wheelproof.prove.module.simulation import Case, simple
from wheelproof.prove.ts.system import Action, Step

_T = z3.Const("seen_thread", THREAD.z3)
_C = z3.Const("seen_condition", CONDITION.z3)


STEPS = {
    "T1_to_V1": "expires",
    "T1_to_T0": "does_not_expire",
    "V1_to_T0": "calls_on_expiration",
    "H1_to_H2": "holds_lock",
    "H2_to_T0": "lets_lock_go",
    "X1_to_X3": "sets_completed",
    "X1_to_back": "finds_completed",
    "X3_to_D1": "cancels_timer",
    "X4_to_back": "on_complete_ends",
    "L1_to_back": "need_not_lock",
    "L1_to_L2": "is_to_lock",
    "L2_to_L3": "locks_to_force",
    "L3_to_L7": "finds_completed",
    "L3_to_L4": "may_complete",
    "L4_to_L5": "sets_completed",
    "L5_to_D1": "cancels_timer",
    "L6_to_L7": "on_complete_ends",
    "L7_to_back": "unlocks_after_force",
    "O1_to_Y1": "gets_lock",
    "O1_to_back": "goes_without_lock",
    "O2_to_back": "unlocks",
    "P1_to_P2": "gets_lock",
    "P1_to_P5": "does_not_get_lock",
    "P2_to_Y1": "clears_note",
    "P3_to_back": "unlocks_and_raises",
    "P3_to_P4": "unlocks",
    "P4_to_P6": "reads_note",
    "P5_to_P6": "leaves_note",
    "P6_to_P1": "tries_again",
    "P6_to_back": "returns",
    "S1_to_Y1": "locks",
    "S2_to_back": "unlocks",
    "B1_to_B2": "locks",
    "B2_to_Y1": "finds_open",
    "B2_to_B3": "need_not_try",
    "B3_to_back": "unlocks",
    "Y1_to_back": "reads_false",
    "Y1_to_Y2": "reads_true",
    "Y1_to_X1": "reads_last_true",
    "Y1_to_L1": "reads_last_true",
}
"""Way -> the action that it is, where it is about the viewed operation."""
CALLERS = ("D2", "G1", "G3")
"""Labels at which a thread waits for a lock of the callers'."""
LOCKS = ("H1", "L2", "S1", "B1")
"""Labels at which it waits for that of an operation."""
SILENT = ("D2", "D3", "E3", "G1", "G2", "G3", "Y2")
"""Labels that are a stutter for every operation."""


def cases(module: Linked, name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    """The actions that a way may be, one of them a stutter."""
    label, _, to = name.partition("_to_")
    level, height = s.level[t], s.stack_height[t]
    is_own = target(s, t) == s.viewed
    outcomes: list[Case] = []
    if label in SILENT or name in ("D1_to_back", "D4_to_back"):
        is_own = z3.BoolVal(False)
    elif label == "T0":
        is_own = And(
            s.Program_last_Operation[t][s.turn[t]] == s.viewed,
            z3.BoolVal(to not in ("H1", "E1", "G1", "G3", "Done")),
        )
        outcomes = [Case("runs" if to in ("X1", "L1") else "attempts", (), is_own)]
    elif label in ("E1", "E2", "G4"):
        is_needed = s.place[condition(s, t)] != 0 if label != "G4" else z3.BoolVal(False)
        outcomes = [
            Case("delivers", (condition(s, t),), And(is_own, is_needed)),
            Case("attempts", (), And(is_own, Not(is_needed))),
        ]
    elif label == "D1":
        is_own = And(0 < level, level + 1 == height)
        outcomes = [Case("calls_on_complete", (), is_own)]
    elif label == "D4":
        is_own = And(level == 0, s.Completes_item[s.co[t]][1] == s.viewed)
        outcomes = [Case("is_completed_by_another", (), is_own)]
    elif label[0] in "XL":
        is_own = And(0 < level, level == height)
        outcomes = [Case(STEPS[name], (), is_own)]
    elif label == "Y1":
        outcomes = [Case(STEPS[name], (s.Needs_item[s.viewed][s.at[t]],), is_own)]
    else:
        outcomes = [Case(STEPS[name], (), is_own)]
    return [*outcomes, Case("", (), Not(is_own))]


def seen(module: Linked, proof: Operation, s: SimpleNamespace) -> SimpleNamespace:
    """A state of the module as one of the viewed operation's system."""
    t, v = _T, s.viewed
    level, height = s.level[t], s.stack_height[t]
    here = And(level == 0, target(s, t) == v)
    by_timer = module.back(s, t, level, "T1")

    def of_thread(value: z3.ExprRef) -> z3.ExprRef:
        return z3.Lambda([_T], value)

    def place(labels: tuple[str, ...], default: z3.ExprRef) -> z3.ExprRef:
        for label in labels:
            default = If(at(s, t, label), getattr(proof.PLACES, label), default)
        return default

    idle, last = proof.PLACES.Idle, getattr(proof.PLACES, proof.FORCE_LAST)
    forcing = tuple(label for label in proof.FORCING if label != "D1")
    elsewhere = tuple(
        label for label in proof.PLACES.values if label not in ("Idle", *proof.FORCING)
    )
    in_force = If(
        level == height,
        place(forcing, last),
        If(And(level + 1 == height, at(s, t, "D1")), proof.PLACES.D1, last),
    )
    tries = If(at(s, t, "Y2"), proof.PLACES.Y1, place(elsewhere, idle))
    reports = And(here, at(s, t, "T1"))
    if isinstance(proof, Blocking):
        reports = Or(reports, And(0 < level, level == height, at(s, t, "L7"), by_timer))
    read = Or(
        And(at(s, t, "Y1"), s.place[_C] < s.at[t]), And(at(s, t, "Y2"), s.place[_C] <= s.at[t])
    )
    caller = If(
        by_timer,
        VIA.expiry,
        If(module.back(s, t, level, "X4", "L6"), VIA.other, VIA.attempt),
    )
    return SimpleNamespace(
        at=of_thread(If(0 < level, in_force, If(here, tries, idle))),
        via=of_thread(If(0 < level, caller, VIA.none)),
        seen=of_thread(z3.Lambda([_C], And(here, 0 < s.place[_C], read))),
        won=of_thread(And(s.won[t], reports)),
        ready=z3.Lambda([_C], And(s.ready[_C], 0 < s.place[_C])),
        completed=s.completed[v],
        armed=s.armed[v],
        owner=s.lock_owner[v],
        completions=s.completions[v],
        winner=s.winner[v],
        expired=s.expiredBy[v],
        expirations=s.expirations[v],
        depth=s.lock_depth[v],
        pending=s.pending[v],
        retry=of_thread(And(here, s.retry[t], at(s, t, "P6"))),
        needed=z3.Lambda([_C], 0 < s.place[_C]),
        unseen=z3.K(CONDITION.z3, z3.BoolVal(False)),
    )


class Kept(simulation.Kept):
    """The conditions of one way for the links: they stay, and its terms are the module's."""

    def enabled(self, label: str) -> z3.BoolRef | None:
        """Nothing is claimed of it."""
        return None

    def start(self) -> z3.BoolRef:
        return And([self.module.formula(name, self.s) for name in self.module.conjuncts()])

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        """The goals of a way, by name."""
        yield "obligations", And(self.module.obligations(name))
        yield from self.conjuncts_after(self.step(name)[1])


class Simulation(simulation.Simulation, Kept):
    """The conditions of one way in one generation: its guards, values and obligations."""

    module: Linked

    def __init__(self, module: Linked, proof: Operation) -> None:
        self.operation = proof
        super().__init__(module, proof)

    def seen(self, s: SimpleNamespace) -> SimpleNamespace:
        return seen(self.module, self.operation, s)

    def guards(self, _: Action, arguments: Mapping[str, Any], step: Step) -> list[z3.BoolRef]:
        thread, *_rest = arguments.values()
        return [self.shown(guard, self.s.at[thread] + 1) for guard in step.guards]

    def entered_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock is one deep while it is held: it is entered again in Blocking alone."""
        return s.lock_depth[s.viewed] == If(s.lock_owner[s.viewed] == THREAD.null, 0, 1)

    def premises(self) -> dict[str, z3.BoolRef]:
        """The formulas of every state, by name: of constants, links, the lock and its holder."""
        protocol = getattr(PROTOCOL, type(self.proof).__name__)
        premises = super().premises()
        premises["given protocol"] = self.s.Protocol[self.s.viewed] == protocol
        lemmas = {
            f"proof {name}": simple(self.proof.formula(name, self.a))
            for name in ("lock_has_its_holder",)
        }
        links = (
            {}
            if isinstance(self.proof, Blocking)
            else {"lock_is_entered_once": self.entered_once(self.s)}
        )
        return premises | lemmas | links

    def start(self) -> z3.BoolRef:
        """A start of the module is one of the proof's system, whose constants are as it assumes."""
        proof, first = self.proof, z3.IntVal(1)
        assumptions = [self.shown(formula, first) for formula in proof.given(self.a)]
        links = [] if isinstance(proof, Blocking) else [self.entered_once(self.s)]
        return And([*map(simple, [*assumptions, *proof.initially(self.a)]), *links])

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        """The goals of a way, by name."""
        values, step = self.step(name)
        after, t = self.module.after(self.s, step), values["t"]
        own_cases = [
            case
            for case in cases(self.module, name, self.s, t)
            if not z3.is_false(z3.simplify(case.when))
            and (not case.action or case.action in self.proof.actions())
        ]
        yield "cases", Or([case.when for case in own_cases])
        for case in own_cases:
            yield from self.simulated(case, t, after)
        if not isinstance(self.proof, Blocking):
            before, now = self.entered_once(self.s), self.entered_once(after)
            if not before.eq(now):
                yield "lock_is_entered_once", now

    def enabled(self, label: str) -> z3.BoolRef | None:
        """Where the system can take a step of a label, the module can; None: nothing is claimed.

        Only locks are waited for. The system has none of the callers', so it may step where the
        module waits for one. At a lock of an operation the viewed one's is meant.
        """
        if label in CALLERS:
            return None
        s, t = self.s, z3.Const("t!", THREAD.z3)
        here = [t != THREAD.null, at(s, t, label)]
        if label in LOCKS:
            owner = s.lock_owner[s.viewed]
            free = [
                owner == THREAD.null,
                *([owner == t] if isinstance(self.proof, Blocking) else []),
            ]
            is_forced = And(0 < s.level[t], s.level[t] == s.stack_height[t])
            here += [is_forced if label == "L2" else target(s, t) == s.viewed, Or(free)]
        ways = [And(self.step(name)[1].guards) for name in self.module.LABELS[label]]
        return simple(Implies(And(here), Or(ways)))

    def shown(self, guard: z3.BoolRef, place: z3.ExprRef) -> z3.BoolRef:
        """A formula without a quantifier.

        Where it is about every condition, it is about an arbitrary one. Where it is that a
        condition exists, the needed one at this place is it.
        """
        if not z3.is_quantifier(guard):
            return guard
        following = self.s.Needs_item[self.s.viewed][place]
        any_one = z3.Const(f"any_{CONDITION.name}_1", CONDITION.z3)
        return z3.substitute_vars(guard.body(), any_one if guard.is_forall() else following)


def hints(s: SimpleNamespace, t: z3.ExprRef) -> list[z3.ExprRef]:
    """Terms that a proof needs besides those of its condition: levels, and the program's step."""
    height, needs = s.stack_height[t], s.Needs_item[s.viewed]
    return [
        height,
        height - 1,
        height + 1,
        s.level[t],
        z3.IntVal(1),
        z3.IntVal(2),
        s.turn[t],
        s.turn[t] - 1,
        s.at[t],
        s.at[t] + 1,
        needs[s.at[t]],
        needs[s.at[t] + 1],
        target(s, t),
    ]
