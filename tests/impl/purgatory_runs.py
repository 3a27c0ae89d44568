"""Drawn runs of the purgatory under control: a program of 2 to 4 threads, and its schedule.

``python -m tests.impl.purgatory_runs FILE`` makes the run of a file again, and prints each step.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.impl.purgatory_judge import Broken, Judge
from tests.model.artefacts import ROOT, Artefacts
from wheelproof import documents
from wheelproof.python import ControlledImplementation, StepError
from wheelproof.python.runtime.watchdog import Watchdog

NAME = "purgatory"
MOST = 3_000
"""Several times as many steps as a program takes: a run of more does not end."""
FOLDER = ROOT / "build" / "fuzz" / "runs"
SCHEMA = "wheelproof.purgatory-run/1"
GENERATIONS = ("Blocking", "TryPending")
"""Of operations: that of Kafka 4.1, and that of 1.1 to 2.6."""

Switch = tuple[int, int]
"""A thread is stopped after so many steps, and of the others that can move this one goes on."""


class Drawn(NamedTuple):
    """``scenario``: as the TOML's are. ``switches``: the schedule."""

    scenario: dict[str, Any]
    switches: tuple[Switch, ...]


# -- drawing


def words(names: Sequence[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(names)


@st.composite
def runs(draw: st.DrawFn, generations: Sequence[str] = GENERATIONS) -> Drawn:
    """Operations on 1 to 3 keys, events, timeouts, cancelled keys and purges, in 2 to 4 threads.

    The operations of a run are of one generation.

    An operation is entered once, by a thread or by another's onComplete. Its event comes to a key
    of each operation with that condition. One thread more is the timer's: for each of its timeouts
    it waits until the timer has the operation, or will not get it.
    """
    keys = "klm"[: draw(st.integers(1, 3))]
    operations = "opq"[: draw(st.integers(1, 3))]
    keys_of = {
        each: draw(st.lists(words(keys), min_size=1, max_size=len(keys), unique=True))
        for each in operations
    }
    need = {each: f"c{each}" for each in operations}
    if len(operations) > 1 and keys_of["o"][0] in keys_of["p"] and draw(st.booleans()):
        need["p"] = need["o"]
    adds: dict[str, list[str]] = {each: [] for each in operations}
    for one, two in pairwise(operations):
        if draw(st.integers(0, 3)) == 3:
            adds[one] = [two]
    added = {each for following in adds.values() for each in following}
    raises = [each for each in operations if draw(st.integers(0, 7)) == 7]

    programs: list[list[list[str]]] = [[] for _ in range(draw(st.integers(2, 3)))]
    thread = st.integers(0, len(programs) - 1)
    entered = [each for each in operations if each not in added]
    for each in entered:
        programs[draw(thread)].append(["watch", each])
    common = [
        ["deliver", need[each], key]
        for each in operations
        for key in keys_of[each]
        if all(key in keys_of[other] for other in operations if need[other] == need[each])
    ]
    others = [
        *(["check", key] for key in keys),
        *(["cancel_key", key] for key in keys),
        *(["force", each] for each in operations),
        ["purge"],
        ["watched"],
        ["num_delayed"],
    ]
    operation = st.one_of(st.sampled_from(common), st.sampled_from(others))
    for at, each in draw(st.lists(st.tuples(thread, operation), max_size=5)):
        programs[at].append(each)
    expired = draw(st.lists(words(entered), max_size=2, unique=True))
    programs.append([["expire", each] for each in expired])
    scenario = {
        "protocol": draw(words(generations)),
        "need": need,
        "keys_of": keys_of,
        "adds": adds,
        "raises": raises,
        "keys": {key: number for number, key in enumerate(keys)},
        "shards": draw(st.integers(1, 2)),
        "locking": [],
        "interval": draw(st.integers(0, 1)),
        "timer": "abstract",
        "threads": {f"t{i}": program for i, program in enumerate(programs, 1) if program},
    }
    switches = draw(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2)), max_size=6))
    return Drawn(scenario, tuple(switches))


# -- running


class Schedule:
    """A thread goes on as long as it can, but for the switches; then the next one that can."""

    def __init__(self, switches: Sequence[Switch]) -> None:
        self.switches, self.taken, self.now = list(switches), 0, 0

    def choose(self, able: Sequence[int]) -> int:
        """The index of the thread that moves next."""
        others = [each for each in able if each != self.now]
        if self.switches and others and self.taken >= self.switches[0][0]:
            self.now = others[self.switches.pop(0)[1] % len(others)]
            self.taken = 0
        elif self.now not in able:
            self.now = next((each for each in able if each > self.now), able[0])
            self.taken = 0
        self.taken += 1
        return self.now


class Ran(NamedTuple):
    """``steps``: (thread, label). ``broken``: the first property that does not hold, or None."""

    steps: tuple[tuple[str, str], ...]
    broken: Broken | None


def run(subject: ControlledImplementation, drawn: Drawn, only: str | None = None) -> Ran:
    """Run a program once, and judge each state and the end. ``only``: the one property to judge."""
    steps: list[tuple[str, str]] = []
    try:
        with Watchdog(subject.scheduler):
            return Ran(tuple(steps), _run(subject, drawn, only, steps))._replace(steps=tuple(steps))
    finally:
        subject.scheduler.end()


def _run(
    subject: ControlledImplementation, drawn: Drawn, only: str | None, steps: list[tuple[str, str]]
) -> Broken | None:
    schedule = Schedule(drawn.switches)
    try:
        going = subject.begin(drawn.scenario)
        judge = Judge(going, drawn.scenario, only)
        while able := [thread.index for thread in going.threads if thread.enabled]:
            if len(steps) == MOST:
                return judge.broken("NoDeadlock", f"there is no end after {MOST} steps")
            thread = going.threads[schedule.choose(able)]
            label = thread.label
            steps.append((thread.name, label))
            going.step(thread.index)
            if broken := judge.after(thread, label):
                return broken
        return judge.at_rest()
    except StepError as error:
        return Broken("Crash", error.message)


# -- files


def kept(drawn: Drawn, folder: Path, changes: Sequence[Sequence[str]] = (), only: str = "") -> Path:
    """Write a run. Within a process each smaller one replaces the one before it."""
    file = folder / f"run-{os.getpid()}.json"
    documents.write(
        file,
        {
            "schema": SCHEMA,
            "scenario": drawn.scenario,
            "switches": [list(each) for each in drawn.switches],
            "changes": [list(each) for each in changes],
            "only": only,
        },
    )
    return file


def read(file: Path) -> tuple[Drawn, list[list[str]], str | None]:
    """A run, the changes of the implementation that it was made with, and the one property."""
    value = documents.read(file, SCHEMA).value
    drawn = Drawn(value["scenario"], tuple((gap, to) for gap, to in value["switches"]))
    return drawn, value["changes"], value["only"] or None


def command(file: Path) -> str:
    """The command that makes the run again."""
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    return f".venv/bin/python -m tests.impl.purgatory_runs {shown}"


def loaded(changes: Sequence[Sequence[str]] = ()) -> ControlledImplementation:
    """The purgatory under control, with (module, old, new) changes or (decision,) without one."""
    texts: dict[str, str] = {}
    for change in changes:
        if len(change) == 1:
            texts |= Artefacts(NAME).mechanism.without(change[0]).modules
            continue
        module, old, new = change
        file = (ROOT / module.replace(".", "/")).with_suffix(".py")
        text = texts.get(module) or file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{module}: {old!r} is there {text.count(old)} times"
        texts[module] = text.replace(old, new)
    return ControlledImplementation.load(ROOT, NAME, texts=texts, lint=not changes)


def lines(drawn: Drawn, ran: Ran) -> Iterator[str]:
    """The program and the schedule for people."""
    scenario = drawn.scenario
    yield f"operations of {scenario['protocol']}"
    for each, condition in scenario["need"].items():
        following = "".join(f", then enters {other}" for other in scenario["adds"][each])
        raising = ", then raises" if each in scenario["raises"] else ""
        keys = " and ".join(scenario["keys_of"][each])
        yield f"{each} waits for {condition} on {keys}{raising or following}"
    yield f"shards: {scenario['shards']}; purge interval: {scenario['interval']}"
    for thread, program in scenario["threads"].items():
        yield f"{thread}: " + "; ".join(" ".join(operation) for operation in program)
    switches = groupby(ran.steps, key=lambda step: step[0])
    yield "schedule: " + " ".join(f"{thread}*{len(list(mine))}" for thread, mine in switches)


def main(arguments: Sequence[str]) -> int:
    """Run a file's run; 1 if a property is broken."""
    if len(arguments) != 1:
        print("usage: python -m tests.impl.purgatory_runs FILE", file=sys.stderr)
        return 2
    drawn, changes, only = read(Path(arguments[0]))
    ran = run(loaded(changes), drawn, only)
    for change in changes:
        print("changed:", " | ".join(change))
    print(*lines(drawn, ran), sep="\n")
    for thread, mine in groupby(ran.steps, key=lambda step: step[0]):
        print(f"  {thread}:", *(label for _, label in mine))
    print(ran.broken or "every property holds")
    return int(ran.broken is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
