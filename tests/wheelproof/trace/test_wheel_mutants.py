"""The two wheels recorded: runs of their scenarios conform, each mutant's is refused by a rule, and
what no trace can show is listed with the reason."""

from __future__ import annotations

from functools import cache

import pytest

from tests.nights import every
from tests.wheelproof.trace.recorded import mechanisms
from tests.wheelproof.trace.test_shrink import numbered
from traces.shrink import shrink
from wheelproof.trace import examples
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.replay import key_of
from wheelproof.trace.judging.rules import Replay
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict
from wheelproof.trace.recording.record import Recorded, record

WHEEL, OVERFLOW = "timing_wheel", "overflow_wheel"
SCENARIOS = [
    (WHEEL, name)
    for name in (
        "cascade",
        "four_buckets",
        "two_adders",
        "three_adders",
        "withdrawn",
        "two_withdrawn",
        "a_turn",
        "two_keys",
        "two_keys_later_first",
        "unrounded",
        "two_reapers",
    )
] + [(OVERFLOW, name) for name in ("two", "three", "cancelled")]

REFUSED = {
    (WHEEL, "M11"): "QueuedOnceWithItsKey",
    (WHEEL, "M12"): "QueuedOnceWithItsKey",
    (WHEEL, "M12_lost"): "QueuedOnceWithItsKey",
    (WHEEL, "ResetLate"): "QueuedOnceWithItsKey",
    (WHEEL, "M13"): "NotCurrentSlot",
    (WHEEL, "M17_slot"): "NotEarly",
    (WHEEL, "M17_bucket"): "NotEarly",
    (WHEEL, "M17_turn"): "LevelBound",
    (WHEEL, "M17_level"): "LevelBound",
    (WHEEL, "M18_bucket"): "LevelBound",
    (WHEEL, "WrongSlot"): "SlotInRange",
    (WHEEL, "WrongSlot_keys"): "SlotInRange",
    (WHEEL, "WrongSlot_late"): "SlotInRange",
    (WHEEL, "SaysNo"): "NotEarly",
    (WHEEL, "SaysNo_early"): "NotEarly",
    (WHEEL, "SaysNo_type"): "NotEarly",
    (OVERFLOW, "M16"): "OneOverflowWheel",
    (OVERFLOW, "KeepsMonitor"): "NoDeadlock",
}
"""(mechanism, mutant) -> the property under which its trace is refused: that of the TOML, but for
those in OTHERWISE."""

OTHERWISE = {
    (
        WHEEL,
        "M12_lost",
    ): "that a thread waits for ever follows from the key that a flushed bucket keeps, and that "
    "is seen when the bucket is let go",
    **dict.fromkeys(
        [(WHEEL, "M17_slot"), (WHEEL, "M17_bucket")],
        "what is put into a slot whose turn has come is due, and the placing comes before the link",
    ),
    (
        WHEEL,
        "M17_turn",
    ): "an entry that wraps onto the clock's slot is beyond its level's turn, which the placing "
    "says",
    (
        WHEEL,
        "M18_bucket",
    ): "a level whose clock is between two of its ticks takes what the level below reaches, which "
    "the placing says",
    **dict.fromkeys(
        [(WHEEL, "WrongSlot_keys"), (WHEEL, "WrongSlot_late")],
        "two ticks share a slot, and hide each other's key, because the first was put there",
    ),
    **dict.fromkeys(
        [(WHEEL, "SaysNo"), (WHEEL, "SaysNo_type")],
        "what is handed over twice, or too often, was refused as due when it was not, and that is "
        "seen first",
    ),
}
"""(mechanism, mutant) -> why its trace is refused under another property than the one that the TOML
names."""

DELAYED = dict.fromkeys(
    ("PlainWheel", "M6", "M7"),
    "memory has to delay a store of the field that is plain now; those of recorded threads "
    "are seen at once",
)
"""Mutant of overflow_wheel that no recording can show -> why. Its traces conform."""

ENDLESS = {"M17_late": "M17_slot", "M18": "M18_bucket"}
"""Mutant of timing_wheel that breaks a liveness property, which no finite trace does -> the mutant
of the same class that is refused."""


def judged(recorded: Recorded) -> Verdict:
    return replay.replay_events(recorded.header, recorded.events, recorded.footer)


@cache
def of_mutant(mechanism: str, name: str) -> Recorded:
    return examples.of_mutant(mechanisms(), mechanism, name)


@cache
def random_run_of(mechanism: str, scenario: str, seed: int = 1) -> Recorded:
    return record(
        mechanisms(),
        mechanism,
        scenario,
        f"{scenario}-{seed}",
        schedule=examples.random_schedule(mechanisms()[mechanism], scenario, seed),
    )


def kinds_of(recorded: Recorded) -> list[str]:
    return [event["k"] for event in recorded.events]


# -- runs that conform


@pytest.mark.parametrize("mechanism, scenario", every(SCENARIOS, 3))
def test_a_scenario_conforms_by_a_schedule_and_on_threads_of_its_own(mechanism, scenario):
    for recorded in (
        random_run_of(mechanism, scenario),
        random_run_of(mechanism, scenario, 2),
        record(mechanisms(), mechanism, scenario, scenario),
    ):
        verdict = judged(recorded)
        assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert {name for _, name in SCENARIOS} >= mechanisms()[mechanism].scenarios.keys()


def contents(mechanism: str, scenario: str, schedule: list) -> tuple:
    """Buckets in their order with their entries and keys, the counter, and the lowest clock, by the
    model after a schedule."""
    declared = mechanisms()[mechanism]
    model = declared.model(scenario)
    state = model.initial()
    for name, label in schedule:
        while (name, label) not in (
            moves := {
                (model.threads[thread], step): after
                for thread, step, after in model.successors(state)
            }
        ):
            state = next(
                after
                for (thread, step), after in moves.items()
                if thread == name and step in declared.silent
            )
        state = moves[name, label]
    pieces = dict(zip(model.variables, model.pieces(state)))
    return (
        pieces["content"],
        pieces["key"],
        pieces["taskCounter"][0],
        pieces["current"][0],
        pieces["made"][0],
    )


def found(recorded: Recorded, scenario: str, length: int) -> tuple:
    """The same by the rules."""
    program = mechanisms()[WHEEL].scenarios[scenario]
    run = Replay(recorded.header)
    for line, event in enumerate(sorted(recorded.events, key=key_of), 2):
        assert run.take(line, event) is None, (length, event)
    state, names = (
        run.state,
        {int(number): name for number, name in recorded.header["names"].items()},
    )
    places = {
        event["list"]: (event["level"] - 1) * program["wheel_size"] + event["bucket"]
        for event in recorded.events
        if "bucket" in event
    }
    rings, keys = (
        [()] * (program["wheel_size"] * program["levels"]),
        [-1] * (program["wheel_size"] * program["levels"]),
    )
    for bucket, place in places.items():
        rings[place], keys[place] = (
            tuple(names[entry] for entry in state.rings.get(bucket, ())),
            state.keys.get(bucket, -1),
        )
    levels = 1 + len({name for name in state.published if isinstance(name, tuple)})
    return tuple(rings), tuple(keys), next(iter(state.counters.values())), state.wheel_ms, levels


@pytest.mark.parametrize(
    "scenario",
    [name for mechanism, name in SCENARIOS if mechanism == WHEEL and name != "three_adders"],
)
def test_a_recorded_run_leads_to_the_model_s_state(scenario):
    """A third and two thirds of the way too: at the end nothing is left in the wheel. A link and
    what is made with a level are several events of one step."""
    schedule, compared = examples.random_schedule(mechanisms()[WHEEL], scenario, 3), 0
    for length in range(len(schedule) // 3, len(schedule) + 1, max(1, len(schedule) // 3)):
        recorded = record(mechanisms(), WHEEL, scenario, "part", schedule=schedule[:length])
        assert found(recorded, scenario, length) == contents(WHEEL, scenario, schedule[:length])
        compared += bool(recorded.events)
    assert compared > 2


def test_that_comparison_can_fail():
    schedule = examples.random_schedule(mechanisms()[WHEEL], "cascade", 3)
    recorded = record(
        mechanisms(), WHEEL, "cascade", "part", schedule=schedule[: len(schedule) // 2]
    )
    assert found(recorded, "cascade", 0) != contents(
        WHEEL, "cascade", schedule[: len(schedule) // 2 + 6]
    )


# -- mutants


@pytest.mark.parametrize("mechanism", [WHEEL, OVERFLOW])
def test_every_mutant_is_refused_or_listed_with_the_reason(mechanism):
    declared = mechanisms()[mechanism]
    refused = {name for of, name in REFUSED if of == mechanism}
    others = ENDLESS.keys() if mechanism == WHEEL else DELAYED.keys()
    assert refused | others == declared.mutants.keys() and not refused & others
    assert {
        name for name in refused if REFUSED[mechanism, name] != declared.mutants[name].property
    } == {name for of, name in OTHERWISE if of == mechanism}


@pytest.mark.parametrize("mechanism, name", every(REFUSED, 3))
def test_each_mutant_is_refused_and_shrunk(mechanism, name):
    recorded = of_mutant(mechanism, name)
    assert recorded.mutant
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, REFUSED[mechanism, name])
    small = shrink(recorded.header, numbered(recorded.events))
    assert (
        small.property == REFUSED[mechanism, name]
        and len(small.events) <= 20
        and small.lines[-1] == verdict.first.line
    )
    again = replay.replay_events(small.header, small.events, small.footer)
    assert (again.verdict, again.first.property) == (VIOLATES, REFUSED[mechanism, name])


@pytest.mark.parametrize("name", DELAYED)
def test_what_needs_a_memory_that_delays_is_reported_and_its_trace_conforms(name):
    mutant = mechanisms()[OVERFLOW].mutants[name]
    assert mutant.data_race
    with pytest.raises(examples.Unmakable, match="delays stores"):
        of_mutant(OVERFLOW, name)
    recorded = record(mechanisms(), OVERFLOW, mutant.scenario, name, mutant=name)
    assert recorded.mutant == name and judged(recorded).verdict == CONFORMS


def test_what_breaks_liveness_alone_is_of_a_class_that_is_refused():
    mechanism = mechanisms()[WHEEL]
    for name, shown in ENDLESS.items():
        assert mechanism.properties[mechanism.mutants[name].property].kind == "liveness"
        assert mechanism.mutants[name].decision == of_mutant(WHEEL, shown).mutant
    liveness = {
        name
        for name, mutant in mechanism.mutants.items()
        if mechanism.properties[mutant.property].kind == "liveness"
    }
    assert liveness == ENDLESS.keys()
