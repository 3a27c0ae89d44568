"""Labelled operations recorded on real threads: runs of the implementation are runs of the model,
those of mutants and changed recordings are not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.nights import by_night, of_each_mechanism, only
from tests.wheelproof.trace.steps.followed import (
    UNSEEN,
    judged,
    mechanisms,
    with_events,
)
from wheelproof import isolated
from wheelproof.trace.examples import Unmakable, random_schedule
from wheelproof.trace.steps.examples import ending, of_mutant
from wheelproof.trace.steps.record import record

NAMES = tuple(mechanisms())
FREE = [
    mechanism
    for mechanism, each in mechanisms().items()
    if not hasattr(isolated.load(each.root, f"harness.{mechanism}"), "BY_SCHEDULE")
]
SAFETY = [
    (mechanism, name)
    for mechanism in NAMES
    for name, mutant in mechanisms()[mechanism].mutants.items()
    if mutant.property and mechanisms()[mechanism].properties[mutant.property].kind != "liveness"
]
LIVENESS = [
    (mechanism, name)
    for mechanism in NAMES
    for name, mutant in mechanisms()[mechanism].mutants.items()
    if mutant.property and (mechanism, name) not in SAFETY
]


def recorded(mechanism, scenario, seed=1):
    """A free run, or one by a schedule where free runs need not follow the model."""
    if mechanism not in FREE:
        return scheduled(mechanism, scenario, seed)[0]
    return record(mechanisms()[mechanism], scenario, f"{mechanism}-{scenario}", seed=seed)


def scheduled(name, scenario, seed):
    mechanism = mechanisms()[name]
    schedule = random_schedule(mechanism, scenario, seed)
    return record(mechanism, scenario, f"{name}-{scenario}", schedule=schedule), schedule


def small(mechanism):
    """The scenario of a mechanism with the fewest operations of at least two threads."""
    scenarios = mechanisms()[mechanism].scenarios
    several = [
        name for name in ending(mechanisms()[mechanism]) if len(scenarios[name]["threads"]) > 1
    ]
    return min(several, key=lambda name: sum(map(len, scenarios[name]["threads"].values())))


LARGE = (
    *("delayed_operation", "partition_leader", "purgatory"),
    *("system_timer", "timer_task_list", "timing_wheel"),
)


FEW = only(NAMES, "atomic", "read_write_lock", "task_executor")
"""Mechanisms whose recordings are changed, step by step."""


@pytest.mark.parametrize(
    "mechanism", [by_night(mechanism) if mechanism in LARGE else mechanism for mechanism in FREE]
)
def test_a_free_run_of_each_scenario_is_one_of_the_model(mechanism):
    for scenario in ending(mechanisms()[mechanism]):
        verdict = judged(recorded(mechanism, scenario))
        assert (verdict.verdict, verdict.findings) == ("conforms", ())
        assert verdict.applied["Next"] > 0


@pytest.mark.parametrize("mechanism", FEW)
def test_a_run_by_a_schedule_takes_the_steps_of_the_schedule(mechanism):
    for seed in range(3):
        run, schedule = scheduled(mechanism, small(mechanism), seed)
        assert judged(run).verdict == "conforms"
        taken = [(e["thread"], e["label"]) for e in run.events if e["k"] in ("step", "begin")]
        seen = set(run.header["threads"])
        assert taken == [step for step in schedule if step[0] in seen]


@pytest.mark.parametrize("mechanism", NAMES)
def test_a_run_by_a_schedule_says_what_each_step_changes(mechanism):
    """Between two steps of a schedule no thread is in the middle of one."""
    run, _ = scheduled(mechanism, small(mechanism), 1)
    states = [event for event in run.events if event["k"] == "state"]
    assert len(states) > 3 or mechanism == "overflow_wheel"


@pytest.mark.parametrize("mechanism, name", of_each_mechanism(SAFETY + LIVENESS))
def test_a_recording_of_a_mutant_is_refused(mechanism, name):
    declared = mechanisms()[mechanism]
    if (mechanism, name) in UNSEEN:
        with pytest.raises(Unmakable):
            of_mutant(declared, name)
        return
    run = of_mutant(declared, name)
    assert run.mutant == declared.mutants[name].decision
    verdict = judged(run)
    assert verdict.verdict == "violates", verdict.findings
    assert verdict.first.property == "Next" and verdict.first.message


@pytest.mark.parametrize("mechanism", FEW)
def test_a_recording_without_one_of_its_steps_is_refused(mechanism):
    run, _ = scheduled(mechanism, small(mechanism), 2)
    steps = [i for i, event in enumerate(run.events) if event["k"] in ("step", "begin", "end")]
    for gone in steps:
        left = with_events(run, [e for i, e in enumerate(run.events) if i != gone])
        assert judged(left).verdict == "violates", run.events[gone]


@pytest.mark.parametrize("mechanism", FEW)
def test_a_recording_with_a_step_twice_is_refused(mechanism):
    run, _ = scheduled(mechanism, small(mechanism), 2)
    for place, event in enumerate(run.events):
        if event["k"] == "step":
            twice = [*run.events[: place + 1], *run.events[place:]]
            assert judged(with_events(run, twice)).verdict == "violates", event


@pytest.mark.parametrize("mechanism", FEW)
def test_a_recording_with_another_label_is_refused(mechanism):
    run, _ = scheduled(mechanism, small(mechanism), 2)
    labels = sorted({event["label"] for event in run.events if "label" in event})
    for place, event in enumerate(run.events):
        if event["k"] == "step":
            other = next(label for label in labels if label != event["label"])
            changed = [
                *run.events[:place],
                event | {"label": other},
                *run.events[place + 1 :],
            ]
            assert judged(with_events(run, changed)).verdict == "violates", event


@pytest.mark.parametrize("mechanism", FEW)
def test_a_recording_in_which_two_steps_of_a_thread_are_swapped_is_refused(mechanism):
    run, _ = scheduled(mechanism, small(mechanism), 2)
    for name in run.header["threads"]:
        mine = [i for i, e in enumerate(run.events) if e.get("thread") == name and e["k"] == "step"]
        for one, two in pairwise(mine):
            events = list(run.events)
            if events[one]["label"] != events[two]["label"]:
                events[one], events[two] = events[two], events[one]
                assert judged(with_events(run, events)).verdict == "violates"


@pytest.mark.parametrize(
    "mechanism", [mechanism for mechanism in FEW if mechanism != "overflow_wheel"]
)
def test_a_recording_with_another_value_is_refused(mechanism):
    run, _ = scheduled(mechanism, small(mechanism), 2)
    for place, event in enumerate(run.events):
        for name in event.get("state", ()):
            state = event["state"] | {name: ["another"]}
            changed = [
                *run.events[:place],
                event | {"state": state},
                *run.events[place + 1 :],
            ]
            verdict = judged(with_events(run, changed))
            assert verdict.verdict == "violates" and name in verdict.first.message


def test_a_recording_in_which_an_operation_returns_something_else_is_refused():
    run = recorded("task_executor", small("task_executor"))
    place = next(i for i, event in enumerate(run.events) if event["k"] == "return")
    changed = [
        *run.events[:place],
        run.events[place] | {"value": 7},
        *run.events[place + 1 :],
    ]
    verdict = judged(with_events(run, changed))
    assert verdict.verdict == "violates" and "returns 7" in verdict.first.message


def test_a_deadlock_of_the_model_is_one_of_the_threads():
    """Two flushes in opposite directions: the model has the deadlock too, so that it conforms."""
    from wheelproof.graph.explorer import explore

    mechanism = mechanisms()["timer_task_list"]
    graph = explore(mechanism.model("opposite_flushes"))
    path = graph.path(graph.deadlocks[0])
    schedule = [
        (graph.model.threads[thread], label)
        for thread, label, _ in path
        if label not in mechanism.silent
    ]
    run = record(mechanism, "opposite_flushes", "deadlock", schedule=schedule)
    assert [event["k"] for event in run.events[-2:]] == ["blocked", "blocked"]
    assert judged(run).verdict == "conforms"


def test_an_order_token_counts_what_its_lock_has_seen():
    run = recorded("one_shot", "three", seed=3)
    tokens: dict[str, list[int]] = {}
    for event in run.events:
        for kind, name, number, _ in event.get("ord", ()):
            if kind == "L":
                tokens.setdefault(name, []).append(number)
    assert tokens and all(
        numbers == list(range(1, len(numbers) + 1)) for numbers in tokens.values()
    )


def test_versions_of_a_variable_rise_with_its_writes():
    run = recorded("atomic", ending(mechanisms()["atomic"])[0])
    version: dict[str, int] = {}
    seen = 0
    for event in run.events:
        for kind, name, number, mode in event.get("ord", ()):
            if kind == "V":
                version[name] = version.get(name, 0) + (mode in ("w", "cas+"))
                assert number == version[name]
                seen += 1
    assert seen > 2


def test_a_gap_is_no_evidence_of_anything():
    run = recorded("one_shot", "two")
    gone = [event for place, event in enumerate(run.events) if place != 3]
    verdict = judged(type(run)(run.header, gone))
    assert verdict.verdict == "incomplete" and verdict.first.property == "Sequence"


def test_a_recording_without_steps_shows_nothing():
    run = recorded("one_shot", "two")
    program = run.header["program"] | {"threads": {"a": []}}
    header = run.header | {"program": program, "threads": ["a"]}
    empty = type(run)(header, [{"seq": 1, "k": "stop", "thread": "a", "tseq": 1}])
    assert judged(empty).verdict == "vacuous"


def test_a_recording_of_another_mechanism_is_out_of_the_model():
    run = recorded("one_shot", "two")
    header = run.header | {"spec": {"module": "Unknown"}}
    assert judged(type(run)(header, run.events)).verdict == "out-of-model"
