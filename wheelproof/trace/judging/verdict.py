"""Verdicts on traces, and their findings.

``conforms``: each event is a step of the model, and nothing is missing. ``violates``: some event is
no step; the property names the rule. ``incomplete``: no event was refused, but events or order
tokens are missing, so that nothing follows. ``out-of-model``: the trace has something that the
rules do not know, or contradicts itself. ``vacuous``: no rule applies to any event. A trace of no
events is incomplete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CONFORMS, VIOLATES, INCOMPLETE, OUT_OF_MODEL = "conforms", "violates", "incomplete", "out-of-model"


VACUOUS = "vacuous"


VERDICTS = (CONFORMS, VIOLATES, INCOMPLETE, OUT_OF_MODEL, VACUOUS)


NOTHING = "Rules"
"""The name of the finding that no rule applies."""


@dataclass(frozen=True)
class Refusal:
    """Why an event is no step: the property that it breaks, and a sentence."""

    property: str
    message: str


@dataclass(frozen=True)
class Finding:
    """One event that was refused, or one thing that is missing. ``line`` is 0 where it is about the
    whole file."""

    line: int
    event: Mapping[str, object] | None
    property: str
    message: str
    enabled: tuple[str, ...] = ()


@dataclass
class Verdict:
    """The outcome for a trace. ``findings`` are in the order of the events: violations first, then
    gaps and events that are not understood. ``notes``: further sentences for a reader."""

    verdict: str
    events: int
    findings: tuple[Finding, ...] = ()
    applied: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Finding | None:
        return self.findings[0] if self.findings else None
