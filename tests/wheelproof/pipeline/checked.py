"""The rules of the table on traces at hand, as most tests need them: on DuckDB."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from traces.bulk import FAMILIES
from wheelproof.pipeline import answers, database
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.runs import Run
from wheelproof.trace.format.tally import Tally

Event = dict[str, Any]
Trace = tuple[dict[str, Any], list[Event], dict[str, Any] | None]
"""Header, events and footer."""

ABOUT_OBJECTS = {"BracketOnce", "BracketCloses", "InsideBracket"}
"""Rules whose violations name a bracket, for which a violation has no column."""

TOGETHER = 100
"""Traces that are in one database."""

ALL = 1_000_000
"""Violations that are listed where a test wants them."""


class Answer(NamedTuple):
    """The answer of the table about one trace."""

    applied: Counter[str]
    """Rule -> rows that it applied to."""
    broken: Counter[str]
    """Rule -> rows that break it."""
    violations: list[answers.Row]


def footer_of(head: Mapping[str, Any], events: Iterable[Event]) -> dict[str, Any]:
    """The footer that fits the events."""
    tally = Tally(head)
    for event in events:
        tally.count(event)
    return tally.footer()


def run_of(number: int, trace: Trace) -> Run:
    """The run of a trace at hand."""
    head, _, footer = trace
    run = Run(number, head.get("run_id", ""), [], head, footer)
    run.note_problems()
    return run


def judge(
    traces: Iterable[Trace], families: Iterable[Family] = FAMILIES, listed: int = 0
) -> Iterator[Answer]:
    """The answers about many traces, in their order. A question about one trace costs as much as
    about twenty. ``listed``: violations of a hundred traces, at most."""
    waiting = iter(traces)
    while batch := list(itertools.islice(waiting, TOGETHER)):
        with database.opened() as tables:
            for number, (_, events, _) in enumerate(batch):
                for event in events:
                    tables.add(number, None, event)
            tables.complete([run_of(number, trace) for number, trace in enumerate(batch)])
            given = answers.ask(tables.connection, families, listed)
        for number in range(len(batch)):
            yield Answer(
                _of_run(given.applied, number),
                _of_run(given.broken, number),
                [row for row in given.violations if row["run"] == number],
            )


def _of_run(counts: Counter[tuple[int, str]], number: int) -> Counter[str]:
    return Counter({rule: count for (run, rule), count in counts.items() if run == number})


def broken(traces: Mapping[str, Trace], families: Iterable[Family] = FAMILIES) -> dict[str, Any]:
    """How often each rule is broken, by the name of the trace."""
    judged = judge(traces.values(), families)
    return {name: answer.broken for name, answer in zip(traces, judged, strict=True)}


def judge_one(
    head: dict[str, Any],
    footer: dict[str, Any] | None,
    events: Iterable[Event],
    families: Iterable[Family] = FAMILIES,
) -> Answer:
    """The answer about one trace, with all violations."""
    (answer,) = judge([(head, list(events), footer)], families, ALL)
    return answer


def families_of(*rules: str) -> list[Family]:
    """The families that have one of the rules."""
    return [family for family in FAMILIES if any(rule.name in rules for rule in family.rules)]


def place(row: Mapping[str, Any]) -> tuple[str, Any]:
    """(rule, what) of a violation: the event's (tid, tseq, lc), or the id of the object."""
    if row["rule"] in ABOUT_OBJECTS:
        return row["rule"], None
    if "tid" in row:
        return row["rule"], (row["tid"], row["tseq"], row.get("lc"))
    return row["rule"], row.get("op", row.get("token"))


def violations(
    head: dict[str, Any],
    footer: dict[str, Any] | None,
    events: Iterable[Event],
    families: Iterable[Family] = FAMILIES,
) -> Counter[tuple[str, Any]]:
    """How often each rule is broken, and by what (:func:`place`)."""
    return Counter(map(place, judge_one(head, footer, events, families).violations))


def rules(
    head: dict[str, Any],
    footer: dict[str, Any] | None,
    events: Iterable[Event],
    families: Iterable[Family] = FAMILIES,
) -> Counter[str]:
    """How often each rule is broken in one trace."""
    (answer,) = judge([(head, list(events), footer)], families)
    return answer.broken
