"""A small implementation of the tests' own, with planted defects as source texts."""

from __future__ import annotations

from collections import deque
from functools import cache
from pathlib import Path

import pytest

from wheelproof import decisions, isolated
from wheelproof.decisions.read import module_of
from wheelproof.python import ControlledImplementation
from wheelproof.python.search.difference import Rows

ROOT = Path(__file__).parents[2] / "subjects" / "cell"

SCENARIOS = {
    "refilled": {
        "item": "x",
        "threads": {"d": [["drain"]], "p": [["put", "y"], ["put", "z"], ["put", "x"]]},
    },
    "mixed": {
        "threads": {
            "a": [["put", "x"], ["claim"]],
            "b": [["attempt"], ["claim"]],
            "c": [["drain"], ["attempt"]],
        }
    },
    "two_puts": {"threads": {"a": [["put", "x"]], "b": [["put", "y"]]}},
    "put_and_take": {
        "item": "x",
        "threads": {"a": [["take"]], "b": [["take"]], "c": [["put", "y"]]},
    },
    "alone": {"item": "x", "threads": {"a": [["drain"]]}},
}


DECISIONS = decisions.find(
    ROOT / "mutants" / "cell",
    {artefact: f"{artefact}/cell.py" for artefact in ("model", "impl", "harness")},
)


def modules_without(decision: str) -> dict[str, str]:
    """The modules that a decision's file changes, with their texts."""
    return (
        {module_of(file): text for file, text in DECISIONS[decision].texts(ROOT).items()}
        if decision
        else {}
    )


class Graph:
    """A model's graph: ``rows`` and ``shared_of`` for the explorer, and the states themselves."""

    def __init__(self, scenario, without: str = "") -> None:
        module = isolated.load(ROOT, "model.cell", modules_without(without))
        model, self.variables = module.Model(scenario), module.VARIABLES
        number = {model.initial(): 0}
        self.states, self.rows, todo = [model.initial()], Rows([], []), deque([model.initial()])
        while todo:
            row, results, before = {}, {}, todo.popleft()
            for thread, label, after in model.successors(before):
                if ended := model.outcomes(thread, before, after):
                    results[thread] = ended
                if after not in number:
                    number[after] = len(self.states)
                    self.states.append(after)
                    todo.append(after)
                row[thread] = (label, number[after])
            self.rows.append(row)
            self.rows.results.append(results)

    def shared_of(self, index):
        return dict(zip(self.variables, self.states[index][0], strict=True))

    @property
    def edges(self) -> int:
        return sum(map(len, self.rows))


class Cell:
    """The cell, its scenarios and its planted defects."""

    root = ROOT
    scenarios = SCENARIOS
    source = (ROOT / "impl" / "cell.py").read_text(encoding="utf-8")

    @staticmethod
    def load(*, without: str = "", **options) -> ControlledImplementation:
        return ControlledImplementation.load(
            ROOT, "cell", texts=modules_without(without) | options.pop("texts", {}), **options
        )

    @classmethod
    def edited(cls, *changes: tuple[str, str]) -> str:
        """The source with each (old, new) replaced; old must be there."""
        text = cls.source
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        return text

    @classmethod
    def planted(cls, *changes: tuple[str, str], lint: bool = False) -> ControlledImplementation:
        """The implementation with an edited source."""
        return cls.load(texts={"impl.cell": cls.edited(*changes)}, lint=lint)

    @staticmethod
    @cache
    def graph(scenario: str, without: str = "") -> Graph:
        """Shared by all tests: change none."""
        return Graph(SCENARIOS[scenario], without)

    @staticmethod
    def graph_of(scenario: dict) -> Graph:
        """The same of a scenario that has no name."""
        return Graph(scenario)


@pytest.fixture(scope="session")
def cell() -> type[Cell]:
    return Cell
