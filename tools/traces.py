#!/usr/bin/env python3
"""Write the traces of docs/history.md: what ``wheelproof mutant`` prints, shortened.

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


def shortened(output: str, steps: int = STEPS) -> str:
    """The verdict, the last steps, and what they violate. Three dots stand for what is left out.

    Raises ValueError if the output has no trace.
    """
    lines = output.split("\n")
    killed = next((i for i, line in enumerate(lines) if line.startswith("killed: ")), None)
    head = next((i for i, line in enumerate(lines) if line.startswith("   #  ")), None)
    end = next((i for i, line in enumerate(lines) if line.startswith("replay: ")), None)
    if killed is None or head is None or end is None:
        raise ValueError("the output has no verdict and no trace with columns")
    begun = [i for i in range(head, end) if re.match(r" *\d+  ", lines[i])]
    first = begun[-steps:][0]
    kept = [lines[killed], "...", lines[head], *(["..."] if first > begun[0] else [])]
    return "\n".join([*kept, *lines[first:end]]).rstrip() + "\n"


def printed(command: str) -> str:
    """What a command of the tool prints. Raises RuntimeError if it does not end with 0."""
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [sys.executable, "-m", *command.split(), "--output", elsewhere],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env=os.environ | {"NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": "0"},
        )
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
    return re.sub(r"[ \t]+$", "", done.stdout, flags=re.MULTILINE)


def page(text: str) -> str:
    """The page with its traces made anew."""

    def block(found: re.Match[str]) -> str:
        return f"```console\n$ {found[1]}\n...\n{shortened(printed(found[1]))}```\n"

    return BLOCK.sub(block, text)


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = page(text)
    if made != text:
        PAGE.write_text(made, encoding="utf-8")
        print(f"{PAGE.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
