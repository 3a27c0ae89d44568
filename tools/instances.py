#!/usr/bin/env python3
"""Write the files that spare the proofs their searches: proofs/instances.json and runs.json.

The first has the instances that were enough for each condition, the second the runs in which each
system took all of its actions. ``python tools/instances.py`` makes the conditions of all theorems
of the fast profile. It keeps the instances that are still enough, and searches for the rest.
``--check`` writes nothing, prints the conditions and systems whose lines are not enough or not used
any more, and exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from wheelproof.checks import prove  # noqa: E402

if TYPE_CHECKING:
    from wheelproof.prove.kernel import Theory

Found = dict[str, dict[str, list[list[int]]]]
Runs = dict[str, list[list[tuple[str, tuple[int, ...]]]]]


@dataclass(frozen=True)
class Made:
    """The stored instances and the current ones:

    numbers by system and condition, runs by system.
    """

    stored: Found
    current: Found
    file: Path
    known_runs: Runs
    runs: Runs
    runs_file: Path


def make(root: Path) -> Made:
    """Make the conditions of the project in ``root``."""
    by_system: Found = {}
    runs: Runs = {}

    conditions: list[str] = []

    def hear(system: str, condition: str, numbers: list[list[int]]) -> None:
        conditions.append(condition)
        of_system = by_system.setdefault(system, {})
        if numbers:
            of_system[condition] = [[*number_list] for number_list in numbers]
        else:
            of_system.pop(condition, None)

    with prove.loaded(root) as theories:
        instances = importlib.import_module("wheelproof.prove.ts.enough").INSTANCES
        refutes = importlib.import_module("wheelproof.prove.ts.instances").refutes
        kept_runs = importlib.import_module("wheelproof.prove.ts.witness").RUNS
        with instances.heard(hear), kept_runs.heard(runs.__setitem__):
            for theory in cast("dict[str, Theory]", theories).values():
                for theorem in theory.theorems.values():
                    for vc in theorem.vcs if theorem.profile == "fast" else ():
                        conditions.clear()
                        formulas = [*vc.premises.values()]
                        if conditions and not refutes(formulas, vc.goal) and vc.search():
                            assert vc.premises is not None
        return Made(
            instances.known(), by_system, instances.path, kept_runs.known(), runs, kept_runs.path
        )


def render(instances: Found) -> str:
    """The file's text: a line for each condition."""
    blocks = []
    for system in sorted(instances):
        lines = [
            f"    {json.dumps(name)}: {json.dumps(instances[system][name], separators=(',', ':'))}"
            for name in sorted(instances[system])
        ]
        blocks.append(f"  {json.dumps(system)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def written_runs(runs: Runs) -> str:
    """The file's text: a line for each run."""
    blocks = []
    for system in sorted(runs):
        steps = [[[action, *arguments] for action, arguments in run] for run in runs[system]]
        lines = [f"    {json.dumps(run, separators=(',', ':'))}" for run in steps]
        blocks.append(f"  {json.dumps(system)}: [\n" + ",\n".join(lines) + "\n  ]")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def stale(old: Found, new: Found) -> list[str]:
    """The conditions of which other numbers are enough, and those that there are no more."""
    names = {
        (system, name)
        for instances in (old, new)
        for system, conditions in instances.items()
        for name in conditions
    }
    return [
        f"{system}: {name}"
        for system, name in sorted(names)
        if old.get(system, {}).get(name) != new.get(system, {}).get(name)
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the instances that are enough.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if stale")
    options = parser.parse_args(arguments)
    result = make(ROOT)
    systems = sorted(result.known_runs.keys() | result.runs.keys())
    changes = stale(result.stored, result.current) + [
        f"{system}: runs"
        for system in systems
        if result.known_runs.get(system) != result.runs.get(system)
    ]
    print(
        "\n".join(changes)
        or "every condition has the instances, and each system the runs, it needs"
    )
    if options.check:
        return 1 if changes else 0
    result.file.write_text(render(result.current), encoding="utf-8")
    result.runs_file.write_text(written_runs(result.runs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
