"""Files that are written whole: no reader has half of one, nor a machine that lost its power."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DRAFT = ".tmp"
"""How the hidden name of a file that is not whole yet ends."""


@contextmanager
def draft(path: Path) -> Iterator[Path]:
    """A path to write to, beside the file whose place it takes when the block ends.

    The folder is made where it is absent. The draft is flushed to the disk before it is renamed,
    and has the mode of the file that it replaces. An exception leaves the file as it was, and
    neither a draft nor a folder that was made for it. Raises OSError.
    """
    folders = absent(path.parent)
    written = path.with_name(f".{os.getpid()}-{secrets.token_hex(6)}{DRAFT}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield written
        with suppress(OSError):
            written.chmod(stat.S_IMODE(path.stat().st_mode))
        handle = os.open(written, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        written.replace(path)
    except BaseException:
        with suppress(OSError):
            written.unlink(missing_ok=True)
        remove_empty(folders)
        raise


def absent(folder: Path) -> list[Path]:
    """The folder and those around it that are not there, the innermost first."""
    return [place for place in (folder, *folder.parents) if not place.exists()]


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove the folders that are empty. Raises no OSError."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def replace(path: Path, content: bytes) -> None:
    """Write a file as :func:`draft` does. Raises OSError."""
    with draft(path) as written:
        written.write_bytes(content)
