"""The options of a check of a timer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.timers.contract import Clause

RESTS = 5
"""For how many ticks a program waits in the end, after its longest delay."""


@dataclass(frozen=True)
class Options:
    """``tick``: how late an action may be, in milliseconds. ``programs``: drawn for each way to run
    them. ``executions``: of one program, at most. ``bound``: preemptions in an order, at most; None
    for any number. ``seed``: of the drawing. ``excused``: clauses that are not judged. ``into``:
    modules that are looked into beside the timer's imports.
    """

    tick: int = 1
    programs: int = 25
    executions: int = 300
    bound: int | None = None
    seed: int = 0
    excused: tuple[Clause, ...] = ()
    into: tuple[str, ...] = ()

    @property
    def rest(self) -> int:
        """Milliseconds that a program waits in the end, after its longest delay."""
        return RESTS * self.tick


def options(**given_options: Any) -> Options:
    """Options as the user gives them. Raises UsageError."""
    for name in ("tick", "programs", "executions"):
        value = given_options.get(name, 1)
        if type(value) is not int or value < 1:
            raise UsageError(f"{name}={value!r} is no whole number from 1 on.")
    try:
        excuses = tuple(Clause(clause) for clause in given_options.pop("excused", ()))
    except ValueError as error:
        raise UsageError(
            f"The contract has no such clause: {error}.", f"It has {', '.join(Clause)}."
        ) from None
    return Options(**given_options, excused=excuses)
