"""A class-data archive for TLC's JVM: TLC's classes as parsed, a quarter of a short run.

The archive is made once for a jar and a Java, and kept, by a run of TLC on a module of a few
states. The JVM itself compares it with the jar and with its own build, and does
without where they differ. A failure to make it leaves TLC as it was: an archive is
never needed.
"""

import hashlib
import os
import subprocess
from contextlib import suppress
from pathlib import Path

from wheelproof import temporary
from wheelproof.java import Java
from wheelproof.kept import Entries, cache
from wheelproof.tlc.jar import Jar

MINIMUM = 13
"""The first Java that archives the classes of an application at its exit."""

_SECONDS = 60

_MODULE = """---- MODULE Archived ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES number, list, of
vars == <<number, list, of>>
Init == /\\ number = 0 /\\ list = <<>>
        /\\ of = [name \\in {"a", "b"} |-> [owner |-> "none", depth |-> 0]]
Step == /\\ number < 3
        /\\ number' = number + 1
        /\\ list' = Append(list, number)
        /\\ \\E name \\in DOMAIN of : of' = [of EXCEPT ![name] = [owner |-> name, depth |-> number]]
Spec == Init /\\ [][Step]_vars /\\ WF_vars(Step)
Small == number \\in 0..3 /\\ Len(list) <= 3 /\\ Cardinality(DOMAIN of) = 2
Ends == <>(number = 3)
====
"""

_CONFIG = "SPECIFICATION Spec\nINVARIANT Small\nPROPERTY Ends\n"


def options(java: Java, jar: Jar) -> tuple[str, ...]:
    """The JVM's options that use the archive; none where there is no archive."""
    file = path(java, jar)
    # Without the last two the JVM prints a misfit among TLC's messages on standard output.
    return (
        (f"-XX:SharedArchiveFile={file}", "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr")
        if file is not None
        else ()
    )


def _entries() -> Entries:
    return Entries(cache() / "archives", ".jsa", 512 << 20)


def _key(java: Java, jar: Jar) -> str:
    return hashlib.sha256(
        f"{os.path.realpath(java.executable)} {java.version} {jar.path} {jar.sha256}".encode()
    ).hexdigest()


def path(java: Java, jar: Jar) -> Path | None:
    """The archive of a jar and a Java; None where it is not there."""
    return _entries().file(_key(java, jar))


def make(java: Java, jar: Jar) -> bool:
    """Make the archive if there is none; whether there is one now. Raises no OSError."""
    if path(java, jar) is not None:
        return True
    if java.version < MINIMUM:
        return False
    with (
        suppress(OSError, subprocess.SubprocessError),
        temporary.folder("archive") as folder,
    ):
        archive = folder / "tlc.jsa"
        (folder / "Archived.tla").write_text(_MODULE, encoding="utf-8")
        (folder / "Archived.cfg").write_text(_CONFIG, encoding="utf-8")
        process = subprocess.run(
            [
                str(java.executable),
                f"-XX:ArchiveClassesAtExit={archive}",
                "-Xlog:disable",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                f"-Djava.io.tmpdir={folder}",
                "-cp",
                str(jar.path),
                "tlc2.TLC",
                "-tool",
                "-workers",
                "1",
                "-deadlock",
                "-metadir",
                str(folder / "states"),
                "-dump",
                "dot,actionlabels",
                str(folder / "states.dot"),
                "-config",
                "Archived.cfg",
                "Archived",
            ],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
        )
        if process.returncode == 0 and archive.is_file():
            return _entries().keep_file(_key(java, jar), archive.read_bytes()) is not None
    return False
