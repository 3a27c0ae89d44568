"""One change of one file, with an identity that survives edits elsewhere in the file."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

ARTEFACTS = {
    "impl": "impl",
    "model": "model",
    "spec": "spec",
    "harness": "harness",
    "proofs": "proofs",
    "traces": "traces",
    "jvm": "jvm",
    "tool": "wheelproof",
}
"""Artefact -> the project's folder that holds it."""

TESTED = frozenset({"traces", "tool"})
"""The artefacts whose changes unit tests alone judge."""

PACKAGES = (
    *(f"wheelproof/{name}" for name in ("checks", "graph", "jvm", "tlc", "python")),
    *(f"wheelproof/python/{name}" for name in ("runtime", "style", "state", "search")),
    *(f"wheelproof/prove{name}" for name in ("", "/ts", "/module", "/invariant", "/second")),
)
"""The folders of ``tool``. Folders below do not count."""


@dataclass(frozen=True)
class Edit:
    """Replace ``text[start:end]`` by ``new``. Offsets count characters of the file."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Change:
    """One change."""

    artefact: str
    file: str
    """The file, relative to the project's root."""
    line: int
    """The first changed line, from 1."""
    place: str
    """The function, method or PlusCal procedure around it."""
    operator: str
    """A name of the catalogue in docs/mutate.md."""
    before: str
    """The whole file."""
    after: str
    """The whole file."""
    scope: str
    """The text of ``place`` before the change, on which the identity rests."""
    nth: int = 0
    """How many changes of ``place`` with the same lines come before it."""

    @cached_property
    def key(self) -> str:
        """Twelve hexadecimal digits, of the file's name, the text of ``place`` and the lines.

        An edit inside ``place`` gives another key, an edit elsewhere in the file does not.
        """
        again = (str(self.nth),) if self.nth else ()
        text = "\0".join((self.file, self.place, self.scope, "\n".join(self.hunk(0)), *again))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def title(self) -> str:
        """The name of the change's row."""
        return f"{self.file}:{self.line} {self.operator} {self.key}"

    @property
    def lines(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The lines between the first and the last changed one, before and after."""
        before, after = self.before.splitlines(), self.after.splitlines()
        while before and after and before[-1] == after[-1]:
            del before[-1], after[-1]
        same = 0
        while same < min(len(before), len(after)) and before[same] == after[same]:
            same += 1
        return tuple(before[same:]), tuple(after[same:])

    def hunk(self, context: int = 0) -> list[str]:
        """The changed lines as a unified diff without its header."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), n=context, lineterm=""
        )
        return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def apply(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits that do not overlap."""
    for edit in sorted(edits, key=lambda edit_: edit_.start, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def distinct(changes: Iterable[Change]) -> list[Change]:
    """The changes in the order of file and line; of those that give the same text, the first.

    Each has a key of its own: two equal lines of one function differ in their number.
    """
    keys: set[tuple[str, str]] = set()
    alike: Counter[tuple[object, ...]] = Counter()
    out = []
    for change in sorted(
        changes, key=lambda change_: (change_.file, change_.line, change_.operator)
    ):
        if change.after != change.before and (change.file, change.after) not in keys:
            keys.add((change.file, change.after))
            group = (change.file, change.place, change.scope, change.lines)
            out.append(replace(change, nth=alike[group]))
            alike[group] += 1
    return out
