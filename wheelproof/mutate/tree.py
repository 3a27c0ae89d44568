"""The copy of a project's tree that a change is made in."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import wheelproof
from wheelproof.errors import UsageError
from wheelproof.isolated import ARTEFACTS
from wheelproof.mutate.finding import Finding
from wheelproof.mutate.tla_source import ALGORITHM
from wheelproof.tlc import translation

LEFT_OUT = ("build", "__pycache__", "wheelproof.egg-info")

CHECKED = frozenset({*ARTEFACTS, "spec", "mutants", "jvm"})
"""The folders that `wheelproof verify` reads."""


def copied(
    root: Path, scratch: Path, names: frozenset[str] | None = None, tool: bool = False
) -> None:
    """Copy the project's tree, without hidden folders and built files, or ``names`` of it.

    ``tool``: with the package that runs, if the tree has it.
    """
    package = Path(wheelproof.__file__).parent

    def left_out(folder: str, inside: list[str]) -> list[str]:
        only = names if Path(folder) == root else None
        return [
            name
            for name in inside
            if (name.startswith(".") and Path(folder, name).is_dir())
            or name in LEFT_OUT
            or (only is not None and name not in only)
            or not tool
            and Path(folder, name).resolve() == package
        ]

    shutil.copytree(root, scratch, ignore=left_out, dirs_exist_ok=True)


def translated(root: Path, file: str, before: str) -> Finding | None:
    """Translate a changed module's algorithm anew.

    A finding where the translator rejects it, or where only the algorithm's text changed.
    """
    module = root / file
    if not ALGORITHM.search(module.read_text(encoding="utf-8")):
        return None
    try:
        translation.retranslate(module)
    except UsageError as error:
        if "refuses" in str(error):
            return Finding(
                "unloadable",
                "translation",
                "pcal",
                re.sub(r"\s+", " ", str(error).replace(str(root), ".")),
            )
        raise
    if _check(module.read_text(encoding="utf-8")) == _check(before):
        return Finding(
            "equivalent",
            "translation",
            "same translation",
            "the changed algorithm has the same translation",
        )
    return None


def _check(text: str) -> str:
    """The text of a module that TLC checks: without the algorithm, a comment, and its checksums."""
    return re.sub(r"BEGIN TRANSLATION.*", "", ALGORITHM.sub("", text))
