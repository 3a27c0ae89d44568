"""Names as they stand in a specification's text and in the comments of the artefacts below it."""

import re

from tests.model.artefacts import Artefacts
from wheelproof.python import labels


def algorithm(spec: str) -> str:
    """The PlusCal of a module."""
    return spec[spec.index("--algorithm") : spec.index("end algorithm")]


def written(spec: str) -> set[str]:
    """The labels as they stand in the algorithm, in front of a statement."""
    return set(re.findall(r"^\s*([A-Z][A-Za-z]*\d+):(?!=)", algorithm(spec), re.MULTILINE))


def declared(of: Artefacts) -> dict[str, str]:
    """Label -> kind, of the comments in the implementation and its harness."""
    found = {}
    for artefact in "impl", "harness":
        found |= labels.kinds_by_name(labels.of_source(of.source(artefact)))
    return found


def defined(text: str) -> set[str]:
    """The operators that a module defines."""
    return set(re.findall(r"^(\w+)(?:\([^)]*\))? ==", text, re.MULTILINE))


def assumptions(text: str) -> list[str]:
    """The ASSUMEs of a module in order: each one's name, or its first line where it has none."""
    return re.findall(r"^ASSUME (.+?)(?: ==.*)?$", text, re.MULTILINE)


def refused_assumption(log: str, spec: str) -> str:
    """The ASSUME that TLC's log calls false, as ``assumptions`` has it."""
    line = int(
        re.search(
            r"Assumption line (\d+), col \d+ to line \d+, col \d+ of module \w+ is false", log
        )[1]
    )
    return assumptions("\n".join(spec.splitlines()[:line]))[-1]
