"""The short forms of ``spec/<Module>.toml``, written out.

* A thread's program may be a text: ``"add l1 e1; tick * 3"`` is four operations.
* ``[every_scenario]`` has the fields that a scenario has unless it gives them itself. ``like``
  names a scenario from which the others are taken. ``[scenario_groups.NAME]`` has the fields that
  several scenarios share, and in its table ``scenarios`` the others, as [about, threads].
* ``[labels]`` may list the labels of a kind. ``[properties.KIND]`` lists the properties of a kind.
* ``[groups.NAME]`` has the fields that several configs share, and in its tables ``fast`` and
  ``nightly`` one row for each config. ``columns`` names the fields of the rows that are lists.
  ``like`` names a group from which the shared fields are taken.

Every form that is wrong is a :class:`Refused` with its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Table = Mapping[str, Any]
SCENARIOS = "scenarios"


class Refused(Exception):
    """A short form that is wrong: its table, the fault, and the remedy."""

    def __init__(self, place: str, fault: str, remedy: str = "") -> None:
        super().__init__(place, fault, remedy)
        self.place, self.fault, self.remedy = place, fault, remedy


def program(place: str, text: str) -> list[list[Any]]:
    """The operations of a program that is written as a text."""
    operations: list[list[Any]] = []
    for part in text.split(";"):
        words, star, times = part.partition("*")
        if not words.split():
            raise Refused(place, f"there is an operation missing in {text!r}")
        if star and not (times.strip().isdigit() and int(times) > 0):
            raise Refused(
                place, f"{part.strip()!r} is not repeated a number of times", 'Write "tick * 3".'
            )
        operation = [_word(word) for word in words.split()]
        operations += [list(operation) for _ in range(int(times) if star else 1)]
    return operations


def _word(word: str) -> str | int:
    return int(word) if word.removeprefix("-").isdigit() else word


def scenarios(tables: Table, every: Table, groups: Table) -> dict[str, Any]:
    """The scenarios with the fields that they take from others, and programs as lists."""
    every_table = {**tables}
    for place, name, value in _of_groups(groups):
        if name in every_table:
            raise Refused(place, f"there is another scenario {name}", "Names are unique.")
        every_table[name] = value
    return {name: _scenario(name, value, every_table, every) for name, value in every_table.items()}


def _of_groups(groups: Table) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(its table, name, fields) of each scenario that a group declares as [about, threads]."""
    for group, fields in groups.items():
        place = f"scenario_groups.{group}"
        rows = fields.get(SCENARIOS) if isinstance(fields, dict) else None
        if not isinstance(rows, dict) or not rows:
            raise Refused(place, f"needs a table {SCENARIOS}, with one row for each scenario")
        common = {name: value for name, value in fields.items() if name != SCENARIOS}
        for name, row in rows.items():
            if not (isinstance(row, list) and [type(value) for value in row] == [str, dict]):
                raise Refused(
                    f"{place}.{SCENARIOS}.{name}",
                    "is no pair of a text and threads",
                    'Write ["what happens", { a = "add l1 e1", b = "cancel t1" }].',
                )
            yield place, name, {**common, "about": row[0], "threads": row[1]}


def _scenario(name: str, value: Any, tables: Table, every: Table) -> Any:
    if not isinstance(value, dict):
        return value
    base: Table = {}
    if "like" in value:
        base = tables.get(value["like"], {})
        if not isinstance(base, dict) or not base or "like" in base:
            raise Refused(
                f"scenarios.{name}",
                f"there is no scenario {value['like']!r} with fields of its own",
                "Name in `like` a scenario that has no `like` itself.",
            )
    fields_here = {field: entry for field, entry in value.items() if field != "like"}
    whole = {**every, **base, **fields_here}
    threads = whole.get("threads")
    if isinstance(threads, dict):
        whole["threads"] = {
            thread: program(f"scenarios.{name}.threads.{thread}", actions)
            if isinstance(actions, str)
            else actions
            for thread, actions in threads.items()
        }
    return whole


def labels(table: Table) -> dict[str, Any]:
    """Label -> its row. A list has the labels of the kind that is its name."""
    rows: dict[str, Any] = {}
    for name, value in table.items():
        entries = {name: value} if isinstance(value, dict) else _of_kind(name, value)
        if twice := sorted(set(rows) & set(entries)):
            raise Refused("labels", f"{twice[0]} is there twice", "A label has one kind.")
        rows |= entries
    return rows


def _of_kind(kind: str, names: Any) -> dict[str, Any]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Refused(
            "labels", f"{kind} is no list of labels", 'Write read = ["A1", "A2"], by kind.'
        )
    if twice := [name for name in names if names.count(name) > 1]:
        raise Refused("labels", f"{twice[0]} is there twice", "A label has one kind.")
    return {name: {"kind": kind} for name in names}


def properties(table: Table, kinds: tuple[str, ...]) -> dict[str, Any]:
    """Property -> its fields. ``[properties.KIND]`` has a text, or the fields, for each name."""
    by_name: dict[str, Any] = {}
    for kind, values in table.items():
        if kind not in kinds:
            raise Refused(
                f"properties.{kind}", f"kind is {kind!r}", f"Known kinds: {', '.join(kinds)}."
            )
        if not isinstance(values, dict):
            raise Refused(f"properties.{kind}", 'is no table of NAME = "what it says"')
        for name, value in values.items():
            if name in by_name:
                raise Refused(f"properties.{kind}", f"{name} is there twice", "Names are unique.")
            if not isinstance(value, str | dict):
                raise Refused(
                    f"properties.{kind}.{name}",
                    "is neither a text nor a table of fields",
                    'Write "what it says", or { holds = false, says = "..." }.',
                )
            fields = {"says": value} if isinstance(value, str) else dict(value)
            by_name[name] = {"kind": kind, **fields}
    return by_name


def rows_of_groups(
    groups: Table, profiles: tuple[str, ...]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(its table, name, fields) of each config that a group declares.

    A config is named ``PREFIX_KEY`` by its row's key. A row is a text, which is the field
    ``about``; or a table of fields; or a list with a value for each of the group's ``columns``. The
    scenario is the key unless a field names another one.
    """
    for group, fields in groups.items():
        place = f"groups.{group}"
        if not isinstance(fields, dict):
            raise Refused(place, "must be a table")
        fields = _like(place, fields, groups, profiles)
        prefix, columns = fields.get("prefix", group), fields.get("columns")
        if not isinstance(prefix, str):
            raise Refused(place, "prefix is no text", f'Leave it out for "{group}".')
        if not (columns is None or isinstance(columns, list) and columns):
            raise Refused(place, "columns is no list of fields", 'Write columns = ["scenario"].')
        options = (*profiles, "prefix", "columns")
        common = {name: value for name, value in fields.items() if name not in options}
        for profile in profiles:
            here = f"{place}.{profile}"
            rows = fields.get(profile, {})
            if not isinstance(rows, dict):
                raise Refused(here, "must be a table, with one row for each config")
            for key, row in rows.items():
                columns_of_row = _row(f"{here}.{key}", row, columns)
                name = f"{prefix}_{key}" if prefix else key
                yield here, name, {"scenario": key, **common, "profile": profile, **columns_of_row}


def _like(place: str, fields: Table, groups: Table, profiles: tuple[str, ...]) -> Table:
    """A group's fields, with those of the group that ``like`` names, but not its rows."""
    if "like" not in fields:
        return fields
    base = groups.get(fields["like"])
    if not isinstance(base, dict) or "like" in base:
        raise Refused(
            place,
            f"there is no group {fields['like']!r} with fields of its own",
            "Name in `like` a group that has no `like` itself.",
        )
    inherited_fields = {name: value for name, value in base.items() if name not in profiles}
    return {**inherited_fields, **{name: value for name, value in fields.items() if name != "like"}}


def _row(place: str, row: Any, columns: list[str] | None) -> dict[str, Any]:
    if isinstance(row, str):
        return {"about": row}
    if isinstance(row, dict):
        return row
    if not isinstance(row, list) or columns is None:
        raise Refused(
            place,
            "is neither a text nor a table of fields",
            'Write "what it shows", or { without = "M1", about = "..." }.',
        )
    if len(row) != len(columns):
        raise Refused(
            place, "has not one value for each column", f"The columns are {', '.join(columns)}."
        )
    return dict(zip(columns, row, strict=True))
