"""Locks and conditions of the runtime as names of threads.

A production lock does not show its holder, nor a condition its sleepers: there they are read
at rest only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def owner(lock: Any) -> str | None:
    """The name of the thread that holds a lock, or None."""
    holder = getattr(lock, "owner", None)
    return holder and holder.name


def condition(monitor: Any) -> tuple[str | None, frozenset[str], tuple[frozenset[str], ...]]:
    """The lock's holder, the threads that sleep, and the tickets, as in ``model.conditions``."""
    return (
        owner(getattr(monitor, "lock", None)),
        names(getattr(monitor, "asleep", ())),
        tuple(names(takers) for takers in getattr(monitor, "tickets", ())),
    )


def names(threads: Iterable[Any]) -> frozenset[str]:
    """The names of controlled threads."""
    return frozenset(thread.name for thread in threads)
