#!/usr/bin/env python3
"""Make docs/theorems.md from the rows of a nightly verification, or check it.

``python tools/theorems.py [--check] [RESULTS]`` reads ``build/results.json`` unless another file is
given. With ``--check`` it prints each line that differs, and the exit code is 1 if there is one.
``make nightly`` checks the page with its own rows. Of a mechanism without any the outcomes stay.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Container
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from wheelproof.checks import prove  # noqa: E402
from wheelproof.commands import theorems  # noqa: E402
from wheelproof.errors import WheelproofError  # noqa: E402
from wheelproof.verdict import read_results  # noqa: E402

PAGE = "docs/theorems.md"
RESULTS = "build/results.json"

STEP = 2.5
"""The largest factor between neighbours."""

OUTCOME = 5
"""The last cells of a theorem's line, which say how it ended."""


def merged(there: str, page: str, mechanisms: Container[str]) -> list[str]:
    """The lines of the page that the rows make, with the outcomes that are there for the others.

    ``mechanisms``: those that the rows are of. The resources of a solver depend a little on earlier
    conditions of its process. So resources that are one step of their rounding apart stay.
    """
    numbers = {without_resources(line): line for line in there.splitlines()}
    declarations = {without_outcome(line): line for line in there.splitlines()}
    lines, mechanism = [], ""
    for line in page.splitlines():
        if heading := re.match(r"## .* \(mechanism `(\w+)`\)", line):
            mechanism = heading[1]
        if line.startswith("| **") and mechanism not in mechanisms:
            line = declarations.get(without_outcome(line), line)
        elif (key := without_resources(line)) in numbers and near(numbers[key], line):
            line = numbers[key]
        lines.append(line)
    return lines


def differences(there: str, page: str, mechanisms: Container[str]) -> list[str]:
    """The lines that differ, of the page that is there and of the one that the rows make."""
    lines = merged(there, page, mechanisms)
    return list(difflib.unified_diff(there.splitlines(), lines, PAGE, "rows", lineterm="", n=0))


def without_resources(line: str) -> str:
    """A theorem's line without its last cell; any other line as it is."""
    return line.rpartition(" | ")[0] if line.startswith("| **") else line


def without_outcome(line: str) -> str:
    """The declaration in a theorem's line; any other line as it is."""
    return line.rsplit(" | ", OUTCOME)[0] if line.startswith("| **") else line


def near(line: str, second: str) -> bool:
    """Whether the resources of two lines are equal, or neighbours among 1, 2, 5, 10, 20 ..."""
    numbers = [row.rpartition(" | ")[2].rstrip(" |").replace(",", "") for row in (line, second)]
    if not all(row.isdecimal() for row in numbers):
        return line == second
    low, high = sorted(map(int, numbers))
    return high <= STEP * low


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    names = [argument for argument in arguments if argument != "--check"]
    try:
        rows = read_results(Path(names[0]) if names else ROOT / RESULTS).rows
        page = theorems.render(prove.declared(ROOT), rows)
    except WheelproofError as error:
        print(f"theorems: {error}", file=sys.stderr)
        return 2
    mechanisms = {row.mechanism for row in rows if row.layer == "proof"}
    there = (ROOT / PAGE).read_text(encoding="utf-8")
    if not check:
        text = "\n".join(merged(there, page, mechanisms)) + "\n"
        (ROOT / PAGE).write_text(text, encoding="utf-8")
        return 0
    messages = differences(there, page, mechanisms)
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
