"""Configs of another module than the mechanism's, in layer tlc: a refinement, or the abstract spec by itself.

A refinement says that every step of the fine spec is a step of the abstract one, or a stutter. Models have no part in it.
"""
from __future__ import annotations

from wheelproof.layers.bench import VERDICT_OF, Bench, Report, counts_of, drift
from wheelproof.subject import Config
from wheelproof.verdict import Verdict


def check(bench: Bench, config: Config) -> Report:
    """Check one property, the only one of its config (TLC 2.18 does not name the action property that fails)."""
    started = bench.begin("tlc", config.name, bench.limits.tlc_seconds)
    result = bench.tlc(config.name, config, deadlock=False, **stated(bench, config))
    verdict = VERDICT_OF[result.outcome]
    figures = counts_of(result) | ({"steps": len(result.trace) - 1} if verdict is Verdict.VIOLATED else {})
    fault = drift(config, figures) if verdict is Verdict.EXHAUSTIVE else ""
    return Report([bench.row(
        "tlc", config.name, started, expected=config.expect, verdict=verdict, property=result.property,
        expected_property=config.property if config.expect == "violated" else None, fault=fault, why=config.about if verdict == config.expect else result.explanation,
        bound=bench.bound(config.scenario), figures=figures)])


def stated(bench: Bench, config: Config) -> dict[str, tuple[str, ...]]:
    """The config's property, as what TLC takes it for."""
    invariant = bench.mechanism.properties[config.property].kind == "invariant"
    return {"invariants" if invariant else "properties": (config.property,)}
