"""The fields of Java classes beside the marked fields of the Python implementation.

To both race detectors a volatile field orders accesses, and accesses to a plain one must be
ordered. Their reports on one mechanism can be compared only if each field is the same to both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wheelproof.jvm.answers import Races

HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])")
"""Where a name in camel case has its next word."""

WORDS = {True: "volatile", False: "plain"}


@dataclass(frozen=True)
class Compared:
    """The comparison of the fields."""

    same: tuple[str, ...]
    """The fields that are plain in both or volatile in both."""
    faults: tuple[str, ...]
    """Sentences."""


def in_python(field: str) -> str:
    """The name that a Java field would have in Python: ``Wheel.currentTime``'s is
    ``Wheel.current_time``.
    """
    cls, _, name = field.rpartition(".")
    return f"{cls}.{HUMP.sub('_', name).lower()}"


def compare(
    java: Races,
    marks: Mapping[str, bool],
    names: Mapping[str, str],
    reasons: Iterable[str],
    apart: Iterable[str] = (),
) -> Compared:
    """The accessed Java fields, each beside that of the implementation.

    ``names``: Java field -> the implementation's, where the names differ by more than their
    spelling. ``reasons``: Java fields which may differ. ``apart``: those that are compared with
    none. Any other must have its field, or it would drop out where one side renames it.
    """
    fields = {name: word == "volatile" for word in ("plain", "volatile") for name in java[word]}
    same, faults = [], []
    for field, mark in names.items():
        if field not in fields:
            faults.append(f"{field} was not accessed, and is {mark} of the implementation")
        elif mark not in marks:
            faults.append(f"the implementation has no marked field {mark}, which {field} is")
    for field, volatile in sorted(fields.items()):
        mark = names.get(field, in_python(field))
        if field in apart:
            continue
        if mark not in marks:
            if field not in names:
                faults.append(
                    f"the implementation has no marked field {mark}, and {field} has no reason in "
                    "the table apart"
                )
            continue
        if volatile == marks[mark]:
            same.append(field)
        elif field not in reasons:
            here, there = WORDS[volatile], WORDS[marks[mark]]
            faults.append(f"{field} is {here} here, and {there} in the implementation")
    return Compared(tuple(same), tuple(faults))
