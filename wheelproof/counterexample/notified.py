"""The wake-ups of a counterexample, each with the notification that it takes.

A condition is a sequence of tickets, as in the module ``Conditions``: the threads that may take a
notification. A thread that wakes takes the oldest ticket that names it. A condition of another form
is a value that names the threads which may wake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.holding import names
from wheelproof.errors import ToolError
from wheelproof.tlc.values import Value, format_tla, parse_value

NOTIFY, WAKE = "notify", "wake"


@dataclass(frozen=True)
class WakeUp:
    """A wake-up. ``notified``: the step that notifies, ``woken``: the one that wakes, from 0."""

    notified: int
    woken: int


@dataclass(frozen=True)
class Ticket:
    """A notification that no thread has taken.

    ``text`` names the threads that may take it. ``origin``: the step that notified, None for
    another step.
    """

    text: str
    origin: int | None


def wake_ups(trace: Counterexample) -> list[WakeUp]:
    """The wake-ups whose notification is a step of the counterexample, in their order."""
    conditions = {place for step in trace.steps if step.kind == WAKE for place in step.changes}
    open_tickets = {
        place: [Ticket(text, None) for text in _texts(trace.initial[place], trace.threads)]
        for place in conditions & trace.initial.keys()
    }
    pairs = []
    for at, step in enumerate(trace.steps):
        for place in open_tickets.keys() & step.changes.keys():
            old, texts = open_tickets[place], _texts(step.changes[place][1], trace.threads)
            oldest = _oldest(old, step.thread) if step.kind == WAKE else None
            if oldest is None or len(texts) != len(old) - 1:
                origin = at if step.kind == NOTIFY else None
                open_tickets[place] = _match(old, texts, origin)
                continue
            if (notice := old[oldest].origin) is not None:
                pairs.append(WakeUp(notice, at))
            older = [*old[:oldest], *old[oldest + 1 :]]
            open_tickets[place] = [
                Ticket(text, ticket.origin) for text, ticket in zip(texts, older, strict=True)
            ]
    return pairs


def _texts(value: str, threads: Sequence[str]) -> list[str]:
    """The tickets of a value: the elements of a sequence, else the threads that it names."""
    try:
        parts: Value = parse_value(value)
    except ToolError:
        parts = ""
    if isinstance(parts, tuple):
        return [format_tla(part) for part in parts]
    return [thread for thread in threads if names(value, thread)]


def _oldest(tickets: Sequence[Ticket], thread: str) -> int | None:
    """The index of the oldest ticket that a thread may take."""
    return next((at for at, ticket in enumerate(tickets) if names(ticket.text, thread)), None)


def _match(old: Sequence[Ticket], texts: Sequence[str], origin: int | None) -> list[Ticket]:
    """The tickets with these texts: those that were there, in their order, and new ones."""
    rest = list(old)
    tickets = []
    for text in texts:
        same = next((at for at, ticket in enumerate(rest) if ticket.text == text), None)
        tickets.append(Ticket(text, origin) if same is None else rest[same])
        rest = rest if same is None else rest[same + 1 :]
    return tickets
