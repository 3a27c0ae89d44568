"""A harness of plain Java, compiled, with the class path of its run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wheelproof import java, reading
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm import setup
from wheelproof.jvm.jars import NotHere, locate

SOURCES = Path(__file__).parent / "java"

COMMONS = Artifact(
    "org.ow2.asm:asm-commons:9.7.1",
    "9a579b54d292ad9be171d4313fd4739c635592c2b5ac3a459bbd1049cddec6a0",
)

NEWEST = 24
"""The Java release whose class files ASM 9.7.1 still reads: the JDK's own are copied."""

_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


@dataclass(frozen=True)
class Harness:
    """A harness to run: ``tool`` and ``subject`` are class paths, ``name`` is its class."""

    java: Path
    source: Path
    name: str
    tool: tuple[Path, ...]
    subject: tuple[Path, ...]


def prepare(source: Path, jars: Sequence[Path], fetch: bool = True) -> Harness:
    """Compile a harness against the jars of its subject, and the tool's own classes.

    The class has the file's name. Raises UsageError where a file is absent or the harness does not
    compile, and NotHere where there is no Java from 17 to NEWEST.
    """
    for file in (source, *jars):
        if not file.exists():
            raise UsageError(f"There is no file {file}.")
    if source.suffix != ".java":
        raise UsageError(f"{source} is no Java source.", "Give a file NAME.java.")
    try:
        runtime = java.locate("explore", setup.MINIMUM, f"Install Java {setup.MINIMUM} or newer.")
    except ToolError as error:
        raise NotHere(error.message, error.remedy) from error
    if runtime.version > NEWEST:
        raise NotHere(
            f"explore reads the class files of Java {setup.MINIMUM} to {NEWEST}, and "
            f"{runtime.executable} is Java {runtime.version}.",
            "Name an older one with JAVA_HOME.",
        )
    executable = runtime.executable
    libraries = tuple(locate([*setup.ASM, COMMONS], fetch))
    layer = setup.compile_java(executable, sorted(setup.SOURCES.glob("*.java")), libraries, fetch)
    engine = setup.compile_java(
        executable, sorted(SOURCES.glob("*.java")), [layer, *libraries], fetch
    )
    classes = setup.compile_java(executable, [source], jars, fetch)
    package = _PACKAGE.search(reading.text(source))
    prefix = f"{package[1]}." if package else ""
    return Harness(
        executable,
        source,
        prefix + source.stem,
        (engine, layer, *libraries),
        (classes, *(jar.absolute() for jar in jars)),
    )
