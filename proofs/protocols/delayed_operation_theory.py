"""P6 - P8, for each of the five generations of the completion protocol."""

from __future__ import annotations

from proofs.protocols import delayed_operation as systems
from proofs.protocols.delayed_operation_faults import EVERYTHING, FAULTS, view_of
from proofs.protocols.theory import submit
from wheelproof.prove.kernel import Theory

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
