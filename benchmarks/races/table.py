"""The table `races.toml`: pairs of releases, and the known races that are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.races import form, refusals
from wheelproof import reading
from wheelproof.errors import UsageError

HERE = Path(__file__).parent
TABLE = HERE / "races.toml"
PROGRAMS = HERE / "programs"
PATCHES = HERE / "patches"

MOST_ADDED = 10
"""Lines that a fix of ours may add."""

BUGGY, FIXED = "buggy", "fixed"
KINDS = ("stdlib", "pypi")
_TEXTS = ("name", "kind", "package", "python", "symptom", "source")
_VERSION = re.compile(r"\d+(\.\d+)*(\.?(post|rc|b|a)\d+)?")
_PIN = re.compile(r"[A-Za-z0-9._-]+==" + _VERSION.pattern)


@dataclass(frozen=True)
class Side:
    """A release. ``port``: a patch with which it runs; ``fix``: one of ours against the race."""

    version: str
    port: str = ""
    fix: str = ""

    @property
    def patches(self) -> tuple[Path, ...]:
        return tuple(PATCHES / name for name in (self.port, self.fix) if name)

    def __str__(self) -> str:
        return f"{self.version}, patched" if self.fix else self.version


@dataclass(frozen=True)
class Row:
    name: str
    kind: str
    package: str
    """The distribution on PyPI, or the top-level module of the standard library."""
    python: str
    symptom: str
    source: str
    failures: tuple[str, ...]
    """The end of the race: names of exceptions, or `deadlock`."""
    needs: tuple[str, ...]
    buggy: Side
    fixed: Side
    program: str
    """The module in `programs/`: by default the row's name."""

    def side(self, name: str) -> Side:
        return self.buggy if name == BUGGY else self.fixed


@dataclass(frozen=True)
class Omitted:
    source: str
    code: str
    reason: str


@dataclass(frozen=True)
class Table:
    rows: tuple[Row, ...]
    omitted: tuple[Omitted, ...]


def read(path: Path = TABLE) -> Table:
    """The table in a file. Raises UsageError where it is not one."""
    tables = reading.tables(path)
    refusals.check_names(path, "", tables, {"row", "omitted"})
    rows = [_row(path, number, fields) for number, fields in refusals.listed(path, tables, "row")]
    omitted = [
        _omission(path, number, entry) for number, entry in refusals.listed(path, tables, "omitted")
    ]
    names = [row.name for row in rows]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{path}: two rows are named {name}.", "Rename one of them.")
    if not rows:
        raise UsageError(f"{path} has no row.", "Add a table [[row]].")
    return Table(tuple(rows), tuple(omitted))


def chosen(table: Table, names: str) -> tuple[Row, ...]:
    """The rows of a list of names with commas between them; all of them if it is empty."""
    if not names:
        return table.rows
    rows = {row.name: row for row in table.rows}
    for name in names.split(","):
        if name not in rows:
            raise UsageError(f"There is no row {name!r}.", f"Rows: {', '.join(rows)}.")
    return tuple(rows[name] for name in names.split(","))


def added(patch: str) -> int:
    """The lines that a patch adds."""
    return sum(line.startswith("+") and not line.startswith("+++ ") for line in patch.splitlines())


def _row(path: Path, number: int, fields: Mapping[str, Any]) -> Row:
    place = f"row {fields.get('name', number)}"
    refusals.check_names(
        path, place, fields, {*_TEXTS, "failures", "needs", "program", BUGGY, FIXED}
    )
    texts = {name: refusals.text(path, place, fields, name) for name in _TEXTS}
    if texts["kind"] not in KINDS:
        raise refusals.fault(path, place, "kind", f"must be {' or '.join(KINDS)}")
    if not re.fullmatch(r"\d+\.\d+\.\d+", texts["python"]):
        raise refusals.fault(path, place, "python", "must be an exact version, as 3.13.0")
    row = Row(
        **texts,
        failures=refusals.texts(path, place, fields, "failures"),
        needs=refusals.texts(path, place, fields, "needs") if "needs" in fields else (),
        buggy=_side(path, place, fields, BUGGY),
        fixed=_side(path, place, fields, FIXED),
        program=refusals.text(path, place, {"program": texts["name"], **fields}, "program"),
    )
    exact(path, place, row.needs)
    if row.buggy.fix:
        raise refusals.fault(path, place, "buggy.fix", "would mend the buggy side: leave it out")
    if row.buggy == row.fixed:
        raise refusals.fault(path, place, "fixed", "equals the buggy side: name a release or a fix")
    if row.kind == "stdlib" and {row.buggy.version, row.fixed.version} != {row.python}:
        raise refusals.fault(
            path, place, "python", "must be the version of both sides of a stdlib row"
        )
    check_program(path, place, row.program)
    return row


def check_program(path: Path, place: str, name: str) -> None:
    """Refuse a program that is not there, or that has another form."""
    program = PROGRAMS / f"{name}.py"
    if not program.is_file():
        raise UsageError(f"{path}: {place} has no program {program}.", "Write it.")
    for fault in form.faults(reading.text(program)):
        raise UsageError(f"{program} {fault}.", "Change the program.")


def exact(path: Path, place: str, needs: tuple[str, ...]) -> tuple[str, ...]:
    """These pins, each of an exact version."""
    for need in needs:
        if not _PIN.fullmatch(need):
            message = f"has {need!r}, which is no exact pin (name==1.2)"
            raise refusals.fault(path, place, "needs", message)
    return needs


def _side(path: Path, place: str, fields: Mapping[str, Any], name: str) -> Side:
    side = fields.get(name)
    if not isinstance(side, dict):
        raise refusals.fault(path, place, name, "must be a table { version = ... }")
    refusals.check_names(path, f"{place}, {name}", side, {"version", "port", "fix"})
    texts = {key: refusals.text(path, f"{place}, {name}", side, key) for key in {"version", *side}}
    if not _VERSION.fullmatch(texts["version"]):
        raise refusals.fault(path, place, f"{name}.version", "must be an exact version")
    release = Side(**texts)
    for patch in release.patches:
        if not patch.is_file():
            raise UsageError(f"{path}: {place} has no patch {patch}.", "Write it.")
        if added(reading.text(patch)) > MOST_ADDED:
            raise UsageError(f"{patch} adds more than {MOST_ADDED} lines.", "Shorten it.")
    return release


def _omission(path: Path, number: int, fields: Mapping[str, Any]) -> Omitted:
    place = f"omitted {number}"
    names = ("source", "code", "reason")
    refusals.check_names(path, place, fields, set(names))
    return Omitted(*(refusals.text(path, place, fields, name) for name in names))
