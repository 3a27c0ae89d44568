"""One change per variable of a harness: of an object, or of a lock that a thread holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from harness.overflow_wheel import START
from impl.timer_task_list import TimerTaskEntry, TimerTaskList
from tests.harness.mapping import MECHANISMS
from tests.model import delayed_operation, overflow_wheel, timing_wheel


class Held(NamedTuple):
    """A lock that thread a takes at a label: the lock's variable then has ``expected``.

    ``along``: variables that the same step may change.
    """

    variable: str
    label: str
    scenario: Mapping[str, Any]
    expected: Any
    along: frozenset[str] = frozenset()


class Changed(NamedTuple):
    """Changes of a mechanism's objects, by the variable that must differ.

    ``along``: variables that change with another one. ``held``: locks. ``elsewhere``: variables
    that the mechanism's own test changes. ``prepare``: called before a change, with its variable.
    """

    mechanism: str
    scenario: Mapping[str, Any]
    changes: Mapping[str, Callable[[Any], Any]]
    held: tuple[Held, ...] = ()
    along: Mapping[str, set[str]] = {}
    elsewhere: frozenset[str] = frozenset()
    prepare: Callable[[Any, str], None] = lambda harness, variable: None

    def harness(self, variable: str) -> Any:
        """A harness in the state before the change of a variable."""
        made = import_module(f"harness.{self.mechanism}").Harness(self.scenario)
        self.prepare(made, variable)
        return made

    def model(self) -> Any:
        return MECHANISMS[self.mechanism].model_of(self.scenario)


def alone(of: Mapping[str, Any], *steps: str) -> dict[str, Any]:
    """The scenario with one thread, which takes these steps."""
    return dict(of) | {"threads": {"a": [step.split() for step in steps]}}


# -- DelayedOperation

OPERATIONS = Changed(
    "delayed_operation",
    delayed_operation.scenario(a=[]),
    {
        "ready": lambda w: w.conditions["c2"].set(True),
        "completed": lambda w: w.operations["p"].completed.set(True),
        "pending": lambda w: w.operations["p"].try_complete_pending.set(True),
        "armed": lambda w: w.operations["o"].cancel(),
        "completions": lambda w: w.operations["o"].completions.add_and_get(1),
        "expirations": lambda w: w.operations["p"].on_expiration(),
    },
    (
        Held("lock", "H1", delayed_operation.scenario(a=[["hold", "p"]]), ("a", 1)),
        Held(
            "outer", "G1", delayed_operation.scenario(a=[["deliver_holding", "c1", "o"]]), ("a", 1)
        ),
    ),
)


# -- OverflowWheel


def without_time(harness: Any, variable: str) -> None:
    """The second level's clock is set with a reference to it, and else still unset."""
    harness.heap.clocks[2].current_time = START if variable == "overflowWheel" else None


OVERFLOWING = Changed(
    "overflow_wheel",
    overflow_wheel.scenario(a=[], b=[]),
    {
        "overflowWheel": lambda w: setattr(w.wheel, "overflow_wheel", type(w.wheel)(w.heap, 2)),
        "currentTime": lambda w: setattr(w.heap.clocks[2], "current_time", START),
        "list": lambda w: setattr(w.entry, "list", w.bucket),
        "timerTaskEntry": lambda w: setattr(w.task, "timer_task_entry", None),
        "made": lambda w: setattr(w.heap, "made", 1),
        "taskCounter": lambda w: w.counter.add_and_get(1),
        "submitted": lambda w: w.submitted.add_and_get(1),
        "foundWheel": lambda w: setattr(w.found["a"], "wheel_and_time", (w.wheel, None)),
        "foundTime": lambda w: setattr(w.found["a"], "wheel_and_time", (None, START)),
    },
    elsewhere=frozenset({"buffer", "monitor"}),
    prepare=without_time,
)


# -- SystemTimer

TIMER = {
    "wheel_size": 2,
    "levels": 2,
    "task_of": {"far": "f", "near": "n"},
    "deadline": {"far": 3, "near": 1},
}


class Owned:
    """A monitor under control that a thread holds."""

    owner = "reaper"


def near(harness: Any) -> TimerTaskEntry:
    """An entry of the near task: its maker makes the task point at it."""
    return TimerTaskEntry(harness.tasks["n"], 1)


TIMERS = Changed(
    "system_timer",
    alone(TIMER, "add far", "add near"),
    {
        "now": lambda w: w.clock.advance(1),
        "current": lambda w: setattr(w.timer.wheel, "current_time", 1),
        "content": lambda w: TimerTaskList.add(w.timer.wheel.buckets[1], near(w)),
        "key": lambda w: w.timer.wheel.buckets[0].expiration.set(0),
        "queue": lambda w: w.queue.offer(w.timer.wheel.buckets[1]),
        "timerTaskEntry": near,
        "taskCounter": lambda w: w.timer.task_counter.add_and_get(1),
        "flushing": lambda w: setattr(w.timer.wheel.buckets[1], "monitor", Owned()),
        "shut": lambda w: w.executor.close(),
        "started": lambda w: w.started.add_and_get((near(w),)),
        "refused": lambda w: setattr(w.executor, "refused", (near(w),)),
        "waiting": lambda w: w.executor.submit(near(w)),
        "adding": lambda w: setattr(w.progress, "left", 1),
    },
    (
        Held("readers", "A1", alone(TIMER, "add far"), frozenset("a")),
        Held("writer", "R2", alone(TIMER, "add near", "tick", "reap"), "a"),
    ),
    # a task points at its entry, and a linked entry is counted
    along={
        "content": {"timerTaskEntry", "taskCounter"},
        "waiting": {"timerTaskEntry"},
        "started": {"timerTaskEntry"},
        "refused": {"timerTaskEntry"},
    },
)


# -- TimerTaskList

RINGS = {
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1", "e2": "t2"},
    "ring": {"l1": ["e1"], "l2": []},
    "current": ["e1"],
}
MONITORS = alone(RINGS, "add l2 e2", "cancel t1")
LISTS = Changed(
    "timer_task_list",
    alone(RINGS, "add l2 e2"),
    {
        "next": lambda w: setattr(w.lists["l1"].root, "next", w.lists["l1"].root),
        "prev": lambda w: setattr(w.entries["e1"], "prev", None),
        "list": lambda w: setattr(w.entries["e2"], "list", w.lists["l2"]),
        "timerTaskEntry": lambda w: setattr(w.tasks["t2"], "timer_task_entry", w.entries["e2"]),
        "taskCounter": lambda w: w.counter.add_and_get(1),
    },
    (
        Held("listMonitor", "A1", MONITORS, ("a", 1)),
        Held("entryMonitor", "A2", MONITORS, ("a", 1)),
        Held("taskMonitor", "C1", MONITORS, ("a", 1)),
    ),
)


# -- TimingWheel

WHEEL = timing_wheel.scenario(
    2, 0, {"far": 3, "near": 1}, levels=2, a=[["add", "far"], ["add", "near"]]
)
LINKED = frozenset({"content", "taskCounter"})
WHEELS = Changed(
    "timing_wheel",
    WHEEL,
    {
        # the second level, made beforehand: making it does not change the content
        "made": lambda w: w.wheel.parent(),
        "current": lambda w: setattr(w.wheel, "current_time", 1),
        "content": lambda w: TimerTaskList.add(w.wheel.buckets[1], w.entries["near"]),
        "key": lambda w: w.wheel.buckets[0].expiration.set(0),
        "queue": lambda w: w.queue.offer(w.wheel.buckets[1]),
        "taskCounter": lambda w: w.task_counter.add_and_get(1),
        "adding": lambda w: setattr(w.progress, "left", 1),
        "handed": lambda w: w.handed.add_and_get((w.entries["far"],)),
    },
    (
        Held("monitor", "A1", WHEEL, ("a", 1), LINKED),
        Held("monitor", "V1", alone(WHEEL, "add far", "withdraw"), ("a", 1), LINKED),
        Held("readers", "L1", WHEEL, frozenset("a"), LINKED),
        Held("writer", "R2", alone(WHEEL, "add far", "expire"), "a", LINKED),
    ),
    # a level has a clock, and a linked entry is counted
    along={"made": {"current"}, "content": {"taskCounter"}},
)

CHANGED = {of.mechanism: of for of in (OPERATIONS, OVERFLOWING, TIMERS, LISTS, WHEELS)}
