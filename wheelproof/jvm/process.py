"""The JVM as a process that answers requests, and the graph of the implementation's states."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import TracebackType
from typing import cast

from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm.answers import Explored, Loaded, Races, Replayed, Sites
from wheelproof.jvm.declaration import Binding
from wheelproof.jvm.setup import Setup
from wheelproof.jvm.values import Numbers, lines
from wheelproof.protocols import Scenario

_SIGNS = re.compile(r"[\t\n\r]")
"""The separators of words and lines on the wire."""

STUCK = 98
"""The process's exit code where no thread makes a step."""

MOVES, WAITS, ENDED, FAILED = range(4)
"""The standings of a thread in a state."""

BLOCKED, UNTRIED = -1, -2

BELOW = "(below)"
"""The label of the steps of operations that the model takes in one step."""

STUTTER = "(stutter)"
"""The label of an access that the model has no step for."""


@dataclass
class Graph:
    """The implementation's states."""

    threads: int
    labels: list[str]
    results: list[tuple[object, ...]]
    """The distinct results of steps."""
    complete: bool
    faults: list[str]
    figures: dict[str, float]
    shared: list[Numbers] = field(default_factory=list)
    """The distinct values of the shared variables."""
    shared_of: array[int] = field(default_factory=lambda: array("i"))
    """State -> index in ``shared``."""
    parent: array[int] = field(default_factory=lambda: array("i"))
    mover: array[int] = field(default_factory=lambda: array("i"))
    standing: array[int] = field(default_factory=lambda: array("i"))
    """``standing[s * threads + t]``: index in ``labels`` times 4, plus MOVES and so on."""
    after: array[int] = field(default_factory=lambda: array("i"))
    """The state after a step, or BLOCKED."""
    results_of: array[int] = field(default_factory=lambda: array("i"))
    """Step -> index in ``results``."""

    def __len__(self) -> int:
        return len(self.shared_of)

    @property
    def edges(self) -> int:
        return sum(state >= 0 for state in self.after)


class Jvm:
    """One process; a context manager that ends it."""

    def __init__(
        self, setup: Setup, heap_mb: int = 3000, stuck_seconds: int = 60, long: bool = False
    ) -> None:
        """``stuck_seconds``: without a step for so long the process ends, and says where.

        ``long``: compile for throughput. A short run costs half the CPU time without.
        """
        self.setup = setup
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        concurrent = "java.util.concurrent"
        packages = ("java.util", "java.util.stream", concurrent, f"{concurrent}.locks")
        options = [
            f"-Xmx{heap_mb}m",
            "-XX:+UseSerialGC",
            f"-XX:TieredStopAtLevel={4 if long else 1}",
        ]
        options += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in packages]
        options += [f"-Dwheelproof.stuck={stuck_seconds}"]
        path = os.pathsep.join(map(str, setup.tool))
        self.process = subprocess.Popen(
            [str(setup.java), *options, "-cp", path, "wheelproof.jvm.Main"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )

    def __enter__(self) -> Jvm:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                stream.close()

    # -- requests

    def load(self, binding: Binding, change: str = "") -> Loaded:
        """Load the classes under control; ``change``: with this seeded change."""
        requests = [
            ["path", f"{entry}/" if entry.is_dir() else str(entry)] for entry in self.path()
        ]
        requests += [["class", name] for name in binding.classes]
        requests += [["harness", name] for name in binding.harness]
        requests += [["call", name] for name in binding.calls]
        requests += [["delay", name] for name in binding.delayed]
        requests += [["redirect", *line] for line in binding.redirect]
        if change:
            requests.append(["change", binding.changes_class, change])
        return cast(Loaded, self.ask("load", requests))

    def path(self) -> tuple[Path, ...]:
        return self.setup.subject

    def scenario(self, lines: Iterable[Sequence[str]]) -> None:
        self.ask("scenario", lines)

    def begin(self, binding: Binding, program: Scenario, fine: bool = False) -> None:
        """Choose a scenario of the loaded classes. ``fine``: every access is a step."""
        sites = [site[0] for site in self.sites()["sites"]]
        within = [
            key
            for key in sites
            if fine and any(fnmatchcase(key, pattern) for pattern in binding.within)
        ]
        places = binding.at(sites).sites(fine) | ({BELOW: binding.below} if binding.below else {})
        self.scenario(lines(program, places, fine, within, binding.names, binding.inside))

    def explore(self, states: int, seconds: float) -> Graph:
        """All states of the scenario, up to a bound."""
        head = cast(Explored, self.ask("explore", [[str(states), str(seconds)]]))
        graph = Graph(
            head["threads"],
            head["labels"],
            [tuple(map(freeze, json.loads(text))) for text in head["results"]],
            head["complete"],
            head["faults"],
            {
                "states": head["states"],
                "runs": head["runs"],
                "steps": head["steps"],
                "handed_over": head["handed_over"],
                "seconds": head["seconds"],
            },
        )
        numbers = self.numbers(head["shared"])
        at = 0
        while at < len(numbers):
            graph.shared.append(tuple(numbers[at + 1 : at + 1 + numbers[at]]))
            at += 1 + numbers[at]
        threads = graph.threads
        width = 3 + 3 * threads
        numbers = self.numbers(width * head["states"])
        graph.shared_of, graph.parent, graph.mover = (numbers[i::width] for i in range(3))
        for block, target in enumerate((graph.standing, graph.after, graph.results_of)):
            target.extend([0] * (threads * head["states"]))
            for thread in range(threads):
                target[thread::threads] = numbers[3 + block * threads + thread :: width]
        return graph

    def replay(self, schedule: Sequence[int]) -> Replayed:
        """The states on one schedule, with frames; ``fault`` where it cannot be followed."""
        lines = [[str(thread) for thread in schedule]] if schedule else []
        return cast(Replayed, self.ask("replay", lines))

    def races(self) -> Races:
        """The data races of all runs since the classes were loaded, and the fields accessed."""
        return cast(Races, self.ask("races", []))

    def sites(self) -> Sites:
        """Every hooked instruction, and the opaque classes."""
        return cast(Sites, self.ask("sites", []))

    # -- the wire

    def ask(self, request: str, lines: Iterable[Sequence[str]]) -> object:
        """Send a request; its answer. Raises ToolError for an error, or where the process ended."""
        assert self.process.stdin is not None
        text = ""
        for words in lines:
            if odd := [word for word in words if _SIGNS.search(word)]:
                raise UsageError(
                    f"{odd[0]!r} has a tab or the end of a line, and the JVM reads words.",
                    "Correct the declaration or the scenario.",
                )
            text += "\t".join(words) + "\n"
        try:
            self.process.stdin.write(f"{request}\n{text}end\n".encode())
            self.process.stdin.flush()
        except OSError:
            raise self.failure(request) from None
        (length,) = struct.unpack(">i", self.bytes(4, request))
        answer: dict[str, object] = json.loads(self.bytes(length, request))
        if "error" in answer:
            raise ToolError(f"The JVM refuses {request}: {answer['error']}\n{answer['stack']}")
        return answer

    def numbers(self, count: int) -> array[int]:
        values = array("i", self.bytes(4 * count, "explore"))
        if sys.byteorder == "little":
            values.byteswap()
        return values

    def bytes(self, count: int, request: str) -> bytes:
        assert self.process.stdout is not None
        data = self.process.stdout.read(count)
        if len(data) < count:
            raise self.failure(request)
        return data

    def failure(self, request: str) -> ToolError:
        """The error for a process that has ended amid a request."""
        code = self.process.wait()
        self.errors.seek(0)
        words = self.errors.read().decode(errors="replace").strip()
        state = "is stuck" if code == STUCK else f"ended with exit code {code}"
        return ToolError(f"The JVM {state} at {request}:\n{words[-4000:]}")


def freeze(value: object) -> object:
    """A JSON value with tuples for its lists."""
    return tuple(map(freeze, value)) if isinstance(value, list) else value
