"""Proofs about every size: transition systems, conditions for two solvers, and their evidence.

A project's module below ``proofs`` that has ``THEORY`` submits theorems (see ``kernel``).
``module`` makes a system of a TLA+ module, as SANY reads it. ``second`` writes a condition for the
second solver.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path

FOLDER: ContextVar[Path] = ContextVar("FOLDER", default=Path("proofs"))
"""The project's folder of the theories that are loaded."""
