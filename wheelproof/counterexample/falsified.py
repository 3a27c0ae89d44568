"""The false part of a property in the last state of a run, and the values that it reads.

The part is found in the specification's own text, by the front end. Where that cannot read the
module, the property's declaration in words is all there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from wheelproof import reading
from wheelproof.counterexample.places import places
from wheelproof.errors import ToolError, UsageError
from wheelproof.graph.compare import NULL
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import State
from wheelproof.tla import values
from wheelproof.tla.environment import ERRORS
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Formal,
    Let,
    Place,
    conjuncts,
    variables_of,
)
from wheelproof.tla.values import Undefined
from wheelproof.tlc import mc
from wheelproof.tlc.mc import without_comments
from wheelproof.tlc.values import format_tla, freeze

if TYPE_CHECKING:
    from wheelproof.tla.model import CompiledModel

_MOST = 12
"""Values that are listed."""


def statement(
    mechanism: Mechanism,
    scenario: str,
    name: str,
    steps: Sequence[tuple[str, str]],
    last: Mapping[str, str],
) -> tuple[str, ...]:
    """The sentences of an invariant on the state after these steps (thread, label).

    ``last``: that state's places. Empty where the front end cannot read the specification or the
    property holds.
    """
    try:
        model = mechanism.compiled_model(mechanism.scenarios[scenario])
        state = _after(model, steps, last)
        part = find(model, name, state)
    except (UsageError, ToolError, Undefined, StopIteration, *ERRORS):
        return ()
    if part is None:
        return ()
    bound = ", ".join(f"{name} = {text}" for name, text in part.bound.items())
    text = text_at(mechanism, part.node.place)
    at = f"{part.node.place.module}.tla:{part.node.place.line}"
    lines = [f"False{f' for {bound}' if bound else ''}: {text} ({at})"]
    read = list(_read(model, state, (*part.though, part.node)))
    if read:
        more = f" and {len(read) - _MOST} more" if len(read) > _MOST else ""
        lines.append(f"It reads {', '.join(read[:_MOST])}{more}.")
    return tuple(lines)


@dataclass(frozen=True)
class Part:
    """A formula inside of a property, with the values of the names that are bound around it."""

    node: Expression
    names: tuple[Formal, ...] = ()
    values: tuple[Any, ...] = ()
    lets: tuple[Let, ...] = ()
    though: tuple[Expression, ...] = ()
    """The true premises around it, and the sets of its bound names."""
    names_above: frozenset[str] = frozenset()
    """The definitions whose calls it is in."""

    @property
    def bound(self) -> dict[str, str]:
        """The bound names with their values as TLA+ text."""
        return {
            formal.name: values.text(value)
            for formal, value in zip(self.names, self.values, strict=True)
        }

    def value(self, model: CompiledModel, state: State, node: Expression | None = None) -> Any:
        """The value of the formula, or of another one at its place."""
        body = self.node if node is None else node
        place, level = body.place, body.level
        for let in reversed(self.lets):
            body = Let(let.definitions, body, place, level)
        definition = Definition("part", place, level, self.names, body=body)
        return model.env.function(lambda program: program.define(definition))(*state, *self.values)


def find(model: CompiledModel, name: str, state: State) -> Part | None:
    """The innermost part of a property that makes it false in a state; None where it holds."""
    part = Part(model.module.definition(name).body, names_above=frozenset({name}))
    if part.value(model, state):
        return None
    while True:
        inner = next(
            (
                conjunct
                for conjunct in _inside(model, state, part)
                if conjunct.value(model, state) is False
            ),
            None,
        )
        if inner is None:
            return part
        part = inner


def _inside(model: CompiledModel, state: State, part: Part) -> Iterator[Part]:
    """The parts of a false formula, of which one that is false makes it false."""
    match part.node:
        case Let():
            yield replace(part, node=part.node.body, lets=(*part.lets, part.node))
        case Builtin("$ConjList" | "\\land"):
            for node in conjuncts(part.node):
                yield replace(part, node=node)
        case Builtin("=>", (premise, consequent)):
            yield replace(part, node=consequent, though=(*part.though, premise))
        case Builtin("$BoundedForall", (body,), bounds) if not any(
            bound.pattern or bound.domain is None for bound in bounds
        ):
            formals = tuple(chain.from_iterable(bound.formals for bound in bounds))
            domains = [
                values.ordered(part.value(model, state, bound.domain))
                for bound in bounds
                for _ in bound.formals
            ]
            for choice in product(*domains):
                yield replace(
                    part,
                    node=body,
                    though=(*part.though, *(b.domain for b in bounds if b.domain is not None)),
                    names=(*part.names, *formals),
                    values=(*part.values, *choice),
                )
        case Call(definition, arguments) if (
            not definition.standard
            and not definition.recursive
            and definition.name not in part.names_above
            and model.module.definitions.get(definition.name) is definition
            and not any(formal.arity for formal in definition.formals)
        ):
            arguments_there = tuple(part.value(model, state, argument) for argument in arguments)
            yield replace(
                part,
                node=definition.body,
                names=definition.formals,
                values=arguments_there,
                lets=(),
                though=(),
                names_above=part.names_above | {definition.name},
            )


def text_at(mechanism: Mechanism, place: Place) -> str:
    """The formula that begins in a line of a module, in one line.

    The lines that follow belong to it as long as they stand further to the right.
    """
    file = mc.module_beside(mechanism.spec, place.module)
    text = mechanism.specs.get(file.name) or reading.text(file)
    lines = without_comments(text).splitlines()[place.line - 1 :]
    head = lines[:1]
    for line in lines[1:]:
        if not line.strip() or _indent(line) <= _indent(lines[0]):
            break
        head.append(line)
    formula = " ".join(line.strip() for line in head)
    return re.sub(r"^(/\\|\\/|[\w()\[\], ]+ ==) +", "", formula)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _after(
    model: CompiledModel, steps: Sequence[tuple[str, str]], last: Mapping[str, str]
) -> State:
    """The state after these steps with these values; a step may have several outcomes."""
    states = [model.initial()]
    for thread, label in steps:
        step = (model.threads.index(thread), label)
        states = list(
            dict.fromkeys(
                after
                for state in states
                for *move, after in model.successors(state)
                if tuple(move) == step
            )
        )
    return next(state for state in states if last.items() <= places(model, state).items())


def _read(model: CompiledModel, state: State, nodes: Sequence[Expression]) -> Iterator[str]:
    """The variables that formulas read, with their values in a state."""
    read = frozenset().union(*map(variables_of, nodes))
    names = (*model.variables, *model.process_variables)
    for name, piece in zip(names, model.pieces(state), strict=True):
        if name in read:
            whole = model.tla(name, piece)
            if isinstance(whole, Mapping):
                for key, value in whole.items():
                    yield f"{name}[{key}] = {format_tla(freeze(value, NULL))}"
            else:
                yield f"{name} = {format_tla(freeze(whole, NULL))}"
