"""Whether steps may be taken at once: an eager step must commute with every step that another
thread can take, in every state.

Then a run in which it is taken later is, step for step and event for event, one in which it is
taken at once (a diamond at each step in between), so that following only the latter loses no trace
and adds none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from wheelproof.trace.model.following import Steps
from wheelproof.trace.model.places import Move, State


def faults(steps: Steps, bound: int = 200_000) -> Iterator[str]:
    """What contradicts the table's ``eager``, over all states of the program; nothing if the claim
    is right.

    Raises OverflowError where there are more than ``bound`` states.
    """
    start = steps.start
    known, waiting = {start}, deque([start])
    while waiting:
        state = waiting.popleft()
        moves = steps.moves(state)
        for move in moves:
            if move.eager:
                yield from (
                    fault
                    for other in moves
                    if other.thread != move.thread
                    for fault in _diamond(steps, state, move, other)
                )
            if move.after not in known:
                if len(known) >= bound:
                    raise OverflowError(f"there are more than {bound:,} states")
                known.add(move.after)
                waiting.append(move.after)


def _diamond(steps: Steps, state: State, eager: Move, other: Move) -> Iterator[str]:
    first = _same(steps, eager.after, other)
    last = _same(steps, other.after, eager)
    what = f"{eager.row.label} of {eager.thread} and {other.row.label} of {other.thread}"
    if first is None or last is None:
        yield f"{what}: one prevents the other"
    elif first.after != last.after:
        yield f"{what}: their order makes a difference"
    elif not last.eager:
        yield f"{what}: after the second the first shows itself"
    elif first.shown != other.shown or (
        other.shown and _says(steps, state, other) != _says(steps, eager.after, first)
    ):
        yield f"{what}: after the first the second shows itself otherwise"


def _same(steps: Steps, state: State, move: Move) -> Move | None:
    """The step of the same thread and label from another state."""
    return next(
        (
            found
            for found in steps.moves(state)
            if found.thread == move.thread and found.row.label == move.row.label
        ),
        None,
    )


def _says(steps: Steps, state: State, move: Move) -> list[object]:
    """All that the step's event would say."""
    look, out = steps.look(move.thread, state, move.after), []
    for expression in move.row.columns.values():
        try:
            out.append(expression.value(look))
        except (LookupError, TypeError):
            out.append(LookupError)
    return out
