"""The project's declarations, read once in a process: every process collects all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from wheelproof import project
from wheelproof.jvm import declaration
from wheelproof.jvm.declaration import Binding
from wheelproof.project.mechanism import Mechanism

ROOT = Path(__file__).parents[1]


@cache
def mechanisms() -> dict[str, Mechanism]:
    """The mechanisms by their names. All tests share them: change none."""
    return project.find(ROOT)


@cache
def bindings() -> dict[str, Binding]:
    """The bindings to compiled classes by their names, shared in the same way."""
    return declaration.find(ROOT)
