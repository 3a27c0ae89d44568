"""The recorder on real threads: what it writes conforms, what a mutant does is refused, and what is
lost is reported."""

from __future__ import annotations

import pytest

from impl import runtime as production
from tests.wheelproof.trace.recorded import NAME, busy, mechanisms, of_mutant
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline import law
from wheelproof.python.findings import ExploreError
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.parts import event_of
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.replay import key_of
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, VIOLATES, Verdict
from wheelproof.trace.recording import log as logs
from wheelproof.trace.recording import recorder as recorders
from wheelproof.trace.recording import runs, traced, traced_fields
from wheelproof.trace.recording.record import Recorded, record


def test_an_equivalent_mutant_is_not_rejected():
    recorded = of_mutant("M5")
    assert law.verdict_on(recorded.header, recorded.events, recorded.footer).verdict == CONFORMS
    masked = of_mutant(
        "M2_masked"
    )  # its entries have no monitor, so that the order of their events is not known
    assert law.verdict_on(masked.header, masked.events, masked.footer).verdict == INCOMPLETE


def run_on_threads(tmp_path, operations: int, seed: int) -> Verdict:
    recorded = record(mechanisms(), NAME, busy(operations, seed), f"busy-{seed}")
    recorded.write(tmp_path / "busy.jsonl")
    assert len(recorded.header["threads"]) == 8 and recorded.dropped == 0
    return law.of_file(tmp_path / "busy.jsonl")


def test_eight_real_threads_conform(tmp_path, monkeypatch):
    """More events than a buffer holds, and than are sorted at a time."""
    monkeypatch.setattr(logs, "CHUNK", 512)
    monkeypatch.setattr(replay, "BUFFER", 8192)
    verdict = run_on_threads(tmp_path, 300, 1)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert verdict.events >= 12_000
    assert all(
        verdict.applied[name] > 100
        for name in ("AtMostOneList", "CounterExact", "CancelWins", "ExactlyItsList")
    )


def taken_out_in_between() -> Recorded:
    """A run whose flush has taken an entry out, and not counted that, as the entry's task is
    cancelled: the unlink has a number after the cancel that has seen it."""
    scenario = {
        "lists": ["l1", "l2"],
        "task_of": {"e1": "t1"},
        "ring": {"l1": [], "l2": []},
        "current": [],
        "threads": {
            "a": [["cancel", "t1"]],
            "f": [["schedule", "l1", "e1"], ["flush", "l1", "l2"]],
        },
    }
    model = mechanisms()[NAME].model_of(scenario)
    schedule = []
    for thread, last in (("f", "F1"), ("f", "U8"), ("a", "C4"), ("f", "F4")):
        while not schedule or schedule[-1] != (thread, last):
            schedule.append((thread, model.step(model.threads.index(thread))))
    silent = mechanisms()[NAME].silent
    schedule = [(thread, label) for thread, label in schedule if label not in silent]
    return record(mechanisms(), NAME, scenario, "in-between", schedule=schedule)


def test_an_unlink_that_a_cancel_saw_before_it_had_a_number_conforms():
    recorded = taken_out_in_between()
    kinds = [event["k"] for event in recorded.events]
    assert kinds.index("cancel") < kinds.index("list_remove")
    verdict = law.verdict_on(recorded.header, recorded.events, recorded.footer)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert verdict.applied["CancelUnlinks"] == 1


def test_an_unlink_that_began_after_the_cancel_is_refused():
    recorded = taken_out_in_between()
    (unlink,) = (event for event in recorded.events if event["k"] == "list_remove")
    began = unlink["tseq"] - 1
    for event in recorded.events:
        if event["tid"] == unlink["tid"] and event["tseq"] >= began:
            event["lc"] += 10
    verdict = law.verdict_on(recorded.header, recorded.events, recorded.footer)
    assert "CancelUnlinks" in {finding.property for finding in verdict.findings}


@pytest.mark.nightly
def test_eight_real_threads_conform_at_length(tmp_path):
    verdict = run_on_threads(tmp_path, 16_000, 2)
    assert not verdict.findings, "\n".join(map(str, verdict.findings[:5]))
    assert verdict.verdict == CONFORMS
    assert (
        verdict.events >= 1_000_000
    )  # twice that where the threads get in each other's way, which is up to the machine


def test_a_mutant_on_real_threads_is_refused_where_every_run_shows_it():
    """M8 puts cancelled entries on: no schedule is needed, only a cancel before the check."""
    scenario = {
        "lists": ["l1", "l2"],
        "task_of": {"e1": "t1"},
        "ring": {"l1": ["e1"], "l2": []},
        "current": [],
        "threads": {"f": [["flush", "l1", "l2"]]},
    }
    sound = record(mechanisms(), NAME, scenario, "sound")
    assert law.verdict_on(sound.header, sound.events, sound.footer).verdict == CONFORMS
    broken = record(mechanisms(), NAME, scenario, "broken", mutant="M8")
    verdict = law.verdict_on(broken.header, broken.events, broken.footer)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "CheckedLive")


def test_only_some_kinds_can_be_recorded():
    kinds = {"list_add", "list_remove", "cancel", "set_entry"}
    recorded = record(mechanisms(), NAME, busy(30, 3), "some", kinds=kinds)
    assert {event["k"] for event in recorded.events} <= kinds and recorded.header["capture"][
        "kinds"
    ] == sorted(kinds)
    verdict = law.verdict_on(recorded.header, recorded.events, recorded.footer)
    assert verdict.verdict == CONFORMS and "CancelWins" not in verdict.applied


def test_a_full_buffer_drops_and_says_so(monkeypatch):
    monkeypatch.setattr(logs, "CHUNK", 8)
    monkeypatch.setattr(recorders.Recorder.__init__, "__defaults__", (2,))
    recorded = record(mechanisms(), NAME, busy(30, 4), "full")
    assert recorded.footer["dropped"] > 0
    verdict = law.verdict_on(recorded.header, recorded.events, recorded.footer)
    assert verdict.verdict != CONFORMS and any(
        finding.property == "Dropped" for finding in verdict.findings
    )


def light(self, instance, owner=None, frame=None):
    """A volatile read that is recorded but does not move the word's clock on."""
    recorder, word = self.recorder, self._get(instance)
    log, value = recorder.log(), word.value
    if not log.muted and (site := recorder.site(frame, "read")):
        log.emit(
            site,
            word.owner,
            recorder.id_of(value),
            recorder.id_of(value),
            recorder.id_of(frame.f_locals.get("self")),
            word.number,
            word.version,
        )
    return value


def test_a_read_that_does_not_move_its_word_on_is_seen(monkeypatch):
    """Strict mode taken away: by the clocks a check may then come after a cancel that it did not
    see, or the other way round."""
    schedule = [
        ("f", label)
        for label in [
            "F1",
            "F2",
            "U1",
            "U2",
            "U3",
            "U4",
            "U5",
            "U6",
            "U7",
            "U8",
            "U9",
            "U10",
            "U11",
        ]
    ]
    schedule += [
        ("c", "C1"),
        ("c", "C2"),
        ("c", "R1"),
        ("f", "K1"),
        ("c", "C3"),
        ("c", "C4"),
        ("f", "K2"),
        ("f", "F2"),
        ("f", "F4"),
    ]
    assert (
        replay_of(record(mechanisms(), NAME, "expire_cancel", "strict", schedule=schedule))
        == CONFORMS
    )
    monkeypatch.setattr(traced_fields.VolatileField, "__get__", light)
    assert (
        replay_of(record(mechanisms(), NAME, "expire_cancel", "light", schedule=schedule))
        != CONFORMS
    )


def replay_of(recorded) -> str:
    return law.verdict_on(recorded.header, recorded.events, recorded.footer).verdict


def test_a_schedule_of_another_mutant_is_refused():
    with pytest.raises(
        ToolError, match="Step 1 of the schedule: a waits at R1, and should take F1"
    ):
        record(mechanisms(), NAME, "two_adders", "wrong", schedule=[("a", "F1")])
    with pytest.raises(UsageError, match="no decision M99"):
        record(mechanisms(), NAME, "two_adders", "wrong", mutant="M99")
    with pytest.raises(UsageError, match="no mechanism"):
        record(mechanisms(), "heap", "two_adders", "wrong")


def test_a_program_that_raises_ends_the_recording():
    scenario = dict(
        mechanisms()[NAME].scenarios["two_adders"], threads={"a": [["add", "l1", "e9"]]}
    )
    with pytest.raises(ToolError, match="Thread a of the recorded run raised KeyError"):
        record(mechanisms(), NAME, scenario, "raises")


def test_events_come_in_the_order_of_their_clocks_and_the_same_each_time(tmp_path):
    recorded = record(mechanisms(), NAME, busy(60, 6), "order")
    assert recorded.events == sorted(recorded.events, key=key_of)
    recorded.write(tmp_path / "order.jsonl")
    reader = jsonl.Reader(tmp_path / "order.jsonl")
    assert [event for _, event in reader] == recorded.events and reader.footer == recorded.footer


def test_ids_are_not_used_twice():
    recorded = record(mechanisms(), NAME, busy(40, 5), "ids")
    made = [event["entry"] for event in recorded.events if event["k"] == "set_entry"]
    assert len(made) == len(set(made)) > 50
    assert all(event_of(event, "x", 1) == event for event in recorded.events)


@pytest.mark.parametrize("name", ["Lock", "Monitor", "NoMonitor"])
def test_a_lock_with_a_time_out_is_refused(name):
    recorder = recorders.Recorder(lambda code, line, operation: ("", "", ""))
    lock = getattr(traced.runtime_module(recorder, production), name)()
    with pytest.raises(ExploreError, match="with a time-out, of which these recordings have no"):
        lock.acquire(timeout=1)
    assert lock.acquire(timeout=-1)


class Late:
    """A semaphore that is had at a certain look, whatever time the looks before took."""

    def __init__(self, at: float) -> None:
        self.at, self.looks = at, 0

    def acquire(self, timeout: float) -> bool:
        self.looks += 1
        return self.looks >= self.at


def test_a_stall_of_the_whole_process_is_one_look():
    """Else a directed run that was stalled for two seconds would be reported to wait for a lock."""
    late, never = Late(20), Late(float("inf"))
    assert runs._acquire(late, 2) and not runs._acquire(never, 2)
    assert late.looks == never.looks == round(2 / runs.LOOK_SECONDS)
