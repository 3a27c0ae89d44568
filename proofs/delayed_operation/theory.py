"""P6 - P8, for each of the five generations of the completion protocol."""

from __future__ import annotations

from proofs.delayed_operation import system as systems
from proofs.delayed_operation.faults import EVERYTHING, FAULTS, view_of
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.theory import submit

THEORY = Theory("protocols.delayed_operation", mechanism="delayed_operation")

for system in (
    systems.TryOnce,
    systems.TryPending,
    systems.LockedTry,
    systems.CheckedTry,
    systems.Blocking,
):
    submit(
        THEORY,
        system,
        EVERYTHING,
        FAULTS.values(),
        view_of,
        ("A-MONOTONE",),
        f".{system.__name__}",
        certified="nightly",
    )
