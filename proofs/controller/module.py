"""Theorems about module Controller itself: an invariant that each step of each label keeps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import z3

from proofs.controller.elected import Elected, Fenced
from proofs.controller.epochs import Epochs
from proofs.controller.planted import FAULTS
from proofs.controller.runs import system, witnesses
from proofs.controller.words import LABELS, NAME
from wheelproof.prove.invariant import conditions as own_invariant
from wheelproof.prove.invariant.runs import START, Reached
from wheelproof.prove.kernel import Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.variants import Changes

THEOREMS: dict[type[Epochs], str] = {
    Epochs: "Spec.ControllerEpochs",
    Fenced: "Spec.ControllerFence",
    Elected: "Spec.Controller",
}
"""Each system's theorem. A later one has the conjuncts of those before it as premises."""


class Conditions(own_invariant.Conditions):
    """Those of a system of module Controller."""

    THEOREMS = THEOREMS

    def __init__(self, of: Any = Elected, changes: Changes = ()) -> None:
        super().__init__(of, changes)

    def system(self) -> type[Epochs]:
        return system(self.of, self.changes)

    def witnesses(self) -> Mapping[str, tuple[Reached, State]]:
        return witnesses(self.of)

    def hints(self, name: str) -> list[z3.ExprRef]:
        """The operation that a thread is in, and the next epoch."""
        s = self.module.symbols()
        threads = z3.Consts("t! any_Broker_1", self.module.WORDS.threads.z3)
        return [s.turn[each] - 1 for each in threads]


READ = f"of module Controller, as SANY has read it (SHA-256 {own_invariant.digest(NAME)})"
THEORY = Theory("protocols.controller_module", mechanism=NAME)


def submit(of: type[Epochs], says: str, assumes: tuple[str, ...]) -> None:
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
        assumes=(*ATOMIC, "A-PROGRAM", *assumes),
        profile="nightly",
    )


submit(
    Epochs,
    f"In each state {READ}, whatever the electors are: EpochIncreases, NoLostUpdate and "
    "ActOnlyIfActive. Each epoch that a broker has, or a late server, was /controller_epoch with "
    "its version. What a broker knows of the partition is older than what there is, or the same.",
    ("A-FIRST",),
)
submit(
    Fenced,
    f"FencedWrites in each state {READ}, where every elector is that of 2.1.0 on.",
    ("A-ELECTOR", "A-FIRST"),
)
submit(
    Elected,
    f"OneController, DeletesOwnNode and NoPhantom in each state {READ}, where every elector is "
    "that of 2.1.0 on. /controller goes with the living session of the broker that has the last "
    "epoch. Who takes itself for the controller was elected.",
    ("A-CONNECT", "A-ELECTOR", "A-END", "A-FIRST", "A-WRITTEN"),
)
