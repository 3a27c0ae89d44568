"""A trace judged by the model itself: each event must be a step that the model can take, with the
same values.

The table of rules is the fast tier and knows events alone. Here the model is followed
with all states that it may be in, with its locks, pointers and history, so that more is checked.
``oracle`` checks a part of the trace with TLC.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Header
from wheelproof.trace.judging.judging import Judging
from wheelproof.trace.judging.verdict import (
    Finding,
    Refusal,
)
from wheelproof.trace.model import misses
from wheelproof.trace.model.following import Steps
from wheelproof.trace.model.observed import CLOSES, OPENED, START, STOP, Names, Table, Unknown, read
from wheelproof.trace.model.places import Place, Spent, Values

PROPERTY = "Next"
"""The name under which an event is refused: the specification's next-state relation."""

BUDGET = 20_000
"""States that the model may be in at one event, at most."""


@dataclass(frozen=True)
class Followed:
    """One event that was followed, or refused: its thread, its values, and the places that the
    model might be in before it."""

    line: int
    event: Event
    thread: str
    values: Values
    states: frozenset[Place]


class ModelReplay(Judging):
    """One trace taken through the model.

    ``mechanisms``: of the project, by name; a control has one that lacks a decision. ``keep``: how
    many of the last events are kept in ``history``, with the states before each. ``begins``: shared
    variables of the first state that are not as the model has them. ``figures``:
    followed (events), largest and sum (of the sets of states). A trace that this cannot judge is
    out-of-model or incomplete, and ``unknown`` or ``lacking`` say why; nothing is followed from
    there on.
    """

    def __init__(
        self,
        mechanisms: Mapping[str, Mechanism],
        header: Header,
        limit: int = 100,
        cut: Mapping[str, int] | None = None,
        *,
        budget: int = BUDGET,
        keep: int | None = 0,
        table: Table | None = None,
        begins: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(header, limit, cut)
        self.begins = begins
        self.budget = budget
        self.history: deque[Followed] = deque(maxlen=keep)
        self.figures = {"followed": 0, "largest": 0, "sum": 0}
        self.halted = False
        self.spent: list[Finding] = []
        self.table: Table | None = table
        self.names: Names | None = None
        self.steps: Steps | None = None
        self.states: set[Place] = set()
        self.stopped: set[int] = set()
        self.open: dict[int, list[int]] = {}  # thread -> spans of its brackets, innermost last
        try:
            self._begin(mechanisms)
        except Unknown as error:
            self._out(1, str(error))

    def _begin(self, mechanisms: Mapping[str, Mechanism]) -> None:
        module = (self.header.get("spec") or {}).get("module")
        mechanism = next(
            (mechanism for mechanism in mechanisms.values() if mechanism.module == module), None
        )
        if mechanism is None:
            raise Unknown(
                f"the header's specification is {module!r}, and there are "
                f"{', '.join(mechanism.module for mechanism in mechanisms.values())}"
                if module
                else "the header names no specification"
            )
        self.names = Names(self.header)
        if self.table is None:
            try:
                self.table = read(mechanism)
            except UsageError as error:
                if (mechanism.root / "traces" / f"{mechanism.name}.toml").exists():
                    raise
                raise Unknown(error.message) from error
        kinds = self.header.get("capture", {}).get("kinds")
        self.steps = Steps(
            self.table,
            self.names.program,
            None if kinds is None else frozenset(kinds),
            self.begins,
        )
        self.states = {Place(self.steps.normal(self.steps.start))}

    @property
    def applied(self) -> Mapping[str, int]:
        return {PROPERTY: self.figures["followed"]}

    def understands(self, kind: str) -> bool:
        return self.table is None or self.table.understands(kind)

    def take(self, line: int, event: Event) -> Refusal | None:
        refusal = super().take(line, event)
        self.halted = self.halted or bool(
            self.unknown
        )  # an event that is not understood may have changed anything
        return refusal

    def step(self, line: int, event: Event) -> Refusal | None:
        if self.halted or self.steps is None or self.names is None or self.table is None:
            return None
        if self.order.missing or self.order.contradictions or self.cut.beyond:
            # What is missing may have changed anything, so that no later event is refused for it.
            self.halted = True
            return None
        if event["k"] == START and event["tseq"] != 1:
            self._out(line, f"thread {event['tid']} starts after its first event")
        elif event["tid"] in self.stopped:
            self._out(line, f"thread {event['tid']} goes on after its last event")
        elif event["k"] == STOP:
            self.stopped.add(event["tid"])
        if self.halted or self.table.stutters(event["k"]):
            return None
        try:
            kind, thread = event["k"], self.names.thread(event)
            values = {
                **self.names.values(event, self.table.beside),
                OPENED: self._bracket(event) or not kind.endswith(CLOSES),
            }
            possible = self.steps.hidden(self.states, self.budget)
            after = self.steps.after(possible, thread, kind, values)
        except Unknown as error:
            self._out(line, str(error))
            return None
        except Spent as error:
            self.halted = True
            self.spent.append(
                Finding(line, None, "Budget", f"{error}: nothing follows from here on")
            )
            return None
        self.history.append(Followed(line, event, thread, values, frozenset(self.states)))
        self.figures["followed"] += 1
        self.figures["sum"] += len(possible)
        self.figures["largest"] = max(self.figures["largest"], len(possible))
        if after:
            self.states = after
            return None
        self.halted = True
        refusal = Refusal(PROPERTY, misses.why(self.steps, possible, thread, kind, values))
        self.violated += 1
        self.violations.append(
            Finding(
                line,
                event,
                refusal.property,
                refusal.message,
                misses.possible(self.steps, possible),
            )
        )
        return refusal

    def passes(self, line: int, thread: str, label: str, times: int) -> None:
        """A thread takes steps that no event shows, and that are known."""
        if self.halted or self.steps is None:
            return
        try:
            possible = self.steps.hidden(self.states, self.budget)
            self.states = self.steps.repeated(possible, thread, label, times)
            if not self.states:
                self._out(line, f"{thread} cannot take {label} {times:,} times")
        except Unknown as error:
            self._out(line, str(error))
        except Spent as error:
            self.halted = True
            self.spent.append(Finding(line, None, "Budget", str(error)))

    def _bracket(self, event: Event) -> bool:
        """Open or close the event's bracket; whether it closes the innermost one of its thread."""
        spans = self.open.setdefault(event["tid"], [])
        if event["phase"] == "begin" and "span" in event:
            spans.append(event["span"])
        elif event["phase"] == "end" and spans and spans[-1] == event.get("span"):
            spans.pop()
            return True
        return False

    def _out(self, line: int, message: str) -> None:
        self.halted = True
        self.unknown.append((line, "Program", message))

    def lacking(self) -> list[Finding]:
        if self.spent:
            return self.spent
        if self.cut.beyond:
            return [
                Finding(
                    0,
                    None,
                    "Cut",
                    "what comes after the first event beyond the cut was not followed",
                )
            ]
        if (
            self.halted
            or self.steps is None
            or not self.events
            or self.order.missing
            or self.order.contradictions
        ):
            return []
        try:
            states = self.steps.hidden(self.states, self.budget)
        except Spent as error:
            return [Finding(0, None, "Budget", f"{error} at the end")]
        if open_threads := sorted(tid for tid, spans in self.open.items() if spans):
            return [
                Finding(
                    0,
                    None,
                    "Bracket",
                    f"thread {tid} has begun {len(self.open[tid])} brackets that it does not end",
                )
                for tid in open_threads
            ]
        if any(self.steps.ended(state) for state in states):
            return []
        return [
            Finding(
                0,
                None,
                "Program",
                f"the threads have not ended their programs: {self._where(states)}",
            )
        ]

    def _where(self, states: Iterable[Place]) -> str:
        """Where the threads are, in the state in which the most are at their end."""
        steps = self.steps
        assert steps is not None
        best = max(
            states,
            key=lambda place: sum(
                steps.row_of(place.state, thread) is None for thread in steps.model.threads
            ),
        )
        rows = {thread: steps.row_of(best.state, thread) for thread in steps.model.threads}
        owing = [
            f"an event of {thread} has not met its step"
            if event_first
            else f"a step of {thread} has not met its event"
            for thread, event_first, _ in best.debts
        ]
        return ", ".join(
            [f"{thread} is at {row.label}" for thread, row in rows.items() if row is not None]
            + owing
        )
