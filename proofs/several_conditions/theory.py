"""P9.Conditions, for any keys, conditions and events of one operation."""

from __future__ import annotations

from proofs.several_conditions.faults import EVERYTHING, FAULTS, view_of
from proofs.several_conditions.system import Watching
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.theory import submit

THEORY = Theory("protocols.several_conditions", mechanism="purgatory")

submit(
    THEORY,
    Watching,
    EVERYTHING,
    FAULTS.values(),
    view_of,
    ("A-MONOTONE", "A-UNTIED"),
    suffix=".Conditions",
    certified="nightly",
)
