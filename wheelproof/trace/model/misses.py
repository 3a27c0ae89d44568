"""Reasons why an event is no step of the model, for people."""

from __future__ import annotations

from collections.abc import Iterable

from wheelproof.protocols import State
from wheelproof.trace.model.following import Steps
from wheelproof.trace.model.places import Move, Place, Values


def possible(steps: Steps, places: Iterable[Place]) -> tuple[str, ...]:
    """The events that are possible next, each once: ``f: lock_acquire(list l2) A1``."""
    return tuple(
        sorted(
            {
                _step_shown(steps, place.state, move)
                for place in places
                for move in steps.moves(place.state)
                if move.shown and place.settled(move.thread)
            }
        )
    )


def _step_shown(steps: Steps, state: State, move: Move) -> str:
    look, parts = steps.look(move.thread, state, move.after), []
    for column, expression in move.row.columns.items():
        if column[1] is None and column[0] != "res":
            try:
                parts.append(f"{column[0]} {expression.value(look)}")
            except (LookupError, TypeError):
                continue
    return f"{move.thread}: {move.row.kind}({', '.join(parts)}) {move.row.label}"


def why(steps: Steps, places: Iterable[Place], thread: str, kind: str, values: Values) -> str:
    """Why an event is no step in any of the places: the step that is nearest to it."""
    near: set[str] = set()
    at: set[str] = set()
    for place in places:
        row = steps.row_of(place.state, thread)
        at.add(row.label if row is not None else "its end")
        move = steps.move(place.state, steps.number(thread))
        if move is None or not move.shown or move.row.kind != kind:
            continue
        if differs := steps.agrees(
            move.row.columns, values, steps.look(thread, place.state, move.after)
        ):
            column, ours, theirs = differs
            near.add(
                f"{column} is {_text(ours)}, and {_text(theirs)} in the model ({move.row.label})"
            )
        else:
            near.add("an event before it has not met its step")
    if near:
        return f"{thread}'s {kind} differs: " + "; or ".join(sorted(near)[:3])
    return f"{thread} can show no {kind} there: it is at {', '.join(sorted(at)) or 'nothing'}"


def _text(value: object) -> str:
    return "none" if value is None else str(value)
