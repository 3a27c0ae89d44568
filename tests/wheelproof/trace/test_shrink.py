"""Shrinking: a few events, a trace of their own, refused for the same reason; and a repair that
repairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nights import first
from tests.wheelproof.trace.recorded import NAME, REJECTED, busy, mechanisms, of_mutant, of_turns
from traces.failure import Failure
from traces.shrink import ddmin_by, renumbered, shrink
from wheelproof.trace.format import jsonl
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.replay import key_of
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES
from wheelproof.trace.recording.record import record

REPAIRS = {
    "M1": "change line",
    "M2": "insert list_remove(",
    "M3": "insert list_remove(",
    "M3_stale_list": "insert list_remove(",
    "M4": "let go of list:",
    "M8": "delete line",
    "M9": "delete line",
    "M19": "delete line",
    "M19_underflow": "delete line",
    "FlushWithoutMonitor": "delete line",
}


def numbered(events):
    return list(enumerate(sorted(events, key=key_of), 2))


@pytest.mark.parametrize("name", sorted(REJECTED))
def test_each_seeded_fault_becomes_a_trace_of_a_few_events(name, tmp_path):
    recorded = of_mutant(name)
    first = replay.replay_events(recorded.header, recorded.events, recorded.footer).first
    small = shrink(recorded.header, numbered(recorded.events))
    assert len(small.events) <= 20 and len(small.events) < len(recorded.events)
    assert small.lines[-1] == first.line and list(small.lines) == sorted(small.lines)
    jsonl.write(tmp_path / "small.jsonl", small.header, small.events, small.footer)
    again = replay.replay(tmp_path / "small.jsonl")
    assert again.verdict == VIOLATES and again.first.property == first.property == small.property
    assert again.first.line == len(small.events) + 1, (
        "the failure is the last event, and the only one"
    )
    assert small.repair.startswith(REPAIRS[name]) and f"line {first.line}" in small.repair


@pytest.mark.parametrize("name", sorted(REJECTED))
def test_no_event_of_a_shrunk_trace_can_be_spared(name):
    small = shrink(of_mutant(name).header, numbered(of_mutant(name).events))
    for gone in range(len(small.events) - 1):
        left = [event for number, event in enumerate(small.events) if number != gone]
        verdict = replay.replay_events(small.header, renumbered(left), None)
        first = verdict.first
        assert not (
            verdict.verdict == VIOLATES
            and (first.event["k"], first.message) == (small.events[-1]["k"], small.message)
            and first.line == len(left) + 1
        ), small.events[gone]


@pytest.mark.parametrize("name", ["M1", "M8", "FlushWithoutMonitor"])
def test_a_failure_far_from_the_beginning_is_looked_at_with_sixteen_events_before_it(name):
    """No event of its entry or task is further away, and the rest is folded into the start."""
    found = Failure.of(of_mutant(name).header, numbered(of_mutant(name).events))
    assert len(found.window) == 16 + 1 and found.window[-1] == (found.line, found.event)


def test_a_trace_that_conforms_has_nothing_to_shrink():
    recorded = record(mechanisms(), NAME, "two_adders", "sound", schedule=None)
    assert (
        replay.replay_events(recorded.header, recorded.events, recorded.footer).verdict == CONFORMS
    )
    assert shrink(recorded.header, numbered(recorded.events)) is None


@pytest.mark.parametrize("kind", first(["list_add", "list_remove", "cancel"]))
def test_one_event_lost_among_thousands_is_found_in_a_few(kind):
    recorded = of_turns(NAME, busy(120, 7), 7)
    events = sorted(recorded.events, key=key_of)
    column, shown_by = {
        "list_add": ("entry", "list_remove"),
        "list_remove": ("entry", "list_add"),
        "cancel": ("task", "set_entry"),
    }[kind]
    seen, place = set(), 0
    for number in range(len(events) - 1, 0, -1):  # the last one that something later depends on
        event = events[number]
        if (
            event["k"] == kind
            and event[column] in seen
            and (kind != "cancel" or event["pre"]["entry"])
        ):
            place = number
            break
        if kind == "cancel" and event["k"] == "set_entry":
            seen.discard(event["task"])
        if event["k"] == shown_by and (kind != "cancel" or not event["pre"]["entry"]):
            seen.add(event[column])
    damaged = renumbered(events[:place] + events[place + 1 :])
    for (
        event
    ) in damaged:  # as if the counter had been right: what is left to see is where the entries are
        event.pop("post", None)
    verdict = replay.replay_events(recorded.header, damaged, None)
    assert place and verdict.verdict == VIOLATES
    small = shrink(recorded.header, numbered(damaged))
    assert len(events) > 5_000 and len(small.events) <= 20
    assert small.property == verdict.first.property
    lost = events[place]
    if kind != "cancel":
        assert f"entry {lost['entry']}" in small.message
    if kind == "list_remove" and small.property == "AtMostOneList":
        assert (
            small.repair == f"insert list_remove(e{lost['entry']}, l{lost['list']}) before line "
            f"{verdict.first.line}"
        )


def test_the_repair_is_right():
    recorded = of_mutant("M8")
    small = shrink(recorded.header, numbered(recorded.events))
    line = int(small.repair.removeprefix("delete line ").partition(":")[0])
    repaired = [event for number, event in numbered(recorded.events) if number != line]
    assert (
        replay.replay_events(
            recorded.header,
            [{k: v for k, v in event.items() if k != "post"} for event in renumbered(repaired)],
            None,
        ).verdict
        != VIOLATES
    )


def test_what_lies_beyond_the_cut_is_not_shrunk_to():
    """Two faults, the first of them beyond what the footer vouches for."""
    recorded = of_mutant("M2")
    events = numbered(recorded.events)
    whole = shrink(recorded.header, events)
    place = next(number for number, (line, _) in enumerate(events) if line == whole.lines[-1])
    list_token = next(token for token in events[place][1]["ord"] if token[1].startswith("list:"))
    assert (
        shrink(recorded.header, events, {f"L {list_token[1]}": list_token[2]}).lines[-1]
        == whole.lines[-1]
    )
    cut = shrink(recorded.header, events, {f"L {list_token[1]}": list_token[2] - 1})
    assert cut is None or cut.lines[-1] != whole.lines[-1]
    cut = {
        f"L {token[1]}": 0
        for _, event in events
        for token in event.get("ord", ())
        if token[0] == "L"
    }
    assert shrink(recorded.header, events, cut) is None


@given(st.sets(st.integers(0, 40), min_size=1, max_size=4), st.integers(1, 41))
def test_ddmin_leaves_what_is_needed_and_nothing_else(needed, size):
    needed = {number % size for number in needed}
    items = [(number, {"tid": 1, "entry": number}) for number in range(size)]
    calls = []

    def fails(left):
        calls.append(len(left))
        return needed <= {event["entry"] for _, event in left}

    assert {
        event["entry"] for _, event in ddmin_by(items, lambda event: event["entry"], fails)
    } == needed
    assert len(calls) <= 2 * size * size + 20


def _handed_over(times):
    """A flush of a list that has entry 4 before entry 5, which is handed over so often without
    being checked again."""
    header = {
        "schema": "wheelproof.trace/1",
        "schema_minor": 1,
        "run_id": "twice",
        "producer": {"name": "by hand"},
        "clock": {"kind": "none"},
        "threads": {"1": "reaper"},
        "capture": {"mode": "full"},
        "initial": {
            "lists": {"1": [4, 5]},
            "tasks": {"2": 4, "3": 5},
            "counters": {"counter:6": 2},
        },
    }
    steps = [("flush_begin", {"list": 1, "span": 1})]
    for entry, task, left in ((4, 2, 1), (5, 3, 0)):
        steps += [
            (
                "list_remove",
                {
                    "list": 1,
                    "entry": entry,
                    "cause": "flush",
                    "ord": (("V", "counter:6", 2 - left, "w"),),
                    "post": {"list": 0, "counter": left},
                },
            ),
            ("cancel_check", {"task": task, "entry": entry, "res": "false"}),
            ("expire_submit", {"entry": entry}),
        ]
    steps += [("expire_submit", {"entry": 5})] * (times - 1)
    return header, [
        (n + 1, {"tid": 1, "tseq": n, "lc": n, "k": kind, "phase": "atomic", **columns})
        for n, (kind, columns) in enumerate(steps, 1)
    ]


def test_who_is_handed_over_twice_is_shown_with_the_first_time_and_without_bystanders(monkeypatch):
    assert shrink(*_handed_over(1)) is None
    found = shrink(*_handed_over(2))
    assert (found.property, found.message) == (
        "CancelWins",
        "entry 5, that was not checked once more, is handed over once more",
    )
    assert [(event["k"], event["entry"]) for event in found.events] == [
        ("list_remove", 5),
        ("cancel_check", 5),
        ("expire_submit", 5),
        ("expire_submit", 5),
    ]
    monkeypatch.setattr(Failure, "without_bystanders", lambda self, kept: kept)
    assert ("list_remove", 4) in [
        (event["k"], event["entry"]) for event in shrink(*_handed_over(2)).events
    ]


def _timed_out(missing):
    """Three operations that their timeout completes, one after the other; of one of them
    onExpiration does not run."""
    header = {
        "schema": "wheelproof.trace/1",
        "schema_minor": 1,
        "run_id": "late",
        "producer": {"name": "by hand"},
        "clock": {"kind": "none"},
        "threads": {"1": "reaper"},
        "capture": {"mode": "full"},
        "variant": "TryPending",
    }
    steps = []
    for op in (7, 8, 9):
        steps += [
            (
                "force_cas",
                {
                    "op": op,
                    "cause": "expiry",
                    "res": "true",
                    "ord": (("V", f"op:{op}.completed", 1, "cas+"),),
                    "pre": {"completed": False},
                    "post": {"completed": True},
                },
            ),
            ("on_complete_begin", {"op": op, "span": op}),
            ("on_complete_end", {"op": op, "span": op, "res": "none"}),
        ]
        steps += [("on_expire", {"op": op})] if op != missing else []
    steps.append(("thread_stop", {}))
    return header, [
        (n + 1, {"tid": 1, "tseq": n, "lc": n, "k": kind, "phase": "atomic", **columns})
        for n, (kind, columns) in enumerate(steps, 1)
    ]


@pytest.mark.parametrize("missing", [7, 8, 9])
def test_what_was_not_done_is_shown_with_its_own_operation_and_repaired_there(missing):
    assert shrink(*_timed_out(None)) is None
    found = shrink(*_timed_out(missing))
    assert found.property == "TimeoutExpires" and f"operation {missing} " in found.message
    assert {event["op"] for event in found.events if "op" in event} == {missing} and found.events[
        -1
    ]["k"] == "thread_stop"
    assert found.repair.startswith(f"insert on_expire(op{missing}) before line ")
