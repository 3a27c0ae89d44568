"""The history of Kafka's bugs: ``docs/history.toml``, held against the declared checks, as tables.

A cell of the matrix follows from the checks. It is red where a config with the era's code must
break the property, or a mutant that shows a bug of that era. It is green where configs with the
era's code keep the property, and none breaks it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wheelproof.project import Mechanism
from wheelproof.project.mechanism import Config

SHOWN = 3
"""How many checks a cell of the matrix names."""

Mechanisms = Mapping[str, Mechanism]


@dataclass(frozen=True)
class Era:
    """Releases with one order of steps."""

    name: str
    code: Mapping[str, Mapping[str, tuple[str, ...]]]
    """The mechanisms with these steps. Each has the values of the fields of its scenarios."""


@dataclass(frozen=True)
class Row:
    """A property whose verdicts the matrix has, and the mechanisms that have it."""

    property: str
    mechanisms: tuple[str, ...]
    first: tuple[str, ...] = ()
    """The configs that a cell names before others."""


@dataclass(frozen=True)
class Bug:
    """A bug that Kafka had."""

    id: str
    issue: str
    year: int
    wrong: str
    fixed: str
    releases: str
    eras: tuple[str, ...] = ()
    """The eras whose releases had it."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """Check -> the property that it breaks.

    A check is ``MECHANISM/MUTANT`` or ``MECHANISM:CONFIG``.
    """
    why: str = ""
    """The reason why a bug is not shown."""


@dataclass(frozen=True)
class History:
    """All that the file has."""

    eras: tuple[Era, ...]
    rows: tuple[Row, ...]
    bugs: tuple[Bug, ...]


def read(text: str) -> History:
    """The history from the file's text. Raises ValueError on a table with a wrong field."""
    data = tomllib.loads(text)
    try:
        return History(
            tuple(
                Era(
                    table["name"],
                    {
                        mechanism: {key: tuple(values) for key, values in where.items()}
                        for mechanism, where in table["code"].items()
                    },
                )
                for table in data["era"]
            ),
            tuple(
                Row(table["property"], tuple(table["mechanisms"]), tuple(table.get("first", ())))
                for table in data["row"]
            ),
            tuple(Bug(**{**table, "eras": tuple(table.get("eras", ()))}) for table in data["bug"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"docs/history.toml has a table with a wrong field: {error}") from error


# -- what the declared checks say


def broken_by(check: str, mechanisms: Mechanisms) -> tuple[str, set[str]]:
    """(the kind of the check, the properties that it must break).

    Raises ValueError if there is no such check.
    """
    mechanism, mark, name = check.partition("/") if "/" in check else check.partition(":")
    declaration = mechanisms.get(mechanism)
    if declaration is None:
        raise ValueError(f"{check}: there is no mechanism {mechanism!r}")
    if mark == "/":
        mutant = declaration.mutants.get(name)
        if mutant is None:
            raise ValueError(f"{check}: {mechanism} has no mutant {name!r}")
        return "mutant", {mutant.property} if mutant.property else set()
    config = declaration.configs.get(name)
    if config is None:
        raise ValueError(f"{check}: {mechanism} has no config {name!r}")
    return "config", set(breaks(config))


def breaks(config: Config) -> tuple[str, ...]:
    """The properties that a config must break."""
    main = (config.property,) if config.property and config.expect == "violated" else ()
    return (*main, *config.fails)


def keeps(config: Config, name: str, mechanism: Mechanism) -> bool:
    """Whether a config must keep a property."""
    if config.expect != "exhaustive" or name in config.fails:
        return False
    if config.property:
        return config.property == name
    return name == "NoDeadlock" or name in mechanism.invariants


def of_era(era: Era, name: str, mechanisms: Mechanisms) -> Iterator[Config]:
    """The mechanism's configs whose scenarios have the era's code, without those of mutants."""
    if name not in era.code:
        return
    where, mechanism = era.code[name], mechanisms[name]
    for config in mechanism.configs.values():
        scenario = mechanism.scenarios[config.scenario]
        if config.without or config.module or config.fair is not None:
            continue
        if all(values_of(scenario[key]) <= set(values) for key, values in where.items()):
            yield config


def values_of(item: Any) -> set[str]:
    """The values of a table, or the value itself."""
    return set(item.values()) if isinstance(item, Mapping) else {item}


@dataclass(frozen=True)
class Cell:
    """The verdict of a property in an era: the checks that break it, and those that keep it."""

    red: tuple[str, ...] = ()
    green: tuple[str, ...] = ()


def cell(row: Row, era: Era, history: History, mechanisms: Mechanisms) -> Cell:
    """The checks of one property in one era."""
    red = [
        check
        for bug in history.bugs
        if era.name in bug.eras
        for check, property_ in bug.shown.items()
        if property_ == row.property and check.partition("/")[0] in row.mechanisms
    ]
    green = []
    for mechanism in row.mechanisms:
        for config in of_era(era, mechanism, mechanisms):
            if row.property in breaks(config):
                red.append(f"{mechanism}:{config.name}")
            elif keeps(config, row.property, mechanisms[mechanism]):
                green.append(f"{mechanism}:{config.name}")
    green.sort(key=lambda check: check not in row.first)
    return Cell(tuple(dict.fromkeys(red)), tuple(green))


# -- what is refused


def refusals(history: History, mechanisms: Mechanisms) -> list[str]:
    """The names of the file that do not exist, or that are declared otherwise."""
    return [
        *_of_eras(history, mechanisms),
        *(fault for row in history.rows for fault in _of_row(row, history, mechanisms)),
        *(fault for bug in history.bugs for fault in _of_bug(bug, history, mechanisms)),
        *(f"{name} is there twice" for name in _twice(bug.id for bug in history.bugs)),
    ]


def _of_eras(history: History, mechanisms: Mechanisms) -> Iterator[str]:
    for era in history.eras:
        for mechanism, where in era.code.items():
            if mechanism not in mechanisms:
                yield f"{era.name}: there is no mechanism {mechanism!r}"
                continue
            there = mechanisms[mechanism].scenarios.values()
            for key, values in where.items():
                present = {
                    number for scenario in there for number in values_of(scenario.get(key, {}))
                }
                for value in set(values) - present:
                    yield f"{era.name}: no scenario of {mechanism} has {key} = {value!r}"


def _of_row(row: Row, history: History, mechanisms: Mechanisms) -> Iterator[str]:
    for mechanism in row.mechanisms:
        if mechanism not in mechanisms or row.property not in mechanisms[mechanism].properties:
            yield f"{row.property} is no property of {mechanism}"
    if not all(
        mechanism in mechanisms
        for era in history.eras
        for mechanism in (*era.code, *row.mechanisms)
    ):
        return
    cells = [cell(row, era, history, mechanisms) for era in history.eras]
    if not any(verdicts.red or verdicts.green for verdicts in cells):
        yield f"{row.property}: no check of any era is about it"
    for check in row.first:
        if not any(check in verdicts.green for verdicts in cells):
            yield f"{row.property}: {check} keeps it in no era"


def _of_bug(bug: Bug, history: History, mechanisms: Mechanisms) -> Iterator[str]:
    if not bug.shown and not bug.why:
        yield f"{bug.id} is neither shown nor is there a reason"
    for name in set(bug.eras) - {era.name for era in history.eras}:
        yield f"{bug.id}: there is no era {name!r}"
    for check, property_ in bug.shown.items():
        try:
            kind, properties = broken_by(check, mechanisms)
        except ValueError as error:
            yield f"{bug.id}: {error}"
            continue
        if property_ not in properties:
            must = ", ".join(sorted(properties)) or "nothing"
            yield f"{bug.id}: the {kind} {check} breaks {must}, and not {property_}"


def _twice(names: Iterable[str]) -> list[str]:
    all_names = list(names)
    return sorted({name for name in all_names if all_names.count(name) > 1})


# -- tables


def link(check: str, mechanisms: Mechanisms) -> str:
    """A check's name, with a link to the file that declares it, as seen from ``docs/``."""
    mechanism, mark, name = check.partition("/") if "/" in check else check.partition(":")
    declaration = mechanisms[mechanism]
    file = (
        declaration.decisions[declaration.mutants[name].decision].file
        if mark == "/"
        else declaration.toml
    )
    return (
        f"[`{check if mark == '/' else name}`](../{file.relative_to(declaration.root).as_posix()})"
    )


def listing(checks: tuple[str, ...], mechanisms: Mechanisms) -> str:
    """The first checks, each with its link, and the number of the others."""
    out = ", ".join(link(check, mechanisms) for check in checks[:SHOWN])
    return out + (f" and {len(checks) - SHOWN} more" if len(checks) > SHOWN else "")


def matrix(history: History, mechanisms: Mechanisms) -> Iterator[tuple[str, ...]]:
    """The rows of the matrix: a property, and a cell for each era."""
    for row in history.rows:
        cells = []
        for era in history.eras:
            entry = cell(row, era, history, mechanisms)
            if entry.red:
                cells.append(f"**fails**: {listing(entry.red, mechanisms)}")
            elif entry.green:
                cells.append(f"holds: {listing(entry.green, mechanisms)}")
            else:
                cells.append("not modelled")
        yield (f"`{row.property}`", *cells)


def bugs(history: History, mechanisms: Mechanisms) -> Iterator[tuple[str, ...]]:
    """The rows of the table of bugs."""
    for bug in history.bugs:
        links = ", ".join(
            f"{link(check, mechanisms)} breaks `{property_}`"
            for check, property_ in bug.shown.items()
        )
        yield (
            bug.id,
            f"{bug.issue} ({bug.year})",
            bug.wrong,
            bug.fixed,
            bug.releases,
            f"yes: {links}" if links else "no",
            bug.why,
        )


HEAD_OF_BUGS = ("bug", "issue", "what went wrong", "what fixed it", "releases", "shown", "limits")


def load(root: Path) -> History:
    """The history of a project."""
    return read((root / "docs" / "history.toml").read_text(encoding="utf-8"))
