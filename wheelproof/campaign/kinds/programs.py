"""Drawn programs that an oracle of the project judges, one for each seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from wheelproof import documents
from wheelproof.campaign import addresses
from wheelproof.campaign.kind import Campaign, Failure, Request, Result, seed_of, seeds_of
from wheelproof.errors import UsageError
from wheelproof.verdict import Row, Verdict, judge

Program = Any
"""A program as its oracle has it: plain JSON values."""

SEEDS_OF_A_CONTROL = 40
"""Programs in which a planted fault must show."""

SMALLER = 500
"""Programs that are tried to shrink one, at most."""


@dataclass(frozen=True)
class Judgement:
    """The verdict on a program: exhaustive where all agree, violated, inconclusive or error."""

    verdict: str
    property: str = ""
    """The name of the comparison that differs."""
    why: str = ""
    figures: Mapping[str, int] = field(default_factory=dict)


class Oracle(Protocol):
    """Draws programs by seeds and judges each; a class without arguments.

    ``faults``: name -> a context in which the subject has the fault.
    """

    faults: ClassVar[Mapping[str, Callable[[], AbstractContextManager[object]]]]

    def draw(self, seed: int) -> Program: ...

    def judge(self, program: Program) -> Judgement: ...

    def smaller(self, program: Program) -> Iterator[Program]:
        """Programs that lack a part of this one, those first that lack most."""
        ...

    def text(self, program: Program) -> str:
        """The program as people read it. Raises ValueError where it is none."""
        ...


class Programs(Campaign):
    name = "programs"
    takes = frozenset({"names", "seeds"})

    def __init__(self, request: Request, root: Path) -> None:
        super().__init__(request, root)
        self.address = addresses.single(request.names, self.name)
        oracle = addresses.load(self.address, root)
        if not callable(oracle) or not all(
            hasattr(oracle, name) for name in ("faults", "draw", "judge", "smaller", "text")
        ):
            raise UsageError(
                f"{self.address} is no oracle of drawn programs.",
                "It needs faults, draw, judge, smaller and text.",
            )
        self.oracle: Oracle = oracle()

    def units(self) -> Sequence[str]:
        return seeds_of(self.request)

    def controls(self) -> Sequence[str]:
        return list(self.oracle.faults)

    def run(self, unit: str) -> Result:
        program = self.oracle.draw(seed_of(unit))
        judgement = self.oracle.judge(program)
        if judgement.verdict != Verdict.VIOLATED:
            return Result((self._row(unit, judgement),))
        program, judgement, tries = self._shrunk(program, judgement)
        return Result((self._row(unit, judgement, tries),), self._failure(unit, program, judgement))

    def control(self, fault: str) -> str:
        first = seeds_of(self.request)[0]
        with self.oracle.faults[fault]():
            for seed in range(seed_of(first), seed_of(first) + SEEDS_OF_A_CONTROL):
                judgement = self.oracle.judge(self.oracle.draw(seed))
                if judgement.verdict == Verdict.VIOLATED:
                    return f"seed {seed}: {judgement.why}"
        return ""

    def again(self, document: documents.Record) -> Result:
        unit, program = document.text("unit"), document.value.get("program")
        try:
            self.oracle.text(program)
        except ValueError as error:
            raise document.fault("program", f"is none of {self.address} ({error})") from None
        judgement = self.oracle.judge(program)
        failure = None
        if judgement.verdict == Verdict.VIOLATED:
            failure = self._failure(unit, program, judgement)
        return Result((self._row(unit, judgement),), failure)

    def _shrunk(self, program: Program, judgement: Judgement) -> tuple[Program, Judgement, int]:
        """The smallest program that is found and violates the same; how many were tried."""
        tries = 0
        candidates = self.oracle.smaller(program)
        while tries < SMALLER and (candidate := next(candidates, None)) is not None:
            tries += 1
            other = self.oracle.judge(candidate)
            if (other.verdict, other.property) == (judgement.verdict, judgement.property):
                program, judgement = candidate, other
                candidates = self.oracle.smaller(program)
        return program, judgement, tries

    def _row(self, unit: str, judgement: Judgement, tries: int = 0) -> Row:
        figures = dict(judgement.figures) | ({"shrunk in": tries} if tries else {})
        return judge(
            self.address,
            "campaign",
            unit,
            expected="exhaustive",
            verdict=judgement.verdict,
            property=judgement.property or None,
            why=judgement.why,
            figures=figures,
        )

    def _failure(self, unit: str, program: Program, judgement: Judgement) -> Failure:
        lines = self.oracle.text(program).splitlines()
        return self.failure(unit, program, judgement.why, *lines)


KIND = Programs
