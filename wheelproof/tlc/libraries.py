"""Modules that many specifications extend, pinned: found in the cache, or fetched into it by git.

A library is a folder of a repository at one commit. The cache is that of :mod:`wheelproof.kept`.
git uses its own settings, such as a mirror in `url.<base>.insteadOf`. WHEELPROOF_OFFLINE forbids
every fetch.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wheelproof import files, reading, temporary
from wheelproof.errors import ToolError
from wheelproof.kept import cache
from wheelproof.tlc import mc

_SECONDS = 120


@dataclass(frozen=True)
class Library:
    """The modules of one folder of a repository.

    commit: of the repository. sha256: of the names and texts of all modules, in their order.
    """

    name: str
    address: str
    commit: str
    folder: str
    sha256: str

    @property
    def cached(self) -> Path:
        """The folder that has the modules once they are fetched."""
        return cache() / "libraries" / f"{self.name}-{self.commit[:12]}"


PINNED = (
    Library(
        "CommunityModules",
        "https://github.com/tlaplus/CommunityModules",
        "a8068a4c21ed76b339b9a2aa6de69d78f64f6422",
        "modules",
        "f8f4dbb3a5bd72b0c032a84bbddf24ccbff4d1e15b01becafe074fb2adddd718",
    ),
    Library(
        "tlapm",
        "https://github.com/tlaplus/tlapm",
        "4600b24c6d95a25ff081ad37b63b2a01c29d43a5",
        "library",
        "6476490e33fbf94a73cb2d0a77174598d66c554ce6c7f68f5d9397303505aabf",
    ),
)
"""The modules of the community, and those of TLA+'s proof system."""


def needed(spec: Path, libraries: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The folders of pinned libraries for a specification: none if it lacks no module.

    Raises ToolError where one is neither in the cache nor to be had.
    """
    if not mc.absent(spec, libraries):
        return ()
    return tuple(locate(library) for library in PINNED)


def locate(library: Library) -> Path:
    """The folder of a library's modules, fetched where the cache lacks it."""
    folder = library.cached
    if folder.is_dir() and digest(folder.glob("*.tla")) == library.sha256:
        return folder
    if os.environ.get("WHEELPROOF_OFFLINE"):
        raise _unavailable(library, "WHEELPROOF_OFFLINE is set")
    with temporary.folder("library") as scratch:
        _git(library, scratch, "init", "-q")
        _git(library, scratch, "remote", "add", "origin", library.address)
        only = ["--depth", "1", "--filter=blob:none"]
        _git(library, scratch, "fetch", "-q", *only, "origin", library.commit)
        _git(library, scratch, "checkout", "-q", "FETCH_HEAD", "--", library.folder)
        modules = sorted((scratch / library.folder).glob("*.tla"))
        if digest(modules) != library.sha256:
            raise _unavailable(library, "the fetched modules do not have the pinned SHA-256")
        shutil.rmtree(folder, ignore_errors=True)
        for module in modules:
            files.replace(folder / module.name, module.read_bytes())
    return folder


def digest(modules: Iterable[Path]) -> str:
    """The SHA-256 of the names and texts of modules."""
    account = hashlib.sha256()
    for module in sorted(modules):
        account.update(f"{module.name}\0{reading.text(module)}\0".encode())
    return account.hexdigest()


def _git(library: Library, folder: Path, *arguments: str) -> None:
    try:
        process = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            env=os.environ | {"GIT_TERMINAL_PROMPT": "0"},
        )
    except subprocess.TimeoutExpired as error:
        raise _unavailable(library, f"no answer within {_SECONDS} s") from error
    except OSError as error:
        raise _unavailable(library, f"git cannot be started ({error.strerror})") from error
    if process.returncode:
        lines = [line for line in process.stdout.splitlines() if line.strip()]
        raise _unavailable(library, lines[-1].strip() if lines else "git failed")


def _unavailable(library: Library, reason: str) -> ToolError:
    return ToolError(
        f"The modules of {library.name} cannot be fetched ({reason}).",
        f"Clone {library.address}, check out {library.commit[:12]}, and name its folder "
        f"{library.folder} with --library.",
    )
