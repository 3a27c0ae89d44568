"""Jars by their Maven coordinates, pinned by SHA-256 and kept in the cache beside TLC's.

A fetched file is checked before it gets its name in the cache, and again at every use. The clients
are those that fetch TLC: Maven, the maven-artifact package, the Ivy jar of an installed pyspark.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wheelproof.errors import NothingChecked, ToolError
from wheelproof.tlc import java
from wheelproof.tlc.jar import cache, sha256

FETCH_SECONDS = 300
REMEDY = "Connect to a network and run it again, or install Maven."


class NotHere(NothingChecked):
    """The layer cannot run on this machine: a jar or a Java is absent. Nothing was checked."""


@dataclass(frozen=True)
class Artifact:
    """A jar: ``group:artifact:version``, and its SHA-256."""

    coordinate: str
    sha256: str

    @property
    def file_name(self) -> str:
        _, artifact, version = self.coordinate.split(":")
        return f"{artifact}-{version}.jar"


def locate(artifacts: Iterable[Artifact], fetch: bool) -> list[Path]:
    """The files of the artifacts; NotHere where one is absent and cannot be fetched."""
    return [_locate(artifact, fetch) for artifact in artifacts]


def _locate(artifact: Artifact, fetch: bool) -> Path:
    cached = cache() / artifact.file_name
    refused = []
    if cached.is_file():
        if sha256(cached) == artifact.sha256:
            return cached
        refused.append(f"{cached} does not have the pinned SHA-256")
    if fetch and os.environ.get("WHEELPROOF_OFFLINE"):
        refused.append("WHEELPROOF_OFFLINE is set")
    elif fetch:
        for client, command in _clients(artifact):
            try:
                _fetch(artifact, command, cached)
            except ToolError as error:
                refused.append(f"{client}: {error.message}")
            else:
                return cached
    reasons = "; ".join(refused) or f"it is not in {cache()}"
    raise NotHere(f"The jar {artifact.coordinate} was not found ({reasons}).", REMEDY)


def _clients(artifact: Artifact) -> Iterator[tuple[str, list[str]]]:
    """Name and command of each client at hand; it leaves the jar in the folder in which it runs."""
    if mvn := shutil.which("mvn"):
        copy = ["dependency:copy", f"-Dartifact={artifact.coordinate}", "-DoutputDirectory=."]
        yield "Maven", [mvn, "-q", "-B", *copy]
    if importlib.util.find_spec("maven_artifact"):
        module = [sys.executable, "-m", "maven_artifact.main"]
        yield "maven-artifact", [*module, artifact.coordinate, artifact.file_name]
    spark = importlib.util.find_spec("pyspark")
    folders = spark.submodule_search_locations or [] if spark else []
    for ivy in (
        jar for folder in folders for jar in sorted(Path(folder, "jars").glob("ivy-*.jar"))
    ):
        start = [str(java.locate().executable), "-jar", str(ivy), "-cache", "ivy"]
        keep = ["-types", "jar", "-retrieve", "[artifact]-[revision].[ext]"]
        yield "Ivy", [*start, "-dependency", *artifact.coordinate.split(":"), *keep]


def _fetch(artifact: Artifact, command: list[str], target: Path) -> None:
    """Run a client, and give its file the name ``target`` only if it is the pinned one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=target.parent) as folder:
        try:
            ended = subprocess.run(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=FETCH_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"no answer within {FETCH_SECONDS} s") from error
        except OSError as error:
            raise ToolError(f"{error.strerror}: {error.filename}") from error
        fetched = Path(folder, artifact.file_name)
        if not fetched.is_file():
            raise ToolError(f"no jar came, exit code {ended.returncode}")
        if (found := sha256(fetched)) != artifact.sha256:
            raise ToolError(f"what came has SHA-256 {found}, not the pinned {artifact.sha256}")
        fetched.replace(target)
