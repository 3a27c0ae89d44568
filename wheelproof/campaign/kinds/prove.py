"""Theorems: each unit is one theorem with some of the seeds, and all of its other evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import z3

from wheelproof import project, temporary
from wheelproof.campaign.kind import Campaign, Request, Result
from wheelproof.checks import prove
from wheelproof.checks.context import Context
from wheelproof.checks.jobs import SEEDS
from wheelproof.errors import UsageError
from wheelproof.prove import evidence
from wheelproof.prove.kernel import VC, Theorem
from wheelproof.verdict import Row

SLICE = 5
"""Seeds of a unit."""


class Theorems(Campaign):
    name = "prove"
    takes = frozenset({"names", "seeds"})

    def __init__(self, request: Request, root: Path) -> None:
        super().__init__(request, root)
        self.mechanisms = project.find(root)
        self.declared = [
            item
            for item in prove.declared(root)
            if not request.names or item.name in request.names or item.mechanism in request.names
        ]
        names = {name for item in self.declared for name in (item.name, item.mechanism)}
        if unknown := set(request.names) - names:
            raise UsageError(
                f"There is no theorem {min(unknown)!r}.", "`wheelproof list` names them all."
            )

    @cached_property
    def parts(self) -> dict[str, tuple[prove.Declared, range]]:
        """Unit -> its theorem and its seeds."""
        first, end = self.request.seeds or (0, SEEDS["nightly"])
        slices = [range(at, min(at + SLICE, end)) for at in range(first, end, SLICE)]
        return {
            f"{item.mechanism}/{item.name}/{part.start}:{part.stop}": (item, part)
            for item in self.declared
            for part in slices
        }

    def units(self) -> Sequence[str]:
        return list(self.parts)

    def controls(self) -> Sequence[str]:
        return ["a goal is denied"]

    def run(self, unit: str) -> Result:
        item, seeds = self.parts[unit]
        row = self._row(unit, item, seeds)
        if row.ok:
            return Result((row,))
        for seed in seeds:  # the one seed with which it fails is enough
            smaller = f"{item.mechanism}/{item.name}/{seed}:{seed + 1}"
            alone = self._row(smaller, item, range(seed, seed + 1))
            if alone.verdict == row.verdict:
                request = replace(self.request, seeds=(seed, seed + 1))
                failing = Theorems(request, self.root)
                return Result((row,), failing.failure(smaller, None, alone.why))
        return Result((row,), self.failure(unit, None, row.why))

    def _row(self, unit: str, item: prove.Declared, seeds: range) -> Row:
        mechanism = replace(self.mechanisms[item.mechanism])
        with temporary.folder("campaign") as output:
            context = Context(mechanism, output, "fast", frozenset({"proof"}))
            report = prove.check(context, (item.name,), len(seeds), seeds.start)
        return replace(report.rows[0], name=unit)

    def control(self, fault: str) -> str:
        """Deny the goal of the first condition that can be denied: it must not be proved."""
        with prove.loaded(self.root) as theories:
            for item in self.declared:
                theorem = theories[item.theory].theorems[item.name]
                for condition in theorem.vcs:
                    if isinstance(condition, VC):
                        return _rejection(theorem, condition)
        return ""

    def compared(self, row: Row) -> list[object]:
        return [row.name, row.expected, row.verdict, row.property, row.ok]


def _rejection(theorem: Theorem, condition: VC) -> str:
    """Why a theorem with a denied goal is not proved; "" where it is."""
    denied = replace(condition, goal=z3.Not(condition.goal))
    wrong = replace(theorem, vcs=(denied,), controls=(), rests_on=())
    answer = evidence.check(wrong, 1)
    return "" if answer.verdict == "proved" else f"{theorem.name}: {answer.why}"


KIND = Theorems
