"""The goals of each way of module SystemTimer, and the premises where it is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import z3
from z3 import And, ForAll, Implies

from proofs.arith.clock import trim
from proofs.system_timer.dues import Dues, H, is_above
from proofs.system_timer.entries import B, Entries
from proofs.system_timer.links import V, tick
from proofs.system_timer.simulation import TimerSimulation
from proofs.system_timer.steps import (
    BUCKET,
    ENTRY,
    NO_BUCKET,
    NO_ENTRY,
    STATEMENTS,
    THREAD,
    E,
)
from proofs.system_timer.words import NO_LEVEL
from wheelproof.prove.module.simulation import simple

OF_P10 = "key_kept_while_queued"
"""The statement of P10 that is a premise."""
OF_QUEUE = {"queued_once_with_its_key": ("kafka_is_elsewhere",), "lateness_bound": ()}
"""Properties of the queue, and the conjuncts on entries that are premises.

They follow from the conjuncts on keys, and from the state as the proof sees it.
"""
OF_ENTRIES = tuple(Entries.conjuncts())
OF_DUES = tuple(conjunct for conjunct in Dues.conjuncts() if conjunct not in OF_ENTRIES)


class KeptEntries(TimerSimulation):
    """The conjuncts on entries, of either timer: each way keeps them, and its terms are right."""

    OWN = OF_ENTRIES

    def premises(self) -> dict[str, z3.BoolRef]:
        givens = {f"given {i}": f for i, f in enumerate(self.module.given(self.s), 1)}
        return givens | {name: self.module.formula(name, self.s) for name in OF_ENTRIES}

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        """The obligations of the terms, and the conjuncts that a way can change, after it."""
        yield "obligations", And([*self.module.obligations(name), z3.BoolVal(True)])
        yield from self.kept(name)

    def kept(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        _, step = self.step(name)
        set_to = [(getattr(self.s, v), value) for v, value in step.updates.items()]
        for conjunct in self.OWN:
            formula = self.module.formula(conjunct, self.s)
            after = z3.substitute(formula, *set_to)
            if not after.eq(formula):
                yield conjunct, after

    def hints(self) -> list[z3.ExprRef]:
        s, t = self.s, z3.Const("t!", THREAD.z3)
        return [
            *super().hints(),
            *[self.length(e) + i for e in (s.ae[t], s.task[t]) for i in (0, 1)],
        ]

    def terms(self, name: str) -> list[z3.ExprRef]:
        """The hints for a way, or for a property."""
        return self.hints()

    def length(self, e: z3.ExprRef) -> z3.ArithRef:
        """How long the list of an entry's task is."""
        assert isinstance(self.module, Entries)
        return self.module.length(self.s, self.s.TaskOf[e])


class KeptDues(KeptEntries):
    """The conjuncts on keys and deadlines, of the corrected timer.

    Each proved fact about every state is a premise: the conjuncts on entries, the invariant of the
    proof's system as it is seen there (Spec.SystemTimer), and P10.
    """

    OWN = OF_DUES

    def premises(self) -> dict[str, z3.BoolRef]:
        conjuncts = {name: self.module.formula(name, self.s) for name in OF_DUES}
        lemmas = {f"proof {name}": f for name, f in self.proof.invariant(self.a).items()}
        p10 = {f"proof P10 {OF_P10}": self.proof.formula(OF_P10, self.a)}
        images = {name: simple(formula) for name, formula in (lemmas | p10).items()}
        return super().premises() | conjuncts | images

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        yield from self.kept(name)

    def instances(self, name: str) -> dict[str, z3.BoolRef]:
        """Those of the base class, of the levels' clocks, and of the keys that entries give."""
        s, t = self.s, z3.Const("t!", THREAD.z3)
        match name:
            case "A3_to_W1" | "A3_to_W1_2" | "F2_to_W1" | "W0_to_W1":
                return super().instances(name)
            case "R7_to_V1":
                until, low, high = s.expiration[t], tick(s, V), tick(s, H)
                clock, size = s.current[V], s.WheelSize
                rounding = STATEMENTS["trimmed"].at({"T": trim(until, low), "t": high})
                return {
                    "T5-advance #1": of_levels("T5-advance", c=clock, T=until, t=low),
                    "T17-clock #1": of_levels("T17-clock", c=clock, p=until, t=low),
                    "T8 #1": of_levels("T8", T=until, t=low, w=size),
                    "comm #1": of_levels("comm", a=size, b=low),
                    "trimmed #1": ForAll([V, H], Implies(is_above(s, H, V), rounding)),
                }
            case "start":
                zero, argument = z3.IntVal(0), tick(s, V)
                return {
                    "zero_one #1": of_levels("zero_one", k=argument),
                    "quotient_unique #1": of_levels(
                        "quotient_unique", a=zero, q=zero, r=zero, b=argument
                    ),
                }
            case "W3_to_W4" | "W3_to_back":
                argument = s.bucket[t]
                return {
                    f"{theorem} #1": self.of_keys(theorem, [E], argument)
                    for theorem in ("trimmed", "from_zero")
                }
            case "key_before_deadline":
                return {"trimmed #1": self.of_keys("trimmed", [B, E], B)}
            case "lateness_bound":
                return {"from_zero #1": self.of_keys("from_zero", [B, E], B)}
        return {}

    def of_keys(self, theorem: str, variables: list[z3.ExprRef], bucket: z3.ExprRef) -> z3.BoolRef:
        """A theorem on rounding, of the key that any entry gives a bucket."""
        due = {"trimmed": "T", "from_zero": "a"}[theorem]
        terms = {due: self.s.Deadline[E], "t": tick(self.s, self.s.level_of[bucket])}
        present = And(E != NO_ENTRY, bucket != NO_BUCKET)
        return ForAll(variables, Implies(present, STATEMENTS[theorem].at(terms)))

    def hints(self) -> list[z3.ExprRef]:
        """Further, the level above the thread's."""
        s, t = self.s, z3.Const("t!", THREAD.z3)
        return [*super().hints(), s.Int_as_Level[s.Level_as_Int[s.level[t]] + 1]]

    def terms(self, name: str) -> list[z3.ExprRef]:
        """For a property of a bucket: the thread that polled it, and the linker of its entry."""
        (bucket,), (entry,) = BUCKET.consts("any_Bucket_1"), ENTRY.consts("any_Entry_1")
        further = [self.s.token[bucket], self.s.linker[entry]]
        return [*self.hints(), *(further if name in OF_QUEUE else ())]


def of_levels(theorem: str, **terms: z3.ArithRef) -> z3.BoolRef:
    """A theorem on numbers, of each level."""
    return ForAll([V], Implies(V != NO_LEVEL, STATEMENTS[theorem].at(terms)))


def cited(premises: Mapping[str, z3.BoolRef], hypotheses: tuple[str, ...]) -> dict[str, str]:
    """The theorems whose statements are premises. ``hypotheses``: those of an induction.

    The others are the conjuncts that are proved already.
    """
    theorems = {}
    for name in premises:
        if name.startswith("proof P10 "):
            theorems[name] = "P10"
        elif name.startswith("proof "):
            theorems[name] = "Spec.SystemTimer"
        elif " #" in name:
            theorems[name] = name.partition(" #")[0]
        elif name in OF_ENTRIES + OF_DUES and name not in hypotheses:
            theorems[name] = "Inv.Entries" if name in OF_ENTRIES else "Inv.Dues"
    return theorems
