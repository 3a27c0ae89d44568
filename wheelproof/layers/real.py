"""Layer real: the scenario on the production runtime with real threads, thousands of rounds, checked at rest.

The end of every round must be one of the model's final states, and every invariant must hold in it. This samples what the
operating system happens to schedule; it is a check of the production runtime, not of the algorithm.
"""
from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from wheelproof import floors
from wheelproof.graph.explorer import StateGraph
from wheelproof.layers.bench import Bench, Report
from wheelproof.subject import Config
from wheelproof.verdict import Verdict

SECONDS = 60.0
"""After which a round that has not ended is taken for a deadlock."""

SWITCH_INTERVAL = 1e-6
"""Seconds between the interpreter's thread switches: as small as it will take."""


def outcomes(graph: StateGraph, invariants: Iterable[str]) -> dict[tuple, set[str]]:
    """Every final value of the implementation's shared variables -> the invariants that fail in it (none, for a good model)."""
    model = graph.model
    visible = [name for name in model.variables if name not in model.AUXILIARY]
    out: dict[tuple, set[str]] = {}
    for number in graph.final:
        values = dict(zip(model.variables, model.pieces(graph.states[number])))
        key = tuple(values[name] for name in visible)
        out.setdefault(key, set()).update(name for name in invariants if not model.holds(name, graph.states[number]))
    return out


class Stress:
    """Real threads that run a scenario again and again, each round on fresh objects."""

    def __init__(self, mapping: Any, scenario: Mapping[str, Any]) -> None:
        self.mapping, self.scenario = mapping, scenario
        self.programs = list(scenario["threads"].values())
        self.world: Any = None
        self.errors: list[BaseException] = []
        self.gate = threading.Barrier(len(self.programs) + 1)

    def body(self, program: list) -> None:
        """One thread: a round between two waits at the gate, until the gate is broken."""
        with suppress(threading.BrokenBarrierError):
            while True:
                self.gate.wait()
                try:
                    for operation, *arguments in program:
                        getattr(self.world, operation)(*arguments)
                except Exception as error:  # the subject's own: a finding, reported with its round
                    self.errors.append(error)
                self.gate.wait()

    def run(self, rounds: int, final: Mapping[tuple, set[str]], beat: Any) -> tuple[int, str, int]:
        """(rounds done, what went wrong or "", number of different outcomes)."""
        threads = [threading.Thread(target=self.body, args=(program,), daemon=True) for program in self.programs]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        seen = set()
        try:
            for thread in threads:
                thread.start()
            for number in range(1, rounds + 1):
                self.world = self.mapping.World(self.scenario)
                try:
                    self.gate.wait(SECONDS)
                    self.gate.wait(SECONDS)
                except threading.BrokenBarrierError:
                    return number, f"round {number} did not end within {SECONDS:g} s: a deadlock or a livelock", len(seen)
                if self.errors:
                    return number, f"round {number}: {type(self.errors[0]).__name__}: {self.errors[0]}", len(seen)
                outcome = tuple(self.mapping.shared(self.world).values())
                if outcome not in final:
                    return number, f"round {number} ended in a state that is no final state of the model: {outcome}", len(seen)
                if final[outcome]:
                    return number, f"round {number} violates {', '.join(sorted(final[outcome]))}", len(seen)
                seen.add(outcome)
                if not number % 500:
                    beat(number)
        finally:
            sys.setswitchinterval(interval)
            self.gate.abort()
        return rounds, "", len(seen)


def check(bench: Bench, config: Config) -> Report:
    """Run one passing scenario on real threads."""
    rounds = bench.limits.rounds
    started = bench.begin("real", config.name)
    final = outcomes(bench.explored(config, "real"), bench.mechanism.invariants)
    mapping = floors.load(bench.mechanism.root, f"mapping.{bench.mechanism.stem}")
    done, wrong, seen = Stress(mapping, bench.mechanism.scenarios[config.scenario]).run(rounds, final, bench.beat("real", config.name))
    return Report([bench.row(
        "real", config.name, started, expected="sampled", verdict=Verdict.VIOLATED if wrong else Verdict.SAMPLED,
        property="FinalState" if wrong else None, why=wrong, bound=f"{bench.bound(config.scenario)}, {rounds:,} rounds",
        figures={"rounds": done, "outcomes": seen, "outcomes_model": len(final)})])
