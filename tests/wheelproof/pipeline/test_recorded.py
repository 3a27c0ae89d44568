"""Runs that are made of a recording of Kafka: sound as the recording is, with its skew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import checked
import pytest

from benchmarks import generate, recorded
from benchmarks.recorded import Recording
from traces.bulk import FAMILIES, clock, operation, tokens
from traces.events import Event
from wheelproof.pipeline.rule import Family

COPIES = 2
"""After the recording itself."""


@cache
def load() -> Recording:
    return Recording(recorded.FOLDER / "load.jsonl.gz")


def run_of(recording: Recording, copies: int = COPIES) -> list[Event]:
    return [event for number in range(copies + 1) for event in recording.copy(number)]


def broken(recording: Recording, families: Sequence[Family] = FAMILIES) -> set[str]:
    """The rules that the recording and one copy break."""
    events = run_of(recording, 1)
    footer = checked.footer_of(recording.header, events)
    return {*checked.rules(recording.header, footer, events, families)}


def test_a_recording_and_its_copy_break_no_rule_but_that_of_a_clock_that_jumps():
    """The copy's clock begins a period later, and no event moves it there."""
    assert broken(load()) == {"ClockObserved"}
    header, events = load().header, run_of(load(), 0)
    assert not checked.rules(header, checked.footer_of(header, events), events)


def test_what_is_hot_in_a_recording_is_as_hot_in_its_copies():
    events = run_of(load())
    tokens = Counter(token[:2] for event in events for token in event.get("ord", ()))
    threads = Counter(event["tid"] for event in events)
    hottest = load().hottest(COPIES)
    (token, most), (thread, busiest) = tokens.most_common(1)[0], threads.most_common(1)[0]
    assert hottest == recorded.Hottest(
        " ".join(token),
        most / tokens.total(),
        load().header["threads"][str(thread)],
        busiest / threads.total(),
    )
    assert hottest.of_tokens > 0.35 and hottest.of_events > 0.4
    assert hottest.token == load().hottest(0).token


def test_a_recording_that_leaves_timers_behind_is_refused():
    with pytest.raises(ValueError, match="list [0-9]+ has list_add without list_remove"):
        Recording(recorded.FOLDER / "sound.jsonl.gz")


def _plain(value: Any) -> Any:
    """An event of a table as the reader gives it."""
    if not isinstance(value, dict):
        return value
    left = {name: _plain(each) for name, each in value.items() if each is not None}
    if "ord" in left:
        left["ord"] = tuple(tuple(each.values())[:4] for each in left["ord"])
    return left


def test_copies_that_are_moved_as_columns_are_the_copies():
    base = load().block(1)
    template = generate.Template(base, base.events)
    for place in range(COPIES):
        moved = [_plain(event) for event in template.at(place).to_pylist()]
        assert moved == load().copy(place + 1)
    footer = checked.footer_of(load().header, run_of(load()))
    footer.pop("sha256")
    assert recorded.footer(load(), base, COPIES) == footer


FAULTS: dict[str, tuple[str, Any, set[str], Family]] = {
    "numbers of what stays begin anew": (
        "_number",
        lambda self, token, at, copy: at,
        {"TokenOnce", "TokenClock", "CounterExact"},
        tokens.TOKENS,
    ),
    "objects are not new": (
        "_id",
        lambda self, found, number: found,
        {
            *("FreshOperation", "CompletedOnce", "TryExcludesComplete"),
            *("ExpiredByTimeoutOnly", "WatchedOnce"),
        },
        operation.FAMILY,
    ),
    "time does not go on": ("period_ms", 0, {"ClockNeverBack", "ClockStopsAtKey"}, clock.FAMILY),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_copies_that_are_no_further_run_are_refused(fault, monkeypatch):
    name, wrong, rules, family = FAULTS[fault]
    changed = Recording(recorded.FOLDER / "load.jsonl.gz")
    monkeypatch.setattr(Recording, name, wrong)
    assert broken(changed, [family]) == rules
