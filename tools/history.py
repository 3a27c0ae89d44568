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
    """Releases with one order of steps.

    ``code``: the mechanisms whose steps are those, each with the values of the fields of a scenario
    that has them.
    """

    name: str
    code: Mapping[str, Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Row:
    """A property whose verdicts the matrix has, and the mechanisms that have it.

    ``first``: the configs that a cell names before others.
    """

    property: str
    mechanisms: tuple[str, ...]
    first: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bug:
    """A bug that Kafka had.

    ``shown``: check -> the property that it breaks. A check is ``MECHANISM/MUTANT`` or
    ``MECHANISM:CONFIG``. ``why``: the reason for what is not shown. ``eras``: those whose releases
    had it.
    """

    id: str
    issue: str
    year: int
    wrong: str
    fixed: str
    releases: str
    eras: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    why: str = ""


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
                    each["name"],
                    {
                        mechanism: {key: tuple(values) for key, values in where.items()}
                        for mechanism, where in each["code"].items()
                    },
                )
                for each in data["era"]
            ),
            tuple(
                Row(each["property"], tuple(each["mechanisms"]), tuple(each.get("first", ())))
                for each in data["row"]
            ),
            tuple(Bug(**{**each, "eras": tuple(each.get("eras", ()))}) for each in data["bug"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"docs/history.toml has a table with a wrong field: {error}") from error


# -- what the declared checks say


def broken_by(check: str, found: Mechanisms) -> tuple[str, set[str]]:
    """(what the check is, the properties that it must break).

    Raises ValueError if there is no such check.
    """
    mechanism, mark, name = check.partition("/") if "/" in check else check.partition(":")
    declared = found.get(mechanism)
    if declared is None:
        raise ValueError(f"{check}: there is no mechanism {mechanism!r}")
    if mark == "/":
        mutant = declared.mutants.get(name)
        if mutant is None:
            raise ValueError(f"{check}: {mechanism} has no mutant {name!r}")
        return "mutant", {mutant.property} if mutant.property else set()
    config = declared.configs.get(name)
    if config is None:
        raise ValueError(f"{check}: {mechanism} has no config {name!r}")
    return "config", set(breaks(config))


def breaks(config: Config) -> tuple[str, ...]:
    """The properties that a config must break."""
    own = (config.property,) if config.property and config.expect == "violated" else ()
    return (*own, *config.fails)


def keeps(config: Config, name: str, mechanism: Mechanism) -> bool:
    """Whether a config must keep a property."""
    if config.expect != "exhaustive" or name in config.fails:
        return False
    if config.property:
        return config.property == name
    return name == "NoDeadlock" or name in mechanism.invariants


def of_era(era: Era, name: str, found: Mechanisms) -> Iterator[Config]:
    """The mechanism's configs whose scenarios have the era's code, without those of mutants."""
    if name not in era.code:
        return
    where, mechanism = era.code[name], found[name]
    for config in mechanism.configs.values():
        scenario = mechanism.scenarios[config.scenario]
        if config.without or config.module or config.fair is not None:
            continue
        if all(values_of(scenario[key]) <= set(allowed) for key, allowed in where.items()):
            yield config


def values_of(item: Any) -> set[str]:
    """The values of a table, or the value itself."""
    return set(item.values()) if isinstance(item, Mapping) else {item}


@dataclass(frozen=True)
class Cell:
    """What holds of a property in an era: the checks that break it, and those that keep it."""

    red: tuple[str, ...] = ()
    green: tuple[str, ...] = ()


def cell(row: Row, era: Era, history: History, found: Mechanisms) -> Cell:
    """The checks of one property in one era."""
    red = [
        check
        for bug in history.bugs
        if era.name in bug.eras
        for check, broken in bug.shown.items()
        if broken == row.property and check.partition("/")[0] in row.mechanisms
    ]
    green = []
    for mechanism in row.mechanisms:
        for config in of_era(era, mechanism, found):
            if row.property in breaks(config):
                red.append(f"{mechanism}:{config.name}")
            elif keeps(config, row.property, found[mechanism]):
                green.append(f"{mechanism}:{config.name}")
    green.sort(key=lambda check: check not in row.first)
    return Cell(tuple(dict.fromkeys(red)), tuple(green))


# -- what is refused


def refusals(history: History, found: Mechanisms) -> list[str]:
    """What the file names that is not there, or that is declared otherwise."""
    return [
        *_of_eras(history, found),
        *(fault for row in history.rows for fault in _of_row(row, history, found)),
        *(fault for bug in history.bugs for fault in _of_bug(bug, history, found)),
        *(f"{name} is there twice" for name in _twice(bug.id for bug in history.bugs)),
    ]


def _of_eras(history: History, found: Mechanisms) -> Iterator[str]:
    for era in history.eras:
        for mechanism, where in era.code.items():
            if mechanism not in found:
                yield f"{era.name}: there is no mechanism {mechanism!r}"
                continue
            there = found[mechanism].scenarios.values()
            for key, allowed in where.items():
                known = {one for each in there for one in values_of(each.get(key, {}))}
                for value in set(allowed) - known:
                    yield f"{era.name}: no scenario of {mechanism} has {key} = {value!r}"


def _of_row(row: Row, history: History, found: Mechanisms) -> Iterator[str]:
    for mechanism in row.mechanisms:
        if mechanism not in found or row.property not in found[mechanism].properties:
            yield f"{row.property} is no property of {mechanism}"
    if not all(
        mechanism in found for era in history.eras for mechanism in (*era.code, *row.mechanisms)
    ):
        return
    cells = [cell(row, era, history, found) for era in history.eras]
    if not any(made.red or made.green for made in cells):
        yield f"{row.property}: no check of any era is about it"
    for check in row.first:
        if not any(check in made.green for made in cells):
            yield f"{row.property}: {check} keeps it in no era"


def _of_bug(bug: Bug, history: History, found: Mechanisms) -> Iterator[str]:
    if not bug.shown and not bug.why:
        yield f"{bug.id} is neither shown nor is there a reason"
    for name in set(bug.eras) - {era.name for era in history.eras}:
        yield f"{bug.id}: there is no era {name!r}"
    for check, named in bug.shown.items():
        try:
            what, broken = broken_by(check, found)
        except ValueError as error:
            yield f"{bug.id}: {error}"
            continue
        if named not in broken:
            declared = ", ".join(sorted(broken)) or "nothing"
            yield f"{bug.id}: the {what} {check} breaks {declared}, and not {named}"


def _twice(names: Iterable[str]) -> list[str]:
    listed = list(names)
    return sorted({name for name in listed if listed.count(name) > 1})


# -- tables


def link(check: str, found: Mechanisms) -> str:
    """A check's name, with a link to the file that declares it, as seen from ``docs/``."""
    mechanism, mark, name = check.partition("/") if "/" in check else check.partition(":")
    declared = found[mechanism]
    file = (
        declared.decisions[declared.mutants[name].decision].file if mark == "/" else declared.toml
    )
    return f"[`{check if mark == '/' else name}`](../{file.relative_to(declared.root).as_posix()})"


def listed(checks: tuple[str, ...], found: Mechanisms) -> str:
    """The first checks, each with its link, and the number of the others."""
    out = ", ".join(link(check, found) for check in checks[:SHOWN])
    return out + (f" and {len(checks) - SHOWN} more" if len(checks) > SHOWN else "")


def matrix(history: History, found: Mechanisms) -> Iterator[tuple[str, ...]]:
    """The rows of the matrix: a property, and a cell for each era."""
    for row in history.rows:
        cells = []
        for era in history.eras:
            made = cell(row, era, history, found)
            if made.red:
                cells.append(f"**fails**: {listed(made.red, found)}")
            elif made.green:
                cells.append(f"holds: {listed(made.green, found)}")
            else:
                cells.append("not modelled")
        yield (f"`{row.property}`", *cells)


def bugs(history: History, found: Mechanisms) -> Iterator[tuple[str, ...]]:
    """The rows of the table of bugs."""
    for bug in history.bugs:
        shown = ", ".join(
            f"{link(check, found)} breaks `{broken}`" for check, broken in bug.shown.items()
        )
        yield (
            bug.id,
            f"{bug.issue} ({bug.year})",
            bug.wrong,
            bug.fixed,
            bug.releases,
            f"yes: {shown}" if shown else "no",
            bug.why,
        )


HEAD_OF_BUGS = ("bug", "issue", "what went wrong", "what fixed it", "releases", "shown", "limits")


def load(root: Path) -> History:
    """The history of a project."""
    return read((root / "docs" / "history.toml").read_text(encoding="utf-8"))
