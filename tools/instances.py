#!/usr/bin/env python3
"""Write proofs/generated/instances.json: the instances that were enough for each condition.

``python tools/instances.py`` makes the conditions of all theorems of the fast profile. It keeps
the numbers that are still enough, and searches for the others. ``--check`` writes nothing, prints
the conditions whose numbers are not enough or not used any more, and exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from wheelproof.checks import prove  # noqa: E402

if TYPE_CHECKING:
    from proofs.kernel import Theory

Found = dict[str, dict[str, list[list[int]]]]


def made(root: Path) -> tuple[Found, Found, Path]:
    """The numbers that are known, those that are enough, by system and condition, and the file."""
    found: Found = {}

    def hear(system: str, condition: str, tried: object, used: list[list[int]]) -> None:
        if used:
            found.setdefault(system, {})[condition] = [[*each] for each in used]

    with prove.loaded(root) as theories:
        enough = importlib.import_module("proofs.enough")
        with enough.heard(hear):
            for theory in cast("dict[str, Theory]", theories).values():
                for theorem in theory.theorems.values():
                    for vc in theorem.vcs if theorem.profile == "fast" else ():
                        assert vc.premises is not None
        return enough.known(), found, enough.FILE


def written(found: Found) -> str:
    """The file's text: a line for each condition."""
    blocks = []
    for system in sorted(found):
        lines = [
            f"    {json.dumps(name)}: {json.dumps(found[system][name], separators=(',', ':'))}"
            for name in sorted(found[system])
        ]
        blocks.append(f"  {json.dumps(system)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def stale(known: Found, found: Found) -> list[str]:
    """The conditions of which other numbers are enough, and those that there are no more."""
    names = {
        (system, name) for each in (known, found) for system, of in each.items() for name in of
    }
    return [
        f"{system}: {name}"
        for system, name in sorted(names)
        if known.get(system, {}).get(name) != found.get(system, {}).get(name)
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the instances that are enough.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if stale")
    options = parser.parse_args(arguments)
    known, found, file = made(ROOT)
    changed = stale(known, found)
    print("\n".join(changed) or "instances.json: every condition has the instances it needs")
    if options.check:
        return 1 if changed else 0
    file.write_text(written(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
