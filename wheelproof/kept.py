"""Entries that are kept between runs: each with a digest, and none of them needed.

An entry has a key, made of all that it follows from, and a digest of key and content. One whose
digest is another is as one that is absent: its owner makes it again. So digests guard against
damage. They do not guard against an author of entries, so that content is read as data, and checked
as such.

The cache is WHEELPROOF_CACHE, else `wheelproof` in the user's cache folder. Compiled classes are
run from there, or from the user's own folder of the system's scratch; from none of a project.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wheelproof import files
from wheelproof.errors import ToolError
from wheelproof.identity import sha256

DAYS = 30
"""An entry that no run has used for this long is removed."""

IN_USE = 3600
"""Seconds for which an entry that was used is not removed: a process may be
about to open the file by its name."""

EVERY = 600
"""Seconds between two searches for entries to remove."""

_HEAD = b"wheelproof.kept/1 "
_NAME = re.compile(r"[0-9a-f]{16,64}(?:-[0-9a-f]{64})?")
_MARK = ".pruned"
_DAY = 24 * 3600


def cache() -> Path:
    """The user's cache folder; it need not exist yet."""
    if folder := os.environ.get("WHEELPROOF_CACHE"):
        return Path(folder).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "wheelproof")


def private() -> Path | None:
    """A folder of the user's alone in the system's scratch; None where that is another's."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir(), f"wheelproof-{os.getuid()}")
    with suppress(OSError):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
            return None if status.st_mode & 0o022 else folder
    return None


@dataclass(frozen=True)
class Entries:
    """The entries of one kind. Keys are hexadecimal digests.

    ``suffix``: how their names end. ``limit``: bytes that all of them may take, and each of them;
    those that were used longest ago are removed.

    Entries for Python are kept by :meth:`keep`, with the digest in the first line. Files that
    another program opens by name are kept by :meth:`keep_file`, with the digest in the name. A
    folder that cannot be written to is no error.
    """

    folder: Path
    suffix: str = ""
    limit: int = 256 << 20

    def read(self, key: str) -> bytes | None:
        """The content of an entry; None where there is none, or a damaged one."""
        path = self.folder / f"{key}{self.suffix}"
        with suppress(OSError):
            if not path.is_file() or path.stat().st_size > self.limit:
                return None
            head, _, content = path.read_bytes().partition(b"\n")
            if head == _head(key, content):
                _use(path)
                return content
        return None

    def keep(self, key: str, content: bytes) -> None:
        """Keep the content of an entry, in the place of an earlier one."""
        self._write(self.folder / f"{key}{self.suffix}", _head(key, content) + b"\n" + content)

    def file(self, key: str) -> Path | None:
        """The file of an entry; None where there is none, or a damaged one."""
        with suppress(OSError):
            for path in self.folder.glob(f"{key}-*{self.suffix}"):
                if path.is_file() and path == self._path_of(key, sha256(path)):
                    _use(path)
                    return path
        return None

    def keep_file(self, key: str, content: bytes) -> Path | None:
        """Keep an entry as a file of its own; None where it cannot be written."""
        path = self._path_of(key, hashlib.sha256(content).hexdigest())
        return path if self._write(path, content) else None

    def prune(self) -> None:
        """Remove entries that no run has used for DAYS, and the longest unused beyond the limit.

        Another process may read, keep and prune meanwhile: an entry is there or not, and whole.
        """
        with suppress(OSError):
            for path in self._superfluous():
                with suppress(OSError):
                    path.unlink()

    def _superfluous(self) -> Iterator[Path]:
        now, whole, room = time.time(), [], self.limit
        for entry in os.scandir(self.folder):
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                age, path = now - status.st_mtime, Path(entry.path)
                if not stat.S_ISREG(status.st_mode):
                    continue
                if entry.name.endswith(files.DRAFT) and entry.name.startswith("."):
                    if age > _DAY:  # its writer was killed
                        yield path
                elif self._entry(entry.name):
                    whole.append((age, status.st_size, path))
        for age, size, path in sorted(whole):
            room -= size
            if age > DAYS * _DAY or (room < 0 and age > IN_USE):
                yield path

    def _entry(self, name: str) -> bool:
        key = name.removesuffix(self.suffix)
        return name.endswith(self.suffix) and _NAME.fullmatch(key) is not None

    def _path_of(self, key: str, content: str) -> Path:
        return self.folder / f"{key}-{_digest(key, content)}{self.suffix}"

    def _write(self, path: Path, content: bytes) -> bool:
        try:
            files.replace(path, content)
            mark = self.folder / _MARK
            if not mark.exists() or time.time() - mark.stat().st_mtime > EVERY:
                mark.touch()
                self.prune()
        except OSError:
            return False
        return True


def jar(key: str, make: Callable[[], bytes]) -> Path:
    """The jar of classes of a key. ``make``: its content, where none is kept.

    It is in the cache, or in the user's own folder of the system's scratch where the cache cannot
    be written to. Raises ToolError where neither can, and errors of ``make``.
    """
    places = [Entries(place / "classes", ".jar") for place in (cache(), private()) if place]
    for place in places:
        if (path := place.file(key)) is not None:
            return path
    content = make()
    for place in places:
        if (path := place.keep_file(key, content)) is not None:
            return path
    raise ToolError(
        f"Compiled classes can be kept neither in {cache()} nor in the system's scratch.",
        "Name a folder that can be written to with WHEELPROOF_CACHE.",
    )


def _digest(key: str, content: str) -> str:
    """The digest of an entry, of its key and its content's SHA-256."""
    return hashlib.sha256(f"{key}\0{content}".encode()).hexdigest()


def _head(key: str, content: bytes) -> bytes:
    return _HEAD + _digest(key, hashlib.sha256(content).hexdigest()).encode()


def _use(path: Path) -> None:
    """Note that an entry was used, once in a while."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > IN_USE / 2:
            os.utime(path)
