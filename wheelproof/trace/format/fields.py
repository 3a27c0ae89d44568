"""The description of a column of an event, or of a field of a header or footer."""

from __future__ import annotations

from dataclasses import dataclass

NONE = 0
"""In an observation: no object. Same type as an id, so that no comparison ever meets two types."""


@dataclass(frozen=True)
class Field:
    """One column or field. ``type``: int32, int64, text, bool, enum, token, observed, map or
    object. ``values``: of an enum."""

    name: str
    type: str
    says: str
    required: bool = False
    values: tuple[str, ...] = ()
    unit: str = ""
