"""The project's mechanisms, read once in a process: every process collects all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from wheelproof import project
from wheelproof.project.mechanism import Mechanism

ROOT = Path(__file__).parents[1]


@cache
def mechanisms() -> dict[str, Mechanism]:
    """By their names. All tests share them: change none."""
    return project.find(ROOT)
