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
    draft_file = path.with_name(f".{os.getpid()}-{secrets.token_hex(6)}{DRAFT}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield draft_file
        with suppress(OSError):
            draft_file.chmod(stat.S_IMODE(path.stat().st_mode))
        handle = os.open(draft_file, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        draft_file.replace(path)
    except BaseException:
        with suppress(OSError):
            draft_file.unlink(missing_ok=True)
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
    with draft(path) as draft_file:
        draft_file.write_bytes(content)
