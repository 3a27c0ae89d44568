"""The rules of one event, which are those of the table in bulk: nothing that came before counts."""

from __future__ import annotations

from functools import cache

from traces.bulk import row, start
from traces.events import Refusal, Step
from traces.facts import Facts
from wheelproof.pipeline.frames import RUNS
from wheelproof.pipeline.one_by_one import OneByOne


def alone(facts: Facts, event: Step) -> Refusal | None:
    """Why no thread can take the event, whatever came before."""
    for rule, wrong in rows(facts.tick_ms, facts.wheel_size).concerned(event):
        facts.look(rule.name)
        if wrong is not None:
            return Refusal(rule.name, f"{rule.says}, and not: {wrong}")
    return None


@cache
def rows(tick_ms: int | None, wheel_size: int | None) -> OneByOne:
    """The rules, with the ticks of this wheel's levels."""
    measures = {"tick_ms": tick_ms, "wheel_size": wheel_size}
    known = {name: value for name, value in measures.items() if value is not None}
    tick, size, _ = start.config({"config": known})
    run = dict.fromkeys(RUNS.columns) | {"tick_ms": tick, "wheel_size": size}
    return OneByOne(row.FAMILY, run)
