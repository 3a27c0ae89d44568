"""PlusCal translations: whether the one that is committed is that of the algorithm above it, and making it anew.

TLC checks the translation and not the algorithm; on a stale one it only prints a warning. Here the translator of the same
jar translates a copy, and the two translations are compared.
"""

import os
import re
import shutil
import subprocess
import tempfile
from enum import StrEnum
from pathlib import Path

from wheelproof.errors import ToolError, UsageError
from wheelproof.java import Java
from wheelproof.tlc import jar as jars
from wheelproof.tlc import java as javas
from wheelproof.tlc.jar import Jar

_ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b")
_TRANSLATION = re.compile(r"^\\\* BEGIN TRANSLATION(.*)\n((?:.*\n)*?)\\\* END TRANSLATION", re.MULTILINE)
_CHECKSUMS = re.compile(r'chksum\(pcal\) = "\w+" /\\ chksum\(tla\) = "\w+"')
_SECONDS = 120


class State(StrEnum):
    """How a module's translation stands."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "missing"            # an algorithm without a translation
    NO_ALGORITHM = "no algorithm"  # plain TLA+, in which nothing can be stale


def state(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> State:
    """Compares the module's translation with a new one of its algorithm; the file is only read.

    Space at line ends does not count. Checksums count where the file has them, since TLC compares them too; a file may
    leave them out.
    """
    text = _text(module)
    if not _ALGORITHM.search(text):
        return State.NO_ALGORITHM
    if not (old := _TRANSLATION.search(text)):
        return State.MISSING
    new = _TRANSLATION.search(translated(module, java=java, jar=jar))
    if new is None or _lines(old[2]) != _lines(new[2]):
        return State.STALE
    sums = _CHECKSUMS.search(old[1])
    return State.STALE if sums and sums[0] not in new[1] else State.CURRENT


def require_current(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> None:
    """ToolError where the module's translation is stale or missing, because TLC would check another algorithm."""
    found = state(module, java=java, jar=jar)
    if found in (State.STALE, State.MISSING):
        raise ToolError(f"The PlusCal translation in {module} is {found}.", f"Run `wheelproof translate {module}`.")


def retranslate(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> bool:
    """Puts the algorithm's translation into the module, in one step; returns whether that changed the file."""
    old, new = _text(module), translated(module, java=java, jar=jar)
    if new == old:
        return False
    handle, draft = tempfile.mkstemp(prefix=f".{module.stem}-", suffix=".tla", dir=module.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(new)
        shutil.copymode(module, draft)
        os.replace(draft, module)
    except BaseException:
        os.unlink(draft)
        raise
    return True


def translated(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> str:
    """The module's text with the translation that its algorithm has now; ToolError where the translator refuses it."""
    java, jar = java or javas.locate(), jar or jars.locate()
    with tempfile.TemporaryDirectory(prefix="wheelproof-pcal-") as scratch:
        copy = Path(scratch, module.name)
        shutil.copyfile(module, copy)
        command = [
            str(java.executable), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
            "-Dfile.encoding=UTF-8", f"-Djava.io.tmpdir={scratch}",
            "-cp", str(jar.path), "pcal.trans", "-nocfg", copy.name,
        ]
        try:
            done = subprocess.run(
                command, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, encoding="utf-8", errors="replace", timeout=_SECONDS,
            )
        except OSError as error:
            raise ToolError(f"{java.executable} cannot be started ({error.strerror}).") from error
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"The PlusCal translator did not end within {_SECONDS} s on {module}.") from error
        if done.returncode != 0 or "Translation completed" not in done.stdout:
            said = " ".join(done.stdout.split("Unrecoverable error:")[-1].split()).removeprefix("-- ").rstrip(".")
            if "Could not find or load main class" in said:
                raise ToolError(f"There is no PlusCal translator in {jar.path}: {said}.", "Name another jar with TLA2TOOLS_JAR.")
            raise ToolError(f"The PlusCal translator refuses {module}: {said}.", "Correct the algorithm.")
        return _text(copy)


def _text(module: Path) -> str:
    try:
        with open(module, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The module {module} cannot be read ({error}).") from error


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]
