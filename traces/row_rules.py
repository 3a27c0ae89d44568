"""The rules of one event, which are those of the table in bulk: the part of ``rules.TimerState``
that needs no state."""

from __future__ import annotations

from functools import cache

from traces.bulk import row, start
from traces.events import Refusal, Step
from wheelproof.pipeline.frames import RUNS
from wheelproof.pipeline.one_by_one import OneByOne


class RowRules:
    """``rows``: the rules of one event, of this run's wheel."""

    rows: OneByOne

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _alone(self, event: Step) -> Refusal | None:
        for rule, wrong in self.rows.concerned(event):
            self._look(rule.name)
            if wrong is not None:
                return Refusal(rule.name, f"{rule.says}, and not: {wrong}")
        return None


@cache
def rows(tick_ms: int | None, wheel_size: int | None) -> OneByOne:
    """The rules, with the ticks of this wheel's levels."""
    tick, size, _ = start.config({"config": {"tick_ms": tick_ms, "wheel_size": wheel_size}})
    run = dict.fromkeys(RUNS.columns) | {"tick_ms": tick, "wheel_size": size}
    return OneByOne(row.FAMILY, run)
