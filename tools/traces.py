#!/usr/bin/env python3
"""Write the traces of docs/history.md: the output of ``wheelproof mutant``, shortened.

``python tools/traces.py`` runs the command of each block and replaces its output by the verdict and
the last steps. A test refuses a page whose traces the commands do not print.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "history.md"

STEPS = 16
"""How many steps of a trace stand on the page, at most."""

BLOCK = re.compile(r"^```console\n\$ (wheelproof mutant .+)\n(?:.*\n)*?```\n", re.MULTILINE)


def shorten(output: str, steps: int = STEPS) -> str:
    """The verdict, the last steps, and the violation. Three dots stand for omitted lines.

    Raises ValueError if the output has no trace.
    """
    lines = output.split("\n")
    verdict = next((i for i, line in enumerate(lines) if line.startswith("killed: ")), None)
    head = next((i for i, line in enumerate(lines) if line.startswith("   #  ")), None)
    end = next((i for i, line in enumerate(lines) if line.startswith("replay: ")), None)
    if verdict is None or head is None or end is None:
        raise ValueError("the output has no verdict and no trace with columns")
    starts = [i for i in range(head, end) if re.match(r" *\d+  ", lines[i])]
    first = starts[-steps:][0]
    head_lines = [lines[verdict], "...", lines[head], *(["..."] if first > starts[0] else [])]
    return "\n".join([*head_lines, *lines[first:end]]).rstrip() + "\n"


def output_of(command: str) -> str:
    """The output of a command of the tool. Raises RuntimeError if it does not end with 0."""
    with tempfile.TemporaryDirectory() as elsewhere:
        process = subprocess.run(
            [sys.executable, "-m", *command.split(), "--output", elsewhere],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env=os.environ | {"NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": "0"},
        )
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}: {process.stderr}")
    return re.sub(r"[ \t]+$", "", process.stdout, flags=re.MULTILINE)


def page(text: str) -> str:
    """The page with its traces made anew."""

    def block(match: re.Match[str]) -> str:
        return f"```console\n$ {match[1]}\n...\n{shorten(output_of(match[1]))}```\n"

    return BLOCK.sub(block, text)


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    result = page(text)
    if result != text:
        PAGE.write_text(result, encoding="utf-8")
        print(f"{PAGE.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
