"""The row ``arithmetic``: what the implementation computes with numbers is proved or listed.

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
"""The property: no function computes what is neither proved nor listed."""

PLANTED = "def planted(delay):\n    return min(delay, 2**31)\n"
"""The function of the controls, which no project has."""


@dataclass(frozen=True)
class Listed:
    """One function. ``proved``: the theorems that run it on symbols.

    ``computes``: its expressions, where none does; ``because``: why none has to.
    """

    name: str
    proved: tuple[str, ...] = ()
    computes: tuple[str, ...] = ()
    because: str = ""


def read(root: Path) -> dict[str, Listed] | None:
    """File and function -> what is listed of it; None without the file. Raises UsageError."""
    file = root / FILE
    if not reading.there(file):
        return None
    tables = Tables(file, reading.tables(file))
    listed = {}
    for name, values in tables.table("functions").items():
        place = f"functions.{name!r}"
        if not isinstance(values, dict):
            raise tables.fail(place, "must be a table", "It has proved, or computes and because.")
        item = tables.build(Listed, place, "function", values)
        texts = (item.proved, item.computes)
        if not all(isinstance(each, list) and all(map(_is_text, each)) for each in texts if each):
            raise tables.fail(place, "proved and computes are lists of texts")
        if bool(item.proved) == bool(item.computes) or bool(item.computes) != bool(item.because):
            raise tables.fail(place, "must have either proved, or computes and because")
        listed[name] = Listed(name, tuple(item.proved), tuple(item.computes), item.because)
    return listed


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def faults(
    computed: Mapping[str, Mapping[str, tuple[str, ...]]], listed: Mapping[str, Listed]
) -> list[str]:
    """What the list of functions lacks, and what it has too much. ``computed``: by file."""
    named = {
        f"{file} {function}": texts
        for file, functions in computed.items()
        for function, texts in functions.items()
    }
    found = []
    for name, texts in named.items():
        item = listed.get(name)
        if item is None:
            found.append(f"{name} computes {', '.join(texts)}, and is not listed")
        elif not item.proved and item.computes != texts:
            found.append(
                f"{name} computes {', '.join(texts)}, and is listed with {', '.join(item.computes)}"
            )
    found += [
        f"{name} is listed, and computes nothing with numbers"
        for name in listed
        if name.partition(" ")[0] in computed and name not in named
    ]
    return found


def controls(listed: Mapping[str, Listed]) -> dict[str, bool]:
    """Planted fault -> whether it is refused by name.

    A function computes and is not listed; it is listed with another expression; one is listed that
    computes nothing.
    """
    name = "planted planted"
    computed = {"planted": computations(PLANTED, "planted")}
    other = {**listed, name: Listed(name, computes=("delay",), because="planted")}
    return {
        "a function that is not listed": name in " ".join(faults(computed, listed)),
        "another expression": name in " ".join(faults(computed, other)),
        "a function that computes nothing": name in " ".join(faults({"planted": {}}, other)),
    }


def arithmetic(context: Context, reports: Iterable[Report]) -> Row:
    """A function that computes with numbers is run on symbols by a theorem, or listed as it is."""
    started = context.begin("coverage", NAME)
    listed = read(context.mechanism.root) or {}
    computed = context.implementation().computations
    found = faults(computed, listed)
    used = {f"{file} {name}" for file, functions in computed.items() for name in functions}
    return context.row(
        "coverage",
        NAME,
        started,
        expected="exhaustive",
        verdict=Verdict.VIOLATED if found else Verdict.EXHAUSTIVE,
        property=UNLISTED if found else None,
        why=f"{'; '.join(found)}; prove it on symbols, or list it in {FILE}" if found else "",
        controls=controls(listed),
        figures={
            "functions": len(used),
            "proved": sum(1 for name in used if name in listed and listed[name].proved),
            "files": len(computed),
        },
    )
