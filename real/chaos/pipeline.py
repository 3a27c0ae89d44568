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
    """The result of the pipeline."""

    events: int
    broken: dict[str, set[Broken]]
    """Run -> broken rules."""
    applied: dict[str, int]
    """Rule -> how often it applied."""


def check(files: Sequence[Path], engine: str = ENGINES[0]) -> Checked:
    """Check traces. Raises as ``report`` and ``read`` do."""
    return read(report(files, engine), files)


def report(files: Sequence[Path], engine: str = ENGINES[0]) -> dict[str, Any]:
    """The report on traces. Raises ToolError where there is none, NothingChecked where the pipeline
    cannot run here."""
    command = [sys.executable, "-m", "wheelproof", "trace", "check", *map(str, files)]
    command += ["--subject", str(SUBJECT), "--engine", engine, "--json"]
    environment = os.environ | {VARIABLE: str(SUBJECT), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if process.returncode == NOTHING:
        raise NothingChecked(f"The traces are not checked: {process.stderr.strip()}")
    if process.returncode not in ANSWERS:
        raise ToolError(
            f"The check of the traces ended with {process.returncode}: "
            f"{(process.stderr or process.stdout).strip()}"
        )
    document: dict[str, Any] = json.loads(process.stdout)
    return document


def read(document: Mapping[str, Any], files: Sequence[Path]) -> Checked:
    """The content of a report. Raises ToolError where a run of the files has no verdict there."""
    verdicts = {run["run"]: run["verdict"] for run in document["runs"]}
    runs = [run for run, verdict in verdicts.items() if verdict in ("conforms", "violates")]
    if len(runs) != len(files) or document["violated"] > len(document["violations"]):
        raise ToolError(f"The pipeline has no verdict on each of {len(files)} traces: {verdicts}.")
    counts = {name: rule["applied"] for name, rule in document["rules"].items()}
    return Checked(document["events"], violations_by_run(document), counts)


def violations_by_run(document: Mapping[str, Any]) -> dict[str, set[Broken]]:
    """Run -> broken rules of the report; 0 in the place of a transaction where it names none."""
    by_run: dict[str, set[Broken]] = {run["run"]: set() for run in document["runs"]}
    for violation in document["violations"]:
        by_run[violation["run_id"]].add((violation["rule"], violation.get("zxid", 0)))
    return by_run


def compare(run: str, violations: Iterable[Violation], result: Checked) -> None:
    """Raises ToolError where the judge and the pipeline find different properties broken."""
    judge = {(violation.property, violation.zxid) for violation in violations}
    rules = result.broken[run]
    if judge != rules:
        raise ToolError(
            f"Judge and trace pipeline differ about {run}: "
            f"the judge alone finds {_listing(judge - rules)}, "
            f"the rules alone find {_listing(rules - judge)}."
        )


def _listing(violations: set[Broken]) -> str:
    return ", ".join(f"{name} at {zxid:#x}" for name, zxid in sorted(violations)) or "nothing"
