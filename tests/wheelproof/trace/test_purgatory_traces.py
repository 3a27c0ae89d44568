"""The purgatory recorded in kinds of event: runs of its scenarios conform to the rules, event by
event and in bulk, and are runs of the model; each mutant's is refused, or listed with the
reason."""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache

import pytest

from tests.nights import first
from tests.wheelproof.pipeline import checked
from tests.wheelproof.trace import confluence
from tests.wheelproof.trace.followed import by_model, by_rules, judged_changes
from tests.wheelproof.trace.recorded import mechanisms, refused
from wheelproof.trace import examples
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, OUT_OF_MODEL, VIOLATES
from wheelproof.trace.model import observed
from wheelproof.trace.model.expressions import Expression
from wheelproof.trace.model.following import Steps
from wheelproof.trace.recording.record import Recorded, record

NAME = "purgatory"
SOUND = (
    "event",
    "pending_event",
    "event_expiry",
    "expiry",
    "two_checks",
    "list_removed",
    "other_list",
    "entered_again",
    "entered_beside",
    "counted",
    "two_keys",
    "purged",
    "raising",
    "raising_expiry",
    "entered_holding",
    "cancelled_key",
    "cancelled_event",
    "two_events",
    "pending_at_once",
    "pending_expiry",
    "pending_event_expiry",
    "pending_two_checks",
    "pending_other_list",
    "pending_entered_again",
    "pending_entered_holding",
    "pending_raising",
    "pending_cancelled_event",
    "pending_two_keys",
    "pending_forced",
    "pending_callers",
)

UNTRACED = {"CountsKeys", "H2", "H4"}
"""Mutants with no example among the recordings. Their files give the reason."""

SEEN = {"H2", "H4"}
"""Those of them that both judges refuse."""

UNLIKE = {
    "P10": "the read whose result is ignored shows itself as an attempt that comes to nothing",
    "P9": "a thread that leaves no note shows none, and the model's step without it is an event",
    "P2": "an onComplete that raises ends before the cancel, which then is no event",
    **dict.fromkeys(
        ("P5", "P6", "RemovedUnlocked"),
        "a lock that is none is no event, and the model's step without it is one",
    ),
}
"""Mutants whose run is none of the model without their decision either, and why."""

LOOSE = frozenset(
    (
        "try_begin",
        "try_end",
        "try_watch_begin",
        "try_watch_end",
        "check_end",
        "cancel_key_end",
    )
)
"""Kinds that are marks: how often a thread shows one, the rules check."""

LARGEST, MEAN = 40, 9
"""States that the model may be in at an event: at most, and at most on average."""


@cache
def scheduled(scenario: str, seed: int = 1) -> Recorded:
    schedule = examples.random_schedule(mechanisms()[NAME], scenario, seed)
    return record(mechanisms(), NAME, scenario, f"{scenario}-{seed}", schedule=schedule)


@cache
def of_mutant(name: str) -> Recorded:
    return examples.of_mutant(mechanisms(), NAME, name)


def followed(recorded: Recorded, **options):
    return by_model(recorded.header, recorded.events, recorded.footer, **options)


def ruled(recorded: Recorded):
    return by_rules(recorded.header, recorded.events, recorded.footer)


def table(**rows: dict) -> observed.Table:
    """The purgatory's table with some rows replaced."""
    found = observed.read(mechanisms()[NAME])
    made = {name: dataclasses.replace(found.rows[name], **new) for name, new in rows.items()}
    return dataclasses.replace(found, rows={**found.rows, **made})


# -- runs that conform


@pytest.mark.daily(5)
@pytest.mark.parametrize("scenario", first(SOUND, 5))
def test_a_run_conforms_to_the_rules_and_is_one_of_the_model(scenario):
    free = record(mechanisms(), NAME, scenario, scenario)
    for recorded in (scheduled(scenario), scheduled(scenario, 2), free):
        verdict, run = followed(recorded)
        assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
        assert run.figures["followed"] > 10
        # How many states real threads leave open depends on the load of the machine.
        if recorded is not free:
            assert run.figures["largest"] <= LARGEST
            assert run.figures["sum"] <= MEAN * run.figures["followed"]
        assert (ruled(recorded).verdict, ruled(recorded).findings) == (CONFORMS, ())


def test_a_run_with_the_real_timer_conforms_to_the_rules():
    """Its tasks are no operations, so that no rule says when the timer gets one."""
    recorded = record(mechanisms(), NAME, "real_timer", "real_timer")
    assert {"add_request", "entry_new"} <= {event["k"] for event in recorded.events}
    assert (ruled(recorded).verdict, ruled(recorded).findings) == (CONFORMS, ())


def test_every_scenario_is_here_but_for_those_that_break_a_property_or_have_another_timer():
    mechanism = mechanisms()[NAME]
    others = {name for name, each in mechanism.scenarios.items() if each["timer"] == "real"}
    broken = {
        "forced": "TryExcludesComplete",
        "raising_first": "NoLostCompletion",
        "raising_beside": "NoLostCompletion",
        "other_key": "NoLostCompletion",
    }
    assert {*SOUND, *broken, *others} == mechanism.scenarios.keys()
    for name, property in broken.items():
        assert any(
            config.scenario == name and property in (config.property, *config.fails)
            for config in mechanism.configs.values()
        )
        assert followed(scheduled(name))[0].verdict == CONFORMS


def test_the_rules_about_watchers_and_timeouts_apply_to_the_recordings():
    recordings = map(scheduled, SOUND)
    answers = checked.judge((each.header, each.events, each.footer) for each in recordings)
    applied = sum((answer.applied for answer in answers), Counter())
    assert all(
        applied[rule] > 5
        for rule in (
            "CheckTriesWatcher",
            "CompletedOnce",
            "EmptyGivenUp",
            "GivenUpEmpty",
            "GivesUpItsList",
            "NoLeakedTimer",
            "TryAfterWatch",
            "WatchedInList",
            "WatcherReachable",
        )
    ), applied
    assert applied["OneListOfKey"] > 0 and applied["StepFollows"] > 5


def test_an_event_of_a_list_bears_the_locks_of_shard_and_list_and_names_both():
    recorded = scheduled("list_removed")
    names = recorded.header["names"]
    for event in recorded.events:
        if event["k"] == "watch_add":
            kinds = [token[1].partition(":")[0] for token in event["ord"]]
            assert kinds == ["op", "lock", "lock"]
            assert names[str(event["key"])] == "k" and names[str(event["list"])] == 1
        if event["k"] in ("cancel", "add_request"):
            kinds = [token[1].partition(":")[0] for token in event["ord"]]
            assert kinds[-2:] == ["queue", "task"]
            assert event["ord"][-1][1] == f"task:{event['task']}.armed"


# -- the table


@pytest.mark.parametrize(
    "scenario", ["event_expiry", "list_removed", "entered_holding", "cancelled_event", "purged"]
)
def test_eager_steps_commute_with_all_that_others_do(scenario):
    steps = Steps(observed.read(mechanisms()[NAME]), mechanisms()[NAME].scenarios[scenario])
    assert list(confluence.faults(steps)) == []


@pytest.mark.nightly
def test_eager_steps_commute_in_every_scenario():
    for name, scenario in mechanisms()[NAME].scenarios.items():
        steps = Steps(observed.read(mechanisms()[NAME]), scenario)
        assert list(confluence.faults(steps)) == [], name


@pytest.mark.parametrize(
    "scenario, label, other",
    [("event", "A5", "L4"), ("event", "Y1", "E1"), ("list_removed", "C8", "W5")],
)
def test_that_eager_steps_commute_can_fail(scenario, label, other):
    steps = Steps(table(**{label: {"eager": True}}), mechanisms()[NAME].scenarios[scenario])
    assert any(label in fault and other in fault for fault in confluence.faults(steps))


@pytest.mark.parametrize(
    "rows",
    [
        {"W5": {"columns": {("op", None): Expression("ao[self]")}}},
        {"W5": {"kind": ""}},
        {"C2": {"columns": {("key", None): Expression("NULL")}}},
        {"R4": {"columns": {("list", None): Expression("0")}}},
        {"Q1": {"columns": {("task", None): Expression("xo[self]")}}},
        {"Z1": {"marks": {}}},
        {"L6": {"kind": ""}},
    ],
    ids=["no key", "no watch", "no such key", "no list", "no operation", "no end", "no body"],
)
def test_a_wrong_table_is_noticed(rows):
    recorded = [scheduled(scenario) for scenario in ("two_checks", "expiry", "event")]
    verdicts = {followed(each, table=table(**rows))[0].verdict for each in recorded}
    assert verdicts & {VIOLATES, OUT_OF_MODEL}


# -- mutants


def test_every_mutant_is_refused_or_listed_with_the_reason():
    mechanism = mechanisms()[NAME]
    assert {name for name, each in mechanism.mutants.items() if each.untraced} == UNTRACED
    assert {*refused(NAME)} | UNTRACED == mechanism.mutants.keys()
    assert mechanism.decisions.keys() - {each.decision for each in mechanism.mutants.values()} == {
        "Peeks",  # of the real timer: a check of a composed run is the control of both
        "Unowned",
    }


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", sorted(refused(NAME)))
def test_a_mutant_s_run_is_none_of_the_model(name):
    model = followed(of_mutant(name))[0]
    assert (model.verdict, model.first.property) == (VIOLATES, "Next")


@pytest.mark.parametrize("name", sorted(refused(NAME)))
def test_a_mutant_s_run_is_one_of_the_model_without_its_decision(name):
    decision = mechanisms()[NAME].mutants[name].decision
    verdict = followed(of_mutant(name), without=decision)[0]
    if name in UNLIKE:
        assert verdict.verdict == VIOLATES
    else:
        assert verdict.verdict in (CONFORMS, INCOMPLETE), verdict.findings
        assert {each.property for each in verdict.findings} <= {"Program", "Bracket"}


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", sorted(UNTRACED))
def test_what_is_not_traced_is_refused_by_both_judges_or_by_none(name):
    recorded = of_mutant(name)
    verdicts = ruled(recorded).verdict, followed(recorded)[0].verdict
    assert verdicts == ((VIOLATES,) * 2 if name in SEEN else (CONFORMS,) * 2)


# -- changed recordings


@pytest.mark.parametrize("scenario", ["cancelled_event"])
def test_the_rules_accept_what_the_model_accepts_but_for_marks(scenario):
    recorded, refused, total = scheduled(scenario), 0, 0
    for what, events, rules in judged_changes(recorded, sample=60):
        model, _ = by_model(recorded.header, events)
        total += 1
        refused += model.verdict == VIOLATES
        if model.verdict == CONFORMS and rules.verdict == VIOLATES:
            assert any(kind in what for kind in LOOSE), what
    assert refused > total / 2
