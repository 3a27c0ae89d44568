"""The rules of the table on traces at hand, as most tests need them: in memory."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from traces.bulk import FAMILIES
from wheelproof.pipeline import answers, database, local
from wheelproof.pipeline.rule import Family
from wheelproof.trace.format.tally import Tally

Event = dict[str, Any]
Trace = tuple[dict[str, Any], list[Event], dict[str, Any] | None]
"""Header, events and footer."""

ABOUT_OBJECTS = {"BracketOnce", "BracketCloses", "InsideBracket"}
"""Rules whose violations name a bracket, for which a violation has no column."""


def footer_of(head: Mapping[str, Any], events: Iterable[Event]) -> dict[str, Any]:
    """The footer that fits the events."""
    tally = Tally(head)
    for event in events:
        tally.count(event)
    return tally.footer()


def of(
    head: Mapping[str, Any],
    footer: Mapping[str, Any] | None,
    events: Iterable[Event],
    families: Iterable[Family] = FAMILIES,
) -> local.Answers:
    """What the rules gave for one trace."""
    run = local.run_of(0, head, footer)
    return local.ask(families, local.sources([(run, events)]))


TOGETHER = 100
"""Traces that are in one database."""


def on_duckdb(
    traces: Iterable[Trace], families: Iterable[Family] = FAMILIES
) -> Iterator[tuple[Counter[str], Counter[str]]]:
    """Of each of many traces how much each rule applied to, and how often it is broken, by the
    table on DuckDB."""
    waiting = iter(traces)
    while batch := list(itertools.islice(waiting, TOGETHER)):
        runs = [
            local.run_of(number, head, footer) for number, (head, _, footer) in enumerate(batch)
        ]
        with database.opened() as tables:
            for number, (_, events, _) in enumerate(batch):
                for event in events:
                    tables.add(number, None, event)
            tables.complete(runs)
            given = answers.ask(tables.connection, families, 0)
        for number in range(len(batch)):
            yield _of_run(given.applied, number), _of_run(given.broken, number)


def _of_run(counts: Counter[tuple[int, str]], number: int) -> Counter[str]:
    return Counter({rule: count for (run, rule), count in counts.items() if run == number})


def place(row: Mapping[str, Any]) -> tuple[str, Any]:
    """(rule, what) of a violation: the event's (tid, tseq, lc), or the id of the object."""
    if row["rule"] in ABOUT_OBJECTS:
        return row["rule"], None
    if "tid" in row:
        return row["rule"], (row["tid"], row["tseq"], row.get("lc"))
    return row["rule"], row.get("op", row.get("token"))


def violations(
    head: Mapping[str, Any],
    footer: Mapping[str, Any] | None,
    events: Iterable[Event],
    families: Iterable[Family] = FAMILIES,
) -> Counter[tuple[str, Any]]:
    """How often each rule is broken, and by what (:func:`place`)."""
    return Counter(map(place, of(head, footer, events, families).violations))


def rules(
    head: Mapping[str, Any],
    footer: Mapping[str, Any] | None,
    events: Iterable[Event],
    families: Iterable[Family] = FAMILIES,
) -> Counter[str]:
    """How often each rule is broken."""
    return Counter(row["rule"] for row in of(head, footer, events, families).violations)
