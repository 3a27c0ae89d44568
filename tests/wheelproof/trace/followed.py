"""For the tests of the tiers that follow the model: traces judged by the rules and by the model,
and traces that were changed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from tests.wheelproof.trace.recorded import mechanisms, refused
from tests.wheelproof.trace.test_operation_traces import SOUND as operation_scenarios
from tests.wheelproof.trace.test_replay import damages, renumbered
from wheelproof.pipeline import law
from wheelproof.trace import examples
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.verdict import CONFORMS, Verdict
from wheelproof.trace.model.replay import ModelReplay
from wheelproof.trace.recording.record import Recorded, record

TIMER, OPERATION = "timer_task_list", "delayed_operation"

TIMER_SCENARIOS = (
    "two_adders",
    "flush_add_cancel",
    "flush_add_cancel_two_entries",
    "readd",
    "expire_two_cancels",
    "two_expire",
    "expire_readd",
    "adders_flush_cancels",
    "flush_two_cancels_readd",
    "moved_on",
    "cancels_crossed",
)

SCENARIOS = ((TIMER, TIMER_SCENARIOS), (OPERATION, operation_scenarios))
RUNS = [(mechanism, name) for mechanism, names in SCENARIOS for name in names]
"""(mechanism, scenario) of runs that conform."""

MUTANTS = [(of, name) for of in (TIMER, OPERATION) for name in refused(of) if name != "P9_live"]
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
    """The verdict of the table."""
    return law.verdict_on(header, events, footer or footer_of(header, events))


def accepted(header: dict, changed: Iterable[list[dict]]) -> list[bool]:
    """Of each changed trace whether both judges take it for sound: the table, and the model of its
    program."""
    traces = [(header, events, footer_of(header, events)) for events in changed]
    return [
        verdict.verdict == CONFORMS and by_model(*trace)[0].verdict == CONFORMS
        for trace, verdict in zip(traces, law.verdicts_on(traces), strict=True)
    ]


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


def judged_changes(
    recorded: Recorded, sample: int | None = None, seed: int = 1
) -> Iterator[tuple[str, list[dict], Verdict]]:
    """The changes of a recording, each with the verdict of the table."""
    made = list(changed(recorded.events, sample, seed))
    traces = [(recorded.header, events, footer_of(recorded.header, events)) for _, events in made]
    for (what, events), verdict in zip(made, law.verdicts_on(traces), strict=True):
        yield what, events, verdict
