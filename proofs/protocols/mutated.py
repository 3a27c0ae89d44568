"""Models that lack a decision: the machines on which a proof's counterexample must be a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from wheelproof import project
from wheelproof.project.mechanism import Mechanism
from wheelproof.tla import export
from wheelproof.tla.model import Compiled as Specification

ROOT = Path(__file__).resolve().parents[2]

Changes = tuple[tuple[str, str], ...]
"""Texts of a module's translation, each with the text in its place."""


@cache
def mechanisms() -> dict[str, Mechanism]:
    """The project's mechanisms by name."""
    return project.find(ROOT)


def model(name: str, program: Mapping[str, Any], decision: str) -> Any:
    """The model of a scenario without a decision; with all of them where ``decision`` is ""."""
    return mechanisms()[name].without(decision).model_of(program)


@cache
def specification(name: str, changes: Changes = (), decision: str = "") -> Specification:
    """A mechanism's module without a decision, compiled, with texts of its translation replaced.

    Raises ValueError where a text is not there exactly once.
    """
    mechanism = mechanisms()[name].without(decision)
    if not changes:
        return mechanism.compiled
    text = mechanism.spec.read_text(encoding="utf-8")
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{mechanism.spec.name} has {text.count(old)} times: {old}")
        text = text.replace(old, new)
    return Specification(export.load(mechanism.checked, {mechanism.spec.name: text}))
