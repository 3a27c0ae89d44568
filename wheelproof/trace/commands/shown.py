"""The output of ``wheelproof trace`` on traces, verdicts and findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof.trace import declared
from wheelproof.trace.steps import format as steps

if TYPE_CHECKING:
    from wheelproof.pipeline.shrinking import Small
    from wheelproof.trace.format.heads import Header
    from wheelproof.trace.judging.verdict import Finding, Verdict


def print_shrunk(small: Small) -> None:
    """Print the events of a shrunk trace."""
    printer = Shown(small.header)
    print(f"  {len(small.events)} events show {small.property}")
    for line, event in zip(small.lines, small.events, strict=True):
        print(f"    line {line}: {printer.event(event)}")


class Shown:
    """Events for people: the thread's name, its operation, the place in the code."""

    def __init__(self, header: Header) -> None:
        self.threads, self.sources, self.names = (
            header["threads"],
            header.get("sources", []),
            header.get("names", {}),
        )

    def event(self, event: Mapping[str, object]) -> str:

        thread = self.threads.get(str(event["tid"]), f"thread {event['tid']}")
        source = event.get("src")
        place = (
            f"  {self.sources[source]}"
            if isinstance(source, int) and 0 <= source < len(self.sources)
            else ""
        )
        names = [
            f"{column} {value} is {self.names[str(value)]}"
            for column, value in event.items()
            if column in declared.part("schema").IDS and str(value) in self.names
        ]
        aside = f"  ({', '.join(names)})" if names else ""
        return f"{thread}: {declared.part('events').spoken(event)}{place}{aside}"


def where(path: Path, finding: Finding) -> str:
    return f"{path}:{finding.line}: " if finding.line else ""


def print_row(path: Path, verdict: Verdict) -> None:
    first = verdict.first
    print(f"{path}: {verdict.verdict}, {verdict.events:,} events")
    if first is not None:
        more = f" (and {len(verdict.findings) - 1} more)" if len(verdict.findings) > 1 else ""
        print(f"  {where(path, first)}{first.property}: {first.message}{more}")
    for note in verdict.notes:
        print(f"  {note}")


def as_data(finding: Finding) -> dict[str, object]:
    return {
        "line": finding.line or None,
        "property": finding.property,
        "message": finding.message,
        "event": finding.event,
        "enabled": list(finding.enabled),
    }


def print_steps(path: Path, line: int, limit: int = 12) -> None:
    """The events of a recording of labelled operations that come before a line, and it itself."""
    events = steps.read(path).events[: line - 1]
    print("  what led there:")
    for number, event in list(enumerate(events, 2))[-limit:]:
        print(f"    line {number}: {step_text(event)}")


def step_text(event: steps.Event) -> str:
    """An event of a recording of labelled operations in a line."""
    if event["k"] == "state":
        changes = ", ".join(
            f"{name} = {json.dumps(value)}" for name, value in event["state"].items()
        )
        return f"the variables: {changes}"
    phrases = {"step": "", "stop": "ended", "return": f"returns {json.dumps(event.get('value'))}"}
    words = phrases.get(event["k"], event["k"])
    parts = (words, event.get("label", ""), event.get("at", ""), event.get("raised", ""))
    return f"{event['thread']}: " + "  ".join(part for part in parts if part)
