"""The type of a header's ``initial``, which ``traces.header`` has checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, cast

from wheelproof.trace.format.heads import Header


class Place(TypedDict, total=False):
    """Where a thread is. In JSON a tuple is an array."""

    open: Sequence[tuple[int, int]]
    hand: int
    checked: tuple[int, bool]
    inside: Sequence[tuple[str, int]]
    duty: tuple[str, int, int]


_Places = TypedDict("_Places", {"walks": Mapping[str, Place]}, total=False)  # noqa: UP013
"""A field whose name is that of major version 1 (``schema.PLACES``)."""


class Initial(_Places, total=False):
    """What was there before the first event, as ``schema.INITIAL`` says it. Ids are texts."""

    lists: Mapping[str, Sequence[int]]
    tasks: Mapping[str, int]
    counters: Mapping[str, int]
    keys: Mapping[str, int]
    queued: Mapping[str, int]
    clocks: Mapping[str, int]
    wheel_ms: int
    operations: Mapping[str, Mapping[str, object]]
    watchers: Mapping[str, Sequence[int]]
    handed: Sequence[int]
    holders: Mapping[str, int]


def read(initial: Mapping[str, object] | None) -> Initial:
    """The field of a header that a reader has checked; empty where there is none."""
    return cast(Initial, initial or {})


AGENT = "wheelproof real/agent"
"""The recorder of Kafka's classes. Before it named ``before`` in its headers it numbered an unlink
after the write that a thread without the monitors can see."""


def numbered_late(header: Header) -> bool:
    """Whether an unlink may have its number after another thread has seen it."""
    capture = header.get("capture", {})
    return header.get("producer", {}).get("name") == AGENT and "list_remove" not in capture.get(
        "before", ()
    )
