"""The rules beside the model: a run of the model, made by the implementation and recorded, leads to
the model's state."""

from __future__ import annotations

import pytest

from tests.wheelproof.trace.recorded import NAME, mechanisms, random_run, random_steps
from wheelproof.trace.judging.replay import key_of
from wheelproof.trace.judging.rules import Replay
from wheelproof.trace.judging.verdict import CONFORMS

SCENARIOS = [
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
]


def members(model, state):
    """List -> entries from the head on, and the other variables that a trace tells of, by the
    model."""
    pieces = dict(zip(model.variables, model.pieces(state)))
    nodes = [*model.lists, *model.entries]
    after = dict(zip(nodes, pieces["next"]))
    rings = {}
    for name in model.lists:
        ring, node = [], after[name]
        while node != name:
            ring.append(node)
            node = after[node]
        rings[name] = ring
    return rings, dict(zip(model.tasks, pieces["timerTaskEntry"])), pieces["taskCounter"][0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_recorded_run_of_the_model_ends_in_the_model_s_state(scenario, seed):
    model = mechanisms()[NAME].model(scenario)
    last = random_steps(scenario, seed)[-1][2]
    recorded = random_run(scenario, seed)
    run = Replay(recorded.header)
    for line, event in enumerate(sorted(recorded.events, key=key_of), 2):
        assert run.take(line, event) is None, event
    assert run.end(recorded.footer).verdict == CONFORMS
    names = recorded.header["names"]
    rings, pointers, counter = members(model, last)
    state = run.state
    assert {
        names[str(number)]: [names[str(entry)] for entry in ring]
        for number, ring in state.rings.items()
    } == rings
    assert {
        names[str(task)]: names.get(str(entry)) for task, entry in state.entry_of.items()
    } == pointers
    assert list(state.counters.values()) == [counter]


def test_the_comparison_can_fail():
    """A run of one schedule against the state after another."""
    model, differing = mechanisms()[NAME].model("two_adders"), 0
    for seed in range(6):
        rings, _, _ = members(model, random_steps("two_adders", seed + 100)[-1][2])
        recorded = random_run("two_adders", seed)
        run = Replay(recorded.header)
        for event in sorted(recorded.events, key=key_of):
            run.take(0, event)
        names = recorded.header["names"]
        differing += {
            names[str(number)]: [names[str(entry)] for entry in ring]
            for number, ring in run.state.rings.items()
        } != rings
    assert 0 < differing < 6
