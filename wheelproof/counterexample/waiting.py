"""The variables that each thread waits for in a state in which no thread can move.

A thread waits for a variable if it could move with the variable's initial value in place of the
present one: a lock that is free again, a count that is zero again. Its holder is read from the
value, which names a thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wheelproof.counterexample.document import Wait
from wheelproof.counterexample.places import places, thread_values
from wheelproof.protocols import Model, State


def waits(model: Model, state: State, sources: Mapping[str, str]) -> tuple[Wait, ...]:
    """The threads that have not ended, each with its next label and the places that it waits for.

    Empty where a thread can move or all have ended. ``sources``: label -> "file:line".
    """
    if model.successors(state) or model.final(state):
        return ()
    final = _finals(model, state)
    return tuple(
        _wait(model, state, index, sources)
        for index in range(len(model.threads))
        if index not in final
    )


def _finals(model: Model, state: State) -> set[int]:
    """The threads whose last step is done: no label of the algorithm is next."""
    return {index for index, process in enumerate(state[1]) if process[0] not in model.labels}


def _wait(model: Model, state: State, index: int, sources: Mapping[str, str]) -> Wait:
    label = str(state[1][index][0])
    now = places(model, state)
    holders: dict[str, list[str]] = {}
    for released_state in _releases(model, state):
        if any(mover == index for mover, _, _ in model.successors(released_state)):
            then = places(model, released_state)
            for place, value in now.items():
                if then[place] != value:
                    holders[place] = [
                        name
                        for name in model.threads
                        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", value)
                    ]
    holders_there = {place: names for place, names in holders.items() if names} or holders
    return Wait(
        model.threads[index],
        label,
        sources.get(label),
        tuple(holders_there),
        tuple(dict.fromkeys(name for names in holders_there.values() for name in names)),
        _locals(model, state, index),
    )


def _locals(model: Model, state: State, index: int) -> dict[str, str]:
    """The thread's own variables that have another value than initially."""
    first = thread_values(model, model.initial(), index)
    return {
        name: text
        for name, text in thread_values(model, state, index).items()
        if text != first[name]
    }


def _releases(model: Model, state: State) -> Iterator[State]:
    """The state with one variable at a time as it is initially."""
    variables, threads = state
    initial = model.initial()[0]
    for at, (value, first) in enumerate(zip(variables, initial, strict=True)):
        if value != first:
            yield ((*variables[:at], first, *variables[at + 1 :]), threads)
