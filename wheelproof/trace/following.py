"""Which states a model may be in while a trace goes by: its own steps, those that an event shows and those that nothing shows.

A step without an event may have been taken at any moment before its thread's next event. All those moments are followed, except of steps that the
table calls eager: no other thread can see or prevent them, so that it is all one when they are taken, and they are taken at once. That keeps the
set small: it branches only where threads race.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from wheelproof.errors import ToolError
from wheelproof.trace.expressions import Expression, Look
from wheelproof.trace.observed import NAMED, WAITS, Names, Row, Table, Unknown, asked, spoken_column

State = Any
Said = Mapping[tuple[str, str | None], Any]

KEPT = 50_000
"""So many steps are remembered, then they are worked out anew."""

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
            self.constants = {name: _constant(rule, program) for name, rule in mechanism.constants.items()}
            self.model = mechanism.model_module.Model(program, dict(switches))
            self.start = self.model.initial()
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise Unknown(f"no {mechanism.module} can be made of the program ({type(error).__name__}: {error})") from error
        names = (*self.model.variables, *self.model.process_variables)
        self._index = {name: number for number, name in enumerate(names)}
        self._number = {thread: number for number, thread in enumerate(self.model.threads)}
        self._pc = mechanism.pc
        self._at_rest = frozenset(row.label for row in table.rows.values() if self.captured(row) and (row.when is None or row.eager))
        self._moves: dict[tuple[State, int], Move | None] = {}
        self._values: dict[tuple[int, Any], Any] = {}

    def captured(self, row: Row) -> bool:
        """Whether events of a label's kind are in the trace, if they took place."""
        return bool(row.kind) and (self.kinds is None or row.kind in self.kinds)

    # -- values

    def look(self, thread: str, before: State, after: State | None) -> Look:
        """Names as an expression sees them, for one step of ``thread``."""
        states, pieces = (before, after), [None, None]

        def value(name: str, primed: bool) -> Any:
            if name == "self":
                return thread
            index = self._index.get(name)
            if index is None:
                return self.constants[name]
            seen = pieces[primed]
            if seen is None:
                if states[primed] is None:
                    raise LookupError(f"{name} is asked after a step that is not taken")
                seen = pieces[primed] = self.model.pieces(states[primed])
            return self._value(index, name, seen[index])

        return value

    def _value(self, index: int, name: str, piece: Any) -> Any:
        """A variable's value, as the twin gives it to TLA+."""
        key = index, piece
        if key not in self._values:
            if len(self._values) > KEPT:
                self._values.clear()
            self._values[key] = self.model.tla(name, piece)
        return self._values[key]

    def holds(self, expression: Expression, look: Look) -> bool:
        """Whether a condition holds; an expression that has no value there does not."""
        try:
            return bool(expression.value(look))
        except (LookupError, TypeError):
            return False

    # -- steps

    def move(self, state: State, index: int) -> Move | None:
        """The step of one thread from a state, with what a trace shows of it; None if it is blocked or at its end."""
        key = state, index
        if key not in self._moves:
            if len(self._moves) > KEPT:
                self._moves.clear()
            self._moves[key] = self._step(state, index)
        return self._moves[key]

    def moves(self, state: State) -> list[Move]:
        """The steps of all threads."""
        return [move for index in range(len(self.model.threads)) if (move := self.move(state, index)) is not None]

    def _step(self, state: State, index: int) -> Move | None:
        self.model.load(state)
        label = self._in_place(index)
        if label is None:
            return None
        thread, row, after = self.model.threads[index], self.table.rows[label], self.model.freeze()
        says = bool(row.kind) and (row.when is None or self.holds(row.when, self.look(thread, state, after)))
        return Move(thread, row, after, says and self.captured(row), row.eager and not says)

    def _in_place(self, index: int) -> str | None:
        try:
            return self.model.step(index)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise Unknown(f"the program cannot be run on the model ({type(error).__name__}: {error})") from error

    def normal(self, state: State, threads: Iterable[int] | None = None) -> State:
        """The state after all steps that ``threads`` (all without) may take at once."""
        for index in range(len(self.model.threads)) if threads is None else threads:
            state = self._settled(state, index)
        return state

    def _settled(self, state: State, index: int) -> State:
        self.model.load(state)
        process, moved = self.model.processes[index], False
        for _ in range(ENDLESS):
            row = self.table.rows.get(vars(process)[self._pc])
            if row is None or not row.eager or (row.kind and row.when is None):
                break
            if row.kind:  # whether it shows itself is known only when it is taken
                state = self.model.freeze() if moved else state
                move = self.move(state, index)
                if move is None or not move.eager:
                    return state
                state, moved = move.after, False
                self.model.load(state)
            elif self._in_place(index) is None:
                break
            else:
                moved = True
        else:
            raise ToolError(f"The eager steps of {self.table.mechanism.module} go in a circle.", "Take one of them out of eager in its table.")
        return self.model.freeze() if moved else state

    def hidden(self, states: Iterable[State], budget: int) -> set[State]:
        """The states, and those that steps without an event lead to. Raises Spent."""
        known = set(states)
        waiting = list(known)
        while waiting:
            state = waiting.pop()
            for index, label in enumerate(self.labels(state)):
                if label in self._at_rest or label not in self.table.rows:
                    continue
                move = self.move(state, index)
                if move is None or move.shown:
                    continue
                after = self.normal(move.after, (index,))
                if after not in known:
                    if len(known) >= budget:
                        raise Spent(f"the model may be in more than {budget:,} states")
                    known.add(after)
                    waiting.append(after)
        return known

    def labels(self, state: State) -> tuple[str, ...]:
        """The label that each thread stands at."""
        return self.model.pieces(state)[self._index[self._pc]]

    # -- events

    def agrees(self, row: Row, said: Said, look: Look, before_only: bool = False) -> tuple[str, Any, Any] | None:
        """The first column that an event has otherwise than the step: (column, the event's value, the step's); None if they agree.

        An event that names an object of a class that the step does not touch is not the step's.
        """
        for column in said:
            if column in NAMED and column not in row.columns:
                return spoken_column(column), said[column], None
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
        return self.table.rows.get(self.labels(state)[self._number[thread]])

    def after(self, states: Iterable[State], thread: str, kind: str, said: Said) -> set[State]:
        """The states after an event, those in which the model could not take it left out."""
        if kind == WAITS:
            return {state for state in states if self.waits(state, thread, said)}
        index, out = self._number[thread], set()
        for state in states:
            move = self.move(state, index)
            if move is not None and move.shown and move.row.kind == kind and self.agrees(move.row, said, self.look(thread, state, move.after)) is None:
                out.add(self.normal(move.after, (index,)))
        return out

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
            move = self.move(state, self._number[thread])
            if move is not None and move.shown and move.row.kind == kind:
                differs = self.agrees(move.row, said, self.look(thread, state, move.after))
                if differs is not None:
                    column, mine, theirs = differs
                    near[f"{column} is {_shown(mine)}, and {_shown(theirs)} in the model ({move.row.label})"] = None
        if near:
            return f"{thread}'s {kind} differs: " + "; or ".join(list(near)[:3])
        return f"{thread} cannot take a {kind} there: it is at {', '.join(places) or 'nothing'}"


def _constant(rule: Mapping[str, str], program: Mapping[str, Any]) -> Any:
    """A constant of the specification, from the program's field."""
    value = program[rule["field"]]
    return frozenset(value) if rule["as"] == "set" else value


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


def said_by(names: Names, event: Mapping[str, Any]) -> tuple[str, str, Said]:
    """(thread, kind, what is said) of an event. Raises Unknown."""
    return names.thread(event), event["k"], names.said(event)
