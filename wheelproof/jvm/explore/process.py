"""The process that explores: words go in, one answer comes out."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from typing import TypedDict, cast

from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm.explore.harness import Harness

PACKAGES = (
    "jdk.internal.access",
    "jdk.internal.misc",
    "jdk.internal.reflect",
    "jdk.internal.util",
    "jdk.internal.util.random",
    "jdk.internal.vm.annotation",
    "sun.nio.ch",
    "sun.security.action",
    "sun.security.util",
)
"""Packages of the JDK that the copies of its classes use."""

OPENED = ("java.lang", "java.lang.invoke", "java.util", "java.util.concurrent.atomic")
"""Packages with fields that the engine reads: offsets, the threads' own values."""

OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:+IgnoreUnrecognizedVMOptions",
    # All hash codes of identity are equal: the order of a set of objects is that of each run.
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
    # A CompletableFuture without an executor starts a thread for each task.
    "-Djava.util.concurrent.ForkJoinPool.common.parallelism=1",
)

HEAP_MB = 1500
STUCK = 98
"""The exit code of a process in which no thread makes a step."""

SWITCH, VISIBLE = "switch", "visible"

REMEDY = (
    "Give it a constructor without arguments, and a method run() without arguments, or operations "
    "of different names that take int, long, double, boolean, String, Object or an enum."
)


class Site(TypedDict):
    """A place of the program. ``class`` and ``file`` are empty where the JDK alone is there."""

    file: str
    line: int
    method: str
    key: str
    operation: str
    target: str
    copied: bool


class Step(TypedDict):
    """A step of a failing run."""

    file: str
    line: int
    method: str
    key: str
    thread: str
    operation: str
    target: str
    value: str
    holds: list[str]
    preempts: bool


class Wait(TypedDict):
    """A thread that waits at the end of a run: for a lock, a signal or another thread."""

    file: str
    line: int
    method: str
    key: str
    thread: str
    awaited: str
    holder: str


class Thrown(TypedDict):
    """Where an exception was raised."""

    file: str
    line: int
    method: str
    key: str
    says: str


class Failed(TypedDict, total=False):
    """A failing run; ``raised`` is absent where no exception ended it.

    ``program`` has the calls of each thread, if it was drawn, and ``table`` their results.
    """

    kind: str
    thread: str
    preemptions: int
    minimal: bool
    steps: list[Step]
    waits: list[Wait]
    cycle: list[str]
    switches: list[tuple[str, str, int, str]]
    program: list[str]
    table: list[str]
    raised: Thrown


class Answered(TypedDict, total=False):
    """The answer of the process; ``failure`` is there for a bug alone."""

    answer: str
    reason: str
    executions: int
    restarts: int
    points: int
    accesses: int
    classes: int
    compared: int
    places: list[Site]
    kinds: list[str]
    races: list[tuple[Site, Site]]
    failure: Failed


def run(harness: Harness, words: Iterable[Sequence[str]]) -> Answered:
    """Run a harness in a process of its own.

    Raises UsageError for a construct without steps, and ToolError where a class fails.
    """
    lines = [("harness", harness.name)]
    lines += [("path", f"{path}/" if path.is_dir() else str(path)) for path in harness.subject]
    text = "".join("\t".join(line) + "\n" for line in [*lines, *words])
    command = [str(harness.java), *OPTIONS, f"-Xmx{HEAP_MB}m", "-ea"]
    command += [f"--add-exports=java.base/{package}=ALL-UNNAMED" for package in PACKAGES]
    command += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    command += ["-cp", os.pathsep.join(map(str, harness.tool)), "wheelproof.explore.Main"]
    process = subprocess.run(
        command, input=text, capture_output=True, text=True, encoding="utf-8", errors="replace"
    )
    if process.returncode != 0 or not process.stdout:
        state = "is stuck" if process.returncode == STUCK else f"ended with {process.returncode}"
        raise ToolError(f"The JVM {state}:\n{process.stderr.strip()[-4000:]}")
    answer = cast(Answered, json.loads(process.stdout))
    if answer["answer"] == "refused":
        raise UsageError(f"{answer['reason']}.", "Replace it by a fake in the harness.")
    if answer["answer"] == "unusable":
        raise UsageError(f"{answer['reason']}.", REMEDY)
    if answer["answer"] == "broken":
        raise ToolError(f"The classes of {harness.source} cannot be run: {answer['reason']}.")
    return answer
