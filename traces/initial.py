"""The type of a header's ``initial``, which ``traces.header`` has checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, cast

from wheelproof.trace.format.heads import Header


class Initial(TypedDict, total=False):
    """The state before the first event, as ``schema.INITIAL`` says it. Ids are texts."""

    lists: Mapping[str, Sequence[int]]
    tasks: Mapping[str, int]
    counters: Mapping[str, int]
    keys: Mapping[str, int]
    operations: Mapping[str, Mapping[str, object]]


def read(initial: Mapping[str, object] | None) -> Initial:
    """The field of a header that a reader has checked; empty where there is none."""
    return cast(Initial, initial or {})


AGENT = "wheelproof real/agent"
"""The recorder of Kafka's classes. Before it named ``before`` in its headers it numbered an unlink
after the write that a thread without the monitors can see."""

RECORDER = "wheelproof"
"""The recorder of Python threads. It numbers an unlink where the entry is counted, which is after
that write."""


def numbered_late(header: Header) -> bool:
    """Whether an unlink may have its number after another thread has seen it."""
    capture = header.get("capture", {})
    return header.get("producer", {}).get("name") in (AGENT, RECORDER) and (
        "list_remove" not in capture.get("before", ())
    )
