"""The text of the source line of a step, where the file still has that line."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from wheelproof import decisions, reading
from wheelproof.decisions.read import changed_together, names_of, short_names
from wheelproof.errors import UsageError

_NUMBER = re.compile(r"[0-9]{1,9}")
_COMMENT = re.compile(r"\s*#[^'\"]*$")


def changed_texts(root: Path, mechanism: str, without: str) -> dict[str, str]:
    """The Python files that decisions change -> their texts; empty where one no longer fits."""
    try:
        short = short_names(mechanism, "")
        files = [root / "mutants" / mechanism / f"{name}.md" for name in names_of(without)]
        return changed_together((decisions.read(file, short) for file in files), root, ".py")
    except UsageError:
        return {}


def source_text(
    root: Path, source: str, label: str, texts: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The code of the line "path:number" below `root`, without its comment; "" if there is none.

    `texts`: the texts of files that are other ones than those below `root`. A line that does not
    carry the label in its comment is not the one that ran: the file has changed since, and another
    line's text would mislead. A path out of `root` is not followed.
    """
    path, _, number = source.rpartition(":")
    relative = PurePosixPath(path)
    if relative.is_absolute() or ".." in relative.parts or not _NUMBER.fullmatch(number):
        return ""
    lines = texts[path].splitlines() if path in texts else _lines(root / relative)
    if not 0 < int(number) <= len(lines):
        return ""
    line = lines[int(number) - 1]
    if relative.suffix == ".tla":
        return line.strip() if label in line else "(the file has changed since)"
    comment = _COMMENT.search(line)
    if label and (comment is None or not re.search(rf"\b{re.escape(label)}\b", comment[0])):
        return "(the file has changed since)"
    return _COMMENT.sub("", line).strip()


@lru_cache(maxsize=64)
def _lines(path: Path) -> list[str]:
    try:
        return reading.text(path).splitlines()
    except reading.Unreadable:
        return []
