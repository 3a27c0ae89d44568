"""P9, for any keys, conditions and events of one operation."""

from __future__ import annotations

from proofs.kernel import Theory
from proofs.protocols.purgatory import Watching
from proofs.protocols.purgatory_faults import EVERYTHING, FAULTS, view_of
from proofs.protocols.theory import submit

THEORY = Theory("protocols.purgatory", mechanism="delayed_operation")

submit(
    THEORY,
    Watching,
    EVERYTHING,
    FAULTS.values(),
    view_of,
    ("A-MONOTONE", "A-UNTIED"),
    lemma="Inv.Watching",
)
