"""DelayedOperation as the mechanism under test, and scenarios of it in few words."""

from __future__ import annotations

from typing import Any

from tests.model.artefacts import ROOT, Artefacts

ARTEFACTS = Artefacts("delayed_operation")
NAME, MECHANISM, FAST = ARTEFACTS.name, ARTEFACTS.mechanism, ARTEFACTS.fast
source, model_graph = ARTEFACTS.source, ARTEFACTS.model_graph
PROTOCOLS = ("TryOnce", "TryPending", "LockedTry", "CheckedTry", "Blocking")

__all__ = [
    "ARTEFACTS",
    "FAST",
    "MECHANISM",
    "NAME",
    "PROTOCOLS",
    "ROOT",
    "model_graph",
    "scenario",
    "source",
]


def scenario(
    protocol: str = "TryPending",
    *,
    completes: dict[str, list[str]] | None = None,
    raises: tuple[str, ...] = (),
    locking: tuple[str, ...] = (),
    **threads: list[list[str]],
) -> dict[str, Any]:
    """Two operations of one protocol: o waits for c1 and c2, p for c3.

    ``threads``: a program by each thread's name.
    """
    return {
        "protocol": {"o": protocol, "p": protocol},
        "needs": {"o": ["c1", "c2"], "p": ["c3"]},
        "completes": {"o": [], "p": []} | (completes or {}),
        "raises": list(raises),
        "locking": list(locking),
        "locks": ["outer"],
        "outer_of": {},
        "guard": {},
        "threads": threads,
    }
