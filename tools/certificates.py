#!/usr/bin/env python3
"""Have cvc5's proofs of conditions made and checked, and count them.

``python tools/certificates.py [NAME ...]`` does so for the theorems that have certificates in some
profile, or for those of these names and of these theories, also if they have none. It proves no
theorem: it makes each condition's second text, its proof and its check, as `wheelproof prove` does.
It prints a line for each theorem: conditions with a certificate, steps, and CPU seconds of making
and of checking. The exit code is 1 where a certificate lacks.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from wheelproof.certificates.checker import check  # noqa: E402
from wheelproof.certificates.expressions import Refused  # noqa: E402
from wheelproof.checks import prove  # noqa: E402

if TYPE_CHECKING:
    from wheelproof.prove.kernel import Theorem, Theory

FOLDER = ROOT / "build" / "certificates"


class Counted(NamedTuple):
    """Figures of one theorem."""

    theory: str
    theorem: str
    conditions: int
    accepted: int
    steps: int
    making: float
    checking: float
    faults: list[str]
    """The faults of its conditions, each with its name."""

    def line(self) -> str:
        return (
            f"{self.theory} {self.theorem}: {self.accepted} of {self.conditions}, "
            f"{self.steps} steps, {self.making:.1f} s, {self.checking:.1f} s"
        )


def count(theorem: Theorem, folder: Path) -> Counted:
    """Make and check the certificates of one theorem. Texts and proofs go to the folder."""
    evidence = importlib.import_module("wheelproof.prove.evidence")
    solvers = importlib.import_module("wheelproof.prove.solvers")
    valid, steps, making, checking = 0, 0, 0.0, 0.0
    faults = []
    for vc in theorem.vcs:
        assert vc.premises is not None  # it may be made at its first use
        began = time.process_time()
        try:
            text, proof = evidence.certified(vc)
        except solvers.SolverError as error:
            faults.append(f"{theorem.name}, {vc.name}: {error}")
            continue
        middle = time.process_time()
        file = folder / theorem.theory / f"{theorem.name}.{vc.name}.second.smt2".replace(" ", "_")
        evidence.write(file, text)
        evidence.write(file.with_suffix(".alethe"), proof)
        try:
            steps += check(text, proof).steps
            valid += 1
        except Refused as error:
            faults.append(f"{theorem.name}, {vc.name}: {error}")
        making += middle - began
        checking += time.process_time() - middle
    many = len(theorem.vcs)
    return Counted(theorem.theory, theorem.name, many, valid, steps, making, checking, faults)


def select(theories: Sequence[Theory], names: Sequence[str]) -> Iterator[Theorem]:
    """The theorems of these names or theories; without any, those that have certificates."""
    for theory in theories:
        for theorem in theory.theorems.values():
            if {theory.name, theorem.name} & {*names} if names else theorem.certified:
                yield theorem


def main(names: Sequence[str], folder: Path = FOLDER) -> int:
    lacking = 0
    with prove.loaded(ROOT) as theories:
        for theorem in select([*cast("dict[str, Theory]", theories).values()], names):
            figures = count(theorem, folder)
            print("\n".join([figures.line(), *figures.faults]), flush=True)
            lacking += figures.conditions - figures.accepted
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
