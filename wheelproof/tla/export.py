"""Modules as syntax trees, by SANY, the parser in TLC's jar.

:func:`load` gives the tree of a module with all that it extends. SANY's XML is kept in the cache
beside the jar, by the SHA-256 of the jar and of the modules. :func:`prepare` has many modules
exported by one JVM.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from wheelproof import reading, temporary
from wheelproof.errors import ToolError, UsageError
from wheelproof.java import Java
from wheelproof.kept import Entries, cache
from wheelproof.tla import reader, sany
from wheelproof.tla.syntax import Module
from wheelproof.tlc import jar as jars
from wheelproof.tlc import java as javas
from wheelproof.tlc import mc, worker
from wheelproof.tlc.jar import Jar
from wheelproof.tlc.remedies import remedy

_SECONDS = 600


class Source(NamedTuple):
    """A module's name, and the texts of all its modules by file name."""

    name: str
    texts: tuple[tuple[str, str], ...]

    def digest(self, jar: Jar) -> str:
        """The SHA-256 of the jar and the modules, for trees of modules without an error."""
        content = "\0".join(
            ["sound", jar.sha256, self.name, *(part for pair in self.texts for part in pair)]
        )
        return hashlib.sha256(content.encode()).hexdigest()


def source(
    module: Path, texts: Mapping[str, str] | None = None, libraries: Sequence[Path] = ()
) -> Source:
    """A module with those of its folder and of ``libraries`` that it uses.

    ``texts``: other ones than the files'.

    Comments are left out. Raises UsageError where there is no such module.
    """
    files = {
        file.name: mc.without_comments((texts or {}).get(file.name) or reading.text(file))
        for file in mc.closure(module, libraries)
    }
    return Source(module.stem, tuple(sorted(files.items())))


def load(module: Path, texts: Mapping[str, str] | None = None) -> Module:
    """The syntax tree of a module. ``texts``: other texts of modules in its folder than the files'.

    Raises UsageError where SANY refuses the module, ToolError where SANY cannot be run.
    """
    return _load(source(module, texts))


@lru_cache(maxsize=8)
def _load(source: Source) -> Module:
    return tree(source)


def tree(source: Source, replacements: reader.Replaced | None = None) -> Module:
    """The syntax tree of a module, as an object of the caller's own, which it may change.

    ``replacements``: operators that others replace in one module. Errors are those of :func:`load`.
    """
    jar = jars.locate()
    if (content := _trees().read(source.digest(jar))) is not None:
        with suppress(ToolError, zlib.error):
            return reader.read(zlib.decompress(content), replacements)
    ((xml, refusal),) = _export([source], javas.locate(), jar)
    if refusal == sany.MISSING:
        raise ToolError(
            f"There is no XML exporter in {jar.path}.", "Name another jar with TLA2TOOLS_JAR."
        )
    if refusal:
        change = remedy(refusal) or "Correct the module"
        raise UsageError(f"SANY refuses {source.name}.tla: {refusal}.", f"{change}.")
    return reader.read(xml, replacements)


def prepare(sources: Iterable[Source], *, java: Java | None = None, jar: Jar | None = None) -> None:
    """Have all modules exported that the cache lacks, in one JVM.

    A refusal is not reported here: :func:`load` reports it.
    """
    jar = jar or jars.locate()
    missing = [
        source for source in dict.fromkeys(sources) if _trees().read(source.digest(jar)) is None
    ]
    if missing:
        _export(missing, java or javas.locate(), jar)


def _trees() -> Entries:
    return Entries(cache() / "sany", ".xml.z")


def _export(sources: list[Source], java: Java, jar: Jar) -> list[tuple[bytes, str]]:
    """(XML, refusal) of each module. A tree that SANY accepts goes to the cache."""
    with temporary.folder("sany") as scratch:
        files = []
        for number, source in enumerate(sources):
            folder = scratch / str(number)
            folder.mkdir()
            for name, text in source.texts:
                (folder / name).write_text(text, encoding="utf-8")
            files.append(folder / f"{source.name}.tla")
        limit = _SECONDS + 5 * len(files)
        refusals = worker.refusals(sany.__name__, "SANY", files, java, jar, limit)
        trees = [
            (b"" if refusal else file.with_suffix(".xml").read_bytes(), refusal)
            for file, refusal in zip(files, refusals, strict=True)
        ]
    for source, (xml, refusal) in zip(sources, trees, strict=True):
        if not refusal:
            _trees().keep(source.digest(jar), zlib.compress(xml, 1))
    return trees
