#!/usr/bin/env python3
"""Compare the declarations with those of an earlier commit: nothing may be lost.

``python tools/kept.py REVISION`` prints one line per mechanism: how many properties, decisions,
kills and counted scenarios and configs there were and are. A kill is a mutant with the property
that it breaks. The line ``theorems`` has the theorems, lemmas and controls of ``docs/theorems.md``,
the line ``traces`` the rules of ``docs/trace-rules.md``. Then it names each item that is gone, and
each whose count or statement changed. The exit code is 1 if something is gone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FIGURES = {"generated", "distinct", "depth"}
"""The counts of a check, which once stood in its declaration."""

KINDS = ("property", "decision", "kill", "count", "theorem", "control", "rule")
THEOREMS, RULES = "docs/theorems.md", "docs/trace-rules.md"
"""Pages that commands make of the theorems and of the rules of traces."""
NAMING = {"theorem": "theorem", "lemma": "theorem", "rule": "rule"}
"""The column that names a row's item -> the item's kind."""
STATING = frozenset({"says", "rests on", "assumes", "conditions", "what must hold", "broken"})
"""The columns that state an item. Solvers' answers and resources may change."""

Declared = dict[str, dict[tuple[str, str], object]]
"""Mechanism -> (kind, name) -> its count, or None."""


def git(*arguments: str) -> str:
    process = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return process.stdout


def declarations(files: list[str], text: Callable[[str], str]) -> Declared:
    """The declarations in a tree of files."""
    out: Declared = {}
    for file in files:
        path = Path(file)
        if file.startswith("mutants/") and path.suffix == ".md":
            items = out.setdefault(path.parent.name, {})
            items["decision", path.stem] = None
            items |= {("kill", item): None for item in kills(text(file))}
    counts_file = "spec/counts.json"
    for name, checks in (
        json.loads(text(counts_file))["mechanisms"].items() if counts_file in files else ()
    ):
        for check, counts in checks.items():
            out.setdefault(name, {})["count", check] = counts
    for file in files:
        if file.startswith("spec/") and file.endswith(".toml") and file.count("/") == 1:
            table = tomllib.loads(text(file))
            name = "".join(
                f"_{letter.lower()}" if letter.isupper() else letter for letter in Path(file).stem
            ).lstrip("_")
            items = out.setdefault(name, {})
            items |= {("property", item): None for item in properties(table.get("properties", {}))}
            items |= {("kill", item): None for item in kill_keys(table.get("mutants", {}))}
            items |= {
                ("count", check): {figure: config[figure] for figure in FIGURES}
                for check, config in table.get("configs", {}).items()
                if config.keys() >= FIGURES
            }
    for title, page in (("theorems", THEOREMS), ("traces", RULES)):
        if page in files:
            out[title] = stated(text(page))
    return out


def stated(page: str) -> dict[tuple[str, str], object]:
    """The items that a page's tables and its list of controls state, each with its statement."""
    out: dict[tuple[str, str], object] = {}
    columns: list[str] = []
    for line in page.splitlines():
        if control := re.match(r"\* \*\*(.+?)\*\* (\w+): (.*)", line):
            out["control", f"{control[1]} {control[2]}"] = control[3]
        if not line.startswith("|"):
            columns = []
            continue
        cells = [cell.strip(" *`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        columns = columns or cells
        for name in NAMING.keys() & set(columns) if cells != columns else ():
            row = dict(zip(columns, cells, strict=True))
            if row[name].strip("-:"):
                statement = {column: row[column] for column in columns if column in STATING}
                out[NAMING[name], row[name]] = statement
    return out


def kills(decision: str) -> list[str]:
    """The mutants of a decision's file that break a property, each with it."""
    blocks = re.findall(r"^```toml\n(.*?)^```", decision, re.MULTILINE | re.DOTALL)
    return [name for block in blocks for name in kill_keys(tomllib.loads(block))]


def kill_keys(mutants: dict[str, object]) -> list[str]:
    """The mutants of a table that break a property, each with it."""
    return [
        f"{name} by {mutant['property']}"
        for name, mutant in mutants.items()
        if isinstance(mutant, dict) and isinstance(mutant.get("property"), str)
    ]


def properties(tables: dict[str, dict[str, object]]) -> list[str]:
    """Kind and name of each property, which stand by kind and once stood by name."""
    return [
        f"{table['kind']} {key}" if isinstance(table.get("kind"), str) else f"{key} {name}"
        for key, table in tables.items()
        for name in (table if not isinstance(table.get("kind"), str) else ("",))
    ]


def lines(before: Declared, now: Declared) -> tuple[list[str], list[str]]:
    """(table, the differences)."""
    table, differences = [], []
    for name in sorted({*before, *now}):
        old, new = before.get(name, {}), now.get(name, {})
        parts = []
        for kind in KINDS:
            counts = [sum(item[0] == kind for item in side) for side in (old, new)]
            if any(counts):
                parts.append(f"{kind} {counts[0]} -> {counts[1]}")
        table.append(f"{name}: {', '.join(parts)}")
        for key in sorted(old):
            title = f"{name}: {key[0]} {key[1]}"
            if key not in new:
                differences.append(f"gone: {title}")
            elif old[key] != new[key]:
                differences.append(f"changed: {title}: {old[key]} -> {new[key]}")
    return table, differences


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python tools/kept.py REVISION", file=sys.stderr)
        return 2
    (revision,) = arguments
    there = git("ls-tree", "-r", "--name-only", revision).splitlines()
    before = declarations(there, lambda file: git("show", f"{revision}:{file}"))
    here = git("ls-files").splitlines()
    now = declarations(here, lambda file: (ROOT / file).read_text(encoding="utf-8"))
    table, differences = lines(before, now)
    print("\n".join([*table, *differences]))
    return 1 if any(line.startswith("gone: ") for line in differences) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
