"""A wake-up is paired with the notification that it takes, as the module Conditions has it."""

from dataclasses import replace

import pytest

from wheelproof.counterexample.document import Step
from wheelproof.counterexample.notified import WakeUp, wake_ups


def run(trace, *steps):
    """The pairs of a run, whose steps are (thread, kind, tickets afterwards)."""
    before, taken = "<<>>", []
    for thread, kind, after in steps:
        taken.append(Step(thread, "A1", kind, None, {"tickets": (before, after)}))
        before = after
    made = replace(trace, threads=("a", "b", "c"), initial={"tickets": "<<>>"}, steps=tuple(taken))
    return [(pair.notified, pair.woken) for pair in wake_ups(made)]


def test_a_thread_takes_the_oldest_ticket_that_names_it(trace):
    assert run(
        trace,
        ("c", "notify", '<<{"a"}>>'),
        ("c", "notify", '<<{"a"}, {"a", "b"}>>'),
        ("b", "wake", '<<{"a"}>>'),
        ("a", "wake", "<<>>"),
    ) == [(1, 2), (0, 3)]


def test_notify_all_wakes_several(trace):
    assert run(
        trace,
        ("c", "notify", '<<{"a", "b"}, {"a", "b"}>>'),
        ("a", "wake", '<<{"b"}>>'),
        ("b", "wake", "<<>>"),
    ) == [(0, 1), (0, 2)]


def test_a_set_of_threads_that_may_wake_is_a_condition_too(trace):
    steps = (
        Step("a", "A1", "wait", None, {"asleep": ("{}", '{"a"}')}),
        Step("c", "A2", "notify", None, {"woken": ("{}", '{"a"}')}),
        Step("a", "A3", "wake", None, {"asleep": ('{"a"}', "{}"), "woken": ('{"a"}', "{}")}),
    )
    made = replace(trace, initial={"asleep": "{}", "woken": "{}"}, steps=steps)
    made = replace(made, threads=("a", "c"))
    assert wake_ups(made) == [WakeUp(1, 2)], "the step that falls asleep notifies no thread"


@pytest.mark.parametrize(
    "steps",
    [
        (("c", "write", '<<{"a"}>>'), ("a", "wake", "<<>>")),  # no notification
        (("c", "notify", '<<{"a"}>>'), ("c", "write", "<<>>"), ("a", "wake", "<<>>")),  # lost
        (("c", "notify", '<<{"b"}>>'), ("a", "wake", '<<{"b"}>>')),  # a time-out
        (("c", "notify", '<<{"a"}>>'), ("a", "read", "<<>>")),  # no wake-up
    ],
)
def test_a_step_that_takes_no_notification_has_no_pair(trace, steps):
    assert run(trace, *steps) == []
