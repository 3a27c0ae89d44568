"""The subject of a formula: a constant, a state, a step or a behaviour.

SANY takes the level of an operator from its body. Those of the standard modules are placeholders:
``a*b`` is TRUE there for all operands. So a product of variables has the level of a
constant in SANY's tree, and so has every definition that is made of it. A level is therefore
computed from the operands, and SANY's is a lower bound of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Formal,
    Level,
    Parameter,
    children,
    variables_of,
)


class Levels:
    """The levels of operators that are applied.

    The nodes below an application, and the bodies of definitions, have their levels already.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Definition, tuple[Level, ...]], Level] = {}

    def of_call(self, definition: Definition, operands: Iterable[Level]) -> Level:
        """The level of a defined operator, applied to operands of these levels."""
        levels = tuple(operands)
        if definition.standard:
            return max((definition.level, *levels))
        if definition.recursive:
            read = Level.STATE if variables_of(definition.body) else Level.CONSTANT
            return max((definition.level, read, *levels))
        if not any(levels):
            return definition.level
        key = definition, levels
        if key not in self._known:
            formals = dict(zip(definition.formals, levels, strict=True))
            self._known[key] = max(definition.level, self._within(definition.body, formals))
        return self._known[key]

    def of_builtin(self, name: str, operands: Iterable[Level]) -> Level:
        """The level of an operator of the language, applied to operands of these levels."""
        highest = max(operands, default=Level.CONSTANT)
        if name == "ENABLED":
            return min(highest, Level.STATE)
        return Level.ACTION if name == "'" and highest is Level.STATE else highest

    def _within(self, node: Expression, formals: Mapping[Formal, Level]) -> Level:
        """The level of an expression where parameters have these levels, others CONSTANT."""
        below = [self._within(child, formals) for child in children(node)]
        match node:
            case Parameter():
                return max((formals.get(node.formal, Level.CONSTANT), *below))
            case Call():
                return max(node.level, self.of_call(node.definition, below))
            case Builtin():
                return max(node.level, self.of_builtin(node.name, below))
        return max((node.level, *below))
