"""A behaviour of a machine that explains a log: searched over all orders that the log allows.

In an exact log each event is one step, in the order of the lines. An event with a beginning and an
end may have happened at any moment between them, so that events that overlap may swap. Hidden
actions may happen anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wheelproof.errors import Inconclusive
from wheelproof.tla.logs.mapping import Event, plain
from wheelproof.tla.plain.machine import Label, Machine, State
from wheelproof.tla.values import canonical
from wheelproof.tlc.values import Value

PLACES = 200_000
"""The most pairs of events and a state that one search visits."""

Done = tuple[int, frozenset[int]]
"""The events that have happened: all before a number, and these behind it."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of a search.

    explained: the most events that a behaviour explains. states: the states that the machine may
    be in behind them. pending: the events that none of them explains; () for a log that is
    explained whole.
    """

    explained: int
    states: tuple[State, ...]
    pending: tuple[Event, ...]


class Search:
    """Searches of logs on one machine, whose steps are computed once."""

    def __init__(self, machine: Machine, hidden_actions: frozenset[str]) -> None:
        self.machine, self.hidden = machine, hidden_actions
        self._steps: dict[State, list[tuple[Label, State]]] = {}
        self._values: dict[State, Mapping[str, Value]] = {}
        self.variables = {name: place for place, name in enumerate(machine.variables)}

    def run(self, events: Sequence[Event], starts: Iterable[State] | None = None) -> Verdict:
        """Search an explanation of events from the initial states, or from others.

        Raises Inconclusive where it has more than PLACES.
        """
        if starts is None:
            starts = [state for _, _, state in self.machine.initial()]
        level: dict[Done, dict[State, None]] = {
            (0, frozenset()): dict.fromkeys(self.closed(starts))
        }
        place_count = 0
        for count in range(len(events)):
            following: dict[Done, dict[State, None]] = {}
            for progress, states in level.items():
                for number in self.possible(events, progress):
                    place_count += len(states)
                    after = self.closed(self.after(states, events[number]))
                    if after:
                        following.setdefault(_with(progress, number), {}).update(
                            dict.fromkeys(after)
                        )
            if place_count > PLACES:
                raise Inconclusive(
                    f"The log has more than {PLACES:,} places of events and states.",
                    "Show more variables in the log, or cut it.",
                )
            if not following:
                pending = {
                    number for progress in level for number in self.possible(events, progress)
                }
                states = dict.fromkeys(state for part in level.values() for state in part)
                return Verdict(count, tuple(states), tuple(events[n] for n in sorted(pending)))
            level = following
        states = dict.fromkeys(state for part in level.values() for state in part)
        return Verdict(len(events), tuple(states), ())

    def possible(self, events: Sequence[Event], progress: Done) -> Iterator[int]:
        """The events that may happen next: none that begins behind the end of another one."""
        first, numbers_done = progress
        limit = float("inf")
        for number in range(first, len(events)):
            if number in numbers_done:
                continue
            if events[number].begin > limit:
                return
            limit = min(limit, events[number].end)
            yield number

    def after(self, states: Iterable[State], event: Event) -> list[State]:
        """The states behind an event."""
        return [
            after
            for state in states
            for label, after in self.steps(state)
            if not self.differences(event, label, after)
        ]

    def closed(self, states: Iterable[State]) -> list[State]:
        """States, and those that hidden actions lead to."""
        result = dict.fromkeys(states)
        waiting = list(result) if self.hidden else []
        while waiting:
            for label, after in self.steps(waiting.pop()):
                if label[0] in self.hidden and after not in result:
                    result[after] = None
                    waiting.append(after)
                    if len(result) > PLACES:
                        raise Inconclusive(
                            f"Hidden actions lead to more than {PLACES:,} states.",
                            "Give these actions an event.",
                        )
        return list(result)

    def steps(self, state: State) -> list[tuple[Label, State]]:
        """The steps of a state, each once."""
        steps = self._steps.get(state)
        if steps is None:
            moves = self.machine.successors(state)
            steps = list(dict.fromkeys((label, after) for _, label, after in moves))
            self._steps[state] = steps
        return steps

    def differences(
        self, event: Event, label: Label, after: State
    ) -> dict[tuple[str, Value | None], Value | None]:
        """The places that a step and an event show differently: place -> its value.

        The place ("action", None) stands for another action or argument.
        """
        name, arguments = label
        if event.actions:
            pairs = event.arguments.get(name, {})
            fits = name in event.actions and all(
                at < len(arguments) and self.value(arguments[at]) == value
                for at, value in pairs.items()
            )
            if not fits:
                return {("action", None): None}
        elif name in self.hidden:
            return {("action", None): None}
        out: dict[tuple[str, Value | None], Value | None] = {}
        for (variable, argument), value in event.shown.items():
            here = self.shown(after, variable, argument)
            if (
                here is None
                or here != value
                or (here.__class__ is bool) != (value.__class__ is bool)
            ):
                out[variable, argument] = here
        return out

    def shown(self, state: State, variable: str, argument: Value | None) -> Value | None:
        """The value of a place; None for one that the state has not."""
        whole = self.value(state[self.variables[variable]])
        if argument is None:
            return whole
        if isinstance(whole, tuple):
            within = isinstance(argument, int) and 1 <= argument <= len(whole)
            return whole[argument - 1] if within else None
        return whole.get(argument) if isinstance(whole, Mapping) else None

    def value(self, value: Value) -> Value:
        """A value of the machine as logs have it."""
        return plain(canonical(value))


def _with(progress: Done, number: int) -> Done:
    first, numbers_done = progress[0], progress[1] | {number}
    while first in numbers_done:
        numbers_done -= {first}
        first += 1
    return first, numbers_done
