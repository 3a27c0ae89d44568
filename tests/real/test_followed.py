"""Recordings of released Kafka followed on the model of the timer: each event is a step in Kafka's
order, D1 is none in the corrected order, and planted changes are refused with line and step."""

import copy
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from real.record import __main__ as command
from real.record import followed, report
from tests.nights import by_night
from tests.wheelproof.trace.test_replay import renumbered
from traces import runs
from wheelproof.errors import UsageError
from wheelproof.trace import commands
from wheelproof.trace.format.jsonl import Reader
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.replay import replay_events
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, OUT_OF_MODEL, VIOLATES
from wheelproof.trace.model.inferred import InferredReplay

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "recordings"
OTHERS = Path(__file__).parents[1] / "wheelproof" / "trace" / "kafka"
SOUND, D1, LOAD = (FOLDER / f"{name}.jsonl.gz" for name in ("sound", "d1", "load"))
LATE = {"QueuedOnceWithItsKey", "KeyBeforeDeadline", "LatenessBound"}
"""The properties that D1 breaks."""


@cache
def kafka(file):
    return followed.follow(file)


@cache
def corrected(file):
    return followed.follow(file, followed.CORRECTED)


# -- recordings as they are


@pytest.mark.parametrize(
    "file, timers, events",
    [
        (SOUND, 2, 122),
        (D1, 3, 204),
        (LOAD, 2, 766),
        pytest.param(OTHERS / "late.jsonl.gz", 1, 68, marks=pytest.mark.nightly),
        pytest.param(OTHERS / "timer.jsonl.gz", 1, 740, marks=pytest.mark.nightly),
        (OTHERS / "purgatory.jsonl.gz", 1, 193),
    ],
    ids=lambda value: value.stem.partition(".")[0] if isinstance(value, Path) else None,
)
def test_each_event_of_a_timer_is_a_step_in_kafkas_order(file, timers, events):
    found = kafka(file)
    assert (found.verdict.verdict, found.verdict.findings) == (CONFORMS, ())
    assert (len(found.replay.runs), found.replay.figures["followed"]) == (timers, events)
    assert found.replay.figures["largest"] < 10
    assert all(one.labels["W2"] and one.labels["Q1"] for one in found.replay.runs)


def test_no_property_fails_in_a_sound_run():
    assert kafka(SOUND).broken == kafka(LOAD).broken == {}


def test_d1_breaks_the_models_own_properties_at_the_second_write_of_the_key():
    (broken,) = kafka(D1).broken.values()
    assert broken.keys() == LATE
    (found,) = report.read(D1).found
    second = next(line for line, event in Reader(D1) if event["lc"] == found.second["lc"])
    assert broken["QueuedOnceWithItsKey"] == second


def test_d1_is_no_run_of_the_corrected_order_and_the_step_is_named():
    refused = corrected(D1).refused
    (found,) = report.read(D1).found
    # The reaper goes to the key of the bucket that it polled, and an earlier one is in the queue.
    assert (refused.event["k"], refused.event["wheel_ms"]) == (
        "clock_advance",
        found.poll["key_ms"],
    )
    assert f"{found.first['key_ms']} in the model (R7)" in refused.message


def test_where_no_bucket_comes_first_both_orders_are_one():
    assert corrected(LOAD).verdict.verdict == CONFORMS
    assert corrected(LOAD).labels["R1"] and not corrected(LOAD).labels["Q1"]


# -- the model without a decision


@pytest.mark.parametrize(
    "decision, says",
    [
        by_night(("M10", "rw_release")),
        by_night(("M11", "it is at W3")),
        ("M12", "(V2)"),
        by_night(("M15", "it is at Q6")),
        ("M19", "(F2)"),
        by_night(("HandsOverAnyway", "it is at K1")),
    ],
)
def test_kafkas_timer_is_not_the_model_without_a_decision(decision, says):
    reader = Reader(LOAD)
    events = [event for _, event in reader][:200]
    verdict = judged(reader.header, events, decision)
    assert verdict.verdict == VIOLATES and says in verdict.first.message


# -- changed recordings


def judged(header, events, without="", **options):
    known = followed.mechanisms()
    known = {**known, followed.MECHANISM: known[followed.MECHANISM].without(without)}
    tally = Tally(header)
    for event in events:
        tally.count(event)

    def judge(header, cut=None):
        return InferredReplay(known, header, cut=cut, infer=runs.infer, **options)

    return replay_events(header, events, tally.footer(), judge)


def events_of(file, timer):
    """The header, and the events of one timer with numbers of their own."""
    reader = Reader(file)
    return reader.header, renumbered([event for _, event in reader if event.get("timer") == timer])


def place(events, kind, **columns):
    return next(
        number
        for number, event in enumerate(events)
        if event["k"] == kind and columns.items() <= event.items()
    )


def dropped_poll(events):
    at = place(events, "dq_poll")
    del events[at]
    return place(events, "rw_acquire", tid=events[at]["tid"])


def swapped_pair(events):
    at = place(events, "bucket_expiry_set")
    events[at - 1 : at + 1] = events[at], events[at - 1]
    return at - 1


def changed_key(events):
    at = place(events, "bucket_expiry_set")
    events[at]["key_ms"] += 1
    events[at]["post"]["key_ms"] += 1
    return at


def expired_twice(events):
    at = place(events, "expire_submit")
    events.insert(at, events[at])
    return at + 1


def cancel_of_nothing(events):
    at = place(events, "list_remove", cause="cancel")
    del events[at]
    return at


def unlinked_from_another_list(events):
    at = place(events, "list_remove", cause="cancel")
    events[at]["list"] = events[place(events, "bucket_new")]["list"]
    return at


def another_entrys_unlink(events):
    at = place(events, "list_remove", cause="cancel")
    events[at]["entry"] = events[place(events, "list_add")]["entry"]
    return at


def unwritten(events):
    at = place(events, "list_remove", cause="cancel")
    del events[at + 1]
    events[at + 1]["tid"] = events[at]["tid"]
    return at


def another_deadline(events):
    at = place(events, "add_request")
    events[at]["delay_ms"] += 1
    return at


def run_twice(events):
    first, second = (number for number, event in enumerate(events) if event["k"] == "task_run")
    for column in ("task", "entry", "exp_ms"):
        events[second][column] = events[first][column]
    return second


def wrong_clock_above(events):
    at = place(events, "clock_advance", level=2)
    events[at]["wheel_ms"] += 20
    return at


def unoffered(events):
    at = place(events, "dq_offer")
    del events[at]
    return at


def polled_early(events):
    at = place(events, "dq_poll")
    events[at]["now_ms"] = events[at]["key_ms"] - 1
    return at


PLANTED = {
    dropped_poll: "it is at Q1",
    swapped_pair: "it is at W2",
    changed_key: "(W3)",
    expired_twice: "can show no expire_submit",
    cancel_of_nothing: "cancel differs: res is false, and true in the model (X1)",
    unlinked_from_another_list: "(X1)",
    another_entrys_unlink: "can show no list_remove",
    unwritten: "can show no list_remove",
    another_deadline: "(A2)",
    run_twice: "(E2)",
    wrong_clock_above: "it is at V1",
    unoffered: "it is at W4",
    polled_early: "it is at Q1",
}


OF_CANCELS = (cancel_of_nothing, unlinked_from_another_list, another_entrys_unlink, unwritten)


@pytest.mark.parametrize(
    "change, says", PLANTED.items(), ids=lambda value: getattr(value, "__name__", "")
)
def test_a_planted_change_is_refused_with_line_and_step(change, says):
    header, events = events_of(LOAD, 1 if change in OF_CANCELS else 44)
    at = change(events)
    verdict = judged(header, renumbered(events[: at + 2]))
    assert verdict.verdict == VIOLATES
    assert (verdict.first.line, says in verdict.first.message) == (at + 2, True), verdict.first


# -- what is inferred


def cancelled(events, knows):
    """The recording up to a link, after which a thread cancels the entry's task and unlinks
    nothing. ``knows``: whether the thread has an event after the link."""
    at = place(events, "list_add", tid=6)
    link = events[at]
    started = {"tid": 9, "tseq": 1, "lc": 1, "k": "thread_start", "phase": "atomic"}
    word = {
        **started,
        "k": "cancel",
        "timer": link["timer"],
        "task": link["task"],
        "pre": {"entry": link["entry"]},
        "post": {"entry": 0},
    }
    head = [*events[: at + 1], started] if knows else [started, *events[: at + 1]]
    return renumbered([*head, word])


def test_a_cancel_that_found_no_list_was_before_the_link_that_came_meanwhile():
    header, events = events_of(SOUND, 130)
    header = {**header, "threads": {**header["threads"], "9": "canceller"}}
    assert judged(header, cancelled(events, knows=False)).verdict == CONFORMS
    verdict = judged(header, cancelled(events, knows=True))
    assert verdict.verdict == VIOLATES
    assert "res is false, and true in the model (X1)" in verdict.first.message


def test_a_recording_may_end_between_an_unlink_and_the_words_write():
    header, events = events_of(LOAD, 1)
    at = place(events, "list_remove", cause="cancel")
    assert judged(header, events[: at + 1]).verdict == CONFORMS
    again = [*events[: at + 1], dict(events[at], k="cancel_check", res="false")]
    assert judged(header, renumbered(again)).verdict == VIOLATES


def test_a_task_that_the_timer_never_gets_is_cancelled_without_a_step():
    header, events = events_of(SOUND, 130)
    word = {**events[0], "k": "cancel", "task": 7000, "pre": {"entry": 0}, "post": {"entry": 0}}
    assert judged(header, renumbered([*events, word])).verdict == CONFORMS
    wrong = {**word, "pre": {"entry": events[place(events, "list_add")]["entry"]}}
    assert judged(header, renumbered([*events, wrong])).verdict != CONFORMS


def refusing(events):
    events[place(events, "expire_submit")]["res"] = "raised"


def coarse(events):
    events[place(events, "wheel_new")]["pre"]["key_ms"] = 5


def retried(events):
    events.append(dict(events[place(events, "cancel_check")], k="list_add_retry"))


def an_age(events):
    events[place(events, "dq_poll")]["now_ms"] += runs.LONGEST + 1


@pytest.mark.parametrize(
    "change, says",
    [
        (refusing, "the executor refuses"),
        (coarse, "the lowest wheel's tick is 5 ms"),
        (retried, "no list_add_retry"),
        (an_age, "takes more than"),
    ],
)
def test_what_the_model_does_not_have_is_out_of_it(change, says):
    header, events = events_of(SOUND, 130)
    events = copy.deepcopy(events)
    change(events)
    verdict = judged(header, renumbered(events))
    assert verdict.verdict == OUT_OF_MODEL and says in verdict.first.message


def test_of_a_longer_recording_a_prefix_is_followed_and_the_verdict_says_so():
    found = followed.follow(LOAD, prefix=200)
    assert found.verdict.verdict == INCOMPLETE and found.conforms
    assert found.verdict.first.message == "the first 200 of 1,026 events were followed"
    assert 0 < found.replay.figures["followed"] < kafka(LOAD).replay.figures["followed"]


def test_what_comes_after_a_gap_is_not_followed():
    header, events = events_of(SOUND, 130)
    at = place(events, "set_entry")
    verdict = judged(header, events[:at] + events[at + 1 :])
    assert verdict.verdict == INCOMPLETE and verdict.applied["Next"] < at


# -- the report and the commands


def test_the_report_names_the_steps_and_those_that_no_event_was():
    printed = "\n".join(followed.lines(kafka(D1), corrected(D1)))
    for part in (
        "all events: 204 followed in 3 timers",
        "in Kafka's order: each is a step",
        "QueuedOnceWithItsKey fails from line",
        "in the corrected order: line",
        "20 of 21",
        "rw_acquire         A1 6, Q2 5",
        "cancel             X1 -",
    ):
        assert part in printed
    assert "X1 5" in "\n".join(followed.lines(kafka(LOAD), corrected(LOAD)))


def test_a_run_is_as_it_must_be_only_where_d1_is_none_of_the_corrected_order():
    known = {run.name: run for run in command.RUNS}
    assert command.modelled(known["d1"], D1)
    assert not command.modelled(known["d1"], OTHERS / "purgatory.jsonl.gz")


def run(*arguments):
    return CliRunner().invoke(commands.app, [*map(str, arguments)])


def test_the_page_shows_what_the_command_prints(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "record-kafka.md").read_text(encoding="utf-8")
    _, *shown = page.split("```console\n$ wheelproof trace ")
    assert len(shown) == 2
    for number, block in enumerate(shown):
        command_line, _, text = block.partition("```")[0].partition("\n")
        ended = run(*command_line.split())
        assert ended.exit_code == number
        assert ended.output.startswith(text.removesuffix("...\n"))


def test_the_model_judges_a_recording_from_the_command_line():
    checked = run("check", SOUND, "--engine", "model")
    assert checked.exit_code == 0 and "1 conforms of 1 traces" in checked.output
    wrong = run("replay", SOUND, "--model", "--field", "speed=2")
    assert isinstance(wrong.exception, UsageError) and "no field speed" in str(wrong.exception)
    for arguments in (("--field", "timer=SystemTimer"), ("--model", "--field", "timer")):
        assert isinstance(run("replay", SOUND, *arguments).exception, UsageError)
    oracle = run("replay", SOUND, "--oracle")
    assert oracle.exit_code == 0 and "it follows no program that is inferred" in oracle.output
