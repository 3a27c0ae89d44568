"""The traces in a folder, by their names: all the way down, without the names that begin with . or
_ (half-written files, and Spark's notes beside its own)."""

from __future__ import annotations

import os
from pathlib import Path

from wheelproof.errors import UsageError

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")
"""How the names of traces end."""


def is_trace(path: Path) -> bool:
    """Whether a file is a trace by its name."""
    return path.name.endswith(SUFFIXES)


def below(folder: Path) -> list[Path]:
    """The traces in a folder and in those below, in the order of their paths. Raises UsageError: a
    folder that cannot be read, for nothing is passed over in silence."""

    def unreadable(error: OSError) -> None:
        raise UsageError(
            f"{error.filename}: this folder cannot be read ({error.strerror}).",
            "Give folders that you may read.",
        ) from error

    traces = []
    for inner, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        traces += [
            path
            for name in files
            if not name.startswith((".", "_"))
            and is_trace(path := Path(inner, name))
            and path.is_file()
        ]
    return sorted(traces)
