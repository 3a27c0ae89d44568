"""Files that are written whole: no reader has half of one, nor a machine that lost its power."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DRAFT = ".tmp"
"""How the hidden name of a file that is not whole yet ends."""


@contextmanager
def draft(path: Path) -> Iterator[Path]:
    """A path to write to, beside the file whose place it takes when the block ends.

    The folder is made where it is absent. The draft is flushed to the disk before it is renamed,
    and has the mode of the file that it replaces. An exception leaves the file as it was, and no
    draft. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f".{os.getpid()}-{secrets.token_hex(6)}{DRAFT}")
    try:
        yield written
        with suppress(OSError):
            written.chmod(stat.S_IMODE(path.stat().st_mode))
        handle = os.open(written, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def replace(path: Path, content: bytes) -> None:
    """Write a file as :func:`draft` does. Raises OSError."""
    with draft(path) as written:
        written.write_bytes(content)
