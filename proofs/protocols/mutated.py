"""Models that lack a decision: the machines on which a proof's counterexample must be a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from wheelproof import project
from wheelproof.project.mechanism import Mechanism

ROOT = Path(__file__).resolve().parents[2]


@cache
def mechanisms() -> dict[str, Mechanism]:
    """The project's mechanisms by name."""
    return project.find(ROOT)


def model(name: str, program: Mapping[str, Any], decision: str) -> Any:
    """The model of a scenario without a decision; with all of them where ``decision`` is ""."""
    return mechanisms()[name].without(decision).model_of(program)
