"""The oracle of drawn programs, for `wheelproof campaign programs`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import outline, outline_of, written
from tests.wheelproof.plain.engine_faults import FAULTS
from wheelproof.campaign.kinds.programs import Judgement

PLANTED = ("a backtrack point is dropped", "a wakeup sequence is dropped", "state outlives a run")
"""Faults that show in few programs of all kinds of statements."""


def planted(fault):
    @contextmanager
    def plant():
        with pytest.MonkeyPatch.context() as monkeypatch:
            FAULTS[fault][0](monkeypatch)
            yield

    return plant


class Oracle:
    """The engine against the machine of its own and naive search, with the limits of the night."""

    faults = {fault: planted(fault) for fault in PLANTED}

    def __init__(self) -> None:
        self.explorer = oracle.Drawn()

    def draw(self, seed: int) -> Any:
        return vars(outline(seed))

    def judge(self, program: Any) -> Judgement:
        comparison = oracle.compared(self.explorer, written(outline_of(program)))
        figures = {
            "runs": comparison.runs,
            "optimal runs": comparison.optimal_runs,
            "naive runs": comparison.naive_runs,
            "classes": comparison.classes,
            "outcomes": comparison.outcomes,
        }
        if comparison.skipped:
            why = "the program is too large for the reference, or for the search"
            return Judgement("inconclusive", why=why, figures=figures)
        if comparison.difference:
            name = comparison.difference.partition(":")[0]
            return Judgement("violated", name, comparison.difference, figures)
        return Judgement("exhaustive", figures=figures)

    def smaller(self, program: Any) -> Iterator[Any]:
        whole = outline_of(program)
        parts = whole.threads
        for at in range(len(parts)):
            yield vars(replace(whole, threads=parts[:at] + parts[at + 1 :]))
        for at, statements in enumerate(parts):
            for number in range(len(statements)):
                fewer = [*statements[:number], *statements[number + 1 :]]
                yield vars(replace(whole, threads=[*parts[:at], fewer, *parts[at + 1 :]]))

    def text(self, program: Any) -> str:
        source = written(outline_of(program)).source
        return source[source.index("def t0") :] if program["threads"] else source
