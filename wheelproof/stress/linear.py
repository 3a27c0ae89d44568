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

    An operation that ended at 3 was over before one that began at 4.
    """

    thread: int
    name: str
    arguments: tuple[Any, ...]
    result: Any
    begun: int
    """The number of the event at its begin."""
    ended: int = 0
    """The number of the event at its end."""


def same(first: Any, second: Any) -> bool:
    """Whether two values are one: the same object, or equal plain values."""
    return first is second or (
        type(first) is type(second) and type(first) in (int, bool, tuple) and first == second
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
    operations = sorted(history, key=lambda operation: operation.ended)[:MOST]
    full = (1 << len(operations)) - 1
    states: set[tuple[int, type, object]] = set()
    values: list[Any] = []  # keeps every value alive, so that no id is used twice

    def search(mask: int, value: Any) -> bool:
        if mask == full:
            return not whole or same(value, last)
        key = (mask, type(value), value if isinstance(value, (int, tuple)) else id(value))
        if key in states:
            return False
        states.add(key)
        values.append(value)
        numbers = [number for number in range(len(operations)) if not mask >> number & 1]
        soonest = min(operations[number].ended for number in numbers)
        for number in numbers:
            operation = operations[number]
            if operation.begun > soonest:
                continue
            result, after = apply(operation, value)
            if same(result, operation.result) and search(mask | 1 << number, after):
                return True
        return False

    return search(0, first)
