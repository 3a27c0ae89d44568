"""Runs the probes in ``java/`` on the Java that is found: the real ``java.util.Timer`` and
``java.util.concurrent.DelayQueue``.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from wheelproof.errors import ToolError
from wheelproof.java import QUICK_START, locate

SOURCES = Path(__file__).with_name("java")
PROBES = "JdkTimers"
COMPILER = "jdk.compiler"
TIMEOUT_S = 240


class NoJava(Exception):
    """There is no Java that compiles a source file; the message says what was found."""


@cache
def launcher() -> Path:
    """A ``java`` of release 11 or newer with a compiler. Raises NoJava: none is there, or it has no
    compiler.
    """
    try:
        java = locate("a claim about the JDK", 11, "").executable
    except ToolError as error:
        raise NoJava(error.message) from error
    modules = subprocess.run([java, "--list-modules"], capture_output=True, text=True).stdout
    if COMPILER not in modules:
        raise NoJava(f"{java} has no module {COMPILER}: it is a runtime without a compiler")
    return java


def java(*arguments: str | Path) -> str:
    """The output of ``java``. Raises NoJava; AssertionError where it fails."""
    ran = subprocess.run(
        [launcher(), *QUICK_START, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def run(*arguments: str | Path) -> str:
    """Compile the probes and run them; their output. Raises as ``java`` does."""
    with tempfile.TemporaryDirectory() as folder:
        compiler = f"{COMPILER}/com.sun.tools.javac.Main"
        java("-m", compiler, "-nowarn", "-d", folder, *sorted(SOURCES.glob("*.java")))
        return java("-cp", folder, PROBES, *arguments)


def script(count: int, seed: int) -> tuple[str, ...]:
    """Offers, polls, removals and time at random; ties and elements that are due already are
    frequent.
    """
    draw, lines, names = random.Random(seed), [], []
    for number in range(count):
        kind = draw.choice(["offer", "offer", "offer", "poll", "remove", "advance"])
        if kind == "offer":
            names.append(f"e{number}")
            lines.append(f"offer {names[-1]} {draw.randrange(30)}")
        elif kind == "remove" and names:
            lines.append(f"remove {draw.choice(names)}")
        elif kind == "advance":
            lines.append(f"advance {draw.randrange(8)}")
        else:
            lines.append("poll")
    return tuple(lines)


SCRIPT = script(3000, seed=1)
"""What both the real DelayQueue and its stand-in do."""


@cache
def probes() -> dict[str, str]:
    """The value of each probe by its name, and of each line of ``SCRIPT`` on a DelayQueue."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "script")
        file.write_text("\n".join(SCRIPT))
        return dict(line.split("\t") for line in run(file).splitlines())
