"""A module with a cfg file as a machine: initial states, successors and invariants."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.tla import reader, values
from wheelproof.tla.environment import ERRORS, Environment, why
from wheelproof.tla.plain.choices import choose
from wheelproof.tla.plain.configuration import Configuration
from wheelproof.tla.plain.program import PlainProgram, PlainPrograms
from wheelproof.tla.program import Program
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Constant,
    Definition,
    Expression,
    Level,
    Module,
    OutsideSubset,
    Place,
    conjuncts,
)
from wheelproof.tla.values import Map, Undefined
from wheelproof.tlc.values import ModelValue, Value

State = tuple[Any, ...]
"""The values of the module's variables, in declared order."""
Label = tuple[str, tuple[Any, ...]]
"""The name of a step's definition, and its arguments."""


class Machine:
    """A module under a cfg file.

    The module must be this machine's own: replaced operators are changed in its tree.
    Raises OutsideSubset where something is not compiled, UsageError where the cfg does not fit.
    """

    def __init__(self, module: Module, configuration: Configuration) -> None:
        self.module, self.configuration = module, configuration
        self.variables = module.variables
        settings = dict(configuration.values)
        module.constants += tuple(
            reader.constant_name(*key)
            for key, replacement in configuration.replaced_in.items()
            if not replacement
        )
        _replace(module, configuration)
        self.constants = {name: settings.pop(name, None) for name in module.constants}
        for name, value in settings.items():
            self._redefine(name, value)
        self.programs = PlainPrograms(module)
        self.env = Environment(self.programs, self.constants, (), {"choose": choose})
        self._constants()
        init, next_step = self.behaviour()
        self._init = self._enumeration(init, in_init=True)
        self._next = self._enumeration(next_step, in_init=False) if self.variables else None
        self.invariants = {name: self._property(name) for name in configuration.invariants}
        self.constraints = list(map(self._property, configuration.constraints))
        self.action_constraints = list(map(self._test, configuration.action_constraints))
        if configuration.view and configuration.symmetry:
            raise UsageError(
                f"{configuration.file} has both VIEW and SYMMETRY.", "Take one of them away."
            )
        self.view = self._property(configuration.view) if configuration.view else None
        self._images: dict[tuple[int, Any], Any] = {}
        self._numbers: dict[Any, int] = {}
        self.symmetry = self._permutations() if configuration.symmetry else ()

    # -- the cfg file

    def _redefine(self, name: str, value: object) -> None:
        """``name = value`` for a defined operator."""
        definition = self.module.definitions.get(name) or self.module.standard.get(name)
        if definition is None and value == ModelValue(name):
            return
        if definition is None or definition.formals:
            raise UsageError(
                f"{self.configuration.file}: {self.module.name} has no constant {name}.",
                "Correct the cfg file.",
            )
        definition.standard = False
        definition.body = Constant(name, definition.place)
        self.constants[name] = value
        self.module.constants += (name,)

    def _constants(self) -> None:
        """The constants that operators replace, each when those that it needs have values."""
        names = self.configuration.replaced
        waiting = [name for name in self.module.constants if name in names]
        while waiting:
            open_names = []
            for name in waiting:
                definition = self.module.definition(names[name])
                call = Call(definition, (), definition.place, definition.level)
                try:
                    self.env.assign(name, self.env.value(call))
                except NameError:
                    open_names.append(name)
            if open_names == waiting:
                raise UsageError(
                    f"{self.configuration.file}: {', '.join(open_names)} need each other's values.",
                    "Correct the cfg file.",
                )
            waiting = open_names
        missing = [
            name for name, value in self.constants.items() if value is None and name not in names
        ]
        missing += [name for name in self.module.operators if name not in names]
        if missing:
            raise UsageError(
                f"{self.configuration.file} gives the constant {missing[0]} no value.",
                "Give it one in the cfg file.",
            )

    def behaviour(self) -> tuple[Expression, Expression]:
        """The formulas of the initial states and of the steps."""
        here = self.configuration
        if here.specification:
            return _behaviour(self.module.definition(here.specification), here)
        if not here.init and not self.variables:
            return _TRUE, _TRUE
        if not (here.init and here.next):
            raise UsageError(
                f"{here.file} has neither SPECIFICATION nor INIT and NEXT.", "Add one of them."
            )
        init, step = map(self.module.definition, (here.init, here.next))
        return (
            Call(init, (), init.place, init.level),
            Call(step, (), step.place, step.level),
        )

    # -- functions

    def _enumeration(self, formula: Expression, *, in_init: bool) -> Callable[..., None]:
        def make(program: Program) -> str:
            assert isinstance(program, PlainProgram)
            return program.enumeration(formula, in_init=in_init)

        return self.env.function(make)

    def _property(self, name: str) -> Callable[..., Any]:
        definition = self.module.definition(name)
        if definition.level > Level.STATE or definition.formals:
            raise OutsideSubset(f"{name}, which is no formula of one state,", definition.place)
        function = self.env.function(lambda program: program.define(definition))
        return lambda state: function(state, ())

    def _test(self, name: str) -> Callable[[State, State], Any]:
        definition = self.module.definition(name)
        call = Call(definition, (), definition.place, definition.level)

        def make(program: Program) -> str:
            assert isinstance(program, PlainProgram)
            return program.test(call)

        return self.env.function(make)

    def _permutations(self) -> tuple[dict[Any, Any], ...]:
        """The group that the permutations of SYMMETRY generate, without the identity."""
        definition = self.module.definition(self.configuration.symmetry)
        generators = [
            {key: image for key, image in permutation.items() if key != image}
            for permutation in self.env.value(
                Call(definition, (), definition.place, definition.level)
            )
        ]
        group: dict[frozenset[tuple[Any, Any]], dict[Any, Any]] = {frozenset(): {}}
        waiting: list[dict[Any, Any]] = [{}]
        while waiting:
            first = waiting.pop()
            for second in generators:
                keys = {*first, *second}
                product = {
                    key: second.get(first.get(key, key), first.get(key, key)) for key in keys
                }
                product = {key: image for key, image in product.items() if key != image}
                if (name := frozenset(product.items())) not in group:
                    group[name] = product
                    waiting.append(product)
        return tuple(permutation for permutation in group.values() if permutation)

    # -- states

    def assume(self) -> None:
        """Check every ASSUME; UsageError where one is false."""
        for name, formula in self.module.assumptions:
            if self.env.value(formula) is not True:
                raise UsageError(f"{formula.place}: ASSUME {name} is false.", "Correct the cfg.")

    def initial(self) -> list[tuple[int, Label, State]]:
        """The initial states, each with the number of ways to it."""
        out: list[tuple[int, Label, State]] = []
        self._run(self._init, None, out, "Init")
        return out

    def successors(self, state: State) -> list[tuple[int, Label, State]]:
        """The successors of a state, each with the number of ways to it."""
        out: list[tuple[int, Label, State]] = []
        assert self._next is not None
        self._run(self._next, state, out, "Next")
        return out

    def _run(self, function: Callable[..., None], state: State | None, out: Any, name: str) -> None:
        try:
            function(state, out)
        except ERRORS as error:
            raise Undefined(
                f"The module {self.module.name}: {name} has no value in a state ({why(error)})."
            ) from error

    def orbit(self, state: State) -> tuple[int, ...]:
        """A name that the states have in common that symmetry takes for this one.

        It is the least of their tuples of numbers, where each value has a number of its own.
        """
        best = self._numbers_of(state)
        for number, permutation in enumerate(self.symmetry):
            image = [self._image(permutation, number, value) for value in state]
            best = min(best, self._numbers_of(image))
        return best

    def _numbers_of(self, values_of_state: Iterable[Any]) -> tuple[int, ...]:
        numbers = self._numbers
        # TRUE and 1 are one key in Python
        keys = [(value,) if value.__class__ is bool else value for value in values_of_state]
        return tuple([numbers.setdefault(key, len(numbers)) for key in keys])

    def _image(self, permutation: dict[Any, Any], number: int, value: Any) -> Any:
        """A value under a permutation, which has this number."""
        match value:
            case ModelValue():
                return permutation.get(value, value)
            case frozenset() | Map():
                key = number, value
                if key not in self._images:
                    self._images[key] = self._whole_image(permutation, number, value)
                return self._images[key]
        return value

    def _whole_image(self, permutation: dict[Any, Any], number: int, value: Any) -> Any:
        if isinstance(value, frozenset):
            return frozenset([self._image(permutation, number, item) for item in value])
        return self.env.values.function(
            [
                (
                    self._image(permutation, number, key),
                    self._image(permutation, number, result),
                )
                for key, result in value.items()
            ]
        )

    def values(self, state: State) -> dict[str, Value]:
        """The canonical value of each variable."""
        return {
            name: values.canonical(value) for name, value in zip(self.variables, state, strict=True)
        }


_TRUE = Builtin("TRUE", (), (), Place("", 0), Level.CONSTANT)


def _replace(module: Module, configuration: Configuration) -> None:
    """Change the definitions and constant operators that the cfg file replaces."""
    for name, new_name in configuration.replaced.items():
        definition = (
            module.operators.get(name) or module.definitions.get(name) or module.standard.get(name)
        )
        if definition is None and name not in module.constants:
            raise UsageError(
                f"{configuration.file}: the module {module.name} has no {name}.",
                "Correct the cfg file.",
            )
        replacement = module.definition(new_name)
        if definition is not None and replacement.level > definition.level:
            raise OutsideSubset(f"{name} <- {new_name}, which reads variables,", replacement.place)
        if definition is not None:
            _redirect(definition, replacement)


def _redirect(definition: Definition, replacement: Definition) -> None:
    """Have a definition mean another one."""
    definition.standard, definition.recursive = replacement.standard, replacement.recursive
    definition.formals, definition.body = replacement.formals, replacement.body
    definition.level, definition.place = replacement.level, replacement.place
    if replacement.standard:
        definition.name = replacement.name


def _behaviour(definition: Definition, here: Configuration) -> tuple[Expression, Expression]:
    """Init and Next of a specification ``Init /\\ [][Next]_vars /\\ ...``."""
    init: list[Expression] = []
    steps: list[Expression] = []
    waiting: list[Expression] = [Call(definition, (), definition.place, definition.level)]
    while waiting:
        for part in list(conjuncts(waiting.pop(0))):
            match part:
                case Builtin("[]", (Builtin("$SquareAct", (step, _)),)):
                    steps.append(step)
                case Call() if part.level == Level.TEMPORAL and not part.arguments:
                    waiting.append(part.definition.body)
                case _ if part.level <= Level.STATE:
                    init.append(part)
    if len(steps) != 1:
        raise OutsideSubset(
            f"{here.specification}, a specification with {len(steps)} parts [][Next]_vars,",
            definition.place,
        )
    body = Builtin("$ConjList", tuple(init), (), definition.place, Level.STATE)
    return (init[0] if len(init) == 1 else body), steps[0]
