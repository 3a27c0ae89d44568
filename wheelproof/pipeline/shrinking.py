"""The few events of a trace that still break the rule that the trace breaks first.

Delta debugging, with the table as the oracle: events go while the same rule is broken by the same
event, with the same text. Many smaller traces are checked by one query of the rule's family.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheelproof.pipeline import answers, database, law
from wheelproof.pipeline.answers import Row
from wheelproof.pipeline.report import rules
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.runs import Run
from wheelproof.trace import declared
from wheelproof.trace.format import schema
from wheelproof.trace.format.event import Event, columns
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.renumbering import renumbered
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.cut import Cut
from wheelproof.trace.judging.replay import Item, before_a_cut, key_of, reader_of
from wheelproof.trace.judging.verdict import VIOLATES

AT_ONCE = 200_000
"""Events of the smaller traces that are checked together."""

Group = Callable[[Event], Hashable]
"""The group of an event; None for those that stay."""

Fails = Callable[[Sequence[list[Item]]], list[bool]]
"""Of each of some traces whether it still breaks the rule."""


@dataclass(frozen=True)
class Small:
    """A shrunk trace."""

    header: Header
    events: tuple[Event, ...]
    lines: tuple[int, ...]
    """The lines of the events in the file."""
    footer: Footer
    property: str
    message: str


class Oracle:
    """Whether smaller traces break the rule as the whole one does."""

    def __init__(self, header: Header, target: Row, whole: bool, deadline: float | None) -> None:
        self.header, self.whole, self.deadline = header, whole, deadline
        self.family = _alone(str(target["rule"]))
        self.target = _without_run(target)

    def __call__(self, traces: Sequence[list[Item]]) -> list[bool]:
        verdicts: list[bool] = []
        while len(verdicts) < len(traces):
            if self.deadline is not None and time.monotonic() > self.deadline:
                return verdicts + [False] * (len(traces) - len(verdicts))
            batch, events = [], 0
            for trace in traces[len(verdicts) :]:
                batch.append(trace)
                events += len(trace)
                if events > AT_ONCE:
                    break
            verdicts += self._verdicts(batch)
        return verdicts

    def _verdicts(self, traces: Sequence[list[Item]]) -> list[bool]:
        runs = []
        with database.opened() as tables:
            for index, trace in enumerate(traces):
                for line, event in trace:
                    tables.add(index, line, event)
                footer = _footer(self.header, [event for _, event in trace])
                runs.append(Run(index, "", [], self.header, footer if self.whole else None))
            tables.complete(runs)
            outcome = answers.ask(tables.connection, [self.family], AT_ONCE)
        failing = {row["run"] for row in outcome.violations if _without_run(row) == self.target}
        return [index in failing for index in range(len(traces))]


def _alone(name: str) -> Family:
    """The family of a rule with this rule alone."""
    for family in declared.part("bulk").FAMILIES:
        for rule in family.rules:
            if rule.name == name:
                return replace(family, rules=(rule,), grouped={}, measures={})
    raise AssertionError(f"no family has the rule {name}")


def _without_run(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "run"}


def _footer(header: Header, events: Iterable[Event]) -> Footer:
    tally = Tally(header)
    for event in events:
        tally.count(event)
    return tally.footer()


def shrunk(path: Path, seconds: float | None = None) -> Small | None:
    """The trace in a file, shrunk for so many seconds at most; None where no rule of the table is
    broken, or the rest would not be refused by itself.

    Raises TraceError where the file is no trace.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    with database.opened() as tables:
        batch = law.Batch(tables)
        batch.read(path)
        (read,) = batch.traces
        if not isinstance(read, law.Read):
            raise read[1]
        ((_, verdict),) = batch.verdicts()
        whole = read.run().whole
        violations = batch.answers.violations
    assert not isinstance(verdict, Exception)
    if verdict.verdict != VIOLATES or verdict.first is None:
        return None
    name = verdict.first.property
    target = min((row for row in violations if row["rule"] == name), key=law.clock)
    reader = reader_of(path)
    events = sorted(before_a_cut(reader), key=lambda item: key_of(item[1]))
    limits = Cut(None if reader.footer is None else reader.footer.get("cut"))
    events = [item for item in events if not (limits and limits.crossed(item[1]))]
    rest = smallest(events, Oracle(reader.header, target, whole, deadline))
    return _small_trace(reader.header, rest, name, str(target.get("detail", "")))


def smallest(events: list[Item], fails: Fails) -> list[Item]:
    """Events of which none can be spared, nor all those of one object or of one thread."""
    if not fails([events])[0]:
        return events
    for name in (*schema.OBJECTS, "tid"):
        events = _without_groups(events, _column(name), fails)
    return _without_groups(events, lambda event: (event["tid"], event["tseq"]), fails)


def _column(name: str) -> Group:
    return lambda event: columns(event).get(name)


def _without_groups(items: list[Item], group: Group, fails: Fails) -> list[Item]:
    """Delta debugging over groups of events: ever smaller sets of groups are taken away while the
    rest fails."""
    groups = list(dict.fromkeys(key for _, event in items if (key := group(event)) is not None))
    parts = 2
    while groups:
        size = max(1, -(-len(groups) // parts))
        chunks = [groups[:at] + groups[at + size :] for at in range(0, len(groups), size)]
        smaller = [_of_groups(items, group, rest) for rest in chunks]
        failing = fails(smaller)
        if True in failing:
            at = failing.index(True)
            items, groups, parts = smaller[at], chunks[at], max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(groups))
    return items


def _of_groups(items: list[Item], group: Group, rest: Iterable[Hashable]) -> list[Item]:
    groups = set(rest)
    return [item for item in items if (key := group(item[1])) is None or key in groups]


def _small_trace(header: Header, rest: list[Item], name: str, detail: str) -> Small | None:
    """A trace of its own of these events, with new numbers; None where it breaks the rule no
    more."""
    small = header.copy()
    small.pop("program", None)  # it asks for more than is left
    small["run_id"] = f"{header['run_id']}-shrunk"
    events = renumbered(event for _, event in rest)
    thread_ids = {str(event["tid"]) for event in events}
    small["threads"] = {tid: text for tid, text in header["threads"].items() if tid in thread_ids}
    if "names" in header:
        ids = {str(columns(event).get(column)) for event in events for column in schema.IDS}
        small["names"] = {number: text for number, text in header["names"].items() if number in ids}
    footer = _footer(small, events)
    verdict = law.verdict_on(small, events, footer)
    if verdict.verdict != VIOLATES or name not in {
        finding.property for finding in verdict.findings
    }:
        return None
    lines = tuple([line for line, _ in rest])
    message = f"{rules()[name].says}, and not: {detail}"
    return Small(small, tuple(events), lines, footer, name, message)
