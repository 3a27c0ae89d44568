"""Mechanisms of the project that is proved, and their models and modules without a decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from wheelproof import project, reading
from wheelproof.project.mechanism import Mechanism
from wheelproof.tla import export
from wheelproof.tla.model import Compiled as Specification

PROOFS = "proofs"

Changes = tuple[tuple[str, str], ...]
"""Texts of a module's translation, each with the text in its place."""


class Project:
    """A project as its theories have it: each thing is read once."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.mechanisms = cache(lambda: project.find(self.root))
        self.specification = cache(self._specification)

    def _specification(self, name: str, changes: Changes, decision: str) -> Specification:
        mechanism = self.mechanisms()[name].without(decision)
        if not changes:
            return mechanism.compiled
        text = reading.text(mechanism.spec)
        for old, new in changes:
            if text.count(old) != 1:
                raise ValueError(f"{mechanism.spec.name} has {text.count(old)} times: {old}")
            text = text.replace(old, new)
        return Specification(export.load(mechanism.checked, {mechanism.spec.name: text}))


_current: ContextVar[Project | None] = ContextVar("_current", default=None)
_here = cache(Project)


@contextmanager
def within(project: Project) -> Iterator[None]:
    """Within, theories are about this project."""
    token = _current.set(project)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Project:
    """The project that the theories are about: without `within` that of the working directory."""
    return _current.get() or _here(Path.cwd())


def kept(file: str) -> Path:
    """A file in the project's folder of proofs."""
    return current().root / PROOFS / file


def mechanisms() -> Mapping[str, Mechanism]:
    """The project's mechanisms by name."""
    return current().mechanisms()


def model(name: str, program: Mapping[str, Any], decision: str) -> Any:
    """The model of a scenario without a decision; with all of them where ``decision`` is ""."""
    return mechanisms()[name].without(decision).model_of(program)


def specification(name: str, changes: Changes = (), decision: str = "") -> Specification:
    """A mechanism's module without a decision, compiled, with texts of its translation replaced.

    Raises ValueError where a text is not there exactly once.
    """
    return current().specification(name, changes, decision)
