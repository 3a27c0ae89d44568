"""Threads that run alone: the ends of a model's programs, and their meaning as plain data.

No other thread interferes, so lists are lists of names, and all protocols are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from model.pluscal import DONE
from tests.model.artefacts import Artefacts

Scenario = Mapping[str, Any]


def ended(mechanism: str, of: Scenario, decision: str = "") -> Any:
    """The model without a decision, after its only thread has ended."""
    machine = ARTEFACTS[mechanism].mechanism.without(decision).model_of(of)
    while machine.step(0):
        pass
    assert machine.processes[0].pc == DONE
    return machine


def at_random(machine: Any, choose: Callable[[Mapping[int, Any]], int] = min) -> Any:
    """A model after all have ended. ``choose``: who moves, of the indices of those that can."""
    while moves := {thread: state for thread, _, state in machine.successors(machine.freeze())}:
        machine.load(moves[choose(moves)])
    assert all(process.pc == DONE for process in machine.processes)
    return machine


# -- TimerTaskList


class Buckets:
    """What the operations mean when no thread interferes: plain lists of names."""

    def __init__(self, scenario):
        self.lists = {name: list(scenario["ring"][name]) for name in scenario["lists"]}
        self.task_of = scenario["task_of"]
        self.pointer = dict.fromkeys(self.task_of.values()) | {
            self.task_of[e]: e for e in scenario["current"]
        }
        self.revoked = dict.fromkeys(self.task_of, False)
        self.owed = {
            task: sum(self.task_of[e] == task for ring in self.lists.values() for e in ring)
            for task in self.pointer
        }

    def remove(self, entry):
        for ring in self.lists.values():
            if entry in ring:
                ring.remove(entry)

    def add(self, bucket, entry):
        self.remove(entry)
        self.lists[bucket].append(entry)
        self.owed[self.task_of[entry]] += 1

    def cancel(self, task):
        self.remove(self.pointer[task])
        self.pointer[task] = None
        self.revoked |= {e: True for e in self.revoked if self.task_of[e] == task}

    def schedule(self, bucket, entry):
        task = self.task_of[entry]
        if self.pointer[task] != entry:
            self.remove(self.pointer[task])
        self.pointer[task], self.revoked[entry] = entry, False
        self.add(bucket, entry)

    def flush(self, bucket, destination):
        moved, self.lists[bucket] = self.lists[bucket], []
        self.lists[destination] += [e for e in moved if self.pointer[self.task_of[e]] == e]

    def expire(self, bucket):
        expired, self.lists[bucket] = self.lists[bucket], []
        for entry in expired:
            self.owed[self.task_of[entry]] -= self.pointer[self.task_of[entry]] == entry


def lists_of(machine: Any) -> Any:
    """The end of a model, in the form of Buckets."""
    return (
        {name: list(machine.members(name)) for name in machine.lists},
        {task: machine.timer_task_entry[task] for task in machine.tasks},
        {entry: machine.revoked[entry] for entry in machine.entries},
        {task: machine.owed[task] for task in machine.tasks},
    )


def meant_for_lists(of: Scenario) -> Any:
    buckets = Buckets(of)
    for operation, *arguments in of["threads"]["a"]:
        getattr(buckets, operation)(*arguments)
    return buckets.lists, buckets.pointer, buckets.revoked, buckets.owed


# -- DelayedOperation


class Operations:
    """What the events mean when no thread interferes: all three protocols are the same."""

    def __init__(self, of):
        self.of, self.ready = of, set()
        self.completions, self.expirations = (
            dict.fromkeys(of["protocol"], 0),
            dict.fromkeys(of["protocol"], 0),
        )

    def complete(self, operation):
        """Whether this call completed the operation; what onComplete raises comes out."""
        if self.completions[operation]:
            return False
        self.completions[operation] = 1
        if operation in self.of["raises"]:
            raise RuntimeError
        for other in self.of["completes"][operation]:
            self.complete(other)
        return True

    def attempt(self, operation):
        if self.ready.issuperset(self.of["needs"][operation]):
            self.complete(operation)

    def deliver(self, condition, operation):
        self.ready.add(condition)
        self.attempt(operation)

    deliver_holding = deliver

    def hold(self, operation):
        pass

    def expire(self, operation):
        if self.complete(operation):
            self.expirations[operation] += 1


def operations_of(machine: Any) -> Any:
    """The end of a model, in the form of Operations."""
    return (
        {name for name in ("c1", "c2", "c3") if machine.ready[name]},
        {name: machine.completions[name] for name in machine.operations},
        {name: machine.expirations[name] for name in machine.operations},
    )


def meant_for_operations(of: Scenario) -> Any:
    operations = Operations(of)
    for name, *arguments in of["threads"]["a"]:
        with suppress(RuntimeError):
            getattr(operations, name)(*arguments)
    return operations.ready, operations.completions, operations.expirations


# -- OverflowWheel


def overflow_of(machine: Any) -> Any:
    return machine.made, machine.list == "l", machine.timer_task_entry == "e", machine.submitted


def meant_for_overflow(of: Scenario) -> Any:
    """(wheels made, linked, current, submitted)."""
    made, linked, current, submitted = 0, of["linked"], True, 0
    for name, *_ in of["threads"]["a"]:
        if name == "place":
            made = 1
        elif name == "add":
            linked = True
        elif name == "cancel":
            linked, current = linked and not current, False
        else:
            submitted += current
    return made, linked, current, submitted


# -- TimingWheel


def wheels_of(of: Scenario, decision: str = "") -> Any:
    """The state after a program's end, or after so many steps that it has none."""
    machine = ARTEFACTS["timing_wheel"].mechanism.without(decision).model_of(of)
    for _ in range(400):
        if not machine.step(0):
            break
    functions = [
        [function[index] for index in indices]
        for function, indices in ((machine.key, machine.buckets), (machine.current, machine.tick))
    ]
    return machine.handed, machine.made, machine.queue, machine.processes[0].pc, functions


class Alone(NamedTuple):
    """``ends``: the end of a scenario's thread without a decision; ``meant``: that of plain data.

    Of wheels the unchanged model is the measure: its ends are compared with numbers elsewhere.
    """

    ends: Callable[[Scenario, str], Any]
    meant: Callable[[Scenario], Any]


ALONE = {
    "timer_task_list": Alone(
        lambda of, decision: lists_of(ended("timer_task_list", of, decision)), meant_for_lists
    ),
    "delayed_operation": Alone(
        lambda of, decision: operations_of(ended("delayed_operation", of, decision)),
        meant_for_operations,
    ),
    "overflow_wheel": Alone(
        lambda of, decision: overflow_of(
            at_random(ARTEFACTS["overflow_wheel"].mechanism.without(decision).model_of(of))
        ),
        meant_for_overflow,
    ),
    "timing_wheel": Alone(wheels_of, wheels_of),
}
ARTEFACTS = {mechanism: Artefacts(mechanism) for mechanism in ALONE}
