"""The executable model of a module: Init, the steps and the properties of one scenario.

A state is ``(shared, processes)``: a tuple of the shared variables' values, and for each thread the
tuple of its own. Values are those of :mod:`wheelproof.tla.values`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import Any, cast

from wheelproof.choices import choice_of, distinguished, labelled, text_of
from wheelproof.errors import UsageError
from wheelproof.protocols import State, Step, ThreadState, Values
from wheelproof.tla import values
from wheelproof.tla.environment import ERRORS, Alternative, Environment, why
from wheelproof.tla.layout import actions, branches, label_of, layout, mover
from wheelproof.tla.program import Programs
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Formal,
    Level,
    Module,
    OutsideSubset,
    Parameter,
    Text,
    conjuncts,
    disjuncts,
    variables_of,
)
from wheelproof.tla.values import Map, Undefined

Action = Callable[[Values, tuple[ThreadState, ...], int, ThreadState, str, list[Step]], None]


NOWHERE: ThreadState = ("",)


class Compiled:
    """A module that is compiled for every scenario. Harnesses write its ``null`` as None."""

    pc: str
    """The variable with each thread's label."""
    auxiliary: frozenset[str]
    """The shared variables that the implementation does not have."""
    result: str
    """The operator with the result of the operation that a thread has just ended, or ""."""

    def __init__(
        self,
        module: Module,
        pc: str = "pc",
        null: str = "NULL",
        auxiliary: frozenset[str] = frozenset(),
        result: str = "",
    ) -> None:
        self.module, self.pc, self.null = module, pc, null
        self.auxiliary, self.result = auxiliary, result
        self._shared: frozenset[str] = frozenset()
        self._programs: Programs | None = None

    @property
    def programs(self) -> Programs:
        """The module's programs with the layout that has fitted so far."""
        if self._programs is None:
            self._programs = Programs(self.module, layout(self.module, self.pc, self._shared))
        return self._programs

    @property
    def behind_pc(self) -> frozenset[str]:
        """The variables that PlusCal declares for processes, be it for some of them only."""
        variables = self.module.variables
        return frozenset(variables[variables.index(self.pc) :] if self.pc in variables else ())

    @cached_property
    def of_processes(self) -> frozenset[str]:
        """The definitions about one state that read variables of threads."""
        variables = frozenset(self.programs.layout.process)
        return frozenset(
            name
            for name, definition in self.module.definitions.items()
            if not definition.formals and variables_of(definition.body) & variables
        )

    def model(self, constants: Mapping[str, object], threads: tuple[str, ...]) -> CompiledModel:
        """The model of a scenario. ``constants``: name -> plain data.

        Raises UsageError where an ASSUME is false or the scenario does not fit the module, and
        OutsideSubset where something is not compiled.
        """
        while True:
            model = CompiledModel(self, constants, threads)
            if not model.shared_too:
                return model
            self._shared |= model.shared_too
            self._programs = None


class Piece(tuple[object, ...]):
    """A variable's value as harnesses write it."""

    value: object
    """The TLA+ value."""


class CompiledModel:
    """A model as :class:`wheelproof.protocols.Model` has it."""

    def __init__(
        self, compilation: Compiled, constants: Mapping[str, object], threads: tuple[str, ...]
    ) -> None:
        self.compiled, self.module, self.threads = compilation, compilation.module, threads
        self.env = Environment(compilation.programs, constants, threads)
        self.layout = compilation.programs.layout
        self.variables, self.process_variables = self.layout.shared, self.layout.process
        self.LOCAL = compilation.behind_pc & frozenset(self.variables)
        self.AUXILIARY = compilation.auxiliary | self.LOCAL
        self.labels = frozenset(map(label_of, actions(self.module)))
        self.shared_too: frozenset[str] = frozenset()
        """The variables that are no functions over the threads, as Init shows."""
        self._null = self.env.constant(compilation.null)
        self._properties: dict[str, Callable[..., object]] = {}
        self._pieces: dict[object, Piece] = {}
        self._ended: Callable[..., bool] = lambda values_shared, processes: False
        self._steps: list[dict[str, list[Action]]] = [{} for _ in threads]
        self._start: State = ((), ())
        self._state: State = self._start
        if compilation.result:
            self.outcomes = self._outcomes
        if self._begin():
            self._next()
            self._assume()

    # -- ASSUME, Init

    def _assume(self) -> None:
        for name, formula in self.module.assumptions:
            if self.env.value(formula) is not True:
                raise UsageError(
                    f"{formula.place}: the scenario breaks ASSUME {name}.", "Correct the scenario."
                )

    def _begin(self) -> bool:
        """Compute the initial state; False where the program has to be made again."""
        initial: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = []
        init = self.env.function(lambda program: program.initial())
        try:
            init(initial)
        except ERRORS as error:
            raise Undefined(
                f"The module {self.module.name}: Init has no value ({why(error)})."
            ) from error
        threads = frozenset(self.threads)
        self.shared_too = frozenset(
            name
            for _, process in initial
            for name, value in zip(self.process_variables, process, strict=True)
            if not (isinstance(value, Map) and value.domain.members == threads)
        )
        if self.compiled.pc in self.shared_too:
            raise UsageError(
                f"The module {self.module.name}: {self.compiled.pc} is no function over the "
                f"scenario's threads {', '.join(self.threads)}.",
                "Make the threads the processes of the algorithm.",
            )
        if self.shared_too:
            return False
        states = dict.fromkeys(initial)
        if len(states) != 1:
            raise UsageError(
                f"The module {self.module.name} has {len(states)} initial states.",
                "Make the choice a constant of the scenario.",
            )
        ((values_shared, process),) = states
        self._start = (
            values_shared,
            tuple(tuple([value[name] for value in process]) for name in self.threads),
        )
        return True

    # -- Next

    def _next(self) -> None:
        place = {name: number for number, name in enumerate(self.threads)}
        for definition, thread in self._leaves(self.module.definition("Next").body, {}):
            label = label_of(definition)
            if not label:
                self._ended = self._terminating(definition)
                continue
            if thread not in place:
                raise UsageError(
                    f"{definition.place}: {definition.name} is a step of {values.text(thread)}, "
                    "and the scenario has no such thread.",
                    "Make the threads the processes of the algorithm.",
                )
            action = self._step(definition)
            self._steps[place[thread]].setdefault(label, []).append(action)

    def _step(self, definition: Definition) -> Action:
        return self.env.function(lambda program: program.step(definition))

    def _leaves(
        self, node: Expression, bound: Mapping[Formal, Any]
    ) -> Iterator[tuple[Definition, Any]]:
        """The steps of a disjunction, each with the thread that it moves."""
        for disjunct in disjuncts(node):
            if isinstance(disjunct, Builtin) and disjunct.name == "$BoundedExists":
                ((formals, _, over),) = ((b.formals, b.pattern, b.domain) for b in disjunct.bounds)
                if over is None or len(formals) != 1:
                    raise OutsideSubset("Next over several names", disjunct.place)
                for thread in values.ordered(self.env.value(over)):
                    yield from self._leaves(disjunct.arguments[0], {**bound, formals[0]: thread})
            elif isinstance(disjunct, Call):
                arguments = [self._argument(value, bound) for value in disjunct.arguments]
                if branches(disjunct.definition.body):
                    inner = dict(zip(disjunct.definition.formals, arguments, strict=True))
                    yield from self._leaves(disjunct.definition.body, inner)
                else:
                    me = mover(disjunct.definition)
                    yield (
                        disjunct.definition,
                        arguments[0] if arguments else isinstance(me, Text) and me.value,
                    )
            else:
                raise OutsideSubset("a disjunct of Next that is not a definition", disjunct.place)

    def _argument(self, node: Expression, bound: Mapping[Formal, Any]) -> Any:
        if isinstance(node, Parameter) and node.formal in bound:
            return bound[node.formal]
        return self.env.value(node)

    def _terminating(self, definition: Definition) -> Callable[..., bool]:
        """The condition of the step without a label, which must change nothing."""
        conditions, same = [], set[str]()
        for conjunct in conjuncts(definition.body):
            if conjunct.level <= Level.STATE:
                conditions.append(conjunct)
            elif isinstance(conjunct, Builtin) and conjunct.name == "UNCHANGED":
                same |= variables_of(conjunct)
        if same != set(self.module.variables):
            raise OutsideSubset(
                f"{definition.name}, a step without a label {self.compiled.pc}[self] = ...,",
                definition.place,
            )
        body = Builtin("$ConjList", tuple(conditions), (), definition.place, Level.STATE)
        condition = Definition(definition.name, definition.place, Level.STATE, body=body)
        return self.env.function(lambda program: program.define(condition))

    # -- states and steps

    def initial(self) -> State:
        return self._start

    def successors(self, state: State) -> list[Step]:
        out: list[Step] = []
        values_shared, processes = state
        index, values = 0, NOWHERE
        try:
            for index, values in enumerate(processes):
                before = len(out)
                for action in self._steps[index].get(values[0], ()):
                    action(values_shared, processes, index, values, self.threads[index], out)
                if len(out) > before and (
                    len(out) > before + 1 or isinstance(out[before][1], Alternative)
                ):
                    out[before:] = self._with_alternatives(out[before:])
        except ERRORS as error:
            raise Undefined(
                f"The module {self.module.name}: {values[0]} of {self.threads[index]} has no value "
                f"in a state ({why(error)})."
            ) from error
        return out

    def _with_alternatives(self, steps: list[Step]) -> list[Step]:
        """The successors of one step, whose labels have the choices in which they differ."""
        choices = distinguished(
            [
                tuple([text_of(self._piece(value)) for value in getattr(label, "values", ())])
                for _, label, _ in steps
            ]
        )
        return [
            (index, labelled(label, choice), after)
            for (index, label, after), choice in zip(steps, choices, strict=True)
        ]

    def final(self, state: State) -> bool:
        return bool(self._ended(*state))

    def holds(self, name: str, state: State) -> bool:
        try:
            return bool(self.predicate(name)(*state))
        except ERRORS as error:
            raise Undefined(
                f"The module {self.module.name}: {name} has no value in a state ({why(error)})."
            ) from error

    @property
    def OF_PROCESSES(self) -> frozenset[str]:
        """The properties that read variables of threads."""
        return self.compiled.of_processes

    def predicate(self, name: str) -> Callable[..., object]:
        """The function of a property, of the shared values and those of the threads."""
        function = self._properties.get(name)
        if function is None:
            definition = self.module.definition(name)
            function = self.env.function(lambda program: program.state_property(definition))
            self._properties[name] = function
        return function

    def own_state(self, state: State) -> State:
        """A state of another model of the module as one of this model."""
        values_shared, processes = state
        intern = self.env.values.intern
        return (
            tuple(map(intern, values_shared)),
            tuple((pc, *map(intern, values)) for pc, *values in processes),
        )

    # -- as harnesses and TLA+ see them

    def pieces(self, state: State) -> tuple[Piece, ...]:
        """One piece for each variable: the shared ones, then those of the threads.

        A function is the tuple of its results in the canonical order of its arguments, a record
        that of its fields as the module first writes them; a single value is alone in its tuple.
        """
        values_shared, processes = state
        out = []
        for place, value in enumerate(values_shared):
            piece = self._pieces.get((place, value))
            if piece is None:
                whole = self._piece(value)
                piece = Piece(whole if isinstance(whole, tuple) else (whole,))
                piece.value = values.as_plain(value)
                self._pieces[place, value] = piece
            out.append(piece)
        for place, of_threads in enumerate(zip(*processes, strict=True), start=len(values_shared)):
            piece = self._pieces.get((place, of_threads))
            if piece is None:
                piece = Piece(map(self._piece, of_threads))
                plain = map(values.as_plain, of_threads)
                piece.value = dict(zip(self.threads, plain, strict=True))
                self._pieces[place, of_threads] = piece
            out.append(piece)
        return tuple(out)

    def _piece(self, value: object) -> object:
        match value:
            case Map():
                return tuple([self._piece(value[key]) for key in value.domain.shown])
            case frozenset():
                return frozenset(map(self._piece, value))
        return None if value == self._null and value.__class__ is str else value

    def tla(self, variable: str, piece: Values) -> object:
        return cast(Piece, piece).value

    def _outcomes(self, index: int, before: State, after: State) -> Values:
        """The result of the operation that a thread's step has ended, if it has ended one.

        An operation ends where the thread comes back to its first label, or to its end.
        """
        here, first = after[1][index][0], self._start[1][index][0]
        if here != first and (here in self._steps[index] or before[1][index][0] == first):
            return ()
        definition = self.module.definition(self.compiled.result)
        result = self.env.function(lambda program: program.define(definition))
        return (self._piece(result(*after, self.threads[index])),)

    # -- one state in place, which long traces are followed on

    @property
    def processes(self) -> tuple[SimpleNamespace, ...]:
        return tuple(
            SimpleNamespace(**dict(zip(self.process_variables, values, strict=True)))
            for values in self._state[1]
        )

    def load(self, state: State) -> None:
        self._state = state

    def freeze(self) -> State:
        return self._state

    def step(self, index: int) -> str | None:
        for thread, label, after in self.successors(self._state):
            if thread == index:
                if choice_of(label):
                    raise ValueError(f"{label} chooses, and a state in place has one successor")
                self._state = after
                return label
        return None
