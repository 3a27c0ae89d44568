"""A recording is followed up to any event: what is under way there is unfinished, and no fault."""

from collections import defaultdict
from functools import cache

import pytest

from real.record import followed
from tests.real.recorded_kafka import D1, LOAD, OTHERS, judged
from traces import runs
from wheelproof.trace.format.jsonl import Reader
from wheelproof.trace.judging.replay import key_of

RECORDINGS = {"load": LOAD, "d1": D1, "purgatory": OTHERS / "purgatory.jsonl.gz"}


@cache
def pairs(name):
    """(kind of a thread's event, kind of its next one) -> the lengths of prefixes that end with the
    first: an operation of which only a part is followed."""
    events = sorted((event for _, event in Reader(RECORDINGS[name])), key=key_of)
    after, last = defaultdict(list), {}
    for length in range(len(events), 0, -1):
        event = events[length - 1]
        after[event["k"], last.get(event["tid"], "its end")].append(length)
        last[event["tid"]] = event["k"]
    return after


def refusals(name, lengths):
    """The lengths at which a prefix is refused or not understood, with what is stated."""
    stated = {}
    for length in lengths:
        found = followed.follow(RECORDINGS[name], prefix=length)
        rest = [each for each in found.verdict.findings if each.property not in followed.BESIDE]
        if found.refused or rest:
            stated[length] = (found.refused or rest[0]).message
    return stated


BY_DAY = (
    ("add_request", "entry_new"),
    ("list_remove", "cancel"),
)


@pytest.mark.parametrize("pair", BY_DAY, ids=" ".join)
def test_an_operation_that_the_prefix_cuts_is_unfinished(pair):
    assert not refusals("load", pairs("load")[pair][-1:])


@pytest.mark.nightly
@pytest.mark.parametrize("name", RECORDINGS)
def test_every_pair_of_events_may_be_cut(name):
    table = pairs(name)
    lengths = {each[at] for each in table.values() for at in (0, len(each) // 2, -1)}
    assert len(table) > 30 and not refusals(name, sorted(lengths))


def test_an_add_without_its_task_is_what_the_cut_was_refused_for(monkeypatch):
    """The control: the inference that took the open add for one of an unknown task."""

    def unknown(self, operation, request):
        self._entry(operation, "unknown", "unknown", 0)

    monkeypatch.setattr(runs._Timer, "_add_unfinished", unknown)
    (length,) = pairs("load")["add_request", "entry_new"][-1:]
    (stated,) = refusals("load", [length]).values()
    assert "add_request differs: task is" in stated and "(A2)" in stated


def test_a_prefix_before_the_first_step_is_cut_and_not_out_of_the_model():
    found = followed.follow(LOAD, prefix=2)
    assert [each.property for each in found.verdict.findings] == ["Prefix"]
    assert not found.conforms


@pytest.mark.parametrize(
    "kind, column, change",
    [("add_request", "delay_ms", 1), ("list_add", "exp_ms", 1), ("clock_advance", "wheel_ms", 1)],
)
def test_what_is_wrong_before_the_cut_is_refused(kind, column, change):
    reader = Reader(LOAD)
    events = [event for _, event in reader]
    at = next(number for number, event in enumerate(events) if event["k"] == kind)
    events[at][column] += change
    verdict = judged(reader.header, events[: at + 60])
    assert any(each.event and each.line <= at + 62 for each in verdict.findings), verdict.findings
