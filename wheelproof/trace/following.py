"""Which states a model may be in while a trace goes by: its own steps, those that an event shows and those that nothing shows.

A step without an event may have been taken at any moment before its thread's next event. All those moments are followed, except of steps that the
table calls eager: no other thread can see or prevent them, so that it is all one when they are taken, and they are taken at once. That keeps the
set small: it branches only where threads race.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from wheelproof.errors import ToolError
from wheelproof.layers.bench import value_of
from wheelproof.trace.expressions import Expression, Look
from wheelproof.trace.observed import WAITS, Names, Row, Table, Unknown, asked, spoken_column

State = Any
Said = Mapping[tuple[str, str | None], Any]

KEPT = 50_000
"""Steps of so many states are remembered, then they are worked out anew."""

ENDLESS = 100_000
"""Eager steps in a row after which the table is wrong: they go in a circle."""


class Spent(Exception):
    """More states than the budget allows: nothing follows."""


class Move(NamedTuple):
    """One step of the model from a state: ``shown`` is whether an event stands for it, ``eager`` whether it may be taken at once."""

    thread: str
    row: Row
    after: State
    shown: bool
    eager: bool


class Steps:
    """The steps of one program's model. ``kinds``: those that were recorded, None for all. ``switches``: decisions taken away.

    Raises Unknown where no model can be made of the program.
    """

    def __init__(self, table: Table, program: Mapping[str, Any], kinds: frozenset[str] | None = None, switches: Mapping[str, bool] = {}) -> None:
        mechanism = table.mechanism
        self.table, self.kinds = table, kinds
        try:
            self.constants = {name: value_of(rule, program) for name, rule in mechanism.constants.items()}
            self.model = mechanism.model_module.Model(program, dict(switches))
            self.start = self.model.initial()
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise Unknown(f"no {mechanism.module} can be made of the program ({type(error).__name__}: {error})") from error
        self._index = {name: number for number, name in enumerate((*self.model.variables, *self.model.process_variables))}
        self._pc = mechanism.pc
        self._moves: dict[State, list[Move]] = {}
        self._values: dict[tuple[int, Any], Any] = {}
        self._pieces: dict[State, tuple] = {}

    # -- values

    def look(self, thread: str, before: State, after: State | None) -> Look:
        """Names as an expression sees them, for one step of ``thread``."""
        def value(name: str, primed: bool) -> Any:
            if name == "self":
                return thread
            if name in self._index:
                return self.variable(name, after if primed else before)
            return self.constants[name]
        return value

    def variable(self, name: str, state: State) -> Any:
        """A variable's value in a state, as the twin gives it to TLA+."""
        if state is None:
            raise LookupError(f"{name} is asked after a step that is not taken")
        index = self._index[name]
        pieces = self._pieces.get(state)
        if pieces is None:
            if len(self._pieces) > KEPT:
                self._pieces.clear()
                self._values.clear()
            pieces = self._pieces[state] = self.model.pieces(state)
        key = index, pieces[index]
        if key not in self._values:
            self._values[key] = self.model.tla(name, pieces[index])
        return self._values[key]

    def holds(self, expression: Expression, look: Look) -> bool:
        """Whether a condition holds; an expression that has no value there does not."""
        try:
            return bool(expression.value(look))
        except (LookupError, TypeError):
            return False

    # -- steps

    def moves(self, state: State) -> list[Move]:
        """Every step from a state, with what a trace shows of it."""
        found = self._moves.get(state)
        if found is None:
            if len(self._moves) > KEPT:
                self._moves.clear()
            try:
                successors = self.model.successors(state)
            except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
                raise Unknown(f"the program cannot be run on the model ({type(error).__name__}: {error})") from error
            found = self._moves[state] = [self._move(state, *step) for step in successors]
        return found

    def _move(self, state: State, index: int, label: str, after: State) -> Move:
        thread, row = self.model.threads[index], self.table.rows[label]
        says = bool(row.kind) and (row.when is None or self.holds(row.when, self.look(thread, state, after)))
        return Move(thread, row, after, says and (self.kinds is None or row.kind in self.kinds), row.eager and not says)

    def normal(self, state: State) -> State:
        """The state after all steps that may be taken at once."""
        for _ in range(ENDLESS):
            move = next((move for move in self.moves(state) if move.eager), None)
            if move is None:
                return state
            state = move.after
        raise ToolError(f"The eager steps of {self.table.mechanism.module} go in a circle.", "Take one of them out of eager in its table.")

    def hidden(self, states: Iterable[State], budget: int) -> set[State]:
        """The states, and those that steps without an event lead to. Raises Spent."""
        known = set(states)
        waiting = list(known)
        while waiting:
            for move in self.moves(waiting.pop()):
                if move.shown:
                    continue
                after = self.normal(move.after)
                if after not in known:
                    if len(known) >= budget:
                        raise Spent(f"the model may be in more than {budget:,} states")
                    known.add(after)
                    waiting.append(after)
        return known

    # -- events

    def agrees(self, row: Row, said: Said, look: Look, before_only: bool = False) -> tuple[str, Any, Any] | None:
        """The first column that an event has otherwise than the step: (column, the event's value, the step's); None if they agree."""
        for column, expression, value in asked(row, said):
            if before_only and expression.primed:
                continue
            try:
                found = expression.value(look)
            except (LookupError, TypeError):
                found = None
            if column[0] == "res":
                found = "true" if found else "false"
            if found != value:
                return spoken_column(column), value, found
        return None

    def waits(self, state: State, thread: str, said: Said) -> bool:
        """Whether the thread stands in front of the lock that the event names."""
        row = self.row_of(state, thread)
        return row is not None and row.lock and self.agrees(row, said, self.look(thread, state, None), before_only=True) is None

    def row_of(self, state: State, thread: str) -> Row | None:
        """The label that a thread stands at; None at its end."""
        return self.table.rows.get(self.variable(self._pc, state)[thread])

    def after(self, states: Iterable[State], thread: str, kind: str, said: Said) -> set[State]:
        """The states after an event, those in which the model could not take it left out."""
        if kind == WAITS:
            return {state for state in states if self.waits(state, thread, said)}
        return {self.normal(move.after) for state in states for move in self.moves(state)
                if move.shown and move.thread == thread and move.row.kind == kind and self.agrees(move.row, said, self.look(thread, state, move.after)) is None}

    def ended(self, state: State) -> bool:
        """Whether every thread is at its end."""
        return self.model.final(state)

    # -- for people

    def could(self, states: Iterable[State]) -> tuple[str, ...]:
        """What could be shown next, by whom: ``f: list_add(entry e1, list l2) A9``, each once."""
        found = dict.fromkeys(self._told(state, move) for state in states for move in self.moves(state) if move.shown)
        return tuple(sorted(found))

    def _told(self, state: State, move: Move) -> str:
        look, parts = self.look(move.thread, state, move.after), []
        for column, expression in move.row.columns.items():
            if column[1] is None and column[0] != "res":
                try:
                    parts.append(f"{column[0]} {expression.value(look)}")
                except (LookupError, TypeError):
                    continue
        return f"{move.thread}: {move.row.kind}({', '.join(parts)}) {move.row.label}"

    def why(self, states: Iterable[State], thread: str, kind: str, said: Said) -> str:
        """Why an event is no step in any of the states: the nearest miss."""
        near: dict[str, None] = {}
        places: dict[str, None] = {}
        for state in states:
            row = self.row_of(state, thread)
            places[row.label if row is not None else "its end"] = None
            for move in self.moves(state):
                if move.thread == thread and move.shown and move.row.kind == kind:
                    differs = self.agrees(move.row, said, self.look(thread, state, move.after))
                    if differs is not None:
                        column, mine, theirs = differs
                        near[f"{column} is {_shown(mine)}, and {_shown(theirs)} in the model ({move.row.label})"] = None
        if near:
            return f"{thread}'s {kind} differs: " + "; or ".join(list(near)[:3])
        return f"{thread} cannot take a {kind} there: it is at {', '.join(places) or 'nothing'}"


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


def said_by(names: Names, event: Mapping[str, Any]) -> tuple[str, str, Said]:
    """(thread, kind, what is said) of an event. Raises Unknown."""
    return names.thread(event), event["k"], names.said(event)


def slices(items: Iterable[Any], first: int, last: int) -> Iterator[Any]:
    """Items number ``first`` to ``last``, counted from 1."""
    for number, item in enumerate(items, 1):
        if first <= number <= last:
            yield item
