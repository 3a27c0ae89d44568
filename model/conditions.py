"""Python's condition as two values, the threads that sleep and the tickets for them.

The specification is ``spec/Conditions.tla``.

``asleep``: a frozenset of names. ``tickets``: for each notification that no thread has taken,
oldest first, the threads that slept when it was given; one of them takes it when it wakes.
"""

from __future__ import annotations

Tickets = tuple[frozenset[str], ...]


def notified(tickets: Tickets, asleep: frozenset[str], n: int) -> Tickets:
    """The tickets after ``notify(n)``: one per sleeper that has none, at most ``n`` more."""
    return tickets + (asleep,) * min(n, len(asleep) - len(tickets))


def notified_all(tickets: Tickets, asleep: frozenset[str]) -> Tickets:
    """The tickets after ``notify_all()``."""
    return notified(tickets, asleep, len(asleep))


def offered(tickets: Tickets, thread: str) -> bool:
    """Whether ``thread`` may wake, and need not wait for its time to be up."""
    return any(thread in takers for takers in tickets)


def taken(tickets: Tickets, thread: str) -> Tickets:
    """The tickets after ``thread`` has woken and taken the oldest that it may take, if any."""
    first = next((place for place, takers in enumerate(tickets) if thread in takers), len(tickets))
    return tuple(takers - {thread} for takers in tickets[:first] + tickets[first + 1 :])
