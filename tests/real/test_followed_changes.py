"""Changed recordings of Kafka, followed on the model: planted changes are refused with line and
step, and what is inferred is right."""

import pytest

from real.record import followed
from tests.real.recorded_kafka import LOAD, SOUND, events_of, judged, place
from tests.wheelproof.trace.test_replay import renumbered
from traces import runs
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, OUT_OF_MODEL, VIOLATES

# -- planted changes


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
    verdict = judged(header, events[: at + 2])
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
    return [*head, word]


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
    assert judged(header, again).verdict == VIOLATES


def test_a_task_that_the_timer_never_gets_is_cancelled_without_a_step():
    header, events = events_of(SOUND, 130)
    word = {**events[0], "k": "cancel", "task": 7000, "pre": {"entry": 0}, "post": {"entry": 0}}
    assert judged(header, [*events, word]).verdict == CONFORMS
    wrong = {**word, "pre": {"entry": events[place(events, "list_add")]["entry"]}}
    assert judged(header, [*events, wrong]).verdict != CONFORMS


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
    change(events)
    verdict = judged(header, events)
    assert verdict.verdict == OUT_OF_MODEL and says in verdict.first.message


def test_of_a_longer_recording_a_prefix_is_followed_and_the_verdict_says_so():
    found = followed.follow(LOAD, prefix=200)
    assert found.verdict.verdict == INCOMPLETE and found.conforms
    assert found.verdict.first.message == "the first 200 of 1,026 events were followed"
    assert 0 < found.replay.figures["followed"] < found.replay.kept == 200


def test_what_comes_after_a_gap_is_not_followed():
    header, events = events_of(SOUND, 130)
    events = renumbered(events)
    at = place(events, "set_entry")
    verdict = judged(header, events[:at] + events[at + 1 :], numbered=False)
    assert verdict.verdict == INCOMPLETE and verdict.applied["Next"] < at
