"""Labels: the trailing comments that give the steps of an implementation their names.

* ``with self.monitor:  # lock A1, unlock A11`` names two operations of one line;
* ``self.list = None  # write U8`` names one;
* ``self.condition.wait()  # wait W1, wake W2, lock W3`` names three;
* ``self.heap.append(e)  # change P1`` names a change of the object that a plain field holds.

The same step has the same label in the specification, in the model and in every trace.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from wheelproof import reading
from wheelproof.python.findings import LabelError
from wheelproof.python.parsed import KEPT

LOCK_KINDS = frozenset({"lock", "unlock"})
"""Kinds of operation of which two may share the line of one ``with``."""

WAIT_KINDS = frozenset({"wait", "wake", "lock"})
"""Kinds of operation that share the line of one wait: fall asleep, wake, take the lock."""

SLEEP_KINDS = frozenset({"wait", "wake"})
"""Kinds that share the line of a wait without a lock: for an event, at a barrier."""

STEP_KINDS = frozenset(
    {"try", "read", "write", "change", "update", "swap", "cas", "notify", "choose"}
)
"""Kinds of operation that stand alone on a line. Plain reads and choices beside them are parts."""

TOGETHER = (LOCK_KINDS, WAIT_KINDS, SLEEP_KINDS)

KINDS = LOCK_KINDS | WAIT_KINDS | STEP_KINDS

NAME = re.compile(r"[A-Z][A-Za-z]*[0-9]+")

Labels = dict[int, dict[str, str]]
"""Line number -> {kind of operation: label}."""


def of_source(text: str, file: str = "<text>", kinds: Iterable[str] = KINDS) -> Labels:
    """The labels of a source text, by line.

    Raises :class:`LabelError` with file and line for a trailing comment that begins like a label (a
    kind, then a space) but cannot be read as one, and for a label on a line of its own: a label
    that is passed over in silence would take a step out of the check.
    """
    read = _read(text, file, frozenset(kinds))
    return {line: dict(by_kind) for line, by_kind in read.items()}


@lru_cache(KEPT)
def _read(text: str, file: str, kinds: frozenset[str]) -> Labels:
    """The labels of one source; every caller has the same object."""
    words = "|".join(sorted(kinds))
    item = re.compile(rf"({words}) ({NAME.pattern})")
    begins = re.compile(rf"#\s*({words})(\s|$)")
    labels: Labels = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type is not tokenize.COMMENT or not begins.match(token.string):
            continue
        line, column = token.start
        alone = not token.line[:column].strip()
        items = [item.fullmatch(part.strip()) for part in token.string[1:].split(",")]
        if alone:
            if None not in items:
                raise LabelError(
                    f"{file}:{line}: the label {token.string!r} stands on a line without an "
                    "operation; "
                    "put it behind the operation that it names"
                )
            continue
        read = [label for label in items if label is not None]
        if len(read) != len(items):
            raise LabelError(
                f"{file}:{line}: unreadable label {token.string!r}; write '# kind Name1' or "
                f"'# lock Name1, unlock Name2' with a kind of {', '.join(sorted(kinds))}, or "
                "reword the comment"
            )
        if len({m[1] for m in read}) != len(read):
            raise LabelError(
                f"{file}:{line}: {token.string!r} names one kind of operation twice; put each "
                "operation on its own line"
            )
        labels[line] = {m[1]: m[2] for m in read}
    return labels


def of_file(path: Path, kinds: Iterable[str] = KINDS) -> Labels:
    """The labels of a source file, by line; see :func:`of_source`."""
    return of_source(reading.text(path), str(path), kinds)


def names(labels: Labels) -> set[str]:
    """The label names alone."""
    return {label for line in labels.values() for label in line.values()}


def kinds_by_name(labels: Labels) -> dict[str, str]:
    """Label name -> kind of operation."""
    return {label: kind for line in labels.values() for kind, label in line.items()}
