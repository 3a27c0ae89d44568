"""The type of an event: the columns of the tool, which every project's events have.

An event has the columns that were recorded, and no others: a column without a value is not in it.
``schema.COLUMNS`` declares the same columns for readers and writers, with their meaning; a test
compares the two. A project's own type has its columns beside these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypeAlias, TypedDict, cast

Token: TypeAlias = tuple[str, str, int, str] | tuple[str, str, int, str, int]
"""An order token: kind, id, number and mode; of an interval its greatest number too."""

Tokens: TypeAlias = tuple[Token, ...]


class Columns(TypedDict, total=False):
    """The columns that an event may lack, but for the observations."""

    span: int
    parent: int
    count: int
    ord: Tokens
    cause: str
    res: str
    t_ns: int
    src: int


class Event(Columns):
    """An event of any project. ``pre`` and ``post`` have the columns that the project observes."""

    tid: int
    tseq: int
    lc: int
    k: str
    phase: str
    pre: NotRequired[Any]
    post: NotRequired[Any]


def columns(event: Mapping[str, object]) -> dict[str, Any]:
    """The event itself, for access by the name of a column that is not known before the run."""
    return cast(dict[str, Any], event)
