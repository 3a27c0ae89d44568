"""States in which a property is false, and states in which something excuses it, by mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from model.delayed_operation import Model as Operations
from model.overflow_wheel import START
from model.overflow_wheel import Model as Overflow
from model.pluscal import DONE, Monitor
from model.timer_task_list import Model as Lists
from model.timing_wheel import Model as Wheels
from tests.model import delayed_operation, overflow_wheel, timing_wheel

Places = Mapping[str, Any]
"""What is set in an initial state, by place: a variable, or ``variable__index``.

``pcs`` are the labels of the first threads, ``each`` variables of all threads, and ``process`` of
the first one. ``of`` is another scenario than the table's.
"""


class Table(NamedTuple):
    """A mechanism's states by property. ``registers``: variables of each thread with a label."""

    model: type
    scenario: Mapping[str, Any]
    broken: Mapping[str, list[Places]]
    excused: Mapping[str, list[Places]]
    registers: Mapping[str, Any] = {}

    def machine(self, places: Places | None = None) -> Any:
        """The model in its initial state, with these places set."""
        places = places or {}
        machine = self.model(places.get("of", self.scenario))
        for place, value in places.items():
            variable, _, index = place.partition("__")
            if place == "pcs":
                for process, pc in zip(machine.processes, value):
                    vars(process).update(self.registers, pc=pc)
            elif place == "each":
                for process in machine.processes:
                    vars(process).update(value)
            elif place == "process":
                vars(machine.processes[0]).update(value)
            elif index:
                getattr(machine, variable)[int(index) if index.isdigit() else index] = value
            elif place != "of":
                setattr(machine, variable, value)
        return machine


# -- TimerTaskList

TWO_LISTS = {
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1", "e2": "t2", "e3": "t1"},
    "ring": {"l1": ["e1", "e2"], "l2": []},
    "current": ["e1", "e2"],
}
HELD = {"list_monitor__l1": Monitor("a", 1)}
"""In the middle of a move, ring and counter may be wrong; an entry in two lists may not be."""

LISTS = Table(
    Lists,
    TWO_LISTS | {"threads": {"a": [["add", "l1", "e3"]], "b": [["cancel", "t1"]]}},
    {
        "TypeOK": [
            {"next__e1": "t1"},
            {"prev__l1": "ghost"},
            {"list__e1": "e2"},
            {"timer_task_entry__t1": "l1"},
            {"task_counter": -1},
            {"slipped": frozenset({"t1"})},
        ],
        "AtMostOneList": [
            {"next__l2": "e2"},
            {"next__l2": "l1"},
            {"next__l2": "e2"} | HELD,
        ],
        "ExactlyItsList": [
            {"list__e1": None},
            {"list__e1": "l2"},
            {"list__e3": "l1"},
            {"next__l1": "e2"},
            # l1 does not guard e3
            {"list__e3": "l2"} | HELD,
        ],
        "RingWellFormed": [
            {"prev__e2": "l1"},
            {"next__e2": "e1"},
            {"next__e2": None},
            {"prev__l1": None},
            {"next__l2": "e1"},
        ],
        "CounterExact": [{"task_counter": 3}, {"task_counter": 1}, {"next__l1": "e2"}],
        "CancelWins": [{"slipped": frozenset({"e1"})}],
        "RunsOncePerAdd": [{"owed__t1": -1}],
        "CancelledUnlinked": [{"pcs": (DONE, DONE), "timer_task_entry__t1": None}],
    },
    {
        "TypeOK": [HELD],
        "AtMostOneList": [{"next__l1": "l1"}],
        "ExactlyItsList": [
            {"list__e1": None} | HELD,
            {"list__e3": "l2", "entry_monitor__e3": Monitor("b", 1)} | HELD,
        ],
        "RingWellFormed": [{"prev__e2": "l1"} | HELD],
        # other lists' sentinels are no entries
        "CounterExact": [{"task_counter": 3} | HELD, {"next__l2": "l1"}],
        "CancelWins": [{"revoked__e1": True}],
        "RunsOncePerAdd": [{"owed__t1": 0}],
        "CancelledUnlinked": [{"pcs": (DONE, "T0"), "timer_task_entry__t1": None}],
    },
)

# -- DelayedOperation

ALONE = {"a": [["deliver", "c1", "o"]], "b": [["deliver", "c2", "o"]], "x": [["expire", "o"]]}
PENDING = delayed_operation.scenario("TryPending", **ALONE)
READY = {"ready__c1": True, "ready__c2": True}

OPERATIONS = Table(
    Operations,
    delayed_operation.scenario("Blocking", **ALONE),
    {
        "TypeOK": [
            {"completions__o": -1},
            {"completions__p": 4},
            {"expirations__o": 2},
            {"lock__o": Monitor("o", 1)},
            {"winner__o": "p"},
            {"expired_by__o": frozenset({"o"})},
            {"outer__outer": Monitor("o", 1)},
        ],
        "CompletedOnce": [{"completions__o": 2}, {"completions__p": 2}],
        "NoLostCompletion": [
            {"pcs": (DONE, DONE, "T0")} | READY,
            {"pcs": (DONE, DONE, DONE), "ready__c3": True},
        ],
        "ExpiredByTimeoutOnly": [
            {"expired_by__o": frozenset({"x"})},
            {"expired_by__p": frozenset({"a", "x"}), "winner__p": "x"},
        ],
        "OneTries": [{"pcs": ("Y1", "Y1")}, {"pcs": ("Y1", "T0", "Y1")}],
        "TryExcludesComplete": [{"pcs": ("Y1",), "completions__o": 1}],
        "TryAlwaysExcludesComplete": [
            {"pcs": ("Y1",), "completions__o": 1},
            {"of": PENDING, "pcs": ("Y1",), "completions__o": 1},
        ],
        "EveryLoserRetries": [
            {
                "gave_up__a": True,
                "pcs": ("P6", "P6", "P1"),
                "each": {"retry": True},
                "lock__o": Monitor("x", 1),
            }
        ],
    },
    {
        "TypeOK": [{"completions__o": 1}],
        "CompletedOnce": [{"completions__o": 1, "completions__p": 1}],
        "NoLostCompletion": [
            # b may still look
            {"pcs": (DONE, "B1", DONE)} | READY,
            {"pcs": (DONE, DONE, "T0"), "completed__o": True} | READY,
            # c2 is not there
            {"pcs": (DONE, DONE, DONE), "ready__c1": True},
        ],
        "ExpiredByTimeoutOnly": [{"expired_by__o": frozenset({"x"}), "winner__o": "x"}],
        "OneTries": [{"pcs": ("Y1", "T0")}],
        "TryExcludesComplete": [
            {"of": PENDING, "pcs": ("Y1",), "completions__o": 1},
            # another operation's onComplete
            {"pcs": ("Y1",), "completions__p": 1},
        ],
        "TryAlwaysExcludesComplete": [{"pcs": ("Y1",), "completions__p": 1}],
        "EveryLoserRetries": [{"gave_up__a": False, "pcs": ("P6", "P6", "P1")}],
    },
    {"retry": False} | dict.fromkeys(("yo", "po", "lo", "bo", "xo", "co", "oo"), "o"),
)

# -- OverflowWheel

LINKING, UNLINKING = ("a", "list", "e", "l", frozenset()), ("b", "list", "e", None, frozenset())

OVERFLOW = Table(
    Overflow,
    overflow_wheel.scenario(a=[["place", "a"]], b=[["cancel"]]),
    {
        "SafePublication": [
            {"found_wheel__a": "w1"},
            {"found_wheel__b": "w1", "found_time__b": "later"},
        ],
        "OneOverflowWheel": [{"found_wheel__a": "w1", "found_wheel__b": "w2"}],
        "CancelUnlinks": [
            {"unlinked": True, "list": "l"},
            {"unlinked": True, "buffer": (UNLINKING, LINKING)},
        ],
        "CancelWins": [{"slipped": True}],
    },
    {
        "SafePublication": [
            {"found_wheel__a": "w1", "found_time__a": START},
            {"current_time__w1": None, "overflow_wheel": "w1"},
        ],
        "OneOverflowWheel": [{"found_wheel__a": "w1", "found_wheel__b": "w1", "made": 2}],
        "CancelUnlinks": [
            {"list": "l", "revoked": True},
            {"unlinked": True, "list": "l", "buffer": (LINKING, UNLINKING)},
        ],
        "CancelWins": [{"revoked": True, "submitted": 1}],
    },
)

# -- TimingWheel


def links(ke: str, level: int, bucket: int, **more: Any) -> Places:
    """The first thread is about to link."""
    return {"process": {"pc": "W2", "ke": ke, "level": level, "bucket": bucket} | more}


TWO_LEVELS = {"made": 2, "current__2": 0}

WHEELS = Table(
    Wheels,
    timing_wheel.scenario(
        3, deadline={"far": 6, "near": 1}, a=[["add", "far"]], reaper=[["expire"]]
    ),
    {
        "TypeOK": [
            {"made": 3},
            {"current__2": 0},
            {"key__1": -2},
            {"content__1": ("unknown",)},
            {"monitor__1": Monitor("a", 0)},
            {"queue": (7,)},
            {"readers": frozenset({"x"})},
            {"writer": "x"},
            {"adding": -1},
            {"handed": ("far", "near", "far")},
            {"process": {"level": 3}},
            {"process": {"polled": 7}},
        ],
        "SlotInRange": [
            links("far", 2, 6),
            links("far", 2, 5) | TWO_LEVELS,
            links("near", 1, 3),
        ],
        "NotCurrentSlot": [
            links("near", 1, 1),
            links("near", 1, 2) | {"current__1": 1},
            links("far", 2, 4) | TWO_LEVELS,
        ],
        "OneKeyPerSlot": [{"content__1": ("far", "near")}, {"content__5": ("far", "near")}],
        "KeyWindow": [
            links("near", 1, 2) | {"current__1": 1},
            links("far", 1, 1),
            links("far", 2, 6) | {"made": 2, "current__2": 6},
        ],
        "DemotionDescends": [
            links("near", 1, 2, polled=1),
            links("far", 2, 6, polled=4) | TWO_LEVELS,
        ],
        "LevelBound": [
            links("far", 1, 1),
            links("near", 2, 4) | {"current__1": 1} | TWO_LEVELS,
        ],
        "QueuedOnceWithItsKey": [
            {"rekeyed": frozenset({1})},
            {"queue": (1, 1)},
            {"content__2": ("near",)},
            {"content__2": ("near",), "process": {"polled": 2, "pc": "P1"}},
        ],
        "KeyBeforeDeadline": [
            {"content__2": ("near",), "queue": (2,), "key__2": 2},
            {"content__2": ("far", "near"), "queue": (2,), "key__2": 2},
        ],
        "NotEarly": [{"early": frozenset({"near"})}],
        "FiredOnce": [{"handed": ("near", "near")}],
    },
    {
        "TypeOK": [
            {
                "writer": "a",
                "readers": frozenset({"reaper"}),
                "queue": (6, 6),
                "handed": ("near", "near"),
            }
        ],
        "SlotInRange": [
            links("far", 2, 6) | TWO_LEVELS,
            links("far", 2, 6, pc="A11"),
        ],
        "NotCurrentSlot": [
            links("near", 1, 1, pc="W3"),
            links("near", 1, 2) | {"current__1": 0},
        ],
        "OneKeyPerSlot": [{"content__1": ("near", "near")}, {"content__5": ("far", "far")}],
        "KeyWindow": [links("near", 1, 2), links("far", 2, 6) | TWO_LEVELS],
        "DemotionDescends": [links("near", 1, 2), links("near", 1, 2, polled=4)],
        "LevelBound": [
            links("far", 2, 6) | TWO_LEVELS,
            links("far", 1, 1) | {"current__1": 4},
        ],
        "QueuedOnceWithItsKey": [
            {"content__2": ("near",), "queue": (2,)},
            {"content__2": ("near",), "process": {"polled": 2, "pc": "F2"}},
            {"content__2": ("near",), "process": {"bucket": 2, "pc": "W4"}},
        ],
        "KeyBeforeDeadline": [
            {"content__2": ("near",), "queue": (2,), "key__2": 1},
            {"content__2": ("near",), "key__2": 2},
            {
                "content__2": ("near",),
                "queue": (2,),
                "key__2": 2,
                "process": {"bucket": 2, "pc": "W3"},
            },
        ],
        "NotEarly": [{"rekeyed": frozenset({1})}],
        "FiredOnce": [{"handed": ("near", "far")}],
    },
)

TABLES = {
    "timer_task_list": LISTS,
    "delayed_operation": OPERATIONS,
    "overflow_wheel": OVERFLOW,
    "timing_wheel": WHEELS,
}
