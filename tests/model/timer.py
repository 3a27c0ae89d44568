"""The mechanism under test, and TLC's graphs of its scenarios: each is dumped once in a run of the suite."""
from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from wheelproof import subject
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.layers.bench import Bench
from wheelproof.subject import Config
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.result import Outcome

ROOT = Path(__file__).parents[2]
STEM = "timer_task_list"
MECHANISM = subject.find(ROOT)[STEM]

FAST = tuple(name for name, config in MECHANISM.configs.items()
             if name == config.scenario and config.lane == "fast" and config.expect == "exhaustive")
"""The scenarios whose every property must hold, of the fast lane."""


def source(floor: str) -> str:
    """The text of the mechanism's module on a Python floor."""
    return (ROOT / floor / f"{STEM}.py").read_text(encoding="utf-8")


@cache
def model_graph(scenario: str) -> StateGraph:
    """The unchanged model's full graph of a scenario of the TOML; not to be changed."""
    return explore(MECHANISM.model(scenario))


@cache
def tlc_graph(scenario: str) -> TlcGraph:
    """TLC's full graph of a scenario of the TOML; not to be changed."""
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "states.dot"
        result = Bench(MECHANISM, Path(folder)).tlc(scenario, Config(scenario, scenario), deadlock=False, dump=dump)
        assert result.outcome is Outcome.COMPLETED, result.explanation
        return TlcGraph.read(dump)
