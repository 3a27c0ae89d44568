"""Folders for scratch, removed at their end, and those of a killed process by the next one.

The owner of a folder holds a lock on a file in it, and so do the processes that it forks. The
system gives the lock back with the last of them: a folder whose lock is free has no owner.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OWNER = ".owner"
"""The file in a folder that its owner has locked."""

_NAME = re.compile(r"wheelproof-[a-z]+-\w+")
_DAY = 24 * 3600

_held: dict[Path, int] = {}
_searched: set[Path] = set()


@contextmanager
def folder(kind: str, inside: Path | None = None) -> Iterator[Path]:
    """A folder until the end of the block. ``inside``: where, else in the system's scratch.

    ``kind``: a word of its name. Raises OSError where it cannot be made.
    """
    folder = make(kind, inside)
    try:
        yield folder
    finally:
        remove(folder)


def make(kind: str, inside: Path | None = None) -> Path:
    """A folder until :func:`remove`, as :func:`folder` has it.

    The first one in a place removes folders that killed processes have left there.
    """
    place = Path(tempfile.gettempdir()) if inside is None else inside
    if place not in _searched:
        _searched.add(place)
        clear(place)
    folder = Path(tempfile.mkdtemp(prefix=f"wheelproof-{kind}-", dir=place))
    try:
        draft = folder / f"{OWNER}.new"
        _held[folder] = handle = os.open(draft, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.rename(draft, folder / OWNER)
    except BaseException:
        remove(folder)
        raise
    return folder


def remove(folder: Path) -> None:
    """Remove a folder of this process. Raises nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    if (handle := _held.pop(folder, None)) is not None:
        os.close(handle)


def clear(place: Path) -> None:
    """Remove the folders in a place whose owners have ended. Raises nothing."""
    with suppress(OSError):
        for entry in os.scandir(place):
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
                        _clear(Path(entry.path), status.st_mtime)


def _clear(folder: Path, change_time: float) -> None:
    try:
        handle = os.open(folder / OWNER, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        if time.time() - change_time > _DAY:  # its owner was killed before it had the lock
            shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(handle)
