"""Programs and schedules for the composed timer, drawn by seed: one seed makes one history."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import NamedTuple, Protocol

from tests.impl.timer_conditions import (
    LEAP_MS,
    Action,
    OnePoint,
    Refusal,
    refusal_of,
)
from tests.model.artefacts import ROOT
from wheelproof.linearizability.histories import Operation
from wheelproof.python import ControlledImplementation, StepError
from wheelproof.python.runtime.threads import Thread

NAME = "composed_timer"
MAX_STEPS = 1_000
"""Several times as many as a program takes: a run of more does not end."""
SIZE_LABEL = (
    "        return self.task_counter.get()\n",
    "        return self.task_counter.get()  # read Z1\n",
)
"""``size`` is no step of the mechanism's specification, so the source has no label for it."""


def source(module: str) -> str:
    return (ROOT / module.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")


def composed(*changes: tuple[str, str, str]) -> ControlledImplementation:
    """The timer with all of its layers in their own steps, and (module, old, new) changes."""
    texts = {f"harness.{NAME}": source("tests.impl.composed_timer")}
    for module, old, new in (("impl.system_timer", *SIZE_LABEL), *changes):
        text = texts.get(module) or source(module)
        assert text.count(old) == 1, f"{module}: {old!r} is there {text.count(old)} times"
        texts[module] = text.replace(old, new)
    return ControlledImplementation.load(ROOT, NAME, texts=texts, lint=not changes)


# -- programs


class Program(NamedTuple):
    """``delays``: task -> milliseconds. ``threads``: name -> operations with task or time in ms."""

    wheel_size: int
    delays: Mapping[str, int]
    threads: Mapping[str, tuple[tuple, ...]]

    def operations(self) -> dict[str, list[Operation]]:
        """The operations with their numbers, by thread."""
        number, out = 0, {}
        for thread, program in self.threads.items():
            out[thread] = []
            for name, *arguments in program:
                task, ms = (None, *arguments) if name == "advance" else (*arguments, None, None)[:2]
                out[thread].append(Operation(number, thread, Action(name, task, ms), 0))
                number += 1
        return out

    def without(self, thread: str, index: int) -> Program:
        """One operation less; a thread that has none left is gone."""
        left = {
            name: program[:index] + program[index + 1 :] if name == thread else program
            for name, program in self.threads.items()
        }
        return self._replace(threads={name: program for name, program in left.items() if program})

    def __str__(self) -> str:
        used = {
            argument
            for program in self.threads.values()
            for _, *arguments in program
            for argument in arguments
        }
        delays = ", ".join(
            f"{task} waits {ms} ms" for task, ms in self.delays.items() if task in used
        )
        lines = [
            f"{name}: "
            + "; ".join(f"{op}({', '.join(map(str, arguments))})" for op, *arguments in program)
            for name, program in self.threads.items()
        ]
        return "\n".join(
            [f"a wheel of {self.wheel_size}" + (f"; {delays}" if delays else ""), *lines]
        )


Draw = Callable[[random.Random], Program]


def _wheel(chance: random.Random) -> tuple[int, dict[str, int]]:
    return chance.choice((2, 3, 20)), {task: chance.choice((1, 2, 3, 5)) for task in "ab"}


def apart(chance: random.Random) -> Program:
    """Each task has one thread, which does not add it while it waits."""
    wheel_size, delays = _wheel(chance)
    threads = {}
    for thread, task in zip(("t1", "t2"), "ab"):
        program, waits = [], False
        for _ in range(chance.randint(1, 3)):
            name = chance.choice(
                ("size", "cancel" if waits else "add", "cancel" if waits else "add")
            )
            waits = waits if name == "size" else name == "add"
            program.append((name,) if name == "size" else (name, task))
        threads[thread] = tuple(program)
    if chance.random() < 0.5:
        threads["t3"] = (("size",),) * chance.randint(1, 2)
    return Program(wheel_size, delays, threads)


def added_again(chance: random.Random) -> Program:
    """Each task has one thread, which may add it while it waits."""
    program = apart(chance)
    again = {
        thread: tuple(
            (chance.choice(("add", operation[0])), *operation[1:])
            if len(operation) > 1
            else operation
            for operation in operations
        )
        for thread, operations in program.threads.items()
    }
    return program._replace(threads=again)


def shared(chance: random.Random) -> Program:
    """Two or three threads add and cancel the same tasks."""
    wheel_size, delays = _wheel(chance)
    operations = (
        ("add", "a"),
        ("add", "a"),
        ("cancel", "a"),
        ("cancel", "a"),
        ("add", "b"),
        ("cancel", "b"),
        ("size",),
        ("size",),
    )
    threads = {
        f"t{i}": tuple(chance.choice(operations) for _ in range(chance.randint(1, 3)))
        for i in range(1, chance.randint(3, 4))
    }
    return Program(wheel_size, delays, threads)


def reaped(chance: random.Random) -> Program:
    """The same, and one of the threads is the reaper."""
    program = shared(chance)
    threads = dict(list(program.threads.items())[:2])
    threads["reaper"] = tuple(
        ("advance", chance.choice((1, 2, 3, 4))) for _ in range(chance.randint(1, 3))
    )
    return program._replace(threads=threads)


# -- schedules


class Schedule(Protocol):
    """Chooses among the threads that can move, by their indices."""

    def choose(self, able: list[int]) -> int: ...


class RandomWalk:
    """Each thread that can move is as likely as any other."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def choose(self, able: list[int]) -> int:
        return self.chance.choice(able)


class Priorities:
    """Probabilistic concurrency testing (Burckhardt and others, 2010).

    The thread of the highest priority moves. At ``DEPTH`` - 1 steps, drawn beforehand, that
    thread becomes the lowest.
    """

    DEPTH, STEPS = 3, 150

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.priority: dict[int, float] = {}
        self.changes = {self.chance.randrange(self.STEPS) for _ in range(self.DEPTH - 1)}
        self.step = self.lowest = 0

    def choose(self, able: list[int]) -> int:
        for index in able:
            self.priority.setdefault(index, self.chance.random())
        if self.step in self.changes:
            self.lowest -= 1
            self.priority[max(able, key=self.priority.get)] = self.lowest
        self.step += 1
        return max(able, key=self.priority.get)


class Stall:
    """One thread goes first, and stops after some of its steps while another can move."""

    STEPS = 40

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.order: dict[int, float] = {}
        self.left = self.chance.randrange(self.STEPS)
        self.stalled: int | None = None

    def choose(self, able: list[int]) -> int:
        for index in able:
            self.order.setdefault(index, self.chance.random())
        if self.stalled is None:
            self.stalled = max(able, key=self.order.get)
        others = [index for index in able if index != self.stalled]
        if self.stalled in able and (self.left > 0 or not others):
            self.left -= 1
            return self.stalled
        return max(others, key=self.order.get)


SCHEDULES = (RandomWalk, Priorities, Stall)


class Ran(NamedTuple):
    """``schedule``: the threads in the order of their steps.

    ``end``: ``done``, or the deadlock or exception because of which the history is not judged.
    """

    history: tuple[Operation, ...]
    schedule: tuple[str, ...]
    end: str


AT_REST = "at rest"
AFTER = 1_000
"""The number of the first operation at rest."""


def run(subject: ControlledImplementation, program: Program, schedule: Schedule) -> Ran:
    """Run the program once. When all of its threads are done, ``size``, ``linked``, ``leap``.

    An operation is called with its first step, and returns with its last.
    """
    operations = program.operations()
    looks = (("size", None), ("linked", None), ("leap", LEAP_MS))
    size, linked, leap = (
        Operation(number, AT_REST, Action(name, None, ms), 0)
        for number, (name, ms) in enumerate(looks, AFTER)
    )
    scenario = {
        "wheel_size": program.wheel_size,
        "delays": program.delays,
        "threads": {
            thread: [
                [
                    op.call.name,
                    op.number,
                    *(argument for argument in op.call[1:] if argument is not None),
                ]
                for op in ops
            ]
            for thread, ops in (operations | {AT_REST: [leap]}).items()
        },
    }
    history: list[Operation] = []
    moments = count(1)
    taken: list[str] = []
    under_way: dict[int, Operation] = {}

    def steps(threads: Sequence[Thread], operations: Mapping[str, Sequence[Operation]]) -> str:
        while able := [thread.index for thread in threads if thread.enabled]:
            if len(taken) == MAX_STEPS:
                return f"no end after {MAX_STEPS} steps"
            index = schedule.choose(able)
            thread = going.threads[index]
            begun = thread.position
            if index not in under_way:
                called = operations[thread.name][begun - 1]
                under_way[index] = replace(called, called=next(moments))
            taken.append(thread.name)
            going.step(index)
            if thread.position > begun or thread.label == "Done":
                operation = under_way.pop(index)
                result = going.harness.results.of[operation.number]
                history.append(replace(operation, returned=next(moments), result=result))
        return "done" if all(thread.label == "Done" for thread in threads) else "deadlock"

    try:
        going = subject.begin(scenario)
        *threads, last = going.threads
        end = steps(threads, operations)
        if end == "done":
            seen = ((size, going.harness.timer.size()), (linked, going.harness.linked()))
            history += [
                replace(operation, called=next(moments), returned=next(moments), result=result)
                for operation, result in seen
            ]
            end = steps([last], {AT_REST: [leap]})
    except (StepError, AssertionError) as error:
        end = f"{type(error).__name__}: {error}"
    finally:
        subject.scheduler.end()
    return Ran(tuple(history), tuple(taken), end)


# -- judging


class Found(NamedTuple):
    """A history that a condition does not explain, and how to make it again."""

    program: Program
    schedule: type[Schedule]
    seed: int
    ran: Ran
    refusal: Refusal

    def __str__(self) -> str:
        switches = " ".join(
            f"{name}*{len(list(steps))}" for name, steps in groupby(self.ran.schedule)
        )
        return "\n".join(
            [
                str(self.program),
                f"{self.schedule.__name__}({self.seed}): {switches}",
                *(f"  {event}" for event in self.refusal.events(self.ran.history)),
                str(self.refusal),
            ]
        )


class Judged(NamedTuple):
    """``histories``: how many were judged. ``unjudged``: why others were not, once each."""

    histories: int
    unjudged: tuple[str, ...]
    found: Found | None


def judge(
    subject: ControlledImplementation, condition: type[OnePoint], draw: Draw, seeds: range
) -> Judged:
    """Programs drawn by seed, on schedules of every kind, up to the first unexplained history."""
    judged, unjudged = 0, {}
    for seed in seeds:
        program = draw(random.Random(seed))
        for kind in SCHEDULES:
            ran = run(subject, program, kind(seed))
            if ran.end != "done":
                unjudged[ran.end] = True
                continue
            judged += 1
            if refusal := refusal_of(ran.history, condition(program.delays)):
                return Judged(judged, tuple(unjudged), Found(program, kind, seed, ran, refusal))
    return Judged(judged, tuple(unjudged), None)


def smaller(
    subject: ControlledImplementation, found: Found, condition: type[OnePoint], seeds: range
) -> Found:
    """The program without the operations that no counterexample needs.

    Without any single one of those that are left, the condition explains all histories from
    these seeds.
    """
    while shrunk := next(_without_one(subject, found, condition, seeds), None):
        found = shrunk
    return found


def _without_one(
    subject: ControlledImplementation, found: Found, condition: type[OnePoint], seeds: range
) -> Iterator[Found]:
    for thread, operations in found.program.threads.items():
        for index in range(len(operations)):
            program = found.program.without(thread, index)
            if program.threads:
                judged = judge(subject, condition, lambda chance: program, seeds)
                if judged.found:
                    yield judged.found


def replayed(subject: ControlledImplementation, found: Found) -> Ran:
    """The run of a finding, once more, by its seed alone."""
    return run(subject, found.program, found.schedule(found.seed))
