"""The content of a recording of Kafka, read in one pass."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from real.record.lateness import LATE_MS, Lateness
from real.record.rekeyed import Finder, Rekeyed, page
from traces import events
from wheelproof.trace.format.heads import Header
from wheelproof.trace.format.jsonl import Reader

LABELS = Path(__file__).parents[2] / "traces" / "events.toml"
MECHANISMS = ("timing_wheel", "timer_task_list", "delayed_operation")
"""The specifications whose actions are known by their kinds of event. The timer's are followed."""
UNSHOWN = frozenset(("lock_acquire", "lock_release", "owner_read", "pending_set", "pending_getset"))
"""Kinds that the agent does not write: monitors stand on the events inside them, and the pending
note is of other releases."""
LISTED = 5


@dataclass
class Report:
    """The figures of a recording."""

    header: Header
    kinds: Counter[str] = field(default_factory=Counter)
    """Kind of event -> count."""
    seconds: float = 0.0
    """The time from the first to the last event."""
    dropped: int | None = None
    late: Lateness = field(default_factory=Lateness)
    occurrences: list[Rekeyed] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """For people."""
        events = self.kinds.total()
        rate = f", {events / self.seconds:,.0f}/s" if self.seconds else ""
        timers = sum(
            str(name).startswith("timer ") for name in self.header.get("names", {}).values()
        )
        losses = "no footer" if self.dropped is None else f"{self.dropped:,} lost"
        yield (
            f"{self.header['run_id']}: {events:,} events in {self.seconds:.1f} s{rate}, {losses}, "
            f"{len(self.header['threads'])} threads, {timers} timers"
        )
        for fault in self.header.get("faults", ()):
            yield f"  FAULT INJECTION: {fault}; {self.kinds['fault']:,} times"
        for mechanism, (steps, unseen) in coverage(self.kinds).items():
            missing = f"; not {', '.join(unseen)}" if unseen else ""
            yield f"  actions of {mechanism}: {steps} of {steps + len(unseen)}{missing}"
        yield "  lateness in ms: median / 99 % / greatest"
        for name, spread in self.late.parts.items():
            yield f"    {name:<15} {spread.text()}"
        yield f"    {'late':<15} {self.late.late.text()} (after the deadline and the add's return)"
        warnings = self.late.warned
        if warnings:
            late, event = max(warnings, key=lambda item: item[0])
            yield (
                f"  WARNING: {len(warnings):,} tasks more than {LATE_MS} ms late; entry "
                f"{event['entry']} by {late} ms"
            )
        yield f"  D1: {len(self.occurrences)} times"
        for occurrence in self.occurrences[:LISTED]:
            yield from (f"    {line}" for line in page(occurrence, self.header))


def read(path: Path) -> Report:
    """Read a recording whose events stand in their order. Raises TraceError."""
    reader = Reader(path)
    report, finder = Report(reader.header), Finder()
    first = last = None
    for _, event_line in reader:
        event = events.read(event_line)
        report.kinds[event["k"]] += 1
        report.late.take(event)
        finder.take(event)
        last = event.get("t_ns", last)
        first = last if first is None else first
    if first is not None and last is not None:
        report.seconds = (last - first) / 1e9
    report.occurrences = finder.occurrences
    report.dropped = None if reader.footer is None else reader.footer["dropped"]
    return report


def coverage(kinds: Counter[str]) -> dict[str, tuple[int, list[str]]]:
    """Mechanism -> how many of its actions that a recording can show were seen, and the others as
    "kind (labels)"."""
    table = tomllib.loads(LABELS.read_text(encoding="utf-8"))
    table_out = {}
    for mechanism in MECHANISMS:
        labels_here = {
            kind: labels for kind, labels in table[mechanism].items() if kind not in UNSHOWN
        }
        table_out[mechanism] = (
            sum(len(labels) for kind, labels in labels_here.items() if kinds[kind]),
            [
                f"{kind} ({', '.join(labels)})"
                for kind, labels in labels_here.items()
                if not kinds[kind]
            ],
        )
    return table_out
