"""Environments under `build/races`: interpreters, packages of a row's side, and checkers.

A side is a folder of its packages, patched, which stands first on the module path. Of the standard
library it holds a copy of the module or package that has the race: patches apply to the copy, and
checkers that skip the library's own folder look into it. A checker has a virtual environment.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks.races.table import Row
from wheelproof.errors import ToolError

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "races"
MADE = "made.json"
"""Written last: the origin of the folder's packages."""

SECONDS = 600
"""Limit of each command that makes an environment."""


class Unavailable(Exception):
    """An environment that cannot be had on this machine: its row is a miss with this reason."""


@cache
def interpreter(version: str) -> Path:
    """The interpreter of an exact version: this one, one on PATH, or one of pyenv."""
    minor = ".".join(version.split(".")[:2])
    candidates = [sys.executable, shutil.which(f"python{minor}")]
    if shutil.which("pyenv"):
        prefix = _output(["pyenv", "prefix", version])
        candidates.append(f"{prefix}/bin/python{minor}" if prefix else None)
    for candidate in candidates:
        script = "import platform; print(platform.python_version())"
        if candidate and _output([candidate, "-c", script]) == version:
            return Path(candidate)
    raise Unavailable(f"Python {version} is not installed")


def side(row: Row, name: str) -> Path:
    """The folder with the packages of a row's side."""
    release = row.side(name)
    python = interpreter(row.python)
    pins = [f"{row.package}=={release.version}", *row.needs] if row.kind == "pypi" else []
    texts = [patch.read_text() for patch in release.patches]
    origin = {"python": row.python, "package": row.package, "pins": pins, "patches": texts}
    folder = BUILD / "sides" / row.name / name
    if _is_made(folder, origin):
        return folder
    if row.kind == "pypi":
        _install(python, row.python, pins, folder)
    else:
        _copy_module(python, row.package, folder)
    for patch in release.patches:
        _apply(patch, folder)
    (folder / MADE).write_text(json.dumps(origin))
    return folder


def packages(name: str, pins: Sequence[str]) -> Path:
    """A folder with the packages of exact pins, for this interpreter."""
    version = platform.python_version()
    folder = BUILD / "packages" / version / name
    origin = {"pins": list(pins)}
    if not _is_made(folder, origin):
        _install(interpreter(version), version, pins, folder)
        (folder / MADE).write_text(json.dumps(origin))
    return folder


def _install(python: Path, version: str, pins: Sequence[str], folder: Path) -> None:
    wheels = [wheel(version, pin) for pin in pins]
    command = [str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    _run([*command, "--target", str(folder), *map(str, wheels)])


def checker(name: str, version: str, pins: Sequence[str]) -> Path:
    """The interpreter of a checker's virtual environment."""
    python = interpreter(version)
    folder = BUILD / "checkers" / f"{name}-{version}"
    origin = {"pins": list(pins)}
    inner = folder / "bin" / "python"
    if not _is_made(folder, origin):
        _run([str(python), "-m", "venv", str(folder)])
        for pin in pins:
            path = wheel(version, pin)
            command = [str(inner), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
            _run([*command, str(path)])
        (folder / MADE).write_text(json.dumps(origin))
    return inner


def wheel(version: str, pin: str) -> Path:
    """The wheel of an exact pin for a version of Python, from the cache or from the registry."""
    folder = BUILD / "wheels" / version / pin
    if not _is_made(folder, {}):
        command = [str(interpreter(version)), "-m", "pip", "wheel", "--quiet", "--no-deps"]
        _run([*command, "--wheel-dir", str(folder), pin])
        (folder / MADE).write_text("{}")
    return next(folder.glob("*.whl"))


def _is_made(folder: Path, origin: Mapping[str, object]) -> bool:
    """Whether a folder was made of this; otherwise it is empty afterwards."""
    marker = folder / MADE
    if marker.is_file() and json.loads(marker.read_text()) == origin:
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return False


def _copy_module(python: Path, module: str, folder: Path) -> None:
    library = Path(_output([str(python), "-c", "import os; print(os.path.dirname(os.__file__))"]))
    if (library / module).is_dir():
        shutil.copytree(library / module, folder / module, ignore=_caches)
    else:
        shutil.copy(library / f"{module}.py", folder)


_caches = shutil.ignore_patterns("__pycache__", "test", "tests")


def _apply(patch: Path, folder: Path) -> None:
    """Apply a patch; git must not look for a repository around the folder."""
    command = ["git", "apply", "--unidiff-zero", str(patch)]
    _run(command, folder, os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)})


def _run(
    command: Sequence[str], folder: Path = ROOT, environment: dict[str, str] | None = None
) -> None:
    try:
        process = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{command[0]} cannot make an environment ({error}).") from error
    if process.returncode:
        last = (process.stderr.strip() or process.stdout.strip()).splitlines()[-1:]
        raise Unavailable(f"{' '.join(command[:4])} ... failed: {' '.join(last)}")


def _output(command: Sequence[str]) -> str:
    """The output of a command, or nothing where it fails."""
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except OSError:
        return ""
    return "" if process.returncode else process.stdout.strip()
