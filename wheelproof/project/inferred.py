"""Labels and constants that a declaration may leave out: code and specification have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from wheelproof import reading
from wheelproof.project.mechanism import Label
from wheelproof.python import labels as comments

PROGRAM = "Program"
"""The constant with the threads' programs."""

_STEP = re.compile(r'^(\w+)(?:\(self\))? == /\\ pc(?:\[(?:self|"\w+")\])? = "(\w+)"', re.MULTILINE)
_CONSTANTS = re.compile(r"^CONSTANTS?\b(.*?)(?=^\S)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\\\*[^\n]*|\(\*.*?\*\)", re.DOTALL)


def labels_of_spec(text: str) -> set[str]:
    """The labels of a translated PlusCal algorithm."""
    return {label for name, label in _STEP.findall(text) if name == label}


def labels(specification: Path, implementation: Path) -> dict[str, Label]:
    """The labels of a mechanism, in the order of their names.

    Those of the code have the kinds of its comments. A label of the specification alone is silent:
    the comparison joins it to its neighbours, as it does with a plain access without a label.
    """
    kinds: dict[str, str] = {}
    for line in comments.of_source(reading.text(implementation), implementation.name).values():
        kinds |= {label: kind for kind, label in line.items()}
    names = sorted(labels_of_spec(reading.text(specification)) | kinds.keys())
    return {name: Label(name, kinds.get(name, "silent")) for name in names}


def constants(specification: Path, fields: Iterable[str]) -> dict[str, Mapping[str, str]]:
    """The rules of a module's constants, of those that a field is for.

    ``fields``: those that all scenarios have. ``Program`` takes the threads, and a constant such as
    ``MaxSize`` the value of the field ``max_size``.
    """
    rules: dict[str, Mapping[str, str]] = {}
    by_constant = {
        "".join(part.capitalize() for part in field.split("_")): field for field in fields
    }
    for section in _CONSTANTS.findall(_COMMENT.sub("", reading.text(specification))):
        for name in re.findall(r"\w+", section):
            if name == PROGRAM:
                rules[name] = {"field": "threads", "as": "function"}
            elif name in by_constant:
                rules[name] = {"field": by_constant[name], "as": "value"}
    return rules
