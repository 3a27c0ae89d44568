"""A trace judged by the rules of a project's ``traces/``, from its events alone."""

from __future__ import annotations

from collections.abc import Mapping

from wheelproof.trace import declared
from wheelproof.trace.format import schema
from wheelproof.trace.format.event import Event, columns
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.parts import CutOff
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.events import Refusal
from wheelproof.trace.judging.judging import Judging
from wheelproof.trace.judging.verdict import CONFORMS, NOTHING, VIOLATES, Finding, Verdict


class Replay(Judging):
    """One trace taken through the rules of the project (``declared``)."""

    def __init__(
        self, header: Header, limit: int = 100, cut: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(header, limit, cut)
        rules, events = declared.part("rules"), declared.part("events")
        self.kinds, self.needs, self.spoken = rules.KINDS, schema.EXACT, events.spoken
        self.state = rules.State(header)
        self.unordered: dict[tuple[str, str], tuple[int, int]] = {}

    @property
    def applied(self) -> Mapping[str, int]:
        return self.state.applied

    def understands(self, kind: str) -> bool:
        return kind in self.kinds

    def step(self, line: int, event: Event) -> Refusal | None:
        kind = event["k"]
        refusal = self.state.judge(event)
        if refusal is not None:
            self.violated += 1
            if len(self.violations) < self.limit:
                able = tuple(self.spoken(each) for each in self.state.enabled(event))
                self.violations.append(
                    Finding(line, event, refusal.property, refusal.message, able)
                )
        elif kind in self.needs:
            exact = {
                token[1].partition(".")[0]
                for token in event.get("ord", ())
                if token[0] in ("L", "V") and len(token) == 4
            }
            for role in self.needs[kind]:
                if f"{role}:{columns(event)[role]}" not in exact:
                    at, times = self.unordered.get((kind, role), (line, 0))
                    self.unordered[kind, role] = at, times + 1
        self.state.apply(event)
        return refusal

    def end(
        self,
        footer: Footer | None,
        tally: Tally | None = None,
        hashed: bool = True,
        ended: CutOff | None = None,
    ) -> Verdict:
        verdict = super().end(footer, tally, hashed, ended)
        if (
            verdict.verdict == CONFORMS and not self.cut
        ):  # only a whole trace shows that something never happened
            left = tuple(
                Finding(0, None, refusal.property, refusal.message)
                for refusal in self.state.neglected()
            )
            if left:
                return Verdict(VIOLATES, verdict.events, left[: self.limit], verdict.applied)
        return verdict

    def lacking(self) -> list[Finding]:
        missing = [
            Finding(
                line,
                None,
                "Tokens",
                f"{times} events {kind} have no exact token of the {role}'s monitor: their order "
                "is not known",
            )
            for (kind, role), (line, times) in self.unordered.items()
        ]
        if self.events and not self.state.applied and not self.unknown:
            where = "before the footer's cut" if self.cut.beyond else "in these kinds of event"
            missing.append(
                Finding(
                    0, None, NOTHING, f"no rule has anything to look at {where}: nothing was shown"
                )
            )
        missing += [
            Finding(0, None, "Bracket", message) for message in self.state.open(self.cut.beyond)
        ]
        return missing
