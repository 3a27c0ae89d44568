"""A job's report as a document, and read again with every field checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wheelproof import documents
from wheelproof.checks.context import Report
from wheelproof.checks.job import Job
from wheelproof.documents import Record
from wheelproof.python.runtime.lock_order import Edge, Place
from wheelproof.verdict import row_of

SCHEMA = "wheelproof.cache/3"

_TRACE = re.compile(r"(?:counterexamples|graphs)/[^/\\\0]+\.json")
"""Where a counterexample or a graph is, below the output folder."""


@dataclass(frozen=True)
class Entry:
    """A stored report."""

    since: str
    """The end of its job, UTC."""
    report: Report
    traces: Mapping[str, str]
    """Path -> content."""


def encode(entry: Entry) -> bytes:
    """The text of an entry."""
    report = entry.report
    return documents.encode(
        {
            "schema": SCHEMA,
            "since": entry.since,
            "rows": [row.document() for row in report.rows],
            "labels": sorted(report.labels),
            "by_scenario": _pairs(report.by_scenario),
            "witnesses": report.witnesses,
            "branches": sorted(report.branches),
            "changed": sorted(report.changed),
            "unread": {slot: list(place) for slot, place in report.unread.items()},
            "lock_classes": sorted(report.lock_classes),
            "lock_edges": [
                {
                    "held": edge.held,
                    "taken": edge.target,
                    "place": edge.place._asdict(),
                    "of_config": {name: place._asdict() for name, place in places.items()},
                }
                for edge, places in report.lock_edges.items()
            ],
            "graphs": sorted(report.graphs),
            "traces": dict(entry.traces),
        }
    ).encode()


def decode(path: Path, content: bytes, job: Job) -> Entry:
    """The entry of a job that a content is. UsageError where it is none, as of another job.

    ``path``: how the error names it.
    """
    document = documents.parsed(path, content, SCHEMA)
    since = document.text("since")
    try:
        datetime.fromisoformat(since)
    except ValueError as error:
        raise document.fault("since", f"must be a time, not {since!r}") from error
    rows = [row_of(record) for record in document.objects("rows")]
    keys = [(job.mechanism, *key) for key in job.makes]
    if sorted((row.mechanism, row.layer, row.name) for row in rows) != sorted(keys):
        raise document.fault("rows", "are not those of the job")
    if not all(row.ok for row in rows):
        raise document.fault("rows", "are not all in order")
    traces = document.text_by_name("traces")
    graphs = set(document.texts("graphs"))
    if traces.keys() != {row.trace for row in rows if row.trace} | graphs:
        raise document.fault("traces", "are not those of the rows")
    if strays := [name for name in traces if not _TRACE.fullmatch(name)]:
        raise document.fault("traces", f"has {strays[0]!r}, where no counterexample or graph is")
    report = Report(
        rows,
        set(document.texts("labels")),
        {_pair(document, "by_scenario", pair) for pair in _lists(document, "by_scenario")},
        document.text_by_name("witnesses"),
        set(document.texts("branches")),
        set(document.texts("changed")),
        _unread(document),
        set(document.texts("lock_classes")),
        {_edge(record): _places(record) for record in document.objects("lock_edges")},
        graphs,
    )
    return Entry(since, report, traces)


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    return [list(pair) for pair in sorted(pairs)]


def _lists(document: Record, name: str) -> list[object]:
    value = document.value.get(name)
    if not isinstance(value, list):
        raise document.fault(name, "must be an array")
    return value


def _pair(document: Record, name: str, value: object) -> tuple[str, str]:
    match value:
        case [str(first), str(second)]:
            return first, second
    raise document.fault(name, "must have pairs of strings")


def _unread(document: Record) -> dict[str, tuple[str, str]]:
    places = document.object("unread").value
    return {slot: _pair(document, "unread", place) for slot, place in places.items()}


def _place(record: Record) -> Place:
    line = record.number("line")
    if line != int(line):
        raise record.fault("line", "must be a whole number")
    return Place(record.text("file"), int(line), record.text("function"), record.text("label"))


def _edge(record: Record) -> Edge:
    return Edge(record.text("held"), record.text("taken"), _place(record.object("place")))


def _places(record: Record) -> dict[str, Place]:
    places = record.object("of_config")
    return {name: _place(places.object(name)) for name in places.value}
