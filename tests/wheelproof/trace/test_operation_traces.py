"""Delayed operations recorded: runs of the model conform."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest

from tests.wheelproof.trace.recorded import mechanisms, mutant_of
from traces import translator
from wheelproof.pipeline import law
from wheelproof.trace.format.parts import event_of
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


def judged(recorded: Recorded) -> Verdict:
    return law.verdict_on(recorded.header, recorded.events, recorded.footer)


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


@pytest.mark.daily(27)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scenario", SOUND)
def test_a_recorded_run_of_the_model_conforms(scenario, seed):
    schedule, _ = random_schedule(scenario, seed)
    recorded = record(mechanisms(), NAME, scenario, f"{scenario}-{seed}", schedule=schedule)
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert all(event_of(event, "x", 1) == event for event in recorded.events)


@pytest.mark.daily(6)
@pytest.mark.parametrize("scenario", SOUND)
def test_real_threads_conform(scenario):
    verdict = judged(record(mechanisms(), NAME, scenario, scenario))
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())


def of_mutant(name: str) -> Recorded:
    return mutant_of(NAME, name)


def test_a_lost_completion_that_lasts_is_refused_too():
    findings = judged(of_mutant("P9_live")).findings
    assert "NoteAfterRefusal" in {finding.property for finding in findings}


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
    assert "pending_holder" in mechanism.configs


def test_what_a_recording_says_of_an_operation():
    schedule, _ = random_schedule("two_completers_expirer", 1)
    recorded = record(mechanisms(), NAME, "two_completers_expirer", "x", schedule=schedule)
    assert (
        recorded.header["variant"] == "TryPending"
        and recorded.mutant == ""
        and of_mutant("P9").mutant == "P9"
    )
    assert list(recorded.header["initial"]["operations"].values()) == [{"pending": False}]
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
