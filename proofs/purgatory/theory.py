"""P6 - P9, P14, P15 of the purgatory, for any number of operations, keys, lists and threads."""

from __future__ import annotations

from proofs.purgatory.faults import EVERYTHING, FAULTS, RANKED, view_of
from proofs.purgatory.ranked import controls, named
from proofs.purgatory.ranking import ranked
from proofs.purgatory.system import InOrder, Purgatory
from wheelproof.prove.kernel import Theory
from wheelproof.prove.late import ATOMIC
from wheelproof.prove.ts.ranks import obligations
from wheelproof.prove.ts.theory import Conditions, submit

THEORY = Theory("protocols.purgatory", mechanism="purgatory")
ASSUMED = ("A-MONOTONE", "A-ENTERED")

submit(
    THEORY,
    Purgatory,
    EVERYTHING,
    FAULTS.values(),
    view_of,
    ASSUMED,
    lemma="Inv.Purgatory",
    certified="nightly",
)
submit(
    THEORY,
    InOrder,
    EVERYTHING,
    FAULTS.values(),
    view_of,
    (*ASSUMED, "A-DUTIES"),
    suffix=".InOrder",
    base=Purgatory,
    lemma_of_base="Inv.Purgatory",
    profile="nightly",
)
THEORY.theorem(
    "P15.Rank",
    "the rank of P15: a step of the helper of an open operation lowers it, no other step raises it "
    "but for one that takes a lock, and as long as it stays the helper stays",
    obligations(Conditions(Purgatory(), EVERYTHING, lemma="Inv.Purgatory"), ranked, named()),
    controls(RANKED),
    rests_on=("Inv.Purgatory",),
    assumes=(*ATOMIC, *ASSUMED, "A-FAIR", "A-FINITE"),
    system=Purgatory.__name__,
    enabled=True,
    profile="nightly",
)
