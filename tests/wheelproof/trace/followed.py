"""For the tests of the tiers that follow the model: traces judged by the rules and by the model,
and traces that were changed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.wheelproof.trace.recorded import REJECTED, mechanisms
from tests.wheelproof.trace.test_agreement import SCENARIOS as timer_scenarios
from tests.wheelproof.trace.test_operation_traces import REFUSED
from tests.wheelproof.trace.test_operation_traces import SOUND as operation_scenarios
from tests.wheelproof.trace.test_replay import damages, renumbered
from wheelproof.trace import examples
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.verdict import Verdict
from wheelproof.trace.model.replay import ModelReplay
from wheelproof.trace.recording.record import Recorded, record

TIMER, OPERATION = "timer_task_list", "delayed_operation"

SCENARIOS = ((TIMER, timer_scenarios), (OPERATION, operation_scenarios))
RUNS = [(mechanism, name) for mechanism, names in SCENARIOS for name in names]
"""(mechanism, scenario) of runs that conform."""

MUTANTS = [(TIMER, name) for name in REJECTED] + [(OPERATION, name) for name in REFUSED]
"""(mechanism, mutant) of those that break a safety property: a recorded run of each is refused."""

UNLIKE = {
    (TIMER, "M2"): "accesses to plain fields that no lock orders have no place among the events",
    (
        TIMER,
        "FlushWithoutMonitor",
    ): "accesses to plain fields that no lock orders have no place among the events",
    (
        OPERATION,
        "P9",
    ): "the model's step without the note is another one than the code's, which shows nothing",
    (OPERATION, "P1"): "the read that ends forceComplete there shows nothing",
    (OPERATION, "ClearedLate"): "the bracket of an evaluation ends at another label there",
    (OPERATION, "H8"): "the bracket of an evaluation ends at another label there",
    (
        OPERATION,
        "BlockingTry",
    ): "a lock that is waited for is another kind of step than one that is tried",
    (
        OPERATION,
        "UnlockedTry",
    ): "an unlock of no lock is no event, and the evaluation's bracket ends there",
    (
        OPERATION,
        "P10",
    ): "the read whose result is ignored shows itself as an attempt that comes to nothing",
    (
        OPERATION,
        "P11",
    ): "locks that are none order nothing, so that what threads see has no place among the events",
}
"""Mutants whose run is none of the model without their decision either, and why."""


@cache
def random_run_of(mechanism: str, scenario: str, seed: int = 1) -> Recorded:
    """A run of the implementation by a random run of the model."""
    return record(
        mechanisms(),
        mechanism,
        scenario,
        f"{scenario}-{seed}",
        schedule=examples.random_schedule(mechanisms()[mechanism], scenario, seed),
    )


def footer_of(header: dict, events: list[dict]) -> dict[str, Any]:
    tally = Tally(header)
    for event in events:
        tally.count(event)
    return tally.footer()


def by_model(
    header: dict, events: list[dict], footer: dict | None = None, without: str = "", **options: Any
) -> tuple[Verdict, ModelReplay]:
    """The verdict of the model without a decision, and the replay with the history of all
    events."""
    runs: list[ModelReplay] = []
    module = (header.get("spec") or {}).get("module")
    known = {
        mechanism: each.without(without) if without and each.module == module else each
        for mechanism, each in mechanisms().items()
    }

    def judge(header: dict, cut: dict | None = None) -> ModelReplay:
        runs.append(ModelReplay(known, header, cut=cut, keep=None, **options))
        return runs[-1]

    return replay.replay_events(header, events, footer or footer_of(header, events), judge), runs[
        -1
    ]


def by_rules(header: dict, events: list[dict], footer: dict | None = None) -> Verdict:
    return replay.replay_events(header, events, footer or footer_of(header, events))


def changed(
    events: list[dict], sample: int | None = None, seed: int = 1
) -> Iterator[tuple[str, list[dict]]]:
    """(what was done, the events after it): each event dropped, doubled, swapped, retargeted, with
    numbers that hide it; a sample by ``seed``, or all."""
    made = list(damages(events))
    if sample is not None and sample < len(made):
        made = random.Random(seed).sample(made, sample)
    for what, items in made:
        yield what, renumbered(items)
