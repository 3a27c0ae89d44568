"""The fields of a table in TOML. Each refusal names the file, the place and the field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wheelproof.errors import UsageError


def listed(path: Path, tables: Mapping[str, Any], name: str) -> list[tuple[int, Mapping[str, Any]]]:
    table = tables.get(name, [])
    if not isinstance(table, list) or not all(isinstance(entry, dict) for entry in table):
        raise UsageError(f"{path}: {name} must be tables [[{name}]].", "Correct the file.")
    return list(enumerate(table, start=1))


def text(path: Path, place: str, fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise fault(path, place, name, "must be a text that is not empty")
    return value


def texts(path: Path, place: str, fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(t, str) for t in value):
        raise fault(path, place, name, "must be a list of texts that is not empty")
    return tuple(value)


def check_names(path: Path, place: str, fields: Mapping[str, Any], names: set[str]) -> None:
    for name in fields:
        if name not in names:
            raise fault(path, place or "the table", name, f"is unknown: {', '.join(sorted(names))}")


def fault(path: Path, place: str, name: str, message: str) -> UsageError:
    return UsageError(f"{path}: {place}: field {name} {message}.", "Correct the field.")
