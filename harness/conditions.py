"""What the harnesses of the runtime's own mechanisms read from locks and conditions, as names of threads.

A production lock does not tell who holds it, nor does a condition who sleeps: there they are read at rest only, when nobody does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def owner(lock: Any) -> str | None:
    """The name of the thread that holds a lock, or None."""
    holder = getattr(lock, "owner", None)
    return holder and holder.name


def condition(it: Any) -> tuple[str | None, frozenset[str], tuple[frozenset[str], ...]]:
    """The holder of a condition's lock, the threads that sleep, and who may take each notification, as in ``model.conditions``."""
    return (
        owner(getattr(it, "lock", None)),
        names(getattr(it, "asleep", ())),
        tuple(names(takers) for takers in getattr(it, "tickets", ())),
    )


def names(threads: Iterable[Any]) -> frozenset[str]:
    """The names of controlled threads."""
    return frozenset(thread.name for thread in threads)
