"""Code of TLC's jar that a Python process of its own runs by JPype, for many files in one JVM."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from wheelproof import java as runtimes
from wheelproof.errors import ToolError
from wheelproof.java import Java
from wheelproof.tlc.jar import Jar


def refusals(
    module: str, tool: str, files: Sequence[Path], java: Java, jar: Jar, limit: float
) -> list[str]:
    """Run a worker module on files, and return its answer for each: "" where it accepts the file.

    The worker gets the JVM's library, the jar and the files, and prints one JSON text for each
    file. ``tool``: its name in messages. ``limit``: wall seconds. Raises ToolError where it cannot
    be started, does not end in time, or does not answer for each file.
    """
    command = [sys.executable, "-m", module, str(runtimes.library(java)), str(jar.path)]
    try:
        process = subprocess.run(
            [*command, *map(str, files)],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=limit,
        )
    except OSError as error:
        raise ToolError(f"{sys.executable} cannot be started ({error.strerror}).") from error
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{tool} did not end within {limit} s.") from error
    try:
        answers = [json.loads(line) for line in process.stdout.splitlines()]
    except json.JSONDecodeError:
        answers = []
    if process.returncode != 0 or len(answers) != len(files):
        output = " ".join((process.stderr or process.stdout).split())[-300:]
        raise ToolError(
            f"{tool} failed (exit code {process.returncode}): {output}.",
            "Check Java with `wheelproof doctor`.",
        )
    return answers
