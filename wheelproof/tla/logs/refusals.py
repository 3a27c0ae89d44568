"""Why no behaviour explains a log: the event, the possible steps, a repair, and few events.

The shrunk log has the same verdict: each of its events is needed with its values, and any step may
stand in the place of another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wheelproof.errors import Inconclusive
from wheelproof.tla.logs.mapping import Event, place_text
from wheelproof.tla.logs.search import Search, Verdict
from wheelproof.tla.plain.behaviours import text
from wheelproof.tlc.values import Value, format_tla

TRIALS = 300
"""The searches that shrink a log."""


@dataclass(frozen=True)
class Explanation:
    """A refusal, for people.

    repair: the places that the nearest step shows otherwise; () where none is of the action.
    further: the events that are explained once the event is repaired, itself included.
    shrunk: the events that are enough for the refusal; the others are any steps.
    """

    event: Event
    possible: tuple[str, ...]
    nearest: str
    repair: tuple[str, ...]
    further: int
    shrunk: tuple[Event, ...]

    def lines(self) -> list[str]:
        """The explanation as text."""
        out = [f"{self.event.text()}", f"  possible there: {', '.join(self.possible) or 'no step'}"]
        if self.nearest:
            out.append(f"  nearest: {self.nearest}, where {'; '.join(self.repair)}")
            out.append(f"  with that, {self.further} more events are explained")
        else:
            out.append("  no step of its action is possible with these arguments")
        out.append(f"  enough for the refusal, {len(self.shrunk)} events:")
        return [*out, *(f"    {event.text()}" for event in self.shrunk)]


def explain(search: Search, events: Sequence[Event], verdict: Verdict) -> Explanation:
    """The explanation of a refusal. Where several events are pending it is about the first."""
    event = verdict.pending[0]
    labels = dict.fromkeys(
        text(label) for state in verdict.states for label, _ in search.steps(state)
    )
    best: tuple[int, str, dict[tuple[str, Value | None], Value | None]] | None = None
    for state in verdict.states:
        for label, after in search.steps(state):
            differences = search.differences(event, label, after)
            if ("action", None) not in differences and (best is None or len(differences) < best[0]):
                best = len(differences), text(label), differences
    nearest, further = "", 0
    repair: tuple[str, ...] = ()
    if best is not None:
        _, nearest, differences = best
        repair = tuple(
            f"{place_text(*place)} is {_text(value)}, not {format_tla(event.shown[place])}"
            for place, value in differences.items()
        )
        values_shown = {
            place: differences.get(place, value)
            for place, value in event.shown.items()
            if differences.get(place, value) is not None
        }
        repaired_events = [
            replace(event, shown=values_shown) if item is event else item for item in events
        ]
        further = search.run(repaired_events).explained - verdict.explained
    return Explanation(
        event, tuple(labels), nearest, repair, further, shrink(search, events, verdict)
    )


def _text(value: Value | None) -> str:
    return "absent" if value is None else format_tla(value)


def shrink(search: Search, events: Sequence[Event], verdict: Verdict) -> tuple[Event, ...]:
    """The events that are enough for a refusal, each with as little as is enough."""
    trials = 0

    def is_refused(candidate: list[Event]) -> bool:
        nonlocal trials
        trials += 1
        try:
            return trials <= TRIALS and bool(search.run(candidate).pending)
        except Inconclusive:
            return False

    last = max(event.begin for event in verdict.pending)
    few = [event for event in events if event.begin <= last]
    if not is_refused(few):
        return tuple(few)
    weaken: list[Callable[[Event], Event]] = [Event.bare, Event.open]
    for change in weaken:
        few = _weaken(few, change, is_refused)
    return tuple(event for event in few if event.actions)


def _weaken(
    events: list[Event], change: Callable[[Event], Event], is_refused: Callable[[list[Event]], bool]
) -> list[Event]:
    """Events of which as many as possible are changed, in halves that become smaller."""
    size = len(events)
    while size:
        for start in range(0, len(events), size):
            part = [change(event) for event in events[start : start + size]]
            if part != events[start : start + size]:
                candidate = [*events[:start], *part, *events[start + size :]]
                if is_refused(candidate):
                    events = candidate
        size //= 2
    return events
