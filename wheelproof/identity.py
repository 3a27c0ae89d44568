"""Marks of a file that change when it is changed or replaced, for results that are kept by file."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

Identity = tuple[int, int, int, int] | None
"""Device, inode, size in bytes and time of change in ns of a file; None where there is none."""


def identity(path: Path) -> Identity:
    """The identity of a file now."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def sha256(path: Path) -> str:
    """The file's SHA-256 in lower-case hexadecimal; an unchanged file is read once in a process."""
    return _sha256(path, identity(path))


@lru_cache
def _sha256(path: Path, _identity: Identity) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
