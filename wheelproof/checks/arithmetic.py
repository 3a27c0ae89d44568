"""The row ``arithmetic``: arithmetic of the implementation is proved or listed.

A scenario has a few numbers, and arithmetic that goes wrong for others passes every check of its
runs. So each function of the implementation that computes with numbers
(:mod:`wheelproof.python.style.arithmetic`) stands in ``harness/arithmetic.toml``: as one that a
theorem runs on symbols, or with its expressions and the reason why no theorem has to. A project
without that file has no such row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wheelproof import reading
from wheelproof.checks.context import Context, Report
from wheelproof.project.tables import Tables
from wheelproof.python.style.arithmetic import computations
from wheelproof.verdict import Row, Verdict

NAME = "arithmetic"
FILE = "harness/arithmetic.toml"

UNLISTED = "Arithmetic"
"""The property: no function computes an expression that is neither proved nor listed."""

PLANTED = "def planted(delay):\n    return min(delay, 2**31)\n"
"""The function of the controls, which no project has."""


@dataclass(frozen=True)
class Listed:
    """One function of the list."""

    name: str
    proved: tuple[str, ...] = ()
    """The theorems that run it on symbols."""
    computes: tuple[str, ...] = ()
    """Its expressions, where no theorem runs it."""
    because: str = ""
    """The reason that no theorem has to."""


def read(root: Path) -> dict[str, Listed] | None:
    """File and function -> its entry in the list; None without the file. Raises UsageError."""
    file = root / FILE
    if not reading.there(file):
        return None
    tables = Tables(file, reading.tables(file))
    entries = {}
    for name, values in tables.table("functions").items():
        place = f"functions.{name!r}"
        if not isinstance(values, dict):
            raise tables.fail(place, "must be a table", "It has proved, or computes and because.")
        item = tables.build(Listed, place, "function", values)
        texts = (item.proved, item.computes)
        if not all(isinstance(text, list) and all(map(_is_text, text)) for text in texts if text):
            raise tables.fail(place, "proved and computes are lists of texts")
        if bool(item.proved) == bool(item.computes) or bool(item.computes) != bool(item.because):
            raise tables.fail(place, "must have either proved, or computes and because")
        entries[name] = Listed(name, tuple(item.proved), tuple(item.computes), item.because)
    return entries


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def faults(
    computations: Mapping[str, Mapping[str, tuple[str, ...]]], entries: Mapping[str, Listed]
) -> list[str]:
    """The functions that the list lacks, and its entries too many. ``computations``: by file."""
    texts_by_name = {
        f"{file} {function}": texts
        for file, functions in computations.items()
        for function, texts in functions.items()
    }
    sentences = []
    for name, texts in texts_by_name.items():
        item = entries.get(name)
        if item is None:
            sentences.append(f"{name} computes {', '.join(texts)}, and is not listed")
        elif not item.proved and item.computes != texts:
            sentences.append(
                f"{name} computes {', '.join(texts)}, and is listed with {', '.join(item.computes)}"
            )
    sentences += [
        f"{name} is listed, and computes nothing with numbers"
        for name in entries
        if name.partition(" ")[0] in computations and name not in texts_by_name
    ]
    return sentences


def controls(entries: Mapping[str, Listed]) -> dict[str, bool]:
    """Planted fault -> whether it is refused by name.

    A function computes and is not listed; it is listed with another expression; one is listed that
    computes nothing.
    """
    name = "planted planted"
    planted_computations = {"planted": computations(PLANTED, "planted")}
    more = {**entries, name: Listed(name, computes=("delay",), because="planted")}
    return {
        "a function that is not listed": name in " ".join(faults(planted_computations, entries)),
        "another expression": name in " ".join(faults(planted_computations, more)),
        "a function that computes nothing": name in " ".join(faults({"planted": {}}, more)),
    }


def arithmetic(context: Context, reports: Iterable[Report]) -> Row:
    """A function that computes with numbers is run on symbols by a theorem, or listed as it is."""
    start = context.begin("coverage", NAME)
    entries = read(context.mechanism.root) or {}
    computations_by_file = context.implementation().computations
    sentences = faults(computations_by_file, entries)
    names = {
        f"{file} {name}" for file, functions in computations_by_file.items() for name in functions
    }
    return context.row(
        "coverage",
        NAME,
        start,
        expected="exhaustive",
        verdict=Verdict.VIOLATED if sentences else Verdict.EXHAUSTIVE,
        property=UNLISTED if sentences else None,
        why=f"{'; '.join(sentences)}; prove it on symbols, or list it in {FILE}"
        if sentences
        else "",
        controls=controls(entries),
        figures={
            "functions": len(names),
            "proved": sum(1 for name in names if name in entries and entries[name].proved),
            "files": len(computations_by_file),
        },
    )
