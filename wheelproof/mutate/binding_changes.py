"""Changes of a binding of compiled classes, ``jvm/NAME.toml``: entries, their values and sites.

An entry is a line that is TOML alone. Reasons are texts for the reader, and are not changed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from wheelproof import toml
from wheelproof.mutate.change import Change, Edit, apply, distinct

HEADER = re.compile(r"\[([^\[\]]+)\]\s*$")
ENTRY = re.compile(r"""(?:[\w.-]+|"[^"]*") = (?P<value>.*\S)\s*$""")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = re.compile(r'#(\d+)"')
COMMENTS = frozenset({"about", "profile"})
"""Fields that no verdict depends on."""

Found = Iterator[tuple[str, "Entry", list[Edit]]]


@dataclass(frozen=True)
class Entry:
    """An entry: its table, line from 1, key, the text of its line, and where its value is."""

    table: str
    line: int
    key: str
    text: str
    start: int
    value: tuple[int, int]

    @property
    def whole(self) -> tuple[int, int]:
        return self.start, self.start + len(self.text)


def entries(text: str) -> list[Entry]:
    """The entries of a text, in its order."""
    out, table, offset = [], "", 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if header := HEADER.match(line):
            table = header[1]
        elif (match := ENTRY.match(line)) and _alone(line):
            key = next(iter(toml.tables(line)))
            start, end = match.span("value")
            out.append(Entry(table, number, key, line, offset, (offset + start, offset + end)))
        offset += len(line)
    return [entry for entry in out if entry.key not in COMMENTS]


def _alone(line: str) -> bool:
    try:
        return len(toml.tables(line)) == 1
    except tomllib.TOMLDecodeError:
        return False


def changes(text: str, file: str, artefact: str) -> list[Change]:
    """Every change of a binding that alters its declarations."""
    before = toml.tables(text)
    out = []
    for operator, entry, edits in _changes(text, entries(text)):
        after = apply(text, edits)
        try:
            alters = toml.tables(after) != before
        except tomllib.TOMLDecodeError:
            continue
        if alters:
            out.append(
                Change(
                    artefact,
                    file,
                    entry.line,
                    entry.table or "binding",
                    operator,
                    text,
                    after,
                    entry.text,
                )
            )
    return distinct(out)


def _changes(text: str, entries: list[Entry]) -> Found:
    for entry in entries:
        start, end = entry.value
        value = text[start:end]
        yield "table.drop", entry, [Edit(*entry.whole, "")]
        if not value.startswith("["):
            continue
        strings = list(STRING.finditer(value))
        for number, string in enumerate(strings):
            if len(strings) > 1:
                first = number == 0
                cut = (
                    (string.start(), strings[1].start())
                    if first
                    else (strings[number - 1].end(), string.end())
                )
                yield "table.drop", entry, [Edit(start + cut[0], start + cut[1], "")]
        for number_of in NUMBER.finditer(value):
            at = number_of.span(1)
            more = str(int(number_of[1]) + 1)
            yield "constant", entry, [Edit(start + at[0], start + at[1], more)]
    for before, second in pairwise(entries):
        lists = all(text[entry_.value[0]] == "[" for entry_ in (before, second))
        if before.table == second.table and before.table and lists:
            values = [text[slice(*entry_.value)] for entry_ in (before, second)]
            yield (
                "name",
                before,
                [Edit(*before.value, values[1]), Edit(*second.value, values[0])],
            )


def plant(text: str, file: str, artefact: str) -> tuple[Change | None, Change]:
    """(a change that every check must reject, one that none may reject): the controls of one file.

    The first takes the site of the first label away, the second adds a comment. None where the file
    has no label.
    """
    end = text if text.endswith("\n") else text + "\n"
    harmless = Change(
        artefact,
        file,
        len(text.splitlines()),
        "binding",
        "control.equivalent",
        text,
        f"{end}# planted\n",
        "",
    )
    label = next((entry for entry in entries(text) if entry.table == "labels"), None)
    if label is None:
        return None, harmless
    fault = Change(
        artefact,
        file,
        label.line,
        label.table,
        "control.rejected",
        text,
        apply(text, [Edit(*label.value, '["harness:planted"]')]),
        label.text,
    )
    return fault, harmless
