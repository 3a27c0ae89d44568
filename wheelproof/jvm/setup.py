"""The parts of a run in the JVM: a Java, the tool's classes, a harness, a release's jars."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wheelproof import java, kept, reading, temporary
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError, UsageError
from wheelproof.java import QUICK_START, packed
from wheelproof.jvm import declaration
from wheelproof.jvm.declaration import Binding
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.patch import SOURCES as SOURCE_JAR
from wheelproof.jvm.patch import with_patch

MINIMUM = 17
"""The Java release that the tool's classes, and Kafka's since 4.0, are compiled for."""

SOURCES = Path(__file__).parent / "java"
ASM = (
    Artifact(
        "org.ow2.asm:asm:9.7.1",
        "8cadd43ac5eb6d09de05faecca38b917a040bb9139c7edeb4cc81c740b713281",
    ),
    Artifact(
        "org.ow2.asm:asm-tree:9.7.1",
        "9929881f59eb6b840e86d54570c77b59ce721d104e6dfd7a40978991c2d3b41f",
    ),
    Artifact(
        "org.ow2.asm:asm-analysis:9.7.1",
        "85b29371884ba31bb76edf22323c2c24e172c3267a67152eba3d1ccc2e041ef2",
    ),
)
COMPILER = Artifact(
    "org.eclipse.jdt:ecj:3.33.0",
    "f7686c4960cf70c2ebc5c500a73a8cfc04541b730c18f1c5c21329889b137f45",
)
"""Compiles where the Java has no javac."""

COMPILE_SECONDS = 300


@dataclass(frozen=True)
class Setup:
    """Class paths: ``tool`` of the process, ``subject`` of the classes under control."""

    java: Path
    tool: tuple[Path, ...]
    subject: tuple[Path, ...]


def jars_of(root: Path, release: str, fetch: bool) -> list[Path]:
    """The jars that a release's checks need, the tool's own first; NotHere where one is absent."""
    return locate([*ASM, *declaration.artifacts(root, release)], fetch)


def of_release(
    executable: Path, root: Path, output: Path, binding: Binding, release: str, fetch: bool
) -> list[Path]:
    """The class path of a release: its jars, behind the classes of a binding's diffs."""
    artifacts = declaration.artifacts(root, release)
    sources = [artifact for artifact in artifacts if artifact.coordinate.endswith(f":{SOURCE_JAR}")]
    jars = locate([artifact for artifact in artifacts if artifact not in sources], fetch)
    if not binding.patch:
        return jars
    folder = output / "jvm"
    files = locate(sources, fetch)
    first, *more = [root / diff for diff in binding.patch]
    with with_patch(first, folder, files[0] if files else None, more=more) as source:
        return [compile_java(executable, [source], jars, fetch), *jars]


def prepare(root: Path, output: Path, binding: Binding, release: str, fetch: bool) -> Setup:
    """Find, fetch and compile; quick where all is there. NotHere where something is absent."""
    try:
        runtime = java.locate("The layer jvm", MINIMUM, f"Install Java {MINIMUM} or newer.")
    except ToolError as error:
        raise NotHere(error.message, error.remedy) from error
    asm = locate(ASM, fetch)
    jars = of_release(runtime.executable, root, output, binding, release, fetch)
    if not binding.sources:
        raise UsageError(f"{binding.file.with_suffix('')}: there is no Java source.")
    classes = compile_java(runtime.executable, sorted(SOURCES.glob("*.java")), asm, fetch)
    harness = compile_java(runtime.executable, binding.sources, [classes, *asm, *jars], fetch)
    return Setup(runtime.executable, (classes, *asm), (harness, *jars))


def compile_java(
    executable: Path, sources: Sequence[Path], path: Iterable[Path], fetch: bool
) -> Path:
    """The jar with the classes of these sources; its name has a hash of all that goes in.

    UsageError where the sources do not compile.
    """
    path = [entry.absolute() for entry in path]
    content = hashlib.sha256()
    for part in [*map(str, path), *(reading.text(source) for source in sources)]:
        content.update(part.encode() + b"\0")
    return kept.jar(content.hexdigest(), lambda: _compile(executable, sources, path, fetch))


def _compile(executable: Path, sources: Sequence[Path], path: Sequence[Path], fetch: bool) -> bytes:
    with temporary.folder("compile") as work:
        classes = work / "classes"
        classes.mkdir()
        options = ["-d", str(classes), "-cp", os.pathsep.join(map(str, path)), *map(str, sources)]
        process = subprocess.run(
            [*compiler(executable, fetch), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=COMPILE_SECONDS,
        )
        if process.returncode != 0:
            raise UsageError(f"{sources[0].parent} does not compile:\n{process.stdout.strip()}")
        return packed(classes)


def compiler(executable: Path, fetch: bool) -> list[str]:
    """The command of a Java compiler: javac beside java, else the Eclipse compiler."""
    javac = executable.resolve().with_name("javac")
    if javac.is_file():
        options = [f"-J{option}" for option in QUICK_START]
        return [str(javac), *options, "-nowarn", "-proc:none", "--release", str(MINIMUM)]
    ecj = locate([COMPILER], fetch)[0]
    command = [str(executable), *QUICK_START, "-jar", str(ecj)]
    return [*command, "-nowarn", "-proc:none", f"-{MINIMUM}"]
