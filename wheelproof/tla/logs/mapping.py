"""The mapping of a log: which action an event is, and which variables its fields show.

The mapping is a TOML file::

    event = "event"                      # the field that names the event
    begin = "begin"                      # with `end`: the event happened between these two
    end = "end"
    hidden = ["Tick"]                    # actions without an event

    [actions]
    send = "Send"                        # or a list: one of them
    [arguments]
    Send = ["node"]                      # fields with the action's arguments; "" for an open one
    [variables]
    queue = "queue"                      # variable -> field with its value after the step
    "pc[node]" = "pc"                    # of a function, the result for the value of a field
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wheelproof import reading, toml
from wheelproof.errors import UsageError
from wheelproof.tla.plain.machine import Machine
from wheelproof.tlc.itf import decoded, encoded
from wheelproof.tlc.values import Value, format_tla

_PLACE = re.compile(r"(\w+)(?:\[(\w+)\])?")
_KEYS = {"event", "begin", "end", "hidden", "actions", "arguments", "variables"}


@dataclass(frozen=True)
class Rules:
    """The mapping, as plain data."""

    event: str
    begin: str
    end: str
    hidden: frozenset[str]
    actions: Mapping[str, tuple[str, ...]]
    arguments: Mapping[str, tuple[str, ...]]
    places: tuple[tuple[str, str, str], ...]
    """(variable, field of the argument or "", field of the value)."""


@dataclass(frozen=True)
class Event:
    """One line of a log.

    actions: () for any action. arguments: action -> the values that are known, by their places.
    shown: (variable, argument or None) -> the text of the value after the step.
    begin, end: its place among the others; equal ones of an exact log.
    """

    line: int
    name: str
    actions: tuple[str, ...]
    arguments: Mapping[str, Mapping[int, Value]] = field(default_factory=dict)
    shown: Mapping[tuple[str, Value | None], Value] = field(default_factory=dict)
    begin: float = 0
    end: float = 0

    def bare(self) -> Event:
        """The event without its values."""
        return replace(self, arguments={}, shown={})

    def open(self) -> Event:
        """Any step in the place of the event."""
        return replace(self, name="any step", actions=(), arguments={}, shown={})

    def text(self) -> str:
        """The event for people: ``line 3: send, queue = <<1>>``."""
        parts = [
            f"{place_text(*place)} = {format_tla(value)}" for place, value in self.shown.items()
        ]
        values = {at: value for pairs in self.arguments.values() for at, value in pairs.items()}
        call = ", ".join(format_tla(values[at]) for at in sorted(values))
        return ", ".join([f"line {self.line}: {self.name}{f'({call})' if call else ''}", *parts])


def place_text(variable: str, argument: Value | None) -> str:
    """A place of a state: ``pc["a"]``."""
    return variable if argument is None else f"{variable}[{format_tla(argument)}]"


def plain(value: Value) -> Value:
    """A value in which a model value is the string of its name, as logs have it."""
    return decoded(encoded(value))


def rules(file: Path, machine: Machine) -> Rules:
    """The mapping of a file; UsageError where it is none of the machine's module."""
    try:
        table = toml.tables(reading.text(file))
        if unknown := sorted(table.keys() - _KEYS):
            raise ValueError(f"the field {unknown[0]} is not known")
        if not table.get("actions"):
            raise ValueError("the table [actions] is empty")
        _check(table, machine)
        places = []
        for place, name in table.get("variables", {}).items():
            if not (match := _PLACE.fullmatch(place)):
                raise ValueError(f"{place!r} is no variable, and none of a function")
            if match[1] not in machine.variables:
                raise ValueError(f"{machine.module.name} has no variable {match[1]}")
            places.append((match[1], match[2] or "", str(name)))
        return Rules(
            str(table.get("event", "event")),
            str(table.get("begin", "")),
            str(table.get("end", "")),
            frozenset(table.get("hidden", ())),
            {name: _names(action) for name, action in table["actions"].items()},
            {name: _names(fields) for name, fields in table.get("arguments", {}).items()},
            tuple(places),
        )
    except (ValueError, TypeError, AttributeError) as error:
        raise UsageError(f"{file} is no mapping of a log ({error}).", "Correct it.") from error


def _check(table: Mapping[str, Any], machine: Machine) -> None:
    """Refuse an action that the module does not define."""
    names = [name for value in table["actions"].values() for name in _names(value)]
    for name in (*names, *table.get("hidden", ()), *table.get("arguments", {})):
        if name not in machine.module.definitions:
            raise ValueError(f"{machine.module.name} has no action {name}")


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def read(file: Path, mapping: Rules) -> list[Event]:
    """The events of a log in NDJSON; UsageError with the line that is none."""
    events = []
    for number, line in enumerate(reading.text(file).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict) or not isinstance(record.get(mapping.event), str):
                raise ValueError(f"it has no event in the field {mapping.event!r}")
            events.append(_event(number, record, mapping))
        except (ValueError, TypeError, RecursionError) as error:
            raise UsageError(f"{file}, line {number}: {error}.", "Correct the log.") from error
    if not events:
        raise UsageError(f"{file} has no event.", "Name a log in NDJSON.")
    return sorted(events, key=lambda event: (event.begin, event.line))


def _event(number: int, record: dict[str, Any], mapping: Rules) -> Event:
    name = record[mapping.event]
    if name not in mapping.actions:
        raise ValueError(f"the event {name!r} is in no line of [actions]")
    actions = mapping.actions[name]
    arguments = {
        action: {
            at: decoded(record[key])
            for at, key in enumerate(mapping.arguments.get(action, ()))
            if key and key in record
        }
        for action in actions
    }
    values_shown = {
        (variable, decoded(record[key]) if key else None): decoded(record[name])
        for variable, key, name in mapping.places
        if name in record and (not key or key in record)
    }
    begin, end = float(number), float(number)
    if mapping.begin:
        begin, end = float(record[mapping.begin]), float(record[mapping.end or mapping.begin])
        if end < begin:
            raise ValueError("it ends before it begins")
    return Event(number, name, actions, arguments, values_shown, begin, end)
