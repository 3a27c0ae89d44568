"""The same histories, judged once more: as traces, by the rules in bulk of the trace pipeline.

The pipeline runs as a command of its own, since a process reads the traces of one project. Its
rules are data over the columns of the events (``real/chaos/traces``), and share no code with
``judge``. Both must find the same: a property that one of them alone finds broken at a transaction
is an error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from real.chaos.judge import Violation
from real.chaos.processes import ROOT
from wheelproof.errors import NothingChecked, ToolError
from wheelproof.trace.declared import VARIABLE

SUBJECT = ROOT / "real" / "chaos"
ENGINES = ("memory", "spark")

Broken = tuple[str, int]
"""A property, and the number of the transaction that breaks it."""

ANSWERS, NOTHING = (0, 1, 3), 5
"""Exit codes of a check that gives a report, and of one that could not run."""


class Checked(NamedTuple):
    """What the pipeline says. ``broken``: by run; ``applied``: how often each rule applied."""

    events: int
    broken: dict[str, set[Broken]]
    applied: dict[str, int]


def check(files: Sequence[Path], engine: str = ENGINES[0]) -> Checked:
    """Check traces. Raises as ``report`` and ``read`` do."""
    return read(report(files, engine), files)


def report(files: Sequence[Path], engine: str = ENGINES[0]) -> dict[str, Any]:
    """The report on traces. Raises ToolError where there is none, NothingChecked where the pipeline
    cannot run here."""
    command = [sys.executable, "-m", "wheelproof", "trace", "check", *map(str, files)]
    command += ["--subject", str(SUBJECT), "--engine", engine, "--json"]
    environment = os.environ | {VARIABLE: str(SUBJECT), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if ended.returncode == NOTHING:
        raise NothingChecked(f"The traces are not checked: {ended.stderr.strip()}")
    if ended.returncode not in ANSWERS:
        raise ToolError(
            f"The check of the traces ended with {ended.returncode}: "
            f"{(ended.stderr or ended.stdout).strip()}"
        )
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def read(document: Mapping[str, Any], files: Sequence[Path]) -> Checked:
    """What a report says. Raises ToolError where a run of the files has no verdict there."""
    verdicts = {run["run"]: run["verdict"] for run in document["runs"]}
    judged = [run for run, verdict in verdicts.items() if verdict in ("conforms", "violates")]
    if len(judged) != len(files) or document["violated"] > len(document["violations"]):
        raise ToolError(f"The pipeline has no verdict on each of {len(files)} traces: {verdicts}.")
    applied = {name: rule["applied"] for name, rule in document["rules"].items()}
    return Checked(document["events"], broken(document), applied)


def broken(document: Mapping[str, Any]) -> dict[str, set[Broken]]:
    """By run what the report finds broken; 0 in the place of a transaction where it names none."""
    found: dict[str, set[Broken]] = {run["run"]: set() for run in document["runs"]}
    for each in document["violations"]:
        found[each["run_id"]].add((each["rule"], each.get("zxid", 0)))
    return found


def compared(run: str, violations: Iterable[Violation], checked: Checked) -> None:
    """Raises ToolError where the judge and the pipeline find different properties broken."""
    judge = {(each.property, each.zxid) for each in violations}
    rules = checked.broken[run]
    if judge != rules:
        raise ToolError(
            f"Judge and trace pipeline differ about {run}: "
            f"the judge alone finds {_listed(judge - rules)}, "
            f"the rules alone find {_listed(rules - judge)}."
        )


def _listed(found: set[Broken]) -> str:
    return ", ".join(f"{name} at {zxid:#x}" for name, zxid in sorted(found)) or "nothing"
