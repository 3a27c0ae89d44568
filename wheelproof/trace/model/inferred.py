"""A recording whose header has no program, judged by the model all the same.

A program in production records its events, and not its program. The project's module
``traces.runs`` infers from the events which operations its threads took, and gives the events as
the model's table speaks of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Scenario
from wheelproof.trace import declared
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.judging.judging import Judging
from wheelproof.trace.judging.verdict import (
    Finding,
    Refusal,
)
from wheelproof.trace.model.observed import read
from wheelproof.trace.model.replay import BUDGET, PROPERTY, ModelReplay

PREFIX = 20_000
"""Events of a recording that are followed: the states of the model grow with its tasks."""

MODULE = "runs"


class Passing(NamedTuple):
    """Steps of a label that a thread takes and no event shows: at this moment, so many."""

    thread: str
    label: str
    times: int


class Item(NamedTuple):
    """The next event or steps. ``line``: of the recording; an event of the table, or steps."""

    line: int
    what: Event | Passing


@dataclass(frozen=True)
class Run:
    """A part of a recording as a run of a program.

    ``name``: for people. ``module``: the specification; ``table``: the name of the table.
    ``threads``: number in ``items`` -> thread of the program. ``names``: id -> the model's name of
    the object. ``begins``: shared variables of the first state. ``outside``: the line from which on
    the run is none of such a program, and the reason.
    """

    name: str
    module: str
    table: str
    program: Scenario
    threads: Mapping[int, str]
    names: Mapping[int, str | int]
    begins: Mapping[str, object]
    items: Sequence[Item]
    outside: tuple[int, str] | None = None


Infer = Callable[[Header, Sequence[tuple[int, Event]]], Iterator[Run]]
"""``infer(header, events)``: the runs in the events, which have their lines and are in order."""


def infers() -> Infer | None:
    """The project's own; None where it infers no programs."""
    module = declared.find(MODULE)
    return None if module is None else module.infer


@dataclass
class FollowedRun:
    """The outcome of one run. ``labels``: how many events were a step of each. ``broken``: the
    properties that fail in every state that the model may be in -> the first line where they do."""

    run: Run
    replay: ModelReplay
    labels: Counter[str] = field(default_factory=Counter)
    broken: dict[str, int] = field(default_factory=dict)

    def notes(self) -> Iterator[str]:
        """The properties that fail, for people."""
        for name, line in self.broken.items():
            yield f"in the model {name} fails from line {line} on"


class InferredReplay(Judging):
    """One recording, whose events are kept up to its end and then followed run by run.

    ``prefix``: how many are kept at most. ``properties``: whether the mechanism's invariants are
    evaluated after each event. ``fields``: of the programs, in the place of the inferred ones.
    """

    def __init__(
        self,
        mechanisms: Mapping[str, Mechanism],
        header: Header,
        limit: int = 100,
        cut: Mapping[str, int] | None = None,
        *,
        infer: Infer,
        prefix: int = PREFIX,
        properties: bool = False,
        budget: int = BUDGET,
        fields: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(header, limit, cut)
        self.mechanisms = {mechanism.module: mechanism for mechanism in mechanisms.values()}
        self.infer, self.prefix, self.fields = infer, prefix, fields or {}
        self.properties, self.budget = properties, budget
        self.figures = {"followed": 0, "largest": 0, "sum": 0}
        self.runs: list[FollowedRun] = []
        self._kept: list[tuple[int, Event]] = []
        self._halted = False
        self._spent: list[Finding] = []

    @property
    def applied(self) -> Mapping[str, int]:
        return {PROPERTY: self.figures["followed"]}

    @property
    def kept(self) -> int:
        """How many of the events were given to the model."""
        return len(self._kept)

    @property
    def _is_cut_short(self) -> bool:
        """Whether there are events behind those that are followed."""
        return len(self._kept) >= self.prefix and self.events > self.prefix

    def understands(self, kind: str) -> bool:
        return True  # which of them are the model's the project knows

    def step(self, line: int, event: Event) -> Refusal | None:
        gap = self.order.missing or self.order.contradictions or self.cut.beyond
        self._halted = self._halted or bool(gap) or len(self._kept) >= self.prefix
        if not self._halted:
            self._kept.append((line, event))
        return None

    def conclude(self, footer: Footer | None) -> None:
        events = dict(self._kept)
        for run in self.infer(self.header, self._kept):
            self._follow(self._of_mutant(run), events)
        if not self.runs and not self._is_cut_short:
            message = "the header has no program, and none can be inferred from the events"
            self.unknown.append((1, "Program", message))
        self.violations.sort(key=lambda finding: finding.line)

    def _of_mutant(self, run: Run) -> Run:
        if unknown := sorted(self.fields.keys() - run.program.keys()):
            raise UsageError(
                f"The inferred program has no field {unknown[0]}.",
                f"It has: {', '.join(sorted(run.program))}.",
            )
        return replace(run, program={**run.program, **self.fields})

    def _follow(self, run: Run, events: Mapping[int, Event]) -> None:
        mechanism = self.mechanisms.get(run.module)
        if mechanism is None:
            raise UsageError(f"traces.{MODULE} infers runs of {run.module}, which is not here.")
        header: Header = {
            "spec": {"module": run.module},
            "program": run.program,
            "threads": {str(number): name for number, name in run.threads.items()},
            "names": {str(number): name for number, name in run.names.items()},
        }
        replay = ModelReplay(
            self.mechanisms,
            header,
            budget=self.budget,
            table=read(mechanism, run.table),
            begins=run.begins,
        )
        followed_run = FollowedRun(run, replay)
        self.runs.append(followed_run)
        for line, item in run.items:
            if isinstance(item, Passing):
                replay.passes(line, *item)
            elif replay.understands(item["k"]):
                replay.step(line, item)
            else:
                replay.unknown.append((line, "Kind", f"the model has no {item['k']}"))
            if replay.halted or replay.unknown:
                break
            if self.properties:
                self._evaluate(followed_run, mechanism, line)
        else:
            if run.outside is not None:
                replay.unknown.append((run.outside[0], "Program", run.outside[1]))
        if replay.steps is not None:
            followed_run.labels.update(replay.steps.taken)
        for name, count in replay.figures.items():
            together = max if name == "largest" else int.__add__
            self.figures[name] = together(self.figures[name], count)
        self.violated += replay.violated
        for finding in replay.violations:
            message = f"{run.name}: {finding.message}"
            event = events.get(finding.line)
            self.violations.append(
                Finding(finding.line, event, finding.property, message, finding.enabled)
            )
        self.unknown += [(line, kind, f"{run.name}: {why}") for line, kind, why in replay.unknown]
        self._spent += replay.spent

    def _evaluate(self, followed_run: FollowedRun, mechanism: Mechanism, line: int) -> None:
        steps = followed_run.replay.steps
        assert steps is not None
        for name in mechanism.invariants:
            if name not in followed_run.broken and not any(
                steps.model.holds(name, place.state) for place in followed_run.replay.states
            ):
                followed_run.broken[name] = line

    def lines(self) -> Iterator[str]:
        """The outcome of each run, for people."""
        for run in self.runs:
            events, program = run.replay.figures["followed"], run.run.program
            fields = [f"{name} {value}" for name, value in program.items() if type(value) is str]
            on = ", ".join([run.run.module, *fields])
            yield f"{run.run.name}: {events:,} events on {on}"
            yield from (f"  {note}" for note in run.notes())

    def notes(self) -> Iterator[str]:
        for run in self.runs:
            yield from (f"{run.run.name}: {note}" for note in run.notes())

    def lacking(self) -> list[Finding]:
        out = list(self._spent)
        if self.cut.beyond:
            message = "what comes after the first event beyond the cut was not followed"
            out.append(Finding(0, None, "Cut", message))
        elif self._is_cut_short:
            message = f"the first {self.prefix:,} of {self.events:,} events were followed"
            out.append(Finding(0, None, "Prefix", message))
        return out
