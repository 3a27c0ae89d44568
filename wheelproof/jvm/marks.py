"""The fields of Java classes beside the marked fields of the Python implementation.

Both race detectors take a volatile field as what orders, and a plain one as what must be ordered.
So what they report of one mechanism can be compared only if each field is the same to both.
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
    """``same``: fields that are plain in both or volatile in both. ``faults``: sentences."""

    same: tuple[str, ...]
    faults: tuple[str, ...]


def in_python(field: str) -> str:
    """The name that a Java field would have in Python: ``Wheel.currentTime``'s is
    ``Wheel.current_time``.
    """
    cls, _, name = field.rpartition(".")
    return f"{cls}.{HUMP.sub('_', name).lower()}"


def compared(
    java: Races,
    marks: Mapping[str, bool],
    renamed: Mapping[str, str],
    reasons: Iterable[str],
    apart: Iterable[str] = (),
) -> Compared:
    """The accessed Java fields, each beside that of the implementation.

    ``renamed``: Java field -> the implementation's, where the names differ by more than their
    spelling. ``reasons``: Java fields which may differ. ``apart``: those that are compared with
    none. Any other must have its field, or it would drop out where one side renames it.
    """
    fields = {name: word == "volatile" for word in ("plain", "volatile") for name in java[word]}
    same, faults = [], []
    for field, other in renamed.items():
        if field not in fields:
            faults.append(f"{field} was not accessed, and is {other} of the implementation")
        elif other not in marks:
            faults.append(f"the implementation has no marked field {other}, which {field} is")
    for field, volatile in sorted(fields.items()):
        other = renamed.get(field, in_python(field))
        if field in apart:
            continue
        if other not in marks:
            if field not in renamed:
                faults.append(
                    f"the implementation has no marked field {other}, and {field} has no reason in "
                    "the table apart"
                )
            continue
        if volatile == marks[other]:
            same.append(field)
        elif field not in reasons:
            here, there = WORDS[volatile], WORDS[marks[other]]
            faults.append(f"{field} is {here} here, and {there} in the implementation")
    return Compared(tuple(same), tuple(faults))
