"""Linearizability of concurrent operations on one atomic variable.

Some order of the operations must explain all results. It must keep operations in order if one was
finished before the other began (Herlihy and Wing 1990). The search is that of Wing and Gong (1993),
with visited states kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

MOST = 40
"""Operations beyond which a history is not searched: it is cut there, and the last value is not
compared."""


class Operation(NamedTuple):
    """One operation of a history.

    ``begun`` and ``ended``: numbers of events. An operation that ended at 3 was over before one
    that began at 4.
    """

    thread: int
    name: str
    arguments: tuple[Any, ...]
    result: Any
    begun: int
    ended: int = 0


def same(one: Any, other: Any) -> bool:
    """Whether two values are one: the same object, or equal plain values."""
    return one is other or (
        type(one) is type(other) and type(one) in (int, bool, tuple) and one == other
    )


def apply(operation: Operation, value: Any) -> tuple[Any, Any]:
    """(result, new value) of an operation on a variable that holds ``value``."""
    arguments = operation.arguments
    match operation.name:
        case "set":
            return None, arguments[0]
        case "get_and_set":
            return value, arguments[0]
        case "compare_and_set":
            return (True, arguments[1]) if same(value, arguments[0]) else (False, value)
        case "add_and_get":
            return value + arguments[0], value + arguments[0]
    raise ValueError(f"an atomic variable has no operation {operation.name}")


def explains(first: Any, history: Sequence[Operation], last: Any) -> bool:
    """Whether an order of ``history`` leads from ``first`` to ``last`` with the same results."""
    whole = len(history) <= MOST
    operations = sorted(history, key=lambda each: each.ended)[:MOST]
    everything = (1 << len(operations)) - 1
    seen: set[tuple[int, type, object]] = set()
    values: list[Any] = []  # keeps every value alive, so that no id is used twice

    def search(done: int, value: Any) -> bool:
        if done == everything:
            return not whole or same(value, last)
        key = (done, type(value), value if isinstance(value, (int, tuple)) else id(value))
        if key in seen:
            return False
        seen.add(key)
        values.append(value)
        left = [number for number in range(len(operations)) if not done >> number & 1]
        soonest = min(operations[number].ended for number in left)
        for number in left:
            operation = operations[number]
            if operation.begun > soonest:
                continue
            result, after = apply(operation, value)
            if same(result, operation.result) and search(done | 1 << number, after):
                return True
        return False

    return search(0, first)
