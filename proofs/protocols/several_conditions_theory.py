"""P9.Conditions, for any keys, conditions and events of one operation."""

from __future__ import annotations

from proofs.protocols.several_conditions import Watching
from proofs.protocols.several_conditions_faults import EVERYTHING, FAULTS, view_of
from proofs.protocols.theory import submit
from wheelproof.prove.kernel import Theory

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
