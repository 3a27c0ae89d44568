"""Every harness: initial states, variables, operations, and changed objects as variables."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given

from harness import system_timer, timer_task_list
from tests.harness.changes import CHANGED, near
from tests.harness.mapping import MECHANISMS, visible
from tests.model.artefacts import ROOT
from tests.model.drawing import scenarios
from wheelproof.python import ControlledImplementation

HISTORY = {
    "atomic": {"exact", "ought"},
    "controller": {"elections", "stale", "robbed", "overwritten"},
    "coordinator_load": set(),
    "delay_queue": {"leading", "queued"},
    "delayed_operation": {"won", "raised", "winner", "expiredBy", "gaveUp"},
    "event_queue": {"entered"},
    "overflow_wheel": {"wheel", "time", "settled", "late", "unlinked", "revoked", "slipped"},
    "parted_timer": {
        "thrown",
        "raised",
        "rekeyed",
        "early",
        "submitted",
        "revoked",
        "slipped",
        "moved",
        "came",
        "behind",
        "credit",
    },
    "partition_leader": {
        "led",
        "accepted",
        "complete",
        "elections",
        "overwritten",
        "lost",
        "dead",
    },
    "purgatory": {
        "won",
        "raised",
        "count",
        "taken",
        "winner",
        "expiredBy",
        "places",
        "dropped",
        "revoked",
    },
    "read_write_lock": {"raised"},
    "share_fetch": {"won", "answers"},
    "system_timer": {
        "thrown",
        "raised",
        "reaperDied",
        "rekeyed",
        "early",
        "submitted",
        "handed",
        "revoked",
        "slipped",
        "ran",
        "added",
    },
    "system_timer_reaper": {"early", "late"},
    "task_executor": {"accepted", "closed", "refused"},
    "timer_task_list": {"revoked", "slipped", "owed"},
    "timing_wheel": {"rekeyed", "early"},
}
"""Mechanism -> variables of the model that the implementation lacks."""

OPERATIONS = {
    "atomic": {"add", "cas", "get", "set", "swap"},
    "controller": {
        "serve",
        "connect",
        "expire",
        "leave",
        "remove",
        "overwrite",
        "lag",
        "hear",
        "lose",
        "notify",
        "shrink",
        "visit",
        "rest",
    },
    "coordinator_load": {"lead", "follow", "resign", "fetch", "load", "write"},
    "delay_queue": {"clock", "interrupt", "offer", "poll", "poll_now"},
    "delayed_operation": {
        "deliver",
        "deliver_holding",
        "deliver_after",
        "attempt",
        "hold",
        "expire",
    },
    "event_queue": {"close", "expire", "put", "work"},
    "overflow_wheel": {"place", "add", "cancel", "check", "memory"},
    "parted_timer": {"add", "cancel", "close", "reap", "wake", "tick", "execute"},
    "partition_leader": {
        "elect",
        "shrink",
        "expand",
        "recover",
        "fail",
        "start",
        "stop",
        "survey",
    },
    "purgatory": {
        "watch",
        "watch_holding",
        "deliver",
        "check",
        "force",
        "expire",
        "cancel_key",
        "purge",
        "watched",
        "num_delayed",
    },
    "read_write_lock": {"interrupt", "read", "read_on", "write"},
    "share_fetch": {
        "fetch",
        "expire",
        "release",
        "accept",
        "write",
        "fail",
        "time_out",
        "append",
        "trim",
    },
    "system_timer": {"add", "cancel", "close", "reap", "tick", "execute"},
    "system_timer_reaper": {"close", "reap"},
    "task_executor": {"close", "submit", "work"},
    "timer_task_list": {"add", "remove", "cancel", "schedule", "flush", "expire"},
    "timing_wheel": {"add", "expire", "withdraw"},
}

UNDER_CONTROL = {"system_timer_reaper", "task_executor"}
"""Mechanisms whose harness steers threads of the implementation: it runs under control alone."""


def shown(mechanism, scenario):
    """The variables that a harness shows at the start of a scenario."""
    if mechanism in UNDER_CONTROL:
        run = ControlledImplementation.load(ROOT, mechanism).begin(scenario)
        found = run.shared()
        run.end()
        return found
    module = import_module(f"harness.{mechanism}")
    return module.shared(module.Harness(scenario))


@pytest.mark.parametrize(
    "mechanism, name",
    [(mechanism, name) for mechanism, of in MECHANISMS.items() for name in of.scenarios],
)
def test_a_scenario_begins_in_the_models_initial_state(mechanism, name):
    model = MECHANISMS[mechanism].model(name)
    assert shown(mechanism, MECHANISMS[mechanism].scenarios[name]) == visible(
        model, model.initial()
    )


@given(scenarios())
def test_a_drawn_scenario_begins_in_the_models_initial_state(scenario):
    model = MECHANISMS["timer_task_list"].model_of(scenario)
    assert shown("timer_task_list", scenario) == visible(model, model.initial())


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_variables_are_the_models_without_its_history(mechanism):
    name = next(iter(MECHANISMS[mechanism].scenarios))
    model = MECHANISMS[mechanism].model(name)
    assert set(shown(mechanism, MECHANISMS[mechanism].scenarios[name])) == (
        set(model.variables) - model.AUXILIARY
    )
    assert model.AUXILIARY == HISTORY[mechanism]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_operation_of_a_program_is_a_method(mechanism):
    operations = {
        step[0]
        for of in MECHANISMS[mechanism].scenarios.values()
        for program in of["threads"].values()
        for step in program
    }
    assert operations == OPERATIONS[mechanism]
    harness = import_module(f"harness.{mechanism}").Harness
    assert all(callable(getattr(harness, operation)) for operation in operations)


# -- changed objects


@pytest.mark.parametrize(
    "mechanism, variable",
    [(mechanism, variable) for mechanism, of in CHANGED.items() for variable in of.changes],
)
def test_a_changed_object_is_a_changed_variable(mechanism, variable):
    of, shared = CHANGED[mechanism], import_module(f"harness.{mechanism}").shared
    harness = of.harness(variable)
    before = shared(harness)
    of.changes[variable](harness)
    after = shared(harness)
    assert {name for name in before if before[name] != after[name]} == (
        {variable} | of.along.get(variable, set())
    )


@pytest.mark.parametrize(
    "mechanism, number",
    [(mechanism, number) for mechanism, of in CHANGED.items() for number in range(len(of.held))],
)
def test_a_held_lock_is_a_changed_variable(mechanism, number):
    variable, label, scenario, expected, along = CHANGED[mechanism].held[number]
    run = ControlledImplementation.load(ROOT, mechanism).begin(scenario)
    while run.labels != [label]:
        run.step(0)
    before = run.shared()
    run.step(0)
    after = run.shared()
    run.end()
    changed = {name for name in before if before[name] != after[name]}
    assert variable in changed <= {variable} | along
    assert expected in after[variable] and expected not in before[variable]


@pytest.mark.parametrize("mechanism", CHANGED)
def test_every_variable_has_its_changed_object(mechanism):
    of = CHANGED[mechanism]
    model = of.model()
    locks = {variable for variable, *_ in of.held} | of.elsewhere
    assert set(of.changes) | locks == set(visible(model, model.initial()))
    assert not set(of.changes) & locks


@pytest.mark.parametrize(
    "module, change",
    [
        (timer_task_list, lambda w, o: setattr(w.entries["e1"], "next", o.entries["e1"])),
        (system_timer, lambda w, o: w.executor.submit(near(o))),
    ],
)
def test_an_object_of_another_harness_has_no_name(module, change):
    mechanism = module.__name__.rpartition(".")[2]
    harness, other = CHANGED[mechanism].harness(""), CHANGED[mechanism].harness("")
    change(harness, other)
    with pytest.raises(KeyError):
        module.shared(harness)
