"""The verdict on each trace by the project's table of rules, and by the model beside it.

A trace is put in the order of its clocks, held against its footer, and cut where the footer says.
The rules of the table check the rest, of many traces at once. Where a header names a
program, the model is a second judge: a trace conforms only if both say so.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wheelproof.pipeline import answers, database
from wheelproof.pipeline.answers import Answers
from wheelproof.pipeline.database import Tables
from wheelproof.pipeline.report import KEPT, rules
from wheelproof.pipeline.rule import Finding as Meaning
from wheelproof.pipeline.runs import Run
from wheelproof.trace import declared
from wheelproof.trace.format import schema
from wheelproof.trace.format.event import Event, columns
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.parts import TraceError
from wheelproof.trace.judging.judging import Judging
from wheelproof.trace.judging.replay import Judge, replay, replay_events
from wheelproof.trace.judging.verdict import (
    CONFORMS,
    INCOMPLETE,
    NOTHING,
    OUT_OF_MODEL,
    VACUOUS,
    VIOLATES,
    Finding,
    Refusal,
    Verdict,
)

TOGETHER = 200_000
"""Events after which the rules check the traces that were read."""

LISTED = 100
"""Findings of one trace that are kept."""

UNORDERED = "Tokens"
"""The finding that the order of some events is not known: none of them is missing."""

Trace = tuple[Header, Iterable[Event], Footer | None]
"""Header, events and footer."""

Follow = Callable[[Path], Verdict | str]
"""The model's verdict on the trace in a file, or why it has none."""


class Collected(Judging):
    """One trace on its way into the tables: its gaps and contradictions.

    ``index``: of its run.
    """

    def __init__(
        self, tables: Tables, index: int, header: Header, cut: Mapping[str, int] | None
    ) -> None:
        super().__init__(header, LISTED, cut)
        self.tables, self.index = tables, index
        self.footer: Footer | None = None
        self.unordered: dict[tuple[str, str], tuple[int, int]] = {}

    def understands(self, kind: str) -> bool:
        return kind in schema.KINDS

    def step(self, line: int, event: Event) -> Refusal | None:
        self.tables.add(self.index, line, event)
        for role in schema.EXACT.get(event["k"], ()):
            if f"{role}:{columns(event)[role]}" not in _exact(event):
                at, times = self.unordered.get((event["k"], role), (line, 0))
                self.unordered[event["k"], role] = at, times + 1
        return None

    def lacking(self) -> list[Finding]:
        return [
            Finding(
                line,
                None,
                UNORDERED,
                f"{times} events {kind} have no exact token of the {role}'s monitor: their order "
                "is not known",
            )
            for (kind, role), (line, times) in self.unordered.items()
        ]

    def conclude(self, footer: Footer | None) -> None:
        self.footer = footer


def _exact(event: Event) -> set[str]:
    """The objects whose order an event's exact tokens give."""
    return {
        token[1].partition(".")[0]
        for token in event.get("ord", ())
        if token[0] in ("L", "V") and len(token) == 4
    }


@dataclass
class Read:
    """A trace whose events are in the tables. ``verdict``: without the rules."""

    path: Path
    collected: Collected
    verdict: Verdict

    def run(self) -> Run:
        """Header and footer as the rules know them."""
        run = Run(
            self.collected.index,
            str(self.path),
            [],
            self.collected.header,
            self.collected.footer,
        )
        run.problems += [finding.message for finding in self.verdict.findings[:1]]
        return run


class Batch:
    """Traces that the rules check together."""

    def __init__(self, tables: Tables) -> None:
        self.tables, self.traces = tables, list[Read | tuple[Path, TraceError]]()
        self.answers = Answers()
        self._begun = 0

    def read(self, path: Path) -> None:
        """Read a trace from its file."""
        try:
            self._take(path, lambda judge: replay(path, judge))
        except TraceError as error:
            self.traces.append((path, error))

    def read_events(self, header: Header, events: Iterable[Event], footer: Footer | None) -> None:
        """Take a trace at hand, whose events are numbered as those of a file."""
        self._take(Path(), lambda judge: replay_events(header, events, footer, judge))

    def _take(self, path: Path, read_trace: Callable[[Judge], Verdict]) -> None:
        collections: list[Collected] = []

        def judge(header: Header, *, cut: Mapping[str, int] | None = None) -> Collected:
            if collections:  # it is read once more, with what its footer says, or in another order
                self.tables.forget(collections[-1].index)
            collections.append(Collected(self.tables, self._begun, header, cut))
            self._begun += 1
            return collections[-1]

        try:
            verdict = read_trace(judge)
        except TraceError:
            if collections:
                self.tables.forget(collections[-1].index)
            raise
        self.traces.append(Read(path, collections[-1], verdict))

    def verdicts(self) -> Iterator[tuple[Path, Verdict | TraceError]]:
        """The verdicts, in the order of the traces."""
        read = [trace for trace in self.traces if isinstance(trace, Read)]
        self.tables.complete([trace.run() for trace in read])
        families, limit = declared.part("bulk").FAMILIES, max(KEPT, LISTED * len(read))
        self.answers = outcome = answers.ask(self.tables.connection, families, limit)
        by_run = _by_run(self.tables, outcome)
        applications: dict[int, Counter[str]] = {trace.collected.index: Counter() for trace in read}
        for (run, rule), count in outcome.applied.items():
            applications[run][rule] = count
        for trace in self.traces:
            if isinstance(trace, Read):
                index = trace.collected.index
                yield trace.path, judged(trace, by_run.get(index, []), applications[index])
            else:
                yield trace


def _by_run(tables: Tables, outcome: Answers) -> dict[int, list[Finding]]:
    """The violations by run, as findings in the order of the clocks."""
    findings: dict[int, list[Finding]] = {}
    lines = tables.lines(outcome.violations)
    placements = list(zip(outcome.violations, lines, strict=True))
    events = tables.events_at({(int(str(row["run"])), line) for row, line in placements if line})
    for row, line in sorted(placements, key=lambda pair: clock(pair[0])):
        run, name = int(str(row["run"])), str(row["rule"])
        message = f"{rules()[name].says}, and not: {row.get('detail', '')}"
        event = None if line is None else events[run, line]
        findings.setdefault(run, []).append(Finding(line or 0, event, name, message))
    pairs = {(run, finding.property) for run, several in findings.items() for finding in several}
    for (run, name), count in outcome.broken.items():
        if (run, name) not in pairs:  # so many others were listed before it
            message = f"{rules()[name].says}, and not {count:,} times"
            findings.setdefault(run, []).append(Finding(0, None, name, message))
    return findings


def clock(row: Mapping[str, object]) -> tuple[bool, int]:
    """The order of violations: those that no event breaks come last."""
    return row.get("lc") is None, int(str(row.get("lc", 0)))


def judged(read: Read, findings: list[Finding], applications: Mapping[str, int]) -> Verdict:
    """The verdict on a trace from the findings of the rules of the table.

    Where events are missing only those rules are trusted that need no other event.
    """
    before = read.verdict
    gone = [
        finding for finding in findings if rules()[finding.property].finding is Meaning.INCOMPLETE
    ]
    has_losses = bool(gone) or (
        before.verdict == INCOMPLETE
        and any(finding.property != UNORDERED for finding in before.findings)
    )
    breaches = [finding for finding in findings if finding not in gone]
    reliable = [
        finding for finding in breaches if rules()[finding.property].alone or not has_losses
    ]
    signs = [
        replace(finding, message=f"{finding.message} [events are missing: only a sign of that]")
        for finding in breaches
        if finding not in reliable
    ]
    verdict = before.verdict
    if reliable:
        verdict = VIOLATES
    elif gone and verdict in (CONFORMS, VACUOUS):
        verdict = INCOMPLETE
    rest = [*before.findings, *(gone if before.verdict in (CONFORMS, VACUOUS) else []), *signs]
    if verdict == CONFORMS and not applications:
        where = "before the footer's cut" if read.collected.cut.beyond else "in these events"
        rest = [Finding(0, None, NOTHING, f"no rule has anything to look at {where}")]
        verdict = VACUOUS
    return Verdict(verdict, before.events, (*reliable, *rest)[:LISTED], dict(applications))


def verdicts(paths: Iterable[Path], follow: Follow) -> Iterator[tuple[Path, Verdict | TraceError]]:
    """The verdicts on traces in files, in their order. ``follow``: the model's, where a header
    names a program. Raises ToolError where memory or the disk does not suffice."""
    waiting = deque(paths)
    if waiting:
        declared.part("bulk")  # a project without rules is refused before any table is made
    while waiting:
        with database.opened() as tables:
            batch = Batch(tables)
            while waiting and tables.events < TOGETHER:
                batch.read(waiting.popleft())
            for (path, verdict), read in zip(batch.verdicts(), batch.traces, strict=True):
                if isinstance(read, Read) and "program" in read.collected.header:
                    assert isinstance(verdict, Verdict)
                    verdict = both(verdict, follow(path))
                yield path, verdict


_WORST = (VIOLATES, OUT_OF_MODEL, INCOMPLETE, VACUOUS, CONFORMS)


def both(rules: Verdict, model: Verdict | str) -> Verdict:
    """The verdict of the rules and the model: the worse one, with the findings of both."""
    if isinstance(model, str):
        return replace(rules, notes=(*rules.notes, f"no model judged it: {model}"))
    places = {(finding.line, finding.message) for finding in rules.findings}
    worse = min(rules.verdict, model.verdict, key=_WORST.index)
    findings = [
        *rules.findings,
        *[finding for finding in model.findings if (finding.line, finding.message) not in places],
    ]
    if model.verdict == worse != rules.verdict:
        findings = [*model.findings, *rules.findings]
    elif worse == VIOLATES:  # the first event that one of them refuses comes first
        findings.sort(key=lambda finding: (finding.event is None, finding.line))
    notes = (*rules.notes, *model.notes)
    if rules.verdict != model.verdict:
        notes += (f"the rules say {rules.verdict}, and the model says {model.verdict}",)
    return Verdict(worse, rules.events, tuple(findings[:LISTED]), rules.applied, notes)


def of_file(path: Path) -> Verdict:
    """The verdict of the rules on the trace in a file. Raises TraceError where it is none."""
    ((_, verdict),) = verdicts([path], lambda path: "the table alone judges")
    if isinstance(verdict, TraceError):
        raise verdict
    return verdict


def verdicts_on(traces: Iterable[Trace]) -> list[Verdict]:
    """The verdicts of the rules on traces at hand: header, events and footer of each."""
    with database.opened() as tables:
        batch = Batch(tables)
        for trace in traces:
            batch.read_events(*trace)
        return [verdict for _, verdict in batch.verdicts() if isinstance(verdict, Verdict)]


def verdict_on(header: Header, events: Iterable[Event], footer: Footer | None) -> Verdict:
    """The verdict of the rules on a trace at hand."""
    (verdict,) = verdicts_on([(header, events, footer)])
    return verdict
