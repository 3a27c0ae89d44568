"""PlusCal translations: whether a committed one is current, and making new ones.

TLC checks the translation, not the algorithm; of a stale one it only prints a warning. The
translator of TLC's own jar makes a new translation, and the two are compared. Translations are kept
by the SHA-256 of jar and algorithm. :func:`prepare` makes many of them in one JVM.
"""

import hashlib
import re
import shlex
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from wheelproof import documents, reading, temporary
from wheelproof.errors import ToolError, UsageError
from wheelproof.java import Java
from wheelproof.kept import Entries, cache
from wheelproof.tlc import jar as jars
from wheelproof.tlc import java as javas
from wheelproof.tlc import pluscal, worker
from wheelproof.tlc.jar import Jar

_ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b")
_TRANSLATION = re.compile(
    r"^\\\* BEGIN TRANSLATION(.*)\n((?:.*\n)*?)\\\* END TRANSLATION", re.MULTILINE
)
_CHECKSUMS = re.compile(r'chksum\(pcal\) = "\w+" /\\ chksum\(tla\) = "\w+"')
_EMPTY = "\\\\* BEGIN TRANSLATION\n\\\\* END TRANSLATION"
_SECONDS = 120


class State(StrEnum):
    """How a module's translation stands."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "missing"  # an algorithm without a translation
    NO_ALGORITHM = "no algorithm"  # plain TLA+, in which nothing can be stale


def state(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> State:
    """Compares the module's translation with a new one of its algorithm; the file is only read.

    Space at line ends does not count. Checksums count where the file has them, since TLC compares
    them too; a file may leave them out.
    """
    return _state(_text(module), module, java, jar)


def planted_changes(module: Path) -> dict[str, bool]:
    """Fault in a copy of a module's translation -> whether it is rejected; none without one."""
    text = _text(module)
    old = _TRANSLATION.search(text) if _ALGORITHM.search(text) else None
    if old is None:
        return {}
    line = next(line for line in old[2].splitlines(keepends=True) if line.strip())
    changes = {
        f"{module.name} without a line": (old[2].replace(line, "", 1), State.STALE),
        f"{module.name} without a translation": (None, State.MISSING),
    }
    verdicts = {}
    for name, (new, right_state) in changes.items():
        body = "" if new is None else old[0].replace(old[2], new)
        copy = text[: old.start()] + body + text[old.end() :]
        verdicts[name] = _state(copy, module, None, None) is right_state
    return verdicts


def _state(text: str, module: Path, java: Java | None, jar: Jar | None) -> State:
    if not _ALGORITHM.search(text):
        return State.NO_ALGORITHM
    if not (old := _TRANSLATION.search(text)):
        return State.MISSING
    new = _TRANSLATION.search(translated_text(text, str(module), java=java, jar=jar))
    if new is None or _lines(old[2]) != _lines(new[2]):
        return State.STALE
    sums = _CHECKSUMS.search(old[1])
    return State.STALE if sums and sums[0] not in new[1] else State.CURRENT


def require_current(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> None:
    """UsageError if the translation is stale or missing: TLC would check another algorithm."""
    answer = state(module, java=java, jar=jar)
    if answer in (State.STALE, State.MISSING):
        raise UsageError(
            f"The PlusCal translation in {module} is {answer}.",
            f"Run `wheelproof translate {shlex.quote(str(module))}`.",
        )


def retranslate(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> bool:
    """Put the algorithm's translation into the module; whether that changed the file."""
    old, new = _text(module), translated(module, java=java, jar=jar)
    if new == old:
        return False
    documents.write_text(module, new, "Make the file and its folder writable.")
    return True


def translated(module: Path, *, java: Java | None = None, jar: Jar | None = None) -> str:
    """The module's text with its translation; ToolError if the translator refuses it."""
    return translated_text(_text(module), str(module), java=java, jar=jar)


def translated_text(
    text: str, name: str, *, java: Java | None = None, jar: Jar | None = None
) -> str:
    """A module's text with its algorithm's translation. ``name``: how an error names the module.

    Raises ToolError where the translator refuses the algorithm or cannot be run.
    """
    if not _ALGORITHM.search(text):
        return text
    jar = jar or jars.locate()
    if (entry := _cache_entry(text, jar)) is not None:
        return entry
    ((translation, refusal),) = _translate([text], java or javas.locate(), jar)
    if refusal:
        if refusal == pluscal.MISSING:
            raise ToolError(
                f"There is no PlusCal translator in {jar.path}.",
                "Name another jar with TLA2TOOLS_JAR.",
            )
        raise UsageError(
            f"The PlusCal translator refuses {name}: {refusal}.", "Correct the algorithm."
        )
    return translation


def prepare(texts: Iterable[str], *, java: Java | None = None, jar: Jar | None = None) -> None:
    """Translate all texts that the cache lacks, in one JVM.

    A refusal is not reported here: :func:`translated_text` reports it.
    """
    jar = jar or jars.locate()
    missing = [
        text
        for text in dict.fromkeys(texts)
        if _ALGORITHM.search(text) and _cache_entry(text, jar) is None
    ]
    if missing:
        _translate(missing, java or javas.locate(), jar)


def _translations() -> Entries:
    return Entries(cache() / "pluscal", ".tla", 64 << 20)


def _key(text: str, jar: Jar) -> str:
    content = f"{jar.sha256}\n{_TRANSLATION.sub(_EMPTY, text)}".encode()
    return hashlib.sha256(content).hexdigest()


def _cache_entry(text: str, jar: Jar) -> str | None:
    """The text with its translation, from the cache; None where it is not there."""
    data = _translations().read(_key(text, jar))
    if data is None or _bare(translation := data.decode("utf-8", "replace")) != _bare(text):
        return None
    return translation


def _bare(text: str) -> list[str]:
    """The lines of a module but for its translation, which is all that the translator changes."""
    return [line for line in _lines(_TRANSLATION.sub("", text)) if line]


def _translate(texts: list[str], java: Java, jar: Jar) -> list[tuple[str, str]]:
    """(text with its translation, refusal) for each text, which go to the cache as well."""
    with temporary.folder("pcal") as scratch:
        copies = [scratch / f"Translated{number}.tla" for number in range(len(texts))]
        for copy, text in zip(copies, texts, strict=True):
            documents.write_text(copy, text)
        limit = _SECONDS + len(copies)
        refusals = worker.refusals(
            pluscal.__name__, "The PlusCal translator", copies, java, jar, limit
        )
        pairs = [(_text(copy), refusal) for copy, refusal in zip(copies, refusals, strict=True)]
    for text, (new, refusal) in zip(texts, pairs, strict=True):
        if not refusal:
            if _bare(new) != _bare(text):
                raise ToolError(
                    "The PlusCal translator changed more of a module than its translation.",
                    "Name another jar with TLA2TOOLS_JAR.",
                )
            _translations().keep(_key(text, jar), new.encode())
    return pairs


def _text(module: Path) -> str:
    return reading.decoded(reading.content(module), module)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]
