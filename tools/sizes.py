#!/usr/bin/env python3
"""Refuse modules above 400 lines and lines above 100 columns, in Python, Java and scripts.

``python tools/sizes.py [FOLDER]`` prints each fault as file, line and reason. The exit code is 1 if
there is one. ``EXCEPTIONS`` names the files that may be longer, each with its reason; an exception
that is not needed is a fault too.
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

SUFFIXES = {".java", ".py", ".scala", ".sh"}
SCRIPTS = {"Makefile", "tools/lint", "tools/lock", "tools/setup"}

FOREIGN = {"build", "__pycache__", "node_modules"}
"""Folders that hold no source. Hidden folders hold none either."""

EXCEPTIONS = {
    "tests/claims/test_completion.py": "docs/claims/ names its tests by their file",
    "tests/wheelproof/explore/test_hidden_state.py": "a table of refused harnesses, one text each",
    "tests/wheelproof/pipeline/test_rules.py": "a table of planted faults, an entry for each rule",
}
"""File -> the reason why it has more than ``LINES`` lines."""


def files(root: Path) -> Iterator[tuple[str, Path]]:
    """The sources below a folder, by their names from there."""
    for folder, below, names in os.walk(root):
        below[:] = sorted(each for each in below if each not in FOREIGN and each[0] != ".")
        for name in sorted(names):
            file = Path(folder, name)
            place = file.relative_to(root).as_posix()
            if file.suffix in SUFFIXES or place in SCRIPTS:
                yield place, file


def faults(root: Path, exceptions: dict[str, str] = EXCEPTIONS) -> Iterator[str]:
    """What is too long below a folder: file, line and reason."""
    needed = set()
    for place, file in files(root):
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS:
                yield f"{place}:{number}: {len(line)} columns, {COLUMNS} is the limit"
        if len(lines) > LINES:
            needed.add(place)
            if place not in exceptions:
                yield f"{place}: {len(lines)} lines, {LINES} is the limit: split it by subject"
    for place in sorted(exceptions.keys() - needed):
        if (root / place).parent.is_dir():
            yield f"{place}: the exception in tools/sizes.py is not needed"


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]).resolve() if arguments else ROOT
    found = list(faults(root))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
