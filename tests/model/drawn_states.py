"""Drawn states of the models: any value in any variable, whether or not a run could have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from model.delayed_operation import OUTER
from model.overflow_wheel import MONITORS, START
from model.pluscal import DONE, Monitor
from tests.model import delayed_operation
from tests.model.broken_states import ALONE, LISTS, OPERATIONS, OVERFLOW, WHEELS
from tests.model.overflow_wheel import FIELDS

Draw = Callable[[st.SearchStrategy[Any]], Any]


def lists(draw: Draw) -> Any:
    machine = LISTS.machine()
    names = st.sampled_from(["l1", "l2", "e1", "e2", "e3", None])
    monitors = st.builds(Monitor, st.sampled_from(["a", "b", None]), st.integers(-1, 3))
    for node in (*machine.lists, *machine.entries):
        machine.next[node], machine.prev[node] = draw(names), draw(names)
    for entry in machine.entries:
        machine.list[entry] = draw(names)
        machine.entry_monitor[entry] = draw(monitors)
        machine.revoked[entry] = draw(st.booleans())
    for name in machine.lists:
        machine.list_monitor[name] = draw(monitors)
    for task in machine.tasks:
        machine.timer_task_entry[task] = draw(names)
        machine.owed[task] = draw(st.integers(-2, 2))
    machine.task_counter = draw(st.integers(-3, 5))
    machine.slipped = draw(st.frozensets(names))
    for process in machine.processes:
        process.pc = draw(st.sampled_from(["T0", "A3", "U3", "K1", DONE]))
        process.ke, process.ue, process.ae = (
            draw(st.sampled_from(["e1", "e2", "e3"])) for _ in range(3)
        )
    return machine


def operations(draw: Draw) -> Any:
    protocol = draw(st.sampled_from(delayed_operation.PROTOCOLS))
    machine = OPERATIONS.machine({"of": delayed_operation.scenario(protocol, **ALONE)})
    people = st.sampled_from(["a", "b", "x", "o", None])
    monitors = st.builds(Monitor, people, st.integers(-1, 3))
    for name in machine.operations:
        for function in machine.completed, machine.pending, machine.armed:
            function[name] = draw(st.booleans())
        machine.lock[name] = draw(monitors)
        for counts in machine.completions, machine.expirations:
            counts[name] = draw(st.integers(-2, 5))
        machine.winner[name], machine.expired_by[name] = draw(people), draw(st.frozensets(people))
    for name in ("c1", "c2", "c3"):
        machine.ready[name] = draw(st.booleans())
    for name in machine.threads:
        for function in machine.won, machine.raised, machine.gave_up:
            function[name] = draw(st.booleans())
    machine.outer[OUTER] = draw(monitors)
    for process in machine.processes:
        process.pc = draw(st.sampled_from(["T0", "T1", "Y1", "P5", "P6", "P3", "L7", DONE]))
        process.yo = process.po = process.lo = draw(st.sampled_from("op"))
        process.retry = draw(st.booleans())
    return machine


def overflow(draw: Draw) -> Any:
    machine = OVERFLOW.machine()
    value = st.sampled_from(["a", "w1", "w0", "e", "l", START, None, 20])
    store = st.tuples(
        st.sampled_from("ab"),
        st.sampled_from(FIELDS),
        value,
        value,
        st.frozensets(st.sampled_from(MONITORS)),
    )
    machine.buffer = tuple(draw(st.lists(store, max_size=3)))
    machine.overflow_wheel, machine.list = draw(value), draw(value)
    machine.timer_task_entry = draw(value)
    for function in machine.found_wheel, machine.found_time, machine.wheel, machine.time:
        function["a"] = draw(value)
    machine.late = draw(st.frozensets(st.sampled_from("ab")))
    machine.unlinked, machine.slipped = draw(st.booleans()), draw(st.booleans())
    machine.monitor["task"] = draw(st.builds(Monitor, value, st.integers(-1, 2)))
    for process in machine.processes:
        process.pc = draw(st.sampled_from(["T0", "O1", "O3", "R1", "K1", "W1", DONE]))
    return machine


def wheels(draw: Draw) -> Any:
    machine = WHEELS.machine()
    entries, buckets = st.sampled_from(["far", "near"]), st.integers(1, 6)
    people = st.sampled_from(["a", "reaper", None])
    machine.made = draw(st.integers(1, 2))
    machine.queue = tuple(draw(st.lists(buckets, max_size=4)))
    machine.adding, machine.task_counter = draw(st.integers(-1, 2)), draw(st.integers(-1, 2))
    machine.handed = tuple(draw(st.lists(entries, max_size=4)))
    machine.writer, machine.readers = draw(people), draw(st.frozensets(people))
    machine.rekeyed, machine.early = draw(st.frozensets(buckets)), draw(st.frozensets(entries))
    for level in 1, 2:
        machine.current[level] = draw(st.integers(-1, 9))
    for bucket in machine.buckets:
        machine.key[bucket] = draw(st.integers(-1, 9))
        machine.content[bucket] = tuple(draw(st.lists(entries, max_size=2)))
        machine.monitor[bucket] = draw(st.builds(Monitor, people, st.integers(-1, 2)))
    for process in machine.processes:
        process.pc = draw(st.sampled_from(["W2", "A1", "W5", "F2", "P1", "Q1", DONE]))
        process.ke, process.level = draw(entries), draw(st.integers(1, 2))
        process.bucket = draw(buckets)
        process.polled, process.taken = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    return machine


class Drawn(NamedTuple):
    """A mechanism's drawn states. ``also``: what is checked beside invariants and witnesses."""

    machine: Callable[[Draw], Any]
    also: tuple[str, ...]


DRAWN = {
    "timer_task_list": Drawn(lists, ("CancelledUnlinked", "Termination")),
    "delayed_operation": Drawn(
        operations,
        ("TryAlwaysExcludesComplete", "EveryLoserRetries", "CompletesOnce", "Termination"),
    ),
    "overflow_wheel": Drawn(overflow, ("Termination",)),
    "timing_wheel": Drawn(wheels, ("EveryTimerFires",)),
}
