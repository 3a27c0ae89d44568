"""A source file of a pinned jar of sources with a diff applied: no such source is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wheelproof import reading, temporary
from wheelproof.errors import ToolError

SOURCES = "sources"
"""The classifier of a jar of sources."""


@contextmanager
def with_patch(
    diff: Path, folder: Path, sources: Path | None = None, *, more: Sequence[Path] = ()
) -> Iterator[Path]:
    """The one source file that a diff changes or makes, with the diff applied, for a while.

    ``more``: diffs of the same file, which are applied behind it.

    The old text comes from the jar of sources. The diff's names are ``MODULE/java/PACKAGE/FILE``
    as in the project's repository. Raises ToolError where the diff does not apply.
    """
    before, after = (line[4:] for line in reading.text(diff).splitlines()[:2])
    module, _, inside = after.removeprefix("b/").partition("/java/")
    folder.mkdir(parents=True, exist_ok=True)
    work = temporary.make("patch", folder.absolute())
    file = work / module / "java" / inside
    try:
        if not Path(os.path.normpath(file)).is_relative_to(work):
            raise ToolError(f"{diff.name} changes {inside}, outside of its folder.")
        if before != "/dev/null":
            if sources is None:
                raise ToolError(f"{diff.name} changes {inside}, and there is no jar of sources.")
            file.parent.mkdir(parents=True)
            with zipfile.ZipFile(sources) as archive:
                file.write_bytes(archive.read(inside))
        apply(diff, work, sources)
        for other in more:
            if reading.text(other).splitlines()[1] != f"+++ {after}":
                raise ToolError(f"{other} does not change {inside}, as {diff} does.")
            apply(other, work, sources)
        yield file
    finally:
        temporary.remove(work)


def apply(diff: Path, folder: Path, sources: Path | None = None) -> None:
    """Apply a diff to the files below a folder; ToolError where it does not apply."""
    git = shutil.which("git")
    if git is None:
        raise ToolError("git, which applies the diff, is not on PATH.", "Install git.")
    process = subprocess.run(
        [git, "apply", diff.absolute()],
        cwd=folder,
        # Within a repository git would skip files that are not below its current folder.
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )
    if process.returncode != 0:
        to = f" to {sources.name}" if sources else ""
        raise ToolError(f"{diff.name} does not apply{to}: {process.stderr.strip()}")
