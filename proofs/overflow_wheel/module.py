"""Theorems about module OverflowWheel itself: an invariant that each step of each label keeps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import z3

from proofs.overflow_wheel.planted import FAULTS
from proofs.overflow_wheel.published import Published, first
from proofs.overflow_wheel.runs import system, witnesses
from proofs.overflow_wheel.unlinked import Unlinked
from proofs.overflow_wheel.words import LABELS, NAME
from wheelproof.prove.invariant import conditions as own_invariant
from wheelproof.prove.invariant.runs import START, Reached
from wheelproof.prove.kernel import Theory
from wheelproof.prove.late import LateVC
from wheelproof.prove.ts.concrete import State

THEOREMS: dict[type[Published], str] = {
    Published: "Spec.OverflowWheel",
    Unlinked: "Spec.OverflowWheelCancel",
}
"""Each system's theorem. A later one has the conjuncts of those before it as premises."""


class Conditions(own_invariant.Conditions):
    """Those of a system of module OverflowWheel."""

    THEOREMS = THEOREMS

    def system(self) -> type[Published]:
        return system(self.of, self.changes)

    def witnesses(self) -> Mapping[str, tuple[Reached, State]]:
        return witnesses(self.of)

    def hints(self, name: str) -> list[z3.ExprRef]:
        """The first wheel and its stores' places, the operation that a thread is in, new places."""
        s = self.module.symbols()
        threads = z3.Consts("t! any_Process_1", self.module.WORDS.threads.z3)
        found = [z3.IntVal(1), first(s), s.slot, *[s.turn[each] - 1 for each in threads]]
        for each, item in self.module.way(name).extremes.items() if name else ():
            place = z3.Const(f"{each}!", item.sort.z3)
            found.append(place + 1 if item.index is None else place[first(s)])
        return found


READ = f"of module OverflowWheel, as SANY has read it (SHA-256 {own_invariant.digest(NAME)})"
THEORY = Theory("protocols.overflow_wheel_module", mechanism=NAME)
ASSUMED = ("A-GRAIN", "A-MEMORY", "A-PLACES")


def submit(of: type[Published], says: str, *assumes: str) -> None:
    """Register the theorem of a system."""
    conditions, name = Conditions(of), THEOREMS[of]
    THEORY.theorem(
        name,
        says,
        [
            LateVC(START, conditions.start),
            *[LateVC(label, partial(conditions.step, label)) for label in LABELS],
        ],
        [each.control() for each in FAULTS if each.of is of],
        rests_on=[THEOREMS[base] for base in conditions.earlier()],
        assumes=(*ASSUMED, *assumes),
        profile="nightly",
    )


submit(
    Published,
    f"SafePublication, OneOverflowWheel and CancelWins in each state {READ}. Who is given the "
    "wheel above the lowest one, and who finds it under the monitor, sees its time as the "
    "constructor stored it. No store into a volatile field waits in the buffer.",
)
submit(
    Unlinked,
    f"CancelUnlinks in each state {READ}, where an entry that is linked at the start is never "
    "added, and one that is added is cancelled once at most.",
    "A-CANCEL",
)
