"""The beginning of a run in a header, as the bulk rules take it."""

from __future__ import annotations

from collections.abc import Iterator

from traces import initial
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.trace.format.heads import Header


def config(header: Header) -> tuple[int | None, ...]:
    """The measures of ``schema.MEASURES``: tick in ms, buckets in a level, start in ms, each None
    where the header has none that make sense; and whether unlinks have late numbers."""
    config = header.get("config") or {}
    tick, size, start = (config.get(name) for name in ("tick_ms", "wheel_size", "start_ms"))
    sane = type(tick) is int and tick >= 1 and type(size) is int and size >= 2
    measures = (tick, size, start if type(start) is int else None) if sane else (None, None, None)
    return *measures, int(initial.numbered_late(header))


def counters(header: Header) -> Iterator[tuple[str, int]]:
    """The words whose value at the beginning is known, by the ids of their tokens."""
    yield from (initial.read(header.get("initial")).get("counters") or {}).items()


def events(header: Header) -> Iterator[dict[str, object]]:
    """The objects before the first event: the columns of a checkpoint for each object."""
    first = initial.read(header.get("initial"))
    for name, entries in (first.get("lists") or {}).items():
        for entry in entries:
            yield {"entry": int(entry), "list": int(name), "post": {"list": int(name)}}
    for task, entry in (first.get("tasks") or {}).items():
        yield {"task": int(task), "post": {"entry": int(entry)}}
    for bucket, key in (first.get("keys") or {}).items():
        yield {"list": int(bucket), "key_ms": key}
    for operation, facts in (first.get("operations") or {}).items():
        if isinstance(facts.get("pending"), bool):
            yield {"op": int(operation), "post": {"pending": facts["pending"]}}


def named() -> Column:
    """Whether an event is a run of a task that names its entry."""
    return (F.col("k") == "task_run") & F.col("entry").isNotNull()
