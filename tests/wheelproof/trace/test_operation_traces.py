"""Delayed operations recorded: runs of the model lead to the model's state, and each mutant is
refused by its property, at its line, in a few events."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest

from tests.nights import every
from tests.wheelproof.trace.recorded import mechanisms, mutant_of
from tests.wheelproof.trace.test_shrink import numbered
from traces import translator
from traces.shrink import shrink
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.parts import event_of
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.replay import key_of
from wheelproof.trace.judging.rules import Replay
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict
from wheelproof.trace.recording.loading import Traced
from wheelproof.trace.recording.record import Recorded, record

NAME = "delayed_operation"
SOUND = (
    "two_completers",
    "two_completers_expirer",
    "three_completers",
    "completes_another",
    "two_expirers",
    "raising",
    "callers_lock",
    "try_once_alone",
    "try_once_raising",
    "locked_try",
    "locked_try_holder",
    "locked_try_raising",
    "checked_try",
    "checked_try_holder",
    "blocking",
    "blocking_three",
    "blocking_holder",
    "blocking_raising",
    "blocking_completes_another",
    "blocking_crossed",
    "three_losers",
)

REFUSED = {
    "P1": "CompletedOnce",
    "P9": "NoLostCompletion",
    "ClearedLate": "NoLostCompletion",
    "ReadEarly": "NoLostCompletion",
    "NoRetry": "NoLostCompletion",
    "BlockingTry": "NoDeadlock",
    "P10": "TryExcludesComplete",
    "P11": "TryExcludesComplete",
    "P12": "ExpiredByTimeoutOnly",
    "P12_twice": "TypeOK",
    "UnlockedTry": "OneTries",
    "H8": "OneTries",
}
"""Mutant -> the property under which its trace is refused: that of the TOML, of all that break a
safety property."""


def judged(recorded: Recorded) -> Verdict:
    return replay.replay_events(recorded.header, recorded.events, recorded.footer)


def random_schedule(scenario: str, seed: int) -> tuple[list[tuple[str, str]], object]:
    """A random run of the model to its end: the schedule, and the last state."""
    mechanism = mechanisms()[NAME]
    model, chance = mechanism.model(scenario), random.Random(seed)
    state, out = model.initial(), []
    while moves := list(model.successors(state)):
        thread, label, state = chance.choice(moves)
        if label not in mechanism.silent:
            out.append((model.threads[thread], label))
    return out, state


def judged_to_the_end(recorded: Recorded) -> tuple[Verdict, dict[str, dict[str, object]]]:
    """The verdict, and what replay has by the end of each operation, by name."""
    run = Replay(recorded.header)
    for line, event in enumerate(sorted(recorded.events, key=key_of), 2):
        run.take(line, event)
    names, threads = recorded.header["names"], recorded.header["threads"]
    found = {
        names[str(number)]: {
            "completed": bool(each.completed),
            "pending": bool(each.pending),
            "completions": each.begun,
            "expirations": each.expired,
            "winner": threads.get(str(each.winner)),
        }
        for number, each in run.state.operations.items()
    }
    return run.end(recorded.footer), found


def modelled(scenario: str, state: object) -> dict[str, dict[str, object]]:
    """The same by the model."""
    model = mechanisms()[NAME].model(scenario)
    pieces = dict(zip(model.variables, model.pieces(state)))
    return {
        name: {
            field: pieces[field][number]
            for field in ("completed", "pending", "completions", "expirations", "winner")
        }
        for number, name in enumerate(model.operations)
    }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scenario", every(SOUND, 3))
def test_a_recorded_run_of_the_model_ends_in_the_model_s_state(scenario, seed):
    schedule, last = random_schedule(scenario, seed)
    recorded = record(mechanisms(), NAME, scenario, f"{scenario}-{seed}", schedule=schedule)
    verdict, found = judged_to_the_end(recorded)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert found == modelled(scenario, last)
    assert all(event_of(event, "x", 1) == event for event in recorded.events)


def test_the_comparison_can_fail():
    """Runs of one schedule against the states after others."""
    differing = 0
    for seed in range(6):
        schedule, _ = random_schedule("two_completers_expirer", seed)
        _, found = judged_to_the_end(
            record(mechanisms(), NAME, "two_completers_expirer", "x", schedule=schedule)
        )
        differing += found != modelled(
            "two_completers_expirer", random_schedule("two_completers_expirer", seed + 100)[1]
        )
    assert 0 < differing <= 6


@pytest.mark.parametrize("scenario", SOUND)
def test_real_threads_conform(scenario):
    verdict = judged(record(mechanisms(), NAME, scenario, scenario))
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())


def of_mutant(name: str) -> Recorded:
    return mutant_of(NAME, name)


def test_every_safety_mutant_is_here_with_the_property_of_the_toml():
    mechanism = mechanisms()[NAME]
    safety = {
        name: mutant.property
        for name, mutant in mechanism.mutants.items()
        if mutant.property and mechanism.properties[mutant.property].kind != "liveness"
    }
    untraced = {name for name, mutant in mechanism.mutants.items() if mutant.untraced}
    # recordings of steps refuse these: tests/wheelproof/trace/steps/test_runs.py
    assert set(safety) - set(REFUSED) == untraced == {"H6", "H7", "H11"}
    assert REFUSED.items() <= safety.items()


@pytest.mark.parametrize("name", every(sorted(REFUSED), 3))
def test_each_mutant_is_refused_by_its_property_and_shrunk(name, tmp_path):
    recorded = of_mutant(name)
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, REFUSED[name])
    small = shrink(recorded.header, numbered(recorded.events))
    assert (
        small.property == REFUSED[name]
        and len(small.events) <= 20
        and small.lines[-1] == verdict.first.line
    )
    jsonl.write(tmp_path / "small.jsonl", small.header, small.events, small.footer)
    again = replay.replay(tmp_path / "small.jsonl")
    assert (again.verdict, again.first.property, again.first.line) == (
        VIOLATES,
        REFUSED[name],
        len(small.events) + 1,
    )


POSSIBLE = {
    "P9": ("pending_getset(op1)",),
    "NoRetry": ("try_begin(op1)",),
    "ReadEarly": ("try_begin(op1)",),
    "ClearedLate": ("pending_set(op1)",),
    "P12": ("try_begin(op1)", "force_cas(op1)"),
    "P1": ("force_cas(op1)",),
}
"""Mutant -> some of what was possible where its trace is refused."""


@pytest.mark.parametrize("name", sorted(POSSIBLE))
def test_the_finding_says_what_was_possible(name):
    enabled = judged(of_mutant(name)).first.enabled
    assert set(POSSIBLE[name]) <= set(enabled) and len(set(enabled)) == len(enabled), enabled
    if name in ("P9", "NoRetry", "ReadEarly", "ClearedLate"):
        assert enabled == POSSIBLE[name], "who owes something can do that and nothing else"


@pytest.mark.parametrize(
    ("name", "owed"),
    [("P9", "pending_getset"), ("NoRetry", "try_begin"), ("ClearedLate", "pending_set")],
)
def test_the_repair_inserts_what_is_owed(name, owed):
    recorded = of_mutant(name)
    small = shrink(recorded.header, numbered(recorded.events))
    assert small.repair == f"insert {owed}(op1) before line {judged(recorded).first.line}"


def test_a_lost_completion_that_lasts_is_refused_too():
    assert judged(of_mutant("P9_live")).first.property == "NoLostCompletion"


def test_a_stranger_in_the_lock_passes_the_note_over():
    """KAFKA-8334, with the implementation as it is: who holds the lock and is not in
    maybeTryComplete does not look for a note."""
    mechanism = mechanisms()[NAME]
    schedule = [
        ("h", "H1"),
        ("a", "E1"),
        ("a", "P1"),
        ("a", "P5"),
        ("a", "P6"),
        ("a", "P1"),
        ("a", "P5"),
        ("a", "P6"),
        ("h", "H2"),
    ]
    recorded = record(mechanisms(), NAME, "pending_holder", "holder", schedule=schedule)
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "NoLostCompletion")
    assert (
        recorded.header["threads"][str(verdict.first.event["tid"])] == "h"
        and "pending_holder" in mechanism.configs
    )


def test_what_a_recording_says_of_an_operation():
    schedule, _ = random_schedule("two_completers_expirer", 1)
    recorded = record(mechanisms(), NAME, "two_completers_expirer", "x", schedule=schedule)
    assert (
        recorded.header["variant"] == "TryPending"
        and recorded.mutant == ""
        and of_mutant("P9").mutant == "P9"
    )
    assert list(recorded.header["initial"]["operations"].values()) == [
        {"protocol": "TryPending", "completed": False, "pending": False, "task": 1}
    ]
    won = [
        event for event in recorded.events if event["k"] == "force_cas" and event["res"] == "true"
    ]
    assert (
        len(won) == 1
        and won[0]["pre"] == {"completed": False}
        and won[0]["cause"] in ("event", "expiry")
    )
    words = {
        token[1].partition(".")[2]
        for event in recorded.events
        for token in event.get("ord", ())
        if token[0] == "V"
    }
    assert words <= {"completed", "pending", "armed"} and "completed" in words
    spans = Counter(event["span"] for event in recorded.events if "span" in event)
    assert spans and set(spans.values()) == {2}


CAUSES = {"expiry": [["expire", "o"]], "event": [["deliver", "c1", "o"]]}


@pytest.mark.parametrize("cause", sorted(CAUSES))
def test_who_completed_an_operation_is_seen_from_its_caller(cause):
    scenario = dict(mechanisms()[NAME].scenarios["two_expirers"], threads={"a": CAUSES[cause]})
    recorded = record(mechanisms(), NAME, scenario, cause)
    assert [event["cause"] for event in recorded.events if event["k"] == "force_cas"] == [cause]


def test_one_operation_s_completion_by_another_is_forced():
    scenario = dict(
        mechanisms()[NAME].scenarios["completes_another"], threads={"a": [["deliver", "c1", "o"]]}
    )
    assert [
        event["cause"]
        for event in record(mechanisms(), NAME, scenario, "forced").events
        if event["k"] == "force_cas"
    ] == ["event", "forced"]


def test_an_operation_that_is_made_while_it_is_recorded_has_an_event_of_that():
    traced = Traced(mechanisms(), NAME)
    recorder = traced.recorder
    harness = traced.set_up(mechanisms()[NAME].scenarios["two_completers"])
    made = type(harness.operations["o"])
    recorder.begin()

    def body():
        recorder.enter("maker")
        made(0)
        recorder.leave()

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    recorder.end()
    assert [event["k"] for event in translator.Translator(recorder).events()] == [
        "thread_start",
        "op_new",
        "thread_stop",
    ]
