"""What shows that a file has been changed or replaced, for results that are kept by file."""

from __future__ import annotations

from pathlib import Path

Identity = tuple[int, int, int, int] | None
"""Device, inode, size in bytes and time of change in ns of a file; None where there is none."""


def identity(path: Path) -> Identity:
    """The identity of a file now."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
