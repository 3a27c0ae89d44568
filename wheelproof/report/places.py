"""File and line of a row: those of its counterexample, or those of its declaration."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from wheelproof import reading
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.explored import Explored
from wheelproof.project.mechanism import Mechanism
from wheelproof.verdict import Row

Place = tuple[str, int]
"""A file below the project's folder, and a line from 1."""

_PLACE = re.compile(r"(?P<file>[^:]+):(?P<line>[1-9][0-9]*)")


Runs = Mapping[str, Counterexample] | Mapping[str, Counterexample | Explored]
"""Counterexamples, and failing orders of threads, by the name of their file."""


def of_counterexample(row: Row, runs: Runs) -> Place | None:
    """The line of the last step which has one. ``runs``: the counterexamples by name."""
    trace = runs.get(row.trace or "")
    sources = [step.source for step in trace.steps if step.source] if trace else []
    place = _PLACE.fullmatch(sources[-1]) if sources else None
    return (place["file"], int(place["line"])) if place else None


def prefix(root: Path) -> str:
    """The project's folder in the repository of a GitHub workflow, with a slash, or ""."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if not workspace or not root.resolve().is_relative_to(Path(workspace).resolve()):
        return ""
    folder = root.resolve().relative_to(Path(workspace).resolve())
    return f"{folder.as_posix()}/" if folder.parts else ""


class Declared:
    """The places of rows in the declarations of a project; each file is read once."""

    def __init__(self, mechanisms: Mapping[str, Mechanism], root: Path) -> None:
        self._mechanisms, self._root = mechanisms, root
        self._lines: dict[Path, list[str]] = {}

    def place(self, row: Row) -> Place | None:
        """The line of the TOML that declares the row's scenario, config or mutant; else line 1.

        None where the project does not declare the mechanism, or its file is elsewhere.
        """
        mechanism = self._mechanisms.get(row.mechanism)
        if mechanism is None:
            return None
        try:
            file = mechanism.toml.resolve().relative_to(self._root.resolve()).as_posix()
        except ValueError:
            return None
        name = re.split(r"[\s@]", row.name.strip())[0]
        return file, self._line(mechanism.toml, name)

    def _line(self, file: Path, name: str) -> int:
        """The first line with the name as a table or a key, else as a text in quotes."""
        if not name:
            return 1
        word = re.escape(name)
        for shape in (rf"\[[^\]]*\b{word}\]|{word}\s*=", rf'.*"{word}"'):
            for number, line in enumerate(self._text(file), 1):
                if re.match(shape, line):
                    return number
        return 1

    def _text(self, file: Path) -> list[str]:
        if file not in self._lines:
            try:
                self._lines[file] = reading.text(file).splitlines()
            except reading.Unreadable:
                self._lines[file] = []
        return self._lines[file]
