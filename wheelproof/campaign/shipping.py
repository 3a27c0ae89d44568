"""The project and the tool as one zip, which Spark unpacks for every executor."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path, PurePosixPath

from wheelproof import files, isolated
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline import cluster

MOST_BYTES = 256 << 20
"""Bytes of a project, at most: it is sent to each executor."""

LEFT_OUT = frozenset({"build", "dist", "node_modules", "__pycache__"})
"""Folders without sources, beside hidden ones and virtual environments."""


@contextmanager
def packed(root: Path, output: Path, target: Path) -> Iterator[str]:
    """Write the zip of a project and of this package at the end of the block, unless it raises.

    Gives the digest, which is equal for equal files. ``output``: a folder that is left out. Raises
    UsageError and ToolError.
    """
    contents = {name: file.read_bytes() for name, file in _files(root, output.resolve())}
    contents |= {
        name: file.read_bytes()
        for name, file in cluster.files_of(
            resources.files("wheelproof"), PurePosixPath("wheelproof")
        )
    }
    contents |= _of_runtime()
    digest = hashlib.sha256()
    try:
        with files.draft(target) as draft, zipfile.ZipFile(draft, "w") as archive:
            for name in sorted(contents):
                content = contents[name]
                digest.update(f"{name} {len(content)} ".encode() + content)
                info = zipfile.ZipInfo(name, cluster.EPOCH)
                archive.writestr(info, content, zipfile.ZIP_DEFLATED)
            archive.close()
            yield digest.hexdigest()
    except OSError as error:
        raise ToolError(
            f"{target} cannot be written ({error.strerror}).", "Give another --output."
        ) from error


def _files(root: Path, output: Path) -> Iterator[tuple[str, Path]]:
    """The files of a project with their names in the zip. UsageError where they are too many."""
    total = 0
    for folder, names, inside in os.walk(root):
        place = Path(folder)
        names[:] = sorted(name for name in names if _is_source(place / name, output))
        for name in sorted(inside):
            file = place / name
            if file.is_file() and not name.endswith(".pyc"):
                total += file.stat().st_size
                if total > MOST_BYTES:
                    raise UsageError(
                        f"{root} has more than {MOST_BYTES >> 20} MiB of files, and all of them "
                        "would go to each executor.",
                        "Give the project's own folder with --subject.",
                    )
                yield file.relative_to(root).as_posix(), file


def _is_source(folder: Path, output: Path) -> bool:
    return not (
        folder.name.startswith(".")
        or folder.name in LEFT_OUT
        or folder.name.endswith(".egg-info")
        or (folder / "pyvenv.cfg").exists()
        or folder.resolve() == output
    )


def _of_runtime() -> dict[str, bytes]:
    """The files of the distribution whose primitives a project may import."""
    spec = importlib.util.find_spec(isolated.DISTRIBUTION)
    if spec is None or not spec.submodule_search_locations:
        return {}
    folder = Path(next(iter(spec.submodule_search_locations)))
    return {
        f"{isolated.DISTRIBUTION}/{file.relative_to(folder).as_posix()}": file.read_bytes()
        for file in sorted(folder.rglob("*.py"))
    }
