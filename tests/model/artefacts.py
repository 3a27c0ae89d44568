"""A mechanism under test: its TOML, its modules' texts, and its graphs.

TLC's graphs are dumped once in a run of the suite.
"""

from __future__ import annotations

import tempfile
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tests.found import mechanisms
from wheelproof.checks.context import Context
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.python import ControlledImplementation
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.result import Outcome

ROOT = Path(__file__).parents[2]


class Artefacts:
    """One mechanism by the name of its modules. Its methods return shared objects: change none."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.model_graph, self.tlc_graph, self.rows = map(
            cache, (self._model_graph, self._tlc_graph, self._rows)
        )

    @cached_property
    def mechanism(self) -> Mechanism:
        return mechanisms()[self.name]

    @property
    def fast(self) -> tuple[str, ...]:
        """The scenarios whose every property must hold, of the fast profile."""
        return tuple(
            name
            for name, config in self.mechanism.configs.items()
            if name == config.scenario
            and config.profile == "fast"
            and config.expect == "exhaustive"
        )

    def source(self, artefact: str) -> str:
        """The text of the mechanism's module on a Python artefact."""
        return (ROOT / artefact / f"{self.name}.py").read_text(encoding="utf-8")

    def mutant(self, decision: str, **options: Any) -> ControlledImplementation:
        """The implementation without a decision, under control."""
        changed = self.mechanism.without(decision)
        return ControlledImplementation.load(ROOT, self.name, texts=changed.modules, **options)

    def _model_graph(self, scenario: str, decision: str = "") -> StateGraph:
        """The model's full graph of a scenario of the TOML, without a decision."""
        return explore(self.mechanism.without(decision).model(scenario))

    def _rows(self, scenario: str) -> tuple[Any, Any]:
        """The model's reduced graph for a bisimulation: rows, and a state's shared variables."""
        graph = reduced.reduce(self.mechanism.model(scenario), self.mechanism.silent)
        return reduced.rows(graph), reduced.shared_of(graph)

    def _tlc_graph(self, scenario: str, decision: str = "") -> TlcGraph:
        """TLC's full graph of a scenario of the TOML, without a decision."""
        with tempfile.TemporaryDirectory() as folder:
            dump = Path(folder) / "states.dot"
            context = Context(self.mechanism.without(decision), Path(folder))
            result = context.tlc(
                scenario, Config(scenario, scenario, without=decision), deadlock=False, dump=dump
            )
            assert result.outcome is Outcome.COMPLETED, result.explanation
            return TlcGraph.read(dump)
