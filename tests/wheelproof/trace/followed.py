"""For the tests of the tiers that follow the model: traces judged by the rules and by the model, and traces that were changed."""
from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.wheelproof.trace.recorded import mechanisms
from tests.wheelproof.trace.test_replay import damages, renumbered
from wheelproof.trace import jsonl, replay
from wheelproof.trace.model_replay import ModelReplay
from wheelproof.trace.replay import Verdict


def footer_of(header: dict, events: list[dict]) -> dict[str, Any]:
    tally = jsonl.Tally(header)
    for event in events:
        tally.count(event)
    return tally.footer()


def by_model(header: dict, events: list[dict], footer: dict | None = None, **options: Any) -> tuple[Verdict, ModelReplay]:
    """The model's verdict, and the replay with the history of all events."""
    runs: list[ModelReplay] = []

    def judge(header: dict, cut: dict | None = None) -> ModelReplay:
        runs.append(ModelReplay(mechanisms(), header, cut=cut, keep=None, **options))
        return runs[-1]

    return replay.replay_events(header, events, footer or footer_of(header, events), judge), runs[-1]


def by_rules(header: dict, events: list[dict], footer: dict | None = None) -> Verdict:
    return replay.replay_events(header, events, footer or footer_of(header, events))


def changed(events: list[dict], sample: int | None = None, seed: int = 1) -> Iterator[tuple[str, list[dict]]]:
    """(what was done, the events after it): each event dropped, doubled, swapped, retargeted, with numbers that hide it; a sample by ``seed``, or all."""
    made = list(damages(events))
    if sample is not None and sample < len(made):
        made = random.Random(seed).sample(made, sample)
    for what, items in made:
        yield what, renumbered(items)
