"""One trace, judged event by event: the part that is the same for rules and for the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.parts import CutOff
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.cut import Cut
from wheelproof.trace.judging.order import Order, against_footer
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

CONTROL = frozenset(("thread_start", "thread_stop", "checkpoint", "drop"))
"""Kinds of event that are no step: a trace of nothing else shows nothing."""


class Judging:
    """One trace, judged event by event. The base finds gaps and contradictions.

    A subclass names the kinds that it ``understands`` and judges one event in ``step``. ``limit``:
    findings that are kept. ``cut``: of the footer; events beyond it are no evidence.
    """

    def __init__(
        self, header: Header, limit: int = 100, cut: Mapping[str, int] | None = None
    ) -> None:
        self.header, self.limit, self.events = header, limit, 0
        self.shown = 0
        self.cut = Cut(cut)
        self.violations: list[Finding] = []
        self.violated = 0
        self.order = Order()
        self.unknown: list[tuple[int, str, str]] = []

    @property
    def applied(self) -> Mapping[str, int]:
        """Name -> how often there was something to look at."""
        return {}

    def understands(self, kind: str) -> bool:
        raise NotImplementedError

    def step(self, line: int, event: Event) -> Refusal | None:
        """Judge one event and take it; a refused one is in ``violations`` afterwards."""
        raise NotImplementedError

    def conclude(self, footer: Footer | None) -> None:
        """All events are taken: the last findings of a subclass."""

    def notes(self) -> Iterable[str]:
        """Further sentences for a reader."""
        return ()

    def lacking(self) -> list[Finding]:
        """The gaps that a subclass finds once all events are taken."""
        return []

    def take(self, line: int, event: Event) -> Refusal | None:
        """One event, in the order of the clocks."""
        self.events += 1
        self.order.count(line, event)
        if self.cut and self.cut.crossed(event):
            return None
        kind = event["k"]
        self.shown += kind not in CONTROL
        if kind == "drop":
            self.order.missing.append((line, "Dropped", f"{event['count']} events were lost here"))
        elif not self.understands(kind):
            self.unknown.append((line, "Kind", f"these rules know no {kind}"))
            return None
        return self.step(line, event)

    def end(
        self,
        footer: Footer | None,
        tally: Tally | None = None,
        hashed: bool = True,
        ended: CutOff | None = None,
    ) -> Verdict:
        """The verdict, once all events are taken. ``tally``: of the file, where it is to be held
        against its footer; ``ended``: where the file breaks off."""
        self.conclude(footer)
        missing = []
        if ended is not None:  # first of all: from it the gaps and what is open follow
            missing.append(
                Finding(
                    ended.line,
                    None,
                    "Footer",
                    f"{ended.fault}: the events before it were checked, and those after it are "
                    "not known",
                )
            )
        elif footer is None:
            missing.append(
                Finding(0, None, "Footer", "there is no footer: the recording was cut off")
            )
        missing += [
            Finding(line, None, name, message) for line, name, message in self.order.missing
        ]
        if self.header.get("capture", {}).get("mode") != "full":
            missing.append(Finding(1, None, "Capture", "only a sample was recorded"))
        missing += self.lacking()
        contradictions = [
            Finding(line, None, name, message)
            for line, name, message in self.order.contradictions + self.unknown
        ]
        if not self.events:
            missing.append(Finding(0, None, "Events", "there is no event"))
        if footer is not None:
            lacks, wrong = against_footer(self.order, self.events, footer, tally, hashed)
            missing += lacks
            contradictions += wrong
        if self.events and not self.shown and not missing:
            missing.append(Finding(0, None, NOTHING, "there are starts and ends of threads alone"))
        verdict = (
            VIOLATES
            if self.violated
            else OUT_OF_MODEL
            if contradictions
            else VACUOUS
            if missing and all(finding.property == NOTHING for finding in missing)
            else INCOMPLETE
            if missing
            else CONFORMS
        )
        rest = (contradictions + missing)[: self.limit]
        findings = (*self.violations, *rest)
        return Verdict(verdict, self.events, findings, dict(self.applied), tuple(self.notes()))
