"""Tables of a TOML file as dataclasses; a refusal names file, table and field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from wheelproof.errors import UsageError
from wheelproof.names import IDENTIFIER, WORD, is_identifier, is_word

Table = Mapping[str, Any]

IDENTIFIERS = ("Label", "Property")
"""Classes whose names are those of operators in the specification."""


class _Declared(Protocol):
    """A class of :mod:`wheelproof.project.mechanism`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Item = TypeVar("Item", bound=_Declared)


class Tables:
    """One TOML file's tables."""

    def __init__(self, file: Path, data: Table) -> None:
        self.file, self.data = file, data

    def fail(self, place: str, fault: str, remedy: str = "") -> UsageError:
        return UsageError(f"{self.file}: [{place}]: {fault}.", remedy)

    def table(self, name: str) -> Table:
        value = self.data.get(name, {})
        if not isinstance(value, dict):
            raise self.fail(name, "must be a table")
        return value

    def check_names(self, place: str, *texts: object, identifiers: bool = False) -> None:
        """Refuse a text that is no name: no identifier of TLA+, or else no word."""
        is_name, demands = (is_identifier, IDENTIFIER) if identifiers else (is_word, WORD)
        for text in texts:
            if not is_name(text):
                raise self.fail(place, f"{text!r} is no name", f"Names have {demands}.")

    def build(
        self, kind: type[Item], place: str, name: str, values: Table, **defaults: Any
    ) -> Item:
        fields = set(kind.__dataclass_fields__) - {"name"}
        make: Callable[..., Item] = kind
        if extra := sorted(set(values) - fields):
            raise self.fail(
                place,
                f"unknown field {', '.join(extra)}",
                f"Known fields: {', '.join(sorted(fields))}.",
            )
        self.check_names(place, name, identifiers=kind.__name__ in IDENTIFIERS)
        try:
            return make(name=name, **(defaults | dict(values)))
        except TypeError as error:
            raise self.fail(place, str(error).partition("__init__() ")[2]) from error
