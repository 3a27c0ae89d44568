"""A recording of Kafka followed on the model of the timer, in Kafka's order of steps and in the
corrected one."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from real.record.report import LABELS
from wheelproof import project
from wheelproof.project.mechanism import Mechanism
from wheelproof.trace.judging.verdict import Finding, Verdict
from wheelproof.trace.model import report
from wheelproof.trace.model.inferred import PREFIX, InferredReplay

ROOT = Path(__file__).parents[2]
MECHANISM = "system_timer"
KAFKA, CORRECTED = ORDERS = "KafkaTimer", "SystemTimer"
CORRECTED_ALONE = frozenset(("R1", "R2", "R3", "R6"))
"""Labels of the corrected order: no step of Kafka's is one."""
BESIDE = frozenset(("Prefix", "Footer", "Dropped"))
"""Findings about the end of a recording: the events before it are followed all the same."""


@cache
def mechanisms() -> Mapping[str, Mechanism]:
    """The mechanisms of this project."""
    return project.find(ROOT)


@dataclass(frozen=True)
class Followed:
    """A recording that the model has followed."""

    verdict: Verdict
    """The verdict of the whole recording."""
    replay: InferredReplay
    """Its runs, one for each timer."""

    @property
    def refused(self) -> Finding | None:
        """The first event that is no step."""
        return next(iter(self.replay.violations), None)

    @property
    def conforms(self) -> bool:
        """Whether each event up to the prefix's end is a step."""
        rest = {finding.property for finding in self.verdict.findings} - BESIDE
        return bool(self.replay.figures["followed"]) and not rest

    @property
    def broken(self) -> dict[str, dict[str, int]]:
        """Timer -> the properties that fail in its run, each with its line."""
        return {run.run.name: run.broken for run in self.replay.runs if run.broken}

    @property
    def labels(self) -> Counter[str]:
        """Label -> how many events were a step of it."""
        return sum((run.labels for run in self.replay.runs), Counter[str]())


def follow(file: Path, timer: str = KAFKA, prefix: int = PREFIX) -> Followed:
    """Follow a recording in one order of steps. Raises TraceError."""
    fields = {} if timer == KAFKA else {"timer": timer}
    verdict, replay = report.follow(
        file, mechanisms(), fields=fields, properties=timer == KAFKA, prefix=prefix
    )
    assert isinstance(replay, InferredReplay)
    return Followed(verdict, replay)


def lines(kafka: Followed, fixed_order: Followed) -> Iterator[str]:
    """Both verdicts for people, and which steps there were."""
    figures, runs = kafka.replay.figures, len(kafka.replay.runs)
    part = f"the first {kafka.replay.kept:,} events" if _cut(kafka) else "all events"
    yield (
        f"  on the model, {part}: {figures['followed']:,} followed in {runs:,} timers, "
        f"in {figures['sum'] / max(1, figures['followed']):.1f} states on average"
    )
    yield f"    in Kafka's order: {_outcome(kafka)}"
    for name, rules in kafka.broken.items():
        for rule, line in rules.items():
            yield f"      {name}: {rule} fails from line {line} on"
    yield f"    in the corrected order: {_outcome(fixed_order)}"
    rows = list(table(kafka.labels))
    hits = sum(count > 0 for _, labels in rows for count in labels.values())
    yield f"  steps of {MECHANISM} that were followed: {hits} of {sum(len(row) for _, row in rows)}"
    for kind, labels in rows:
        counts = ", ".join(f"{label} {count or '-'}" for label, count in labels.items())
        yield f"    {kind:<18} {counts}"


def table(labels: Counter[str]) -> Iterator[tuple[str, dict[str, int]]]:
    """Kind of event -> its labels in Kafka's order, with how many events were a step of each."""
    kinds = tomllib.loads(LABELS.read_text(encoding="utf-8"))[MECHANISM]
    for kind, names in kinds.items():
        yield kind, {name: labels[name] for name in names if name not in CORRECTED_ALONE}


def _cut(trace: Followed) -> bool:
    return trace.replay.events > trace.replay.kept


def _outcome(trace: Followed) -> str:
    if trace.conforms:
        return "each is a step"
    first = trace.refused or trace.verdict.first
    if first is None:
        return trace.verdict.verdict
    return f"line {first.line}: {first.message}"
