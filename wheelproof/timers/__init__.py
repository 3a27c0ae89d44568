"""Any timer against one contract: once, not early, late by at most a tick, cancel wins.

Programs of its calls are drawn; each runs in one thread, and under threads in every order. Time is
virtual, and the machine takes none. ``wheelproof fuzz --timer`` is the entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wheelproof.linearizability.programs import Program
    from wheelproof.plain.answers import Exploration


def check(
    factory: Callable[[], Any],
    program: Program,
    *,
    tick: int = 1,
    excused: Sequence[str] = (),
    into: Sequence[str] = (),
) -> Exploration:
    """Run one program of a timer's calls in every order.

    ``factory``: a class or a function that makes a timer. ``tick``: in milliseconds. ``excused``:
    clauses of the contract that are not judged. Raises ExplorationFailed and UsageError.
    """
    __tracebackhide__ = True
    from wheelproof.plain import calling, progress
    from wheelproof.timers.campaign import Check
    from wheelproof.timers.options import options

    given_options = options(tick=tick, into=tuple(into), excused=tuple(excused))
    exploration = Check(factory, given_options, progress.on_stderr()).of_program(program)
    if not calling.passes(exploration):
        raise calling.ExplorationFailed(exploration)
    return exploration
