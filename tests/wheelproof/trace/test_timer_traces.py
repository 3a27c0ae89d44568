"""The whole timer recorded: adders, cancellers and a reaper on real threads, and Kafka's own order
of steps (D1), which the trace alone convicts."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter

import pytest

from tests.nights import only
from tests.wheelproof.trace.followed import by_rules
from tests.wheelproof.trace.recorded import mechanisms, of_turns
from traces import timer_columns, translator
from wheelproof.pipeline import law, shrinking
from wheelproof.trace.format.parts import event_of
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict
from wheelproof.trace.recording import record as records
from wheelproof.trace.recording.loading import Traced
from wheelproof.trace.recording.log import Raw, Site
from wheelproof.trace.recording.record import record

NAME = "system_timer"
SCENARIOS = (
    "one_adder",
    "stalled_adder",
    "two_adders",
    "one_bucket",
    "canceller",
    "executor",
    "closing",
    "full_cast",
    "three_adders",
)


def judged(recorded) -> Verdict:
    return law.verdict_on(recorded.header, recorded.events, recorded.footer)


@pytest.mark.daily(4)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_on_real_threads_conforms(scenario):
    recorded = record(mechanisms(), NAME, scenario, scenario)
    assert judged(recorded).verdict == CONFORMS
    assert all(event_of(event, "x", 1) == event for event in recorded.events)


def crowd(adders: int, tasks: int, seed: int) -> dict:
    """Adders and cancellers of their own tasks, a clock, a reaper: two levels of five buckets, and
    a third above."""
    chance, threads, task_of, deadline = random.Random(seed), {}, {}, {}
    for adder in range(adders):
        program = []
        for number in range(tasks):
            entry = f"e{adder}_{number}"
            task_of[entry], deadline[entry] = f"t{adder}_{number}", chance.randrange(100)
            program.append(["add", entry])
            if chance.random() < 0.3:
                program.append(["cancel", f"t{adder}_{chance.randrange(number + 1)}"])
        threads[f"a{adder}"] = program
    return {
        "wheel_size": 5,
        "levels": 3,
        "task_of": task_of,
        "deadline": deadline,
        "threads": threads | {"clock": [["tick"]] * 120, "reaper": [["reap"]]},
    }


@pytest.mark.parametrize("seed", only(range(3), 2))
def test_a_crowd_conforms(seed):
    verdict = judged(record(mechanisms(), NAME, crowd(4, 100, seed), f"crowd-{seed}"))
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())


@pytest.mark.parametrize("seed", only(range(3), 2))
def test_a_crowd_that_takes_turns_conforms_and_every_rule_has_something_to_look_at(seed):
    """Where each runs at its own pace the clock may be at its end before the first task is
    added."""
    recorded = of_turns(NAME, crowd(4, 100, seed), seed)
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert (
        min(
            verdict.applied[name]
            for name in (
                "QueuedOnceWithItsKey",
                "NotEarly",
                "KeyBeforeDeadline",
                "SlotInRange",
                "EveryTimerFires",
                "CounterExact",
                "CancelWins",
            )
        )
        > 20
    )
    kinds = Counter(event["k"] for event in recorded.events)
    assert (
        kinds["dq_offer"] >= kinds["dq_poll"] > 10
        and kinds["clock_advance"] > 10
        and min(kinds["list_add"], kinds["expire_submit"]) > 20
    )
    assert recorded.header["config"] == {"tick_ms": 1, "wheel_size": 5, "start_ms": 0, "levels": 3}


def stalled(mutant: str | None):
    """An add that stands still between reading the clock and linking, while the bucket of the next
    turn falls due: the recipe of D1.

    The thread holds the task's monitor, so that the adder waits in its entry's constructor: nothing
    in the timer is changed.
    """
    scenario = {
        "wheel_size": 3,
        "levels": 3,
        "task_of": {"far": "t1", "short": "t2"},
        "deadline": {"far": 17, "short": 7},
        "threads": {"a": [["add", "far"]], "b": [["add", "short"]]},
    }
    traced = Traced(mechanisms(), NAME, mutant)
    recorder, harness = traced.recorder, traced.set_up(scenario)
    names = translator.named(recorder, harness.names)
    initial, config = translator.initial_of(recorder), translator.config_of(recorder)
    recorder.begin()

    def runs(name, body):
        def within():
            recorder.enter(name)
            body()

        thread = threading.Thread(target=within, daemon=True)
        thread.start()
        return thread

    runs("first", lambda: harness.add("far")).join()
    monitor = harness.tasks["t2"].monitor.lock
    with monitor:
        adder = runs("adder", lambda: harness.add("short"))
        wait_until(
            lambda: any(log.name == "adder" and waits(recorder, log) for log in recorder.logs)
        )  # it has the read lock and the time
        for _ in range(9):
            harness.clock.time_ms.value += 1
        reaper = runs("reaper", lambda: harness.timer.advance_clock(1))
        wait_until(lambda: not harness.queue.heap)  # it has polled, and waits for the write lock
    adder.join()
    reaper.join()
    recorder.end()
    return finished(recorder, "stall", config, names, initial)


def test_a_timer_in_production_s_clothes_conforms():
    """Its own thread pool, the machine's clock and a reaper that waits: what a user of the timer
    would record."""
    traced = Traced(mechanisms(), NAME)
    recorder, modules = traced.recorder, traced.modules
    wheel = modules["impl.system_timer"].SystemTimer(None, 1, 20)
    ran, timer_task = [], modules["impl.timer_task_list"].TimerTask

    class Task(timer_task):
        __slots__ = ()

        def run(self) -> None:
            ran.append(self)

    recorder.known.add(Task)
    tasks = [Task(1 + number % 40) for number in range(200)]
    recorder.identify(wheel)
    for value in (wheel.wheel, *wheel.wheel.buckets, *tasks):
        recorder.identify(value)
    initial, config = translator.initial_of(recorder), translator.config_of(recorder)
    recorder.begin()

    def adds():
        for number, task in enumerate(tasks):
            wheel.add(task)
            if number % 5 == 0:
                task.cancel()

    def reaps():
        while not over or wheel.size():
            wheel.advance_clock(5)

    over: list[bool] = []
    threads = [threading.Thread(target=body, name=body.__name__) for body in (adds, reaps)]
    for thread in threads:
        thread.start()
    threads[0].join()
    over.append(True)
    threads[1].join()
    wheel.close()
    recorder.end()
    recorded = finished(recorder, "production", config, {}, initial)
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    kinds = Counter(event["k"] for event in recorded.events)
    assert kinds["expire_submit"] == len(ran) >= 160


def finished(recorder, run_id: str, config, names, initial) -> records.Recorded:
    made = translator.Translator(recorder)
    header = {
        "schema": records.SCHEMA,
        "schema_minor": 0,
        "run_id": run_id,
        "producer": {"name": "test"},
        "clock": {"kind": "virtual", "virtual": True},
        "config": config,
        "threads": {str(tid): log.name for tid, log in enumerate(recorder.logs, 1)},
        "capture": {"mode": "full"},
        "sources": made.sources,
        "names": names,
        "initial": initial,
    }
    return records.Recorded(header, made.events)


def waits(recorder, log) -> bool:
    """The thread's last event is that it waits for a monitor."""
    return [raw.site.event for raw in log.records(recorder.sites)][-1:] == ["lock_wait"]


D1 = ": the key of a queued bucket changed, as in D1 (docs/D1.md)"
"""The end of the message about D1's second write."""


def wait_until(condition) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "the threads did not come to where they should wait"
        time.sleep(0.001)


def test_the_corrected_order_keeps_the_key_through_a_stall():
    verdict = judged(stalled(None))
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())


def test_kafka_s_order_gives_a_queued_bucket_another_key_and_the_trace_shows_it(tmp_path):
    recorded = stalled("D1")
    verdict = judged(recorded)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "QueuedOnceWithItsKey")
    assert "dq_offer with key 15 ms, last dq_offer with key 6 ms" in verdict.first.message
    assert verdict.first.message.endswith(D1)
    recorded.write(tmp_path / "d1.jsonl")
    small = shrinking.shrunk(tmp_path / "d1.jsonl")
    assert len(small.events) <= 20 and small.message == verdict.first.message


# -- one planted fault for each rule of the wheel and the queue


def planted(kind: str, change):
    recorded = of_turns(NAME, crowd(2, 30, 9), 9)
    for number, event in enumerate(recorded.events):
        if event["k"] == kind and (changed := change(dict(event))) is not None:
            return recorded.header, [
                *recorded.events[:number],
                changed,
                *recorded.events[number + 1 :],
            ]
    pytest.fail(f"no {kind} to change")


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    ("kind", "change", "property"),
    [
        ("list_add", lambda event: {**event, "bucket": (event["bucket"] + 1) % 5}, "SlotInRange"),
        ("dq_poll", lambda event: {**event, "key_ms": event["key_ms"] + 1}, "QueuedOnceWithItsKey"),
        ("dq_poll", lambda event: {**event, "k": "dq_offer"}, "QueuedOnceWithItsKey"),
        (
            "clock_advance",
            lambda event: {**event, "wheel_ms": 0} if event["level"] == 1 else None,
            "ClockStopsAtKey",
        ),
        (
            "expire_submit",
            lambda event: {**event, "exp_ms": event["exp_ms"] + 100},
            "DeadlineStays",
        ),
        (
            "bucket_expiry_set",
            lambda event: {**event, "pre": {"key_ms": 3}},
            "KeyObserved",
        ),
        (
            "list_remove",
            lambda event: (
                {**event, "exp_ms": 0}
                if event.get("cause") == "flush" and event["exp_ms"] > 5
                else None
            ),
            "KeyBeforeDeadline",
        ),
        (
            "list_add",
            lambda event: {**event, "post": {**event["post"], "list": event["list"] + 1}},
            "LinkObserved",
        ),
        (
            "list_remove",
            lambda event: {**event, "post": {**event["post"], "list": event["list"]}},
            "UnlinkObserved",
        ),
        (
            "list_remove",
            lambda event: {**event, "post": {**event["post"], "counter": 77}},
            "CounterExact",
        ),
        (
            "expire_submit",
            lambda event: {**event, "k": "task_run"} if "parent" in event else None,
            "RunsOncePerAdd",
        ),
        (
            "expire_submit",
            lambda event: {**event, "k": "owner_read"} if "parent" in event else None,
            "EveryTimerFires",
        ),
    ],
)
def test_a_planted_fault_is_refused_by_the_rule_that_is_for_it(kind, change, property):
    header, events = planted(kind, change)
    verdict = by_rules(header, events)
    names = {finding.property for finding in verdict.findings}
    assert verdict.verdict == VIOLATES and property in names, names


def test_a_bucket_that_is_queued_twice_with_one_key_is_not_called_d1():
    header, events = planted("dq_poll", lambda event: {**event, "k": "dq_offer"})
    twice, *_ = [
        finding.message
        for finding in by_rules(header, events).findings
        if finding.property == "QueuedOnceWithItsKey"
    ]
    assert "dq_offer with key " in twice and D1 not in twice


def test_an_entry_has_the_delay_of_its_request_and_none_without_one():
    """A thread may make an entry of a task, the recorder's first object, that none has added."""
    site = Site("", "entry_new", "call", "")
    task, entry = 1, 2
    made = Raw(site, 3, task, 40, 47, entry, 0, 0, ())
    stream = translator.Stream()
    columns = {"task": task, "entry": entry, "exp_ms": 47}
    assert timer_columns.OF_KIND["entry_new"](None, made, stream) == columns
    timer_columns.OF_KIND["add_request"](None, made._replace(old=7, new=40), stream)
    requested = columns | {"delay_ms": 7, "now_ms": 40}
    assert timer_columns.OF_KIND["entry_new"](None, made, stream) == requested
    other = timer_columns.OF_KIND["entry_new"](None, made._replace(obj=9), stream)
    assert "delay_ms" not in other and "now_ms" not in other
