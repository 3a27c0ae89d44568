"""Alarms that may be no bug: why a program fails beside a fault in the class, and the remedy.

Each has a word. Only the user can say whether it applies: a class names neither the results that
its callers rely on nor the calls that its documentation forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wheelproof.linearizability.histories import Operation, Specification, explain
from wheelproof.linearizability.judging import Refusal, named
from wheelproof.linearizability.values import Raised

if TYPE_CHECKING:
    from wheelproof.linearizability.conditions import Condition


@dataclass(frozen=True)
class Alarm:
    """A reason that is no fault of the class: its word, the fact, and the remedy."""

    word: str
    fact: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.word}: {self.fact}. Remedy: {self.remedy}"


def early_time_out(is_lenient: bool) -> Alarm:
    """No run fails in which time-outs come last. ``is_lenient``: as the user chose."""
    return Alarm(
        "early time-out",
        "no run fails in which a wait ends by its time-out only where no other thread can move",
        'time_outs="last"' + ', or "lenient": such a result fits any order' * (not is_lenient),
    )


def several_calls(names: Sequence[str]) -> Alarm:
    """Runs fail in which threads switch between the calls that operations make."""
    listing = " and ".join(names)
    return Alarm(
        "several calls",
        f"it fails, too, where threads switch only between the calls that {listing} makes",
        "if the class that it calls is the one to be checked, one call for each operation",
    )


def who_was_first(
    refusal: Refusal, specification: Specification, condition: Condition
) -> Alarm | None:
    """An order explains all but the results of one operation, and others are compared.

    Where it raises an exception, it says more than that: none is ignored.
    """
    operations = refusal.operations
    names = {o.call.name for o in operations if not o.is_pending and o.thread}
    names -= {o.call.name for o in operations if isinstance(o.result, Raised)}
    before = condition.before(operations)
    for name in sorted(names):
        comparisons = [o for o in operations if o.call.name != name and o.result is not None]
        if not comparisons:
            continue

        def agrees(
            order: tuple[int, ...], operation: Operation, result: object, name: str = name
        ) -> bool:
            return operation.call.name == name or operation.result == result

        if explain(operations, before, specification, None, agrees).fits:
            return Alarm(
                "who was first",
                f"an order explains all but the results of {name}",
                f'ignore_results="{name}", if they only say who was first',
            )
    return None


def forbidden_order(refusal: Refusal) -> Alarm | None:
    """An operation waits for ever, or is refused by the class itself."""
    remedy = "if the documentation forbids this order of calls, fewer operations or given examples"
    if refusal.unexcused is not None:
        waits = named(refusal.unexcused)
        return Alarm("forbidden order", f"{waits} waits for ever after the others", remedy)
    for operation in refusal.operations:
        result = operation.result
        if isinstance(result, Raised) and result.is_refusal:
            says = f"{named(operation)} is refused: {result.kind}"
            says += f" ({result.message})" * bool(result.message)
            return Alarm("forbidden order", says, remedy)
    return None
