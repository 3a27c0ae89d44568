"""What a header says of the beginning of a run, as the bulk rules take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column


def config(header: Mapping[str, Any]) -> tuple[int | None]:
    """The bound, which ``schema.MEASURES`` names; None where the header has none."""
    return ((header.get("config") or {}).get("bound"),)


def counters(header: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """A history has no words whose value at the beginning is known."""
    yield from ()


def events(header: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A history begins with nothing."""
    yield from ()


def named() -> Column:
    """No event is a run of a task."""
    return F.lit(False)
