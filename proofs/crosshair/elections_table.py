"""CrossHair's verdicts on the contracts of the elections: of the code, and without a decision.

A decision of ``mutants/partition_leader`` is taken away in a folder with a copy of ``impl``, where
CrossHair runs the same contracts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from proofs.crosshair import elections
from proofs.crosshair.table import (
    HERE,
    ROOT,
    Contract,
    Outcome,
    OutputError,
    contracts,
    crosshair,
    read,
)
from wheelproof import decisions
from wheelproof.decisions.read import short_names

MECHANISM, MODULE = "partition_leader", "PartitionLeader"
CODE = "impl/partition_leader.py"
SECONDS = 240
"""CPU seconds for one condition, which ends long before."""


def needed() -> Mapping[str, list[str]]:
    """Contract -> the decisions without which it is refuted."""
    return tomllib.loads((HERE / "elections.toml").read_text(encoding="utf-8"))


def without(decision: str) -> str:
    """The source of the elections without a decision. Raises DoesNotFit where it does not fit."""
    file = ROOT / "mutants" / MECHANISM / f"{decision}.md"
    return decisions.read(file, short_names(MECHANISM, MODULE)).texts(ROOT, ".py")[CODE]


def prepare(folder: Path, code: str) -> None:
    """Make a folder with the contracts, and ``impl`` with this source of the elections."""
    (folder / "impl").mkdir()
    for source in (ROOT / "impl").glob("*.py"):
        if source != ROOT / CODE:
            (folder / "impl" / source.name).symlink_to(source)
    (folder / CODE).write_text(code, encoding="utf-8")
    (folder / "elections.py").symlink_to(HERE / "elections.py")


def check(folder: Path, names: Iterable[str]) -> dict[str, Outcome]:
    """CrossHair's outcome of each named contract in a folder that was prepared.

    Raises OutputError where CrossHair does not end as it does with verdicts.
    """
    targets: list[Contract] = [contracts(elections)[name] for name in names]
    process = crosshair(
        "check",
        "--report_all",
        "--analysis_kind=PEP316",
        f"--per_condition_timeout={SECONDS}",
        *[f"elections.{contract.name}" for contract in targets],
        folder=folder,
    )
    if process.returncode not in (0, 1):
        raise OutputError(
            f"CrossHair ended with {process.returncode}: {process.stderr.strip()[-500:]}"
        )
    return read(process.stdout, targets)
