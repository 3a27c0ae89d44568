"""The beginning of a run in its header, as the bulk rules take it."""

from __future__ import annotations

from collections.abc import Iterator

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.trace.format.heads import Header


def config(header: Header) -> tuple[int | None]:
    """The bound, which ``schema.MEASURES`` names; None where the header has none."""
    return ((header.get("config") or {}).get("bound"),)


def counters(header: Header) -> Iterator[tuple[str, int]]:
    """A history has no words whose value at the beginning is known."""
    yield from ()


def events(header: Header) -> Iterator[dict[str, object]]:
    """A history begins with nothing."""
    yield from ()


def named() -> Column:
    """No event is a run of a task."""
    return F.lit(False)
