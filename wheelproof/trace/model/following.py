"""The states that a model may be in while a trace goes by.

Some steps of the model have an event, others have none. A step without an event may be taken at any
moment before its thread's next event. All those moments are followed, except of eager steps: no
other thread can see or prevent them, so that their moment does not matter, and they are taken at
once. So the set of states branches only where threads race.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from wheelproof import protocols
from wheelproof.errors import ToolError
from wheelproof.project.mechanism import value_of
from wheelproof.protocols import ModelInPlace, Scenario, State
from wheelproof.trace.model.expressions import Expression, Look
from wheelproof.trace.model.observed import (
    AFTER,
    BEFORE,
    HELD,
    NAMED,
    OPENED,
    STOP,
    WAITS,
    Column,
    Row,
    Table,
    Unknown,
    compared,
    field_of,
    spoken_column,
)
from wheelproof.trace.model.places import Move, Place, Spent, Values, begun

KEPT = 50_000
"""Steps that are kept. Beyond them the store is emptied, and steps are computed again."""

CELLS = 5_000_000
"""Values of variables in the steps that are kept: of large states fewer are."""


EVENT = "event"
"""The name by which an expression reads the event itself: ``event.list``, ``event.pre_key_ms``."""

ENDLESS = 100_000
"""Eager steps in a row after which the table is wrong: they form a cycle."""


class Steps:
    """The steps of one program's model. ``kinds``: of event that were recorded, None for all.
    ``begins``: values of shared variables in the first state, where they are not the model's own.
    ``taken``: label -> events that were a step of it.

    Raises Unknown where no model can be made of the program.
    """

    def __init__(
        self,
        table: Table,
        program: Scenario,
        kinds: frozenset[str] | None = None,
        begins: Mapping[str, object] | None = None,
    ) -> None:
        mechanism = table.mechanism
        self.table, self.kinds = table, kinds
        self.taken: Counter[str] = Counter()
        try:
            self.constants = {
                name: value_of(rule, program) for name, rule in mechanism.constants.items()
            }
            model = mechanism.model_of(program)
            if not isinstance(model, ModelInPlace):
                raise AttributeError("the model cannot be followed in place")
            self.model: ModelInPlace = model
            self.start = begun(self.model, begins or {})
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise Unknown(
                f"no {mechanism.module} can be made of the program ({type(error).__name__}: "
                f"{error})"
            ) from error
        names = (*self.model.variables, *self.model.process_variables)
        self._index = {name: number for number, name in enumerate(names)}
        self._number = {thread: number for number, thread in enumerate(self.model.threads)}
        self._pc = mechanism.pc
        self._at_rest = (
            frozenset(
                row.label
                for row in table.rows.values()
                if self.captured(row) and row.floats is None and (row.when is None or row.eager)
            )
            | table.passes
        )
        self._kept = min(KEPT, CELLS // (1 + len(self.start[0])))
        self._moves: dict[tuple[State, int], Move | None] = {}
        self._values: dict[tuple[int, protocols.Values], object] = {}

    def captured(self, row: Row) -> bool:
        """Whether events of a label's kind are in the trace, if they took place."""
        return bool(row.kind) and (self.kinds is None or row.kind in self.kinds)

    # -- values

    def look(self, thread: str, before: State, after: State | None) -> Look:
        """Names as an expression sees them, for one step of ``thread``."""
        pieces: list[tuple[protocols.Values, ...] | None] = [None, None]

        def value(name: str, is_primed: bool) -> object:
            if name == "self":
                return thread
            index = self._index.get(name)
            if index is None:
                return self.constants[name]
            variables = pieces[is_primed]
            if variables is None:
                state = after if is_primed else before
                if state is None:
                    raise LookupError(f"{name} is read after a step that is not taken")
                variables = pieces[is_primed] = self.model.pieces(state)
            return self._value(index, name, variables[index])

        return value

    def _value(self, index: int, name: str, piece: protocols.Values) -> object:
        """A variable's value, as the model gives it to TLA+."""
        key = index, piece
        if key not in self._values:
            if len(self._values) > self._kept:
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
        """The step of one thread from a state, and whether a trace shows it; None if it is blocked
        or at its end."""
        key = state, index
        if key not in self._moves:
            if len(self._moves) > self._kept:
                self._moves.clear()
            self._moves[key] = self._step(state, index)
        return self._moves[key]

    def moves(self, state: State) -> list[Move]:
        """The steps of all threads."""
        return [
            move
            for index in range(len(self.model.threads))
            if (move := self.move(state, index)) is not None
        ]

    def _step(self, state: State, index: int) -> Move | None:
        self.model.load(state)
        label = self._in_place(index)
        if label is None:
            return None
        thread, row, after = self.model.threads[index], self.table.rows[label], self.model.freeze()
        says = bool(row.kind) and (
            row.when is None or self.holds(row.when, self.look(thread, state, after))
        )
        visible = says and self.captured(row)
        sign: tuple[object, ...] = ()
        if visible and row.floats is not None:
            look = self.look(thread, state, after)
            if self._result(row, look) == row.floats:
                visible, sign = False, self._sign(row, look)
        return Move(thread, row, after, visible, row.eager and not says, sign)

    def _result(self, row: Row, look: Look) -> str:
        return "true" if self.holds(row.columns["res", None], look) else "false"

    def _sign(self, row: Row, look: Look) -> tuple[object, ...]:
        """Of a step whose event floats: its kind, and the ids in it."""
        return (
            row.kind,
            *(row.columns[column].value(look) for column in sorted(NAMED & row.columns.keys())),
        )

    def _in_place(self, index: int) -> str | None:
        try:
            return self.model.step(index)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise Unknown(
                f"the program cannot be run on the model ({type(error).__name__}: {error})"
            ) from error

    def normal(self, state: State, threads: Iterable[int] | None = None) -> State:
        """The state after all steps that ``threads`` (all without) may take at once."""
        for index in range(len(self.model.threads)) if threads is None else threads:
            state = self._settle(state, index)
        return state

    def _settle(self, state: State, index: int) -> State:
        self.model.load(state)
        process, is_moved = self.model.processes[index], False
        for _ in range(ENDLESS):
            row = self.table.rows.get(vars(process)[self._pc])
            if row is None or not row.eager or (row.kind and row.when is None):
                break
            if row.kind:  # whether it shows itself is known only when it is taken
                state = self.model.freeze() if is_moved else state
                move = self.move(state, index)
                if move is None or not move.eager:
                    return state
                state, is_moved = move.after, False
                self.model.load(state)
            elif self._in_place(index) is None:
                break
            else:
                is_moved = True
        else:
            raise ToolError(
                f"The eager steps of {self.table.mechanism.module} go in a circle.",
                "Take one of them out of eager in its table.",
            )
        return self.model.freeze() if is_moved else state

    def hidden(self, places: Iterable[Place], budget: int) -> set[Place]:
        """The places, and those that steps without an event lead to. Raises Spent."""
        visits = set(places)
        waiting = list(visits)
        while waiting:
            place = waiting.pop()
            for index, label in enumerate(self.labels(place.state)):
                if label in self._at_rest or label not in self.table.rows:
                    continue
                move = self.move(place.state, index)
                if move is None or move.shown:
                    continue
                if move.row.recorded == BEFORE and place.settled(move.thread):
                    continue
                debts = place.met(move.thread, False, move.sign) if move.sign else place.debts
                if debts is None:
                    continue
                after = Place(self.normal(move.after, (index,)), debts)
                if after not in visits:
                    if len(visits) >= budget:
                        raise Spent(f"the model may be in more than {budget:,} states")
                    visits.add(after)
                    waiting.append(after)
        return visits

    def labels(self, state: State) -> tuple[str, ...]:
        """The label that each thread stands at."""
        return tuple([frame[0] for frame in state[1]])

    # -- events

    def agrees(
        self,
        columns: Mapping[Column, Expression],
        values: Values,
        look: Look,
        before_only: bool = False,
    ) -> tuple[str, object, object] | None:
        """The first column that an event has otherwise than the step: (column, the event's value,
        the step's); None if they agree.

        An event that names an object of a class that the step does not touch is not the step's.
        """
        for column in values:
            if column in NAMED and column not in columns:
                return spoken_column(column), values[column], None

        def look_with_event(name: str, is_primed: bool) -> object:
            if name != EVENT:
                return look(name, is_primed)
            return {field_of(column): value for column, value in values.items()}

        for column, expression, value in compared(columns, values):
            if before_only and expression.primed:
                continue
            try:
                result = expression.value(look_with_event)
            except (LookupError, TypeError):
                result = None
            if column[0] == "res":
                result = "true" if result else "false"
            if result != value:
                return spoken_column(column), value, result
        return None

    def stands(self, state: State, thread: str, kind: str, values: Values) -> bool:
        """Whether the thread stands in front of the lock that an event names, where a mark of this
        kind is made that ends a bracket, or at its end."""
        row = self.row_of(state, thread)
        if row is None:
            return kind == STOP
        columns = (
            row.columns
            if kind == WAITS and row.lock
            else row.marks.get(kind)
            if values.get(OPENED)
            else None
        )
        return (
            columns is not None
            and self.agrees(columns, values, self.look(thread, state, None), before_only=True)
            is None
        )

    def number(self, thread: str) -> int:
        """The thread's number in the model."""
        return self._number[thread]

    def row_of(self, state: State, thread: str) -> Row | None:
        """The label that a thread stands at; None at its end."""
        return self.table.rows.get(self.labels(state)[self._number[thread]])

    def after(self, places: Iterable[Place], thread: str, kind: str, values: Values) -> set[Place]:
        """The places after an event, those in which the model could not take it left out."""
        index, out, labels = self._number[thread], set(), set()
        floating = self._floating(kind, values)
        for place in places:
            if floating:
                row, sign = floating
                debts = place.met(thread, True, sign)
                if debts is not None and self._in_time(row, place, index):
                    out.add(Place(place.state, debts))
                    labels.add(row.label)
            elif not place.settled(thread):
                continue
            elif self.stands(place.state, thread, kind, values):
                out.add(place)
            elif (move := self.move(place.state, index)) is not None and self._is(
                move, place.state, kind, values
            ):
                out.add(Place(self.normal(move.after, (index,)), place.debts))
                labels.add(move.row.label)
        self.taken.update(labels)
        return out

    def repeated(self, places: Iterable[Place], thread: str, label: str, times: int) -> set[Place]:
        """The places after a thread alone has taken so many steps of a label, with its other steps
        between them; those in which it cannot are left out."""
        index, out = self._number[thread], set()
        for place in places:
            self.model.load(place.state)
            remaining = times
            while remaining and (step := self._in_place(index)) is not None:
                remaining -= step == label
            if not remaining:
                out.add(Place(self.normal(self.model.freeze(), (index,)), place.debts))
        if out:
            self.taken[label] += times
        return out

    def _is(self, move: Move, state: State, kind: str, values: Values) -> bool:
        return (
            move.shown
            and move.row.kind == kind
            and self.agrees(move.row.columns, values, self.look(move.thread, state, move.after))
            is None
        )

    def _floating(self, kind: str, values: Values) -> tuple[Row, tuple[object, ...]] | None:
        """The row of an event that floats, and its sign; None for others."""
        row = next(
            (
                row
                for row in self.table.rows.values()
                if row.kind == kind
                and row.floats is not None
                and values.get(("res", None)) == row.floats
                and not values.get(HELD)
            ),
            None,
        )
        if row is None:
            return None
        identifiers = sorted(NAMED & row.columns.keys())
        return row, (kind, *(values.get(column) for column in identifiers))

    def _in_time(self, row: Row, place: Place, index: int) -> bool:
        """Whether an event that floats may be seen now: where it comes after its step the step was
        taken, and where it comes before it the thread is about to take it."""
        if not row.recorded:
            return True
        is_settled = place.settled(self.model.threads[index])
        if row.recorded == AFTER:
            return not is_settled
        return is_settled and self.labels(place.state)[index] == row.label

    def ended(self, place: Place) -> bool:
        """Whether every thread is at its end, and all that floats has met."""
        return not place.debts and self.model.final(place.state)
