"""Hunks: pieces of a diff that name their place by a label or a definition, not by a line number.

A fenced block of a decision's file holds hunks, one after the other::

    @@ impl/ring_buffer.py W1
    -            if entry.cancelled():  # read W1
    -                return False
    +            entry.cancelled()  # read W1

The line ``@@ FILE ANCHOR`` begins a hunk. Lines after it begin with ``-`` (taken away), ``+`` (put
in) or a blank (left as they are). How far the lines are indented as a whole does not count.
"""

from __future__ import annotations

import ast
import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from wheelproof.decisions.anchors import anchors_of
from wheelproof.errors import UsageError

HEAD = "@@ "


class DoesNotFit(UsageError):
    """A hunk's place is not in its file, or is there several times."""


@dataclass(frozen=True)
class Hunk:
    """One piece of a diff."""

    file: str
    """The file, relative to the project's folder."""
    anchor: str
    """A label or a definition in it."""
    origin: Path
    """The file with the hunk itself."""
    line: int
    """The line of the hunk there."""
    body: tuple[tuple[str, str], ...] = ()
    """Pairs of a mark (``-``, ``+`` or a blank) and a line without the margin that all lines share.
    """

    @property
    def old(self) -> tuple[str, ...]:
        """The lines before."""
        return tuple(text for mark, text in self.body if mark != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines after."""
        return tuple(text for mark, text in self.body if mark != "-")

    def refused(self, fault: str, remedy: str) -> UsageError:
        """The error of a hunk that cannot be read."""
        return UsageError(self._place(fault), remedy)

    def unfit(self, fault: str, remedy: str) -> DoesNotFit:
        """The error of a hunk that cannot be applied."""
        return DoesNotFit(self._place(fault), remedy)

    def _place(self, fault: str) -> str:
        return f"{self.origin}:{self.line}: @@ {self.file} {self.anchor}: {fault}."


@dataclass(frozen=True)
class Edit:
    """Lines ``begin`` to ``end`` (from 0, ``end`` excluded) of a file give way to ``lines``."""

    begin: int
    end: int
    lines: tuple[str, ...]
    hunk: Hunk


def read(lines: Sequence[str], origin: Path, first: int, short: Mapping[str, str]) -> list[Hunk]:
    """The hunks of a fenced block.

    ``first``: the number of the block's first line in ``origin``; ``short``: short names of files,
    such as ``spec``. Raises UsageError on a line that belongs to no hunk or a hunk that changes
    nothing.
    """
    hunks: list[Hunk] = []
    begin = None
    for number in range(len(lines) + 1):
        if number == len(lines) or lines[number].startswith(HEAD):
            if begin is not None:
                hunks.append(
                    _hunk(lines[begin], lines[begin + 1 : number], origin, first + begin, short)
                )
            begin = number
        elif begin is None and lines[number].strip():
            raise UsageError(
                f"{origin}:{first + number}: this line belongs to no hunk.",
                "Begin a hunk with a line '@@ FILE ANCHOR'.",
            )
    return hunks


def _hunk(
    head: str, body: Sequence[str], origin: Path, line: int, short: Mapping[str, str]
) -> Hunk:
    words = head.split()
    if len(words) != 3:
        raise UsageError(
            f"{origin}:{line}: {head!r} does not name a file and an anchor.",
            "Write '@@ FILE ANCHOR', for example '@@ spec U3'.",
        )
    _, file, anchor = words
    hunk = Hunk(short.get(file, file), anchor, origin, line)
    while body and not body[-1].strip():
        body = body[:-1]
    for number, text in enumerate(body, line + 1):
        if text and text[0] not in " -+":
            raise UsageError(
                f"{origin}:{number}: a hunk's line begins with {text[0]!r}.",
                "Begin it with '-', '+' or a blank.",
            )
    if not any(text.startswith(("-", "+")) for text in body):
        raise hunk.refused("the hunk changes nothing", "Give it lines with '-' or '+'.")
    margin = textwrap.dedent("\n".join(text[1:] for text in body)).split("\n")
    hunk = replace(
        hunk, body=tuple((mark[:1] or " ", text) for mark, text in zip(body, margin, strict=True))
    )
    if not any(text.strip() for text in hunk.old):
        raise hunk.refused(
            "the hunk has no line of the file", "Add the line before or after the new ones."
        )
    if not hunk.old[0].strip():
        raise hunk.refused(
            "the hunk begins with an empty line", "Begin it with a line that has text."
        )
    return hunk


def apply(text: str, hunks: Iterable[Hunk]) -> str:
    """A file's text with all its hunks applied.

    Raises DoesNotFit where an anchor or a hunk's old lines are not there exactly once, two hunks
    overlap, or Python cannot be parsed afterwards.
    """
    lines = text.split("\n")
    edits = sorted((_edit(text, lines, hunk) for hunk in hunks), key=lambda edit: edit.begin)
    for before, after in itertools.pairwise(edits):
        if after.begin < before.end:
            raise after.hunk.unfit(
                f"it overlaps the hunk in line {before.hunk.line}", "Make one hunk of the two."
            )
    for edit in reversed(edits):
        lines[edit.begin : edit.end] = edit.lines
    result = "\n".join(lines)
    if edits and edits[0].hunk.file.endswith(".py"):
        _check_parse(result, [edit.hunk for edit in edits])
    return result


def _check_parse(text: str, hunks: Sequence[Hunk]) -> None:
    """Raises DoesNotFit where the hunks leave a file that is no Python."""
    if (error := _syntax_error(text)) is not None:
        line = (error.text or "").strip()
        raise hunks[-1].unfit(
            f"with {'its hunks' if len(hunks) > 1 else 'it'} the file is no Python "
            f"({error.msg}: {line!r})",
            "Take away, or put in, the whole statement.",
        ) from error


@lru_cache(maxsize=1024)
def _syntax_error(text: str) -> SyntaxError | None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error
    return None


def _edit(text: str, lines: Sequence[str], hunk: Hunk) -> Edit:
    regions = [region for name, region in anchors_of(Path(hunk.file), text) if name == hunk.anchor]
    if len(regions) != 1:
        count = f"is there {len(regions)} times" if regions else "is not there"
        raise hunk.unfit(
            f"the anchor {count}", "Name a label or a definition that is in the file once."
        )
    places = [
        (begin, margin)
        for begin in regions[0]
        if (margin := _margin(lines, begin, hunk.old)) is not None
    ]
    if len(places) != 1:
        count = f"are there {len(places)} times" if places else "are not there"
        raise hunk.unfit(
            f"its old lines {count} at the anchor",
            "Copy them from the file, as many as make the place unique.",
        )
    ((begin, margin),) = places
    return Edit(
        begin,
        begin + len(hunk.old),
        tuple(margin + line if line else "" for line in hunk.new),
        hunk,
    )


def _margin(lines: Sequence[str], begin: int, old: Sequence[str]) -> str | None:
    """The margin with which the old lines stand at ``begin``; None where they do not."""
    if begin + len(old) > len(lines) or not lines[begin].endswith(old[0]):
        return None
    margin = lines[begin][: len(lines[begin]) - len(old[0])]
    if margin.strip():
        return None
    expectation = [margin + line if line.strip() else "" for line in old]
    there = [line.rstrip() for line in lines[begin : begin + len(old)]]
    return margin if there == [line.rstrip() for line in expectation] else None
