"""A small subject of the tests' own, with planted defects as source texts."""
from __future__ import annotations

import importlib.util
from collections import deque
from pathlib import Path

import pytest

from wheelproof.explore import Subject
from wheelproof.explore.difference import Rows

ROOT = Path(__file__).parents[2] / "subjects" / "cell"

SCENARIOS = {
    "refilled": {"item": "x", "threads": {"d": [["drain"]], "p": [["put", "y"], ["put", "z"], ["put", "x"]]}},
    "mixed": {"threads": {"a": [["put", "x"], ["claim"]], "b": [["attempt"], ["claim"]], "c": [["drain"], ["attempt"]]}},
    "two_puts": {"threads": {"a": [["put", "x"]], "b": [["put", "y"]]}},
    "put_and_take": {"item": "x", "threads": {"a": [["take"]], "b": [["take"]], "c": [["put", "y"]]}},
    "alone": {"item": "x", "threads": {"a": [["drain"]]}},
}


def _model_module():
    spec = importlib.util.spec_from_file_location("cell_model", ROOT / "model" / "cell.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODEL = _model_module()


class Graph:
    """A model's graph: ``rows`` and ``shared_of`` as the explorer takes them, and the states themselves."""

    def __init__(self, scenario, **switches) -> None:
        model = MODEL.Model(scenario, switches)
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
        return dict(zip(MODEL.VARIABLES, self.states[index][0]))

    @property
    def edges(self) -> int:
        return sum(map(len, self.rows))


class Cell:
    """What the tests do with the subject."""

    root = ROOT
    scenarios = SCENARIOS
    source = (ROOT / "impl" / "cell.py").read_text(encoding="utf-8")

    @staticmethod
    def load(**options) -> Subject:
        return Subject.load(ROOT, "cell", **options)

    @classmethod
    def edited(cls, *changes: tuple[str, str]) -> str:
        """The source with each (old, new) replaced; old must be there."""
        text = cls.source
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        return text

    @classmethod
    def planted(cls, *changes: tuple[str, str], lint: bool = False) -> Subject:
        """The subject with an edited implementation."""
        return cls.load(texts={"impl.cell": cls.edited(*changes)}, lint=lint)

    @staticmethod
    def graph(scenario: str, **switches) -> Graph:
        return Graph(SCENARIOS[scenario], **switches)

    @staticmethod
    def graph_of(scenario: dict) -> Graph:
        """The same of a scenario that has no name."""
        return Graph(scenario)


@pytest.fixture(scope="session")
def cell() -> type[Cell]:
    return Cell
