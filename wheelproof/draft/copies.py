"""The labelled copy of a class beside a draft of the class as it is today."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from wheelproof import draft

_MARK = "# HOLE "
_HOLE = re.compile(r"(\s*# HOLE \w+), line \d+(: .*)")


def of_class(source: Path, class_name: str, name: str, module: str) -> str:
    """The copy that a draft of the class has today. UsageError where there is no such class."""
    return draft.draft(source, class_name, name, module).texts[1]


def differences(draft_text: str, copy: str) -> Iterator[tuple[int, str]]:
    """The places at which a copy is not as drafted: its line, and the line of the draft or "".

    Holes may be filled: lines in the place of one, or beside it, may differ.
    """
    ours, theirs = _lines(draft_text), _lines(copy)
    holes = {at + part for at, line in enumerate(ours) if _MARK in line for part in range(2)}
    for tag, start, end, line, _ in SequenceMatcher(None, ours, theirs, False).get_opcodes():
        place = set(range(start, end)) or {start - 1, start}
        is_allowed = place <= holes if end > start else bool(place & holes)
        if tag != "equal" and not is_allowed:
            yield line + 1, "\n".join(ours[start:end]).strip()


def _lines(text: str) -> list[str]:
    """The lines of a text; a hole's number of a line moves with each edit above it."""
    return [_HOLE.sub(r"\1\2", line) for line in text.splitlines()]
