#!/usr/bin/env python3
"""Refuse modules above 400 lines and lines above 100 columns, in all that is written by hand.

That is Python, Java, scripts, and specifications with their declarations. The translation of a
specification does not count.

``python tools/sizes.py [FOLDER]`` prints each fault as file, line and reason. The exit code is 1 if
there is one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LINES = 400
"""Lines of a module, at most."""

COLUMNS = 100
"""Characters of a line, at most."""

SUFFIXES = {".java", ".py", ".scala", ".sh", ".tla"}
SCRIPTS = {".ci/run", "Makefile", "tools/lint", "tools/lock", "tools/setup"}
DECLARATIONS = ".toml"
"""The suffix of declarations, in a folder ``spec``. Elsewhere such files are tables of data."""

TRANSLATION = ("BEGIN TRANSLATION", "END TRANSLATION")
"""What stands in the lines around a translation."""

FOREIGN = {"build", "__pycache__", "node_modules"}
"""Folders that hold no source. Hidden folders hold none either."""


def files(root: Path) -> Iterator[tuple[str, Path]]:
    """The sources below a folder, by their names from there."""
    for folder, below, names in os.walk(root):
        below[:] = sorted(each for each in below if each not in FOREIGN and each[0] != ".")
        for name in sorted(names):
            file = Path(folder, name)
            place = file.relative_to(root).as_posix()
            declares = file.suffix == DECLARATIONS and file.parent.name == "spec"
            if file.suffix in SUFFIXES or place in SCRIPTS or declares:
                yield place, file
    for place in sorted(SCRIPTS):  # some are in hidden folders
        if place[0] == "." and (root / place).is_file():
            yield place, root / place


def written(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) of each line that is not a translation."""
    begin, end = TRANSLATION
    made = False
    for number, line in enumerate(text.splitlines(), 1):
        made = made or begin in line
        if not made:
            yield number, line
        made = made and end not in line


def faults(root: Path) -> Iterator[str]:
    """What is too long below a folder: file, line and reason."""
    for place, file in files(root):
        lines = list(written(file.read_text(encoding="utf-8")))
        for number, line in lines:
            if len(line) > COLUMNS:
                yield f"{place}:{number}: {len(line)} columns, {COLUMNS} is the limit"
        if len(lines) > LINES:
            yield f"{place}: {len(lines)} lines, {LINES} is the limit: split it by subject"


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]).resolve() if arguments else ROOT
    found = list(faults(root))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
