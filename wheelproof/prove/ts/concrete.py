"""A transition system on finite states: z3 terms compiled to Python, over small sorts.

Nothing is written a second time: the compiled terms are those of which the verification conditions
are made. Elements of a sort are numbers from 0; a sort's null is -1, the last place of every array
over it. A state is a tuple, one value for each variable, and so can be kept in a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from types import CodeType
from typing import Any, NamedTuple

import z3

from wheelproof.prove.ts.system import WHOLE, Parameter, Sort, System

State = tuple[Any, ...]
"""A finite state: one value for each variable of the system, in the order of VARIABLES."""


ARITHMETIC = {"times": "*", "quotient": "//", "remainder": "%", "power": "**"}
"""The functions of ``arithmetic`` as Python computes them; a proof knows theorems only."""


class NotFinite(Exception):
    """A term that has no meaning on finite states, with the operator that is not known here."""


BINARY = {
    z3.Z3_OP_EQ: "==",
    z3.Z3_OP_IFF: "==",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_XOR: "!=",
    z3.Z3_OP_DISTINCT: "!=",
}
JOINED = {
    z3.Z3_OP_AND: " and ",
    z3.Z3_OP_OR: " or ",
    z3.Z3_OP_ADD: " + ",
    z3.Z3_OP_SUB: " - ",
    z3.Z3_OP_MUL: " * ",
}


def place(cells: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """An array with one place changed."""
    copy = list(cells)
    copy[index] = value
    return tuple(copy)


def distinct(*values: Any) -> bool:
    return len(set(values)) == len(values)


_TEXTS: dict[tuple[Any, ...], dict[tuple[int, tuple[str, ...]], tuple[z3.ExprRef, str]]] = {}
"""By names and nulls: the texts of terms. Systems that differ in a decision share most terms."""


class Compiler:
    """z3 terms as Python text.

    ``names``: of constants, as the text shall call them; the others must be nulls.
    """

    def __init__(self, names: Mapping[str, str], nulls: Sequence[z3.ExprRef]) -> None:
        self.names, self.nulls = names, {null.decl().name() for null in nulls}
        self.known = _TEXTS.setdefault((*sorted(names.items()), *sorted(self.nulls)), {})

    def text(self, term: z3.ExprRef, bound: tuple[str, ...] = ()) -> str:
        """Raises NotFinite on an operator that no system here uses."""
        key = term.get_id(), bound
        if key not in self.known:
            # The term is kept, so that its number stays its own.
            self.known[key] = (term, self.made(term, bound))
        return self.known[key][1]

    def made(self, term: z3.ExprRef, bound: tuple[str, ...]) -> str:
        if z3.is_quantifier(term):
            return self.quantified(term, bound)
        if z3.is_var(term):
            return str(bound[-1 - z3.get_var_index(term)])
        kind, parts = term.decl().kind(), [self.text(child, bound) for child in term.children()]
        if kind == z3.Z3_OP_TRUE or kind == z3.Z3_OP_FALSE:
            return str(kind == z3.Z3_OP_TRUE)
        if z3.is_int_value(term):
            return str(term.as_long())
        if kind == z3.Z3_OP_DT_CONSTRUCTOR and not parts:
            return str(value_of(term))
        if kind == z3.Z3_OP_UNINTERPRETED and not parts:
            return self.constant(term)
        if kind == z3.Z3_OP_UNINTERPRETED and term.decl().name() in ARITHMETIC:
            return f"({parts[0]} {ARITHMETIC[term.decl().name()]} {parts[1]})"
        if kind == z3.Z3_OP_UNINTERPRETED and term.decl().name().startswith("size_"):
            return f"sum({parts[0]})"
        if kind in BINARY and len(parts) == 2:
            return f"({parts[0]} {BINARY[kind]} {parts[1]})"
        if kind in JOINED:
            return f"({JOINED[kind].join(parts)})"
        match kind:
            case z3.Z3_OP_NOT:
                return f"(not {parts[0]})"
            case z3.Z3_OP_UMINUS:
                return f"(-{parts[0]})"
            case z3.Z3_OP_IMPLIES:
                return f"(not {parts[0]} or {parts[1]})"
            case z3.Z3_OP_ITE:
                return f"({parts[1]} if {parts[0]} else {parts[2]})"
            case z3.Z3_OP_SELECT:
                return f"{parts[0]}[{parts[1]}]"
            case z3.Z3_OP_STORE:
                return f"place({', '.join(parts)})"
            case z3.Z3_OP_DISTINCT:
                return f"distinct({', '.join(parts)})"
        raise NotFinite(f"{term.decl().name()}, in {str(term)[:80]}, is not known on finite states")

    def constant(self, term: z3.ExprRef) -> str:
        name = term.decl().name()
        if name in self.nulls:
            return "-1"
        if name not in self.names:
            raise NotFinite(
                f"the constant {name} is neither a variable of the system nor a parameter"
            )
        return self.names[name]

    def quantified(self, term: z3.QuantifierRef, bound: tuple[str, ...]) -> str:
        fresh = tuple(f"b{len(bound) + index}" for index in range(term.num_vars()))
        body = self.text(term.body(), bound + fresh)
        loops = " ".join(
            f"for {name} in PLACES_{term.var_sort(index).name()}"
            for index, name in enumerate(fresh)
        )
        return f"{'all' if term.is_forall() else 'any'}({body} {loops})"


def value_of(constructor: z3.ExprRef) -> int:
    """An enumeration's value as a number: its place among the constructors."""
    sort, name = constructor.sort(), constructor.decl().name()
    return next(
        index for index in range(sort.num_constructors()) if sort.constructor(index).name() == name
    )


class Move(NamedTuple):
    """One step: the action, its arguments as numbers, and the state after it."""

    action: str
    arguments: tuple[int, ...]
    after: State


class Compiled:
    """A system's terms as Python code, once for all sizes."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.variables = tuple(system.VARIABLES)
        self.names = {name: f"v_{name}" for name in (*system.RIGID, *system.VARIABLES)}
        self.nulls = [item.null for item in system.SORTS if item.null is not None]
        s = system.symbols()
        self.formulas = {
            name: self.code(system.formula(name, s))
            for name in (*system.conjuncts(), *system.safety())
        }
        self.given = [self.code(formula) for formula in system.given(s)]
        self.start = [self.code(formula) for formula in system.initially(s)]
        self.steps = {name: self.step(name, s) for name in system.actions()}

    def code(self, term: z3.ExprRef, parameters: tuple[str, ...] = ()) -> CodeType:
        """A function of the state and the parameters that gives the term's value."""
        names = self.names | {f"{name}!": f"p_{name}" for name in parameters}
        return self.function(parameters, [f"return {Compiler(names, self.nulls).text(term)}"])

    def function(self, parameters: tuple[str, ...], body: list[str]) -> CodeType:
        head = "def made(" + ", ".join(["state", *(f"p_{name}" for name in parameters)]) + "):"
        unpacking = f"({', '.join(f'v_{name}' for name in self.variables)},) = state"
        return compile(
            "\n    ".join([head, unpacking, *body]), f"<{type(self.system).__name__}>", "exec"
        )

    def step(self, name: str, s: Any) -> CodeType:
        """A function that gives the state after an action, None where a guard fails."""
        values, step = self.system.step(name, s)
        names = self.names | {f"{parameter}!": f"p_{parameter}" for parameter in values}
        text = Compiler(names, self.nulls).text
        guards = step.guards[
            : len(step.guards) - len(step.defined)
        ]  # those behind only say what a comprehension holds
        body = [f"if not {text(guard)}: return None" for guard in guards]
        after = [f"v_{name}" for name in self.variables]
        for position, name in enumerate(self.variables):
            if name in step.defined:
                index, value = step.defined[name]
                within = Compiler(names | {index.decl().name(): "everywhere"}, self.nulls)
                after[position] = (
                    f"tuple([{within.text(value)} for everywhere in PLACES_{index.sort().name()}])"
                )
            elif name in step.updates:
                after[position] = text(step.updates[name])
        return self.function(tuple(values), [*body, f"return ({', '.join(after)},)"])


class Instance:
    """A compiled system with given elements of every sort and values of the rigid constants.

    ``elements``: sort's name -> names of its elements; ``rigid``: in names, as ``state`` takes
    them. Raises ValueError where an assumption about the rigid constants does not hold.
    """

    def __init__(
        self,
        compilation: Compiled,
        elements: Mapping[str, Sequence[Any]],
        rigid: Mapping[str, Any] = {},
        numbers: range = range(0),
    ) -> None:
        """``numbers``: the values of a parameter that is a whole number."""
        self.compiled, self.system = compilation, compilation.system
        self.sorts: dict[str, Sort] = {item.name: item for item in self.system.SORTS}
        self.elements = {name: tuple(elements[name]) for name in self.sorts}
        self.number = {
            name: {element: index for index, element in enumerate(members)} | {None: -1}
            for name, members in self.elements.items()
        }
        self.places = {
            name: (*range(len(members)), -1)
            if self.sorts[name].null is not None
            else tuple(range(len(members)))
            for name, members in self.elements.items()
        }
        self._scope = {f"PLACES_{name}": places for name, places in self.places.items()} | {
            "place": place,
            "distinct": distinct,
        }
        self.rigid = {name: self.encoder(of)(rigid[name]) for name, of in self.system.RIGID.items()}
        self._scope |= {f"v_{name}": value for name, value in self.rigid.items()}
        self._encoders = {name: self.encoder(sort) for name, sort in self.system.VARIABLES.items()}
        if failures := [
            index
            for index, code in enumerate(compilation.given, 1)
            if not self.function(code)(self._blank())
        ]:
            raise ValueError(
                f"what {type(self.system).__name__} assumes of its constants does not hold "
                f"(formula {failures[0]})"
            )
        self.formulas = {name: self.function(code) for name, code in compilation.formulas.items()}
        self._steps = {name: self.function(code) for name, code in compilation.steps.items()}
        self._start = [self.function(code) for code in compilation.start]
        self._choices = {
            name: [self._values(item, numbers) for item in action.parameters.values()]
            for name, action in self.system.actions().items()
        }

    def _values(self, item: Parameter, numbers: range) -> Sequence[int]:
        if item.sort == WHOLE:
            return numbers
        return (
            self.places[item.sort.name]
            if item.nullable
            else range(len(self.elements[item.sort.name]))
        )

    def function(self, code: CodeType) -> Any:
        """The function of compiled code, at this size."""
        scope = dict(self._scope)
        exec(code, scope)
        return scope["made"]

    def _blank(self) -> State:
        return (None,) * len(self.system.VARIABLES)

    # -- values

    def encoder(self, sort: z3.SortRef) -> Callable[[Any], Any]:
        """A function from values in names to the numbers that stand for them.

        An array is a harness; a place that it lacks, and that of the null, has the sort's default.
        """
        if isinstance(sort, z3.ArraySortRef):
            index, inner, blank = (
                sort.domain().name(),
                self.encoder(sort.range()),
                self.default(sort.range()),
            )
            keys = self.elements[index]
            last = (blank,) if self.sorts[index].null is not None else ()
            return lambda value: (
                *[inner(value[key]) if key in value else blank for key in keys],
                *last,
            )
        if isinstance(sort, z3.DatatypeSortRef):
            return {
                sort.constructor(number).name(): number for number in range(sort.num_constructors())
            }.__getitem__
        if sort.name() in self.number and sort != WHOLE.z3:
            return self.number[sort.name()].__getitem__
        return lambda value: value

    def encode(self, variable: str, value: Any) -> Any:
        """The value of one variable in numbers. KeyError: the instance has no such element."""
        return self._encoders[variable](value)

    def default(self, sort: z3.SortRef) -> Any:
        """A sort's first value: False, 0, null, an element, a constructor; or an array of it."""
        if isinstance(sort, z3.ArraySortRef):
            return (self.default(sort.range()),) * len(self.places[sort.domain().name()])
        if sort == z3.BoolSort():
            return False
        if sort.name() in self.sorts and self.sorts[sort.name()].null is not None:
            return -1
        return 0

    def state(self, values: Mapping[str, Any]) -> State:
        """A state from its variables' values in names. Raises KeyError where one is missing."""
        return tuple([encode(values[name]) for name, encode in self._encoders.items()])

    def start(self, values: Mapping[str, Any]) -> State:
        """A hand-written state: as ``state``; also KeyError for a key that is no element."""
        for name, sort in self.system.VARIABLES.items():
            self._check_keys(sort, values[name], name)
        return self.state(values)

    def _check_keys(self, sort: z3.SortRef, value: Any, where: str) -> None:
        if isinstance(sort, z3.ArraySortRef):
            for key, inner in value.items():
                if key not in self.elements[sort.domain().name()]:
                    raise KeyError(
                        f"{where} has a value for {key!r}, which is no {sort.domain().name()}"
                    )
                self._check_keys(sort.range(), inner, f"{where}[{key}]")

    def named(self, state: State) -> dict[str, Any]:
        """A state in names, for people."""
        return {
            name: self.decode(sort, value)
            for (name, sort), value in zip(self.system.VARIABLES.items(), state, strict=True)
        }

    def decode(self, datatype: z3.SortRef, value: Any) -> Any:
        if isinstance(datatype, z3.ArraySortRef):
            return {
                key: self.decode(datatype.range(), value[index])
                for index, key in enumerate(self.elements[datatype.domain().name()])
            }
        if isinstance(datatype, z3.DatatypeSortRef):
            return datatype.constructor(value).name()
        if datatype.name() in self.elements and datatype != WHOLE.z3:
            return None if value == -1 else self.elements[datatype.name()][value]
        return value

    # -- a state judged by the system

    def initial(self, state: State) -> bool:
        """Whether the system may start in this state."""
        return all(holds(state) for holds in self._start)

    def broken(self, state: State, names: Sequence[str] | None = None) -> list[str]:
        """The conjuncts (or the named formulas) that do not hold."""
        return [
            name
            for name in (self.system.conjuncts() if names is None else names)
            if not self.formulas[name](state)
        ]

    def take(self, action: str, state: State, arguments: tuple[int, ...]) -> State | None:
        """The state after an action, None where it is not enabled."""
        after: State | None = self._steps[action](state, *arguments)
        return after

    def moves(
        self, state: State, actions: Sequence[str] | None = None, thread: int | None = None
    ) -> Iterator[Move]:
        """Every step from a state; ``thread``: only those whose first parameter is that one."""
        for name in self._steps if actions is None else actions:
            choices = self._choices[name]
            if thread is not None:
                choices = [(thread,), *choices[1:]]
            for arguments in product(*choices):
                after = self._steps[name](state, *arguments)
                if after is not None:
                    yield Move(name, arguments, after)

    def argument_names(self, move: Move) -> tuple[str | None, ...]:
        """A step's arguments in names."""
        kinds = self.system.actions()[move.action].parameters.values()
        return tuple(
            str(value)
            if item.sort == WHOLE
            else None
            if value == -1
            else self.elements[item.sort.name][value]
            for item, value in zip(kinds, move.arguments)
        )
