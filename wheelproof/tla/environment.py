"""The globals of a program in one scenario: constants, operators and kept values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.tla import collections, values
from wheelproof.tla.program import Kept, Program, Programs
from wheelproof.tla.syntax import Expression
from wheelproof.tla.values import Domain, Map, Undefined, Values

ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""The exceptions of Python where a formula has no value."""


class Alternative(str):
    """The label of a step with the values that it has chosen."""

    __slots__ = ("values",)
    values: tuple[Any, ...]

    def __new__(cls, label: str, values: tuple[Any, ...]) -> Alternative:
        label_with_values = super().__new__(cls, label)
        label_with_values.values = values
        return label_with_values


class Environment:
    """The globals of a module's program in one scenario.

    ``names``: globals of the program in the place of those of every program.
    """

    def __init__(
        self,
        programs: Programs,
        constants: Mapping[str, object],
        threads: tuple[str, ...],
        names: Mapping[str, Any] | None = None,
    ) -> None:
        module = programs.module
        if missing := [name for name in module.constants if name not in constants]:
            raise UsageError(
                f"The module {module.name} has the constant {missing[0]}, and the scenario gives "
                "no value for it.",
                "Name the field that has it, in [constants].",
            )
        self.programs, self.values = programs, Values()
        self._program: Program | None = None
        self._done, self._globals, maps = 0, dict[str, Any](), self.values
        self._names: dict[str, Any] = {
            "Map": Map,
            "Once": values.Once,
            "Unfolded": values.Unfolded,
            "tied": values.tied,
            "text": values.text,
            "asserted": _assert,
            "lacking": _lacking,
            "product": product,
            "product_of": _product_of,
            "subsets": collections.subsets,
            "functions": partial(collections.functions, maps),
            "records": partial(collections.records, maps),
            "permutations": partial(collections.permutations, maps),
            "arranged": partial(collections.arranged, maps),
            "ordered": values.ordered,
            "choose": values.choose,
            "chosen": Alternative,
            "no_case": values.no_case,
            "divisor": _divisor,
            "power": _power,
            "domain": maps.domain,
            "record": self._record,
            "sequence": maps.sequence,
            "function": maps.function,
            "changed": maps.changed,
            "joined": maps.joined,
            "tail": maps.tail,
            "part": maps.part,
            "items": maps.items,
            "over": maps.over,
            "recursive": maps.recursive,
            "THREADS": maps.domain(threads),
            "ORDER": sorted(range(len(threads)), key=lambda place: values.order(threads[place])),
            "AT": {name: place for place, name in enumerate(threads)},
            **(names or {}),
        }
        for name in module.constants:
            if constants[name] is not None:
                self.assign(name, maps.from_plain(constants[name]))

    def assign(self, name: str, value: Any) -> None:
        """Give a declared constant its TLA+ value."""
        self._names[f"C_{name}"] = self._globals[f"C_{name}"] = value

    def constant(self, name: str) -> Any:
        """The value of a declared constant; None where the module has none of this name."""
        return self._names.get(f"C_{name}")

    def function(self, make: Callable[[Program], str]) -> Callable[..., Any]:
        """A function that a program makes, after all parts that it needs have been executed."""
        while True:
            program = self.programs.current
            name = make(program)
            if not (late := self._execute(program)):
                result: Callable[..., Any] = self._globals[name]
                return result
            self.programs.later(late)

    def _execute(self, program: Program) -> frozenset[Expression]:
        """Execute the parts that are new; the constant expressions that have no value."""
        if program is not self._program:
            # Functions of an earlier program keep its globals.
            self._program, self._done, self._globals = program, 0, dict(self._names)
        late: frozenset[Expression] = frozenset()
        for part in program.parts[self._done :]:
            if not isinstance(part, Kept):
                exec(part.code, self._globals)
                continue
            try:
                self._globals[part.name] = eval(part.code, self._globals)
            except ERRORS:
                if part.node is None:
                    raise
                late |= {part.node}
                self._globals[part.name] = None
        self._done = len(program.parts)
        return late

    def value(self, node: Expression) -> Any:
        """The value of an expression that the constants decide."""
        try:
            return self.function(lambda program: program.constant(node))()
        except ERRORS as error:
            raise Undefined(f"{node.place}: a formula has no value ({why(error)}).") from error

    def _record(self, names: tuple[str, ...]) -> Domain:
        """The domain of records with these fields, shown as the first that is written."""
        domain = self.values.domain(names)
        if domain.shown == domain.keys:
            domain.shown = names
        return domain


def why(error: BaseException) -> str:
    """An error of the generated code, in words."""
    if isinstance(error, Undefined):
        return error.message.rstrip(".")
    if isinstance(error, RecursionError):
        return "an operator calls itself without an end"
    return f"{type(error).__name__}: {error}"


def _divisor(value: int) -> int:
    if value <= 0:
        raise Undefined(f"The divisor is {value}, and TLC divides by positive numbers only.")
    return value


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise Undefined(f"The exponent is {exponent}.")
    result: int = base**exponent
    return result


def product(factors: Iterable[int]) -> int:
    """The product of numbers, up to the first that is zero."""
    result = 1
    for factor in factors:
        if not factor:
            return 0
        result *= factor
    return result


def _product_of(*factors: Callable[[], int]) -> int:
    return product(factor() for factor in factors)


def _lacking(subject: str, label: Any, names: str) -> None:
    raise Undefined(f"{subject} of {label} gives {names} no value.")


def _assert(condition: bool, message: Any) -> bool:
    if not condition:
        raise Undefined(f"Assert fails: {values.text(message)}.")
    return True
