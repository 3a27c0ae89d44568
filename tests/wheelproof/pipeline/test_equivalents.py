"""The rewritings behind the table of changed traces: each makes one of two runs that differ in its
freedom, and of no others."""

import copy

import equivalents
import pytest

from benchmarks import mutations
from benchmarks.simulate import Simulator


@pytest.fixture(scope="module")
def conforming() -> list[dict]:
    return mutations.renumbered(Simulator(3, 25).run())


def changed(events, kind, operator, **columns):
    events = copy.deepcopy(events)
    index = next(
        index
        for index, event in enumerate(events)
        if event["k"] == kind and all(event.get(name) == value for name, value in columns.items())
    )
    if operator == "drop":
        del events[index]
    elif operator == "duplicate":
        events.insert(index, copy.deepcopy(events[index]))
    else:
        after = next(
            later
            for later in range(index + 1, len(events))
            if events[later]["tid"] == events[index]["tid"]
        )
        events[index], events[after] = events[after], events[index]
    return mutations.renumbered(events)


@pytest.mark.parametrize(
    ("kind", "operator", "name"),
    [
        ("cancel_check", "duplicate", "checked twice"),
        ("watch_cancel", "drop", "watchers cleaned"),
        ("watch_cancel", "duplicate", "watchers cleaned"),
        ("flush_end", "swap", "reset beside the end"),
    ],
)
def test_a_freedom_makes_the_two_runs_one(conforming, kind, operator, name):
    assert equivalents.freedom(conforming, changed(conforming, kind, operator)) == name


@pytest.mark.parametrize(
    ("kind", "operator"),
    [
        ("cancel_check", "drop"),
        ("list_add", "drop"),
        ("list_remove", "duplicate"),
        ("reinsert", "swap"),
        ("flush_end", "drop"),
        ("bucket_expiry_set", "drop"),
        ("dq_poll", "duplicate"),
        ("clock_advance", "duplicate"),
    ],
)
def test_no_freedom_makes_a_run_one_with_a_faulty_one(conforming, kind, operator):
    assert equivalents.freedom(conforming, changed(conforming, kind, operator)) is None


def test_an_open_operation_that_loses_its_watcher_is_no_freedom(conforming):
    op = next(event for event in conforming if event["k"] == "watch_add")
    taken = copy.deepcopy(conforming)
    taken.insert(taken.index(op) + 1, {**copy.deepcopy(op), "k": "watch_cancel"})
    assert equivalents.freedom(conforming, mutations.renumbered(taken)) is None


def test_a_clock_may_skip_but_not_go_back(conforming):
    skipped, back = copy.deepcopy(conforming), copy.deepcopy(conforming)
    for event in skipped[100:]:
        event["lc"] += 7
    assert equivalents.another_clock(conforming, skipped)
    later = next(index for index in range(200, len(back)) if back[index].get("ord"))
    back[later]["lc"] = 1
    assert not equivalents.another_clock(conforming, back)
    assert not equivalents.another_clock(conforming, skipped[:-1])
