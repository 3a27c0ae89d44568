#!/usr/bin/env python3
"""Refuse modules above 600 lines, functions above 80 and lines above 100 columns.

Modules and lines are checked in all that is written by hand: Python, Java, scripts, and
specifications with their declarations. The translation of a specification does not count. Functions
are checked in Python.

``python tools/sizes.py [FOLDER]`` prints each fault as file, line and reason. The exit code is 1 if
there is one.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LINES = 600
"""Lines of a module, at most."""

FUNCTION = 80
"""Lines of a function, at most, from its ``def`` on and with its docstring."""

COLUMNS = 100
"""Characters of a line, at most."""

SUFFIXES = {".java", ".py", ".scala", ".sh", ".tla"}
SCRIPTS = {".ci/run", "Makefile", "tools/lint", "tools/lock", "tools/setup"}
DECLARATIONS = ".toml"
"""The suffix of declarations, in a folder ``spec``. Elsewhere such files are tables of data."""

TRANSLATION = ("BEGIN TRANSLATION", "END TRANSLATION")
"""The marks in the lines around a translation."""

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of a statement that hold statements, or holders of statements."""

FOREIGN = {"build", "__pycache__", "node_modules"}
"""Folders that hold no source. Hidden folders hold none either."""


def files(root: Path) -> Iterator[tuple[str, Path]]:
    """The sources below a folder, by their names from there."""
    for folder, below, names in os.walk(root):
        below[:] = sorted(child for child in below if child not in FOREIGN and child[0] != ".")
        for name in sorted(names):
            file = Path(folder, name)
            place = file.relative_to(root).as_posix()
            declares = file.suffix == DECLARATIONS and file.parent.name == "spec"
            if file.suffix in SUFFIXES or place in SCRIPTS or declares:
                yield place, file
    for place in sorted(SCRIPTS):  # some are in hidden folders
        if place[0] == "." and (root / place).is_file():
            yield place, root / place


def lines_by_hand(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) of each line that is not a translation."""
    begin, end = TRANSLATION
    in_translation = False
    for number, line in enumerate(text.splitlines(), 1):
        in_translation = in_translation or begin in line
        if not in_translation:
            yield number, line
        in_translation = in_translation and end not in line


def functions(node: ast.AST, around: str = "") -> Iterator[tuple[str, int, int]]:
    """(qualified name, first line, number of lines) of each function in a statement's blocks."""
    for child in (item for field in BLOCKS for item in getattr(node, field, ())):
        name = around
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{around}{child.name}."
            if not isinstance(child, ast.ClassDef):
                last = child.end_lineno or child.lineno
                yield name[:-1], child.lineno, last - child.lineno + 1
        yield from functions(child, name)


def long_functions(place: str, text: str) -> Iterator[str]:
    """The functions of a module in Python that are too long."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield f"{place}:{error.lineno}: this is not Python: {error.msg}"
        return
    for name, first, lines in functions(tree):
        if lines > FUNCTION:
            yield (
                f"{place}:{first}: {name} has {lines} lines, {FUNCTION} is the limit: split it by "
                "subject"
            )


def faults(root: Path) -> Iterator[str]:
    """The excesses below a folder: file, line and reason."""
    for place, file in files(root):
        text = file.read_text(encoding="utf-8")
        lines = list(lines_by_hand(text))
        for number, line in lines:
            if len(line) > COLUMNS:
                yield f"{place}:{number}: {len(line)} columns, {COLUMNS} is the limit"
        if len(lines) > LINES:
            yield f"{place}: {len(lines)} lines, {LINES} is the limit: split it by subject"
        if file.suffix == ".py" and text.count("\n") >= FUNCTION:
            yield from long_functions(place, text)


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]).resolve() if arguments else ROOT
    messages = list(faults(root))
    for fault in messages:
        print(fault)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
