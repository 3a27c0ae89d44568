"""The whole timer's mutants: the real threads are led through a run of the model, operation by
operation, and the trace is refused."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.nights import every
from tests.wheelproof.trace.recorded import mechanisms
from tests.wheelproof.trace.test_shrink import numbered
from traces.shrink import shrink
from wheelproof.trace import examples
from wheelproof.trace.format import jsonl
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.replay import key_of
from wheelproof.trace.judging.rules import Replay
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict
from wheelproof.trace.recording.record import Recorded, record
from wheelproof.trace.recording.runs import Infeasible

NAME = "system_timer"
SCENARIOS = (
    "one_adder",
    "stalled_adder",
    "two_adders",
    "one_bucket",
    "canceller",
    "added_again",
    "executor",
    "two_adders_far",
    "closing",
)

REFUSED = {
    "D1": "QueuedOnceWithItsKey",
    "D1_deadline": "QueuedOnceWithItsKey",
    "D1_late": "QueuedOnceWithItsKey",
    "D1_bystander": "QueuedOnceWithItsKey",
    "M8": "CancelWins",
    "M9": "CancelWins",
    "M10": "QueuedOnceWithItsKey",
    "M13": "NotCurrentSlot",
    "M17": "NotEarly",
    "M19": "CounterExact",
    "M19_stuck": "CounterExact",
    "D6": "RingWellFormed",
    "HandsOverAnyway": "FiredOnce",
    "HandsOverAnyway_runs": "FiredOnce",
    "HandsOverAnyway_type": "FiredOnce",
}
"""Mutant -> the property under which its trace is refused: that of the TOML, but for those in
OTHERWISE."""

OTHERWISE = {
    "D6": "the flush ends with entries in its ring, and that is seen first",
    **dict.fromkeys(
        ("D1_deadline", "D1_late", "D1_bystander"),
        "all that is wrong follows from the key that a queued bucket is given, and that is seen "
        "first",
    ),
    "M19_stuck": "that the reaper waits for ever follows from the counter, which is wrong at the "
    "first hand-over",
    "M13": "the clock has come to the slot by the time that the entry is linked into it, and that "
    "is seen before the bucket is given another key",
    **dict.fromkeys(
        ("HandsOverAnyway_runs", "HandsOverAnyway_type"),
        "what runs twice, or is handed over too often, was handed over while it waited, and that "
        "is seen first",
    ),
}
"""Mutant -> why its trace is refused under another property than the one that the TOML names."""


def judged(recorded: Recorded) -> Verdict:
    return replay.replay_events(recorded.header, recorded.events, recorded.footer)


@cache
def of_mutant(name: str) -> Recorded:
    return examples.of_mutant(mechanisms(), NAME, name)


def test_every_safety_mutant_is_here():
    mechanism = mechanisms()[NAME]
    safety = {
        name: mutant.property
        for name, mutant in mechanism.mutants.items()
        if mutant.property and mechanism.properties[mutant.property].kind != "liveness"
    }
    assert safety.keys() == REFUSED.keys()
    assert {
        name for name, property in REFUSED.items() if property != safety[name]
    } == OTHERWISE.keys()


@pytest.mark.parametrize("name", every(sorted(REFUSED), 3))
def test_each_mutant_is_refused_and_shrunk(name, tmp_path):
    recorded = of_mutant(name)
    assert recorded.mutant
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, REFUSED[name])
    small = shrink(recorded.header, numbered(recorded.events))
    assert (
        small.property == REFUSED[name]
        and len(small.events) <= 20
        and small.lines[-1] == verdict.first.line
    )
    jsonl.write(tmp_path / "small.jsonl", small.header, small.events, small.footer)
    assert replay.replay(tmp_path / "small.jsonl").first.property == REFUSED[name]


def contents(model, state):
    """Buckets in their order, each with its entries and its key, which entry each task has, the
    counter, and the wheels' clocks, by the model."""
    pieces = dict(zip(model.variables, model.pieces(state)))
    return (
        list(pieces["content"]),
        list(pieces["key"]),
        dict(zip(model.tasks, pieces["timerTaskEntry"])),
        pieces["taskCounter"][0],
        pieces["current"][0],
    )


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scenario", every(SCENARIOS, 3))
def test_a_recorded_run_of_the_model_leads_to_the_model_s_state(scenario, seed):
    """Halfway through too: at the end of a run of the timer nothing is left in it."""
    mechanism = mechanisms()[NAME]
    schedule = examples.random_schedule(mechanism, scenario, seed)
    for length in (len(schedule) // 2, len(schedule)):
        recorded = record(mechanisms(), NAME, scenario, "bisimulation", schedule=schedule[:length])
        run = Replay(recorded.header)
        for line, event in enumerate(sorted(recorded.events, key=key_of), 2):
            assert run.take(line, event) is None, event
        assert found(recorded, run.state, mechanism.model(scenario)) == contents(
            *after(mechanism, scenario, schedule[:length])
        )
    assert judged(recorded).verdict == CONFORMS


def test_the_comparison_can_fail():
    """A run halfway through, against the model a few steps further."""
    mechanism = mechanisms()[NAME]
    schedule = examples.random_schedule(mechanism, "two_adders", 0)
    recorded = record(
        mechanisms(), NAME, "two_adders", "bisimulation", schedule=schedule[: len(schedule) // 2]
    )
    run = Replay(recorded.header)
    for event in sorted(recorded.events, key=key_of):
        run.take(0, event)
    model = mechanism.model("two_adders")
    assert found(recorded, run.state, model) == contents(
        *after(mechanism, "two_adders", schedule[: len(schedule) // 2])
    )
    assert found(recorded, run.state, model) != contents(
        *after(mechanism, "two_adders", schedule[: len(schedule) // 2 + 6])
    )


def after(mechanism, scenario, schedule):
    """The model, and its state after a schedule; silent steps of a thread are made before its next
    one."""
    model = mechanism.model(scenario)
    state = model.initial()
    for name, label in schedule:
        while True:
            moves = {
                (model.threads[thread], step): next_state
                for thread, step, next_state in model.successors(state)
            }
            if (name, label) in moves:
                state = moves[name, label]
                break
            state = next(
                next_state
                for (thread, step), next_state in moves.items()
                if thread == name and step in mechanism.silent
            )
    return model, state


def found(recorded: Recorded, state, model):
    """The same by the rules. Entries have no names in the recording: a task's deadline tells which
    one it is."""
    names = {int(number): name for number, name in recorded.header["names"].items()}
    deadlines = {
        event["entry"]: (names[event["task"]], event["exp_ms"])
        for event in recorded.events
        if event["k"] == "entry_new"
    }
    entry_of = {(model.task_of[entry], model.deadline[entry]): entry for entry in model.entries}
    role = {number: entry_of[key] for number, key in deadlines.items()}
    slots = {
        event["list"]: (event["level"], event["bucket"])
        for event in recorded.events
        if "bucket" in event
    }
    rings, keys = [()] * len(model.buckets), [-1] * len(model.buckets)
    for bucket, (level, slot) in slots.items():
        place = (level - 1) * model.wheel_size + slot
        rings[place] = tuple(role[entry] for entry in state.rings.get(bucket, ()))
        keys[place] = state.keys.get(bucket, -1)
    live = {
        names[task]: role.get(entry)
        for task, entry in state.entry_of.items()
        if names.get(task) in model.tasks
    }
    return rings, keys, live, next(iter(state.counters.values())), state.wheel_ms


def test_the_kinds_of_a_wheel_are_recorded_and_judged():
    recorded = record(
        mechanisms(),
        NAME,
        "two_adders_far",
        "kinds",
        schedule=examples.random_schedule(mechanisms()[NAME], "two_adders_far", 1),
    )
    kinds = Counter(event["k"] for event in recorded.events)
    assert (
        kinds["add_request"] == kinds["entry_new"] == 2
        and kinds["wheel_place"] == kinds["list_add"] >= 3
    )
    assert (
        kinds["wheel_reject"] == kinds["expire_submit"] == 2
        and kinds["reinsert"] == kinds["list_remove"] >= 3
    )
    assert kinds["thread_start"] == kinds["thread_stop"] == 4
    request = next(event for event in recorded.events if event["k"] == "add_request")
    made = next(
        event
        for event in recorded.events
        if event["k"] == "entry_new" and event["task"] == request["task"]
    )
    assert made["exp_ms"] == request["now_ms"] + request["delay_ms"]
    verdict = judged(recorded)
    assert (
        verdict.verdict == CONFORMS
        and min(verdict.applied[name] for name in ("SlotInRange", "LevelBound", "NotEarly")) >= 3
    )


@pytest.mark.parametrize(
    ("kind", "change", "property"),
    [
        ("wheel_place", lambda event: {**event, "bucket": event["bucket"] + 1}, "SlotInRange"),
        ("wheel_place", lambda event: {**event, "wheel_ms": event["exp_ms"]}, "NotEarly"),
        (
            "wheel_place",
            lambda event: (
                {
                    **event,
                    "level": 2,
                    "vid": event["exp_ms"] // 3,
                    "bucket": event["exp_ms"] // 3 % 3,
                }
                if event["level"] == 1
                else None
            ),
            "LevelBound",
        ),
        (
            "wheel_place",
            lambda event: (
                {**event, "level": 1, "vid": event["exp_ms"], "bucket": event["exp_ms"] % 3}
                if event["level"] == 2
                else None
            ),
            "LevelBound",
        ),
        ("wheel_reject", lambda event: {**event, "wheel_ms": event["exp_ms"] - 1}, "NotEarly"),
        (
            "bucket_expiry_set",
            lambda event: {**event, "key_ms": -1} if event["pre"]["key_ms"] == -1 else None,
            "QueuedOnceWithItsKey",
        ),
    ],
)
def test_one_changed_event_is_refused_by_its_rule(kind, change, property):
    recorded = record(
        mechanisms(),
        NAME,
        "two_adders_far",
        "kinds",
        schedule=examples.random_schedule(mechanisms()[NAME], "two_adders_far", 1),
    )
    number, changed = next(
        (number, changed)
        for number, event in enumerate(recorded.events)
        if event["k"] == kind and (changed := change(dict(event))) is not None
    )
    verdict = replay.replay_events(
        recorded.header, [*recorded.events[:number], changed, *recorded.events[number + 1 :]], None
    )
    assert verdict.verdict == VIOLATES and verdict.first.property == property
    assert judged(recorded).verdict == CONFORMS


def test_a_schedule_that_a_lock_forbids_is_infeasible():
    """The adder links into the bucket that the reaper is flushing, whose monitor the reaper
    holds."""
    begin = [
        ("adder", label)
        for label in ["A1", "A2", "A3", "W1", "W2", "W3", "W4", "A4", "A1", "A2", "A3", "W1"]
    ]
    schedule = [
        *begin,
        ("clock", "C1"),
        *(("reaper", label) for label in ["R1", "R2", "R3", "R8", "R5", "R7", "V1", "F2"]),
        ("adder", "W2"),
    ]
    with pytest.raises(Infeasible) as caught:
        record(mechanisms(), NAME, "closing", "forbidden", mutant="M13", schedule=schedule)
    assert caught.value.steps == len(schedule)


def test_what_a_timer_read_and_for_whom_is_recorded():
    """The clock that a poll and an add read, and the entry for which a bucket is keyed: what rules
    of single events look at."""
    recorded = record(
        mechanisms(),
        NAME,
        "two_adders_far",
        "read",
        schedule=examples.random_schedule(mechanisms()[NAME], "two_adders_far", 1),
    )
    polls = [event for event in recorded.events if event["k"] == "dq_poll" and "list" in event]
    assert polls and all(event["key_ms"] <= event["now_ms"] for event in polls)
    made = [event for event in recorded.events if event["k"] == "entry_new"]
    assert made and all(event["exp_ms"] == event["now_ms"] + event["delay_ms"] for event in made)
    keyed = [
        event
        for event in recorded.events
        if event["k"] == "bucket_expiry_set" and event["key_ms"] >= 0
    ]
    ticks = {1: 1, 2: 3}
    assert keyed and all(
        event["key_ms"] == event["exp_ms"] // ticks[event["level"]] * ticks[event["level"]]
        for event in keyed
    )
