"""Expressions in the place of declared names and parameters, as INSTANCE and operators need.

A definition that mentions a replaced name is copied with its body. Where a replacement has
parameters of its own, as in ``I(q) == INSTANCE M WITH N <- q``, the copies get them too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wheelproof.tla.levels import Levels
from wheelproof.tla.names import free
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Constant,
    Definition,
    Expression,
    Formal,
    Let,
    Operator,
    Outside,
    Parameter,
    Place,
    Variable,
    children,
)


class Substitution:
    """Replaces declared names, constant operators and parameters, in an expression and below it.

    ``names``: declared name -> expression. ``operators``: constant operator -> its replacement,
    an Operator. ``formals``: parameter -> expression, or the Operator that it is.
    """

    def __init__(
        self,
        names: Mapping[str, Expression],
        operators: Mapping[Definition, Expression],
        levels: Levels,
        formals: Mapping[Formal, Expression] | None = None,
    ) -> None:
        self.names, self.operators, self.levels = names, operators, levels
        self.formals = formals or {}
        self._copies: dict[Definition, Definition] = {}
        self._local: set[Definition] = set()
        self._mentions: dict[Definition, bool] = {}
        parameters: dict[Formal, None] = {}
        for replacement in (*names.values(), *operators.values()):
            for name in sorted(map(_formal, free(replacement, ())), key=lambda f: f.name):
                parameters[name] = None
        self._extra = tuple(parameters)

    def expression(self, node: Expression) -> Expression:
        """The expression with replacements."""
        match node:
            case Constant() | Variable():
                return self.names.get(node.name, node)
            case Parameter():
                return self._parameter(node)
            case Call():
                return self._call(node)
            case Builtin():
                arguments = tuple(map(self.expression, node.arguments))
                bounds = tuple(
                    replace(bound, domain=bound.domain and self.expression(bound.domain))
                    for bound in node.bounds
                )
                operands = [argument.level for argument in arguments]
                operands += [bound.domain.level for bound in bounds if bound.domain is not None]
                level = max(node.level, self.levels.of_builtin(node.name, operands))
                return Builtin(node.name, arguments, bounds, node.place, level)
            case Let():
                definitions = tuple(map(self._local_copy, node.definitions))
                for before, after in zip(node.definitions, definitions, strict=True):
                    self._fill(after, before)
                body = self.expression(node.body)
                level = max(node.level, body.level)
                return Let(definitions, body, node.place, level)
            case Operator():
                return self._operator(node)
        return node

    def _parameter(self, node: Parameter) -> Expression:
        arguments = tuple(map(self.expression, node.arguments))
        replacement = self.formals.get(node.formal)
        level = max((node.level, *(argument.level for argument in arguments)))
        if replacement is None:
            return Parameter(node.formal, node.place, level, arguments)
        return self._application(replacement, arguments, node.place)

    def _application(
        self, operator: Expression, arguments: tuple[Expression, ...], place: Place
    ) -> Expression:
        """A replacement, applied to arguments where it is an operator."""
        if not arguments:
            return operator
        operands = [argument.level for argument in arguments]
        match operator:
            case Operator(definition):
                level = self.levels.of_call(definition, operands)
                return Call(definition, arguments, place, level)
            case Parameter(formal):
                return Parameter(formal, place, max((operator.level, *operands)), arguments)
        return Outside("an operator that is replaced by none", place)

    def _call(self, node: Call) -> Expression:
        arguments = tuple(map(self.expression, node.arguments))
        if node.definition in self.operators:
            return self._application(self.operators[node.definition], arguments, node.place)
        definition = self.definition(node.definition)
        if len(definition.formals) > len(node.definition.formals):
            arguments += tuple(Parameter(formal, node.place, node.level) for formal in self._extra)
        operands = [argument.level for argument in arguments]
        level = max(node.level, self.levels.of_call(definition, operands))
        return Call(definition, arguments, node.place, level)

    def _operator(self, node: Operator) -> Expression:
        if node.definition in self.operators:
            return self.operators[node.definition]
        if node.definition.name == "LAMBDA" and self.mentions(node.definition):
            copy = self._local_copy(node.definition)
            self._fill(copy, node.definition)
            return Operator(copy, node.place, copy.level)
        definition = self.definition(node.definition)
        if len(definition.formals) == len(node.definition.formals):
            return Operator(definition, node.place, definition.level)
        formals = node.definition.formals
        arguments = tuple(
            Parameter(formal, node.place, node.level) for formal in definition.formals
        )
        body = Call(definition, arguments, node.place, definition.level)
        closure = Definition("LAMBDA", node.place, definition.level, formals, body=body)
        return Operator(closure, node.place, definition.level)

    # -- definitions

    def definition(self, definition: Definition) -> Definition:
        """The definition itself where it mentions no replaced name, else its copy."""
        if definition in self._copies:
            return self._copies[definition]
        if not self.mentions(definition):
            return definition
        copy = self._copies[definition] = Definition(
            definition.name,
            definition.place,
            definition.level,
            (*definition.formals, *self._extra),
            definition.recursive,
        )
        self._fill(copy, definition)
        return copy

    def _local_copy(self, definition: Definition) -> Definition:
        copy = self._copies[definition] = replace(definition)
        return copy

    def _fill(self, copy: Definition, original: Definition) -> None:
        copy.body = self.expression(original.body)
        copy.level = max(copy.level, copy.body.level)

    def mentions(self, definition: Definition) -> bool:
        """Whether a replaced name is in a definition, or in one that it uses."""
        if definition not in self._mentions:
            self._mentions[definition] = self._mentions_any(definition)
        return self._mentions[definition]

    def _mentions_any(self, definition: Definition) -> bool:
        visits, waiting = {definition}, [definition.body]
        while waiting:
            node = waiting.pop()
            match node:
                case Constant() | Variable() if node.name in self.names:
                    return True
                case Parameter() if node.formal in self.formals:
                    return True
                case Call() | Operator():
                    if node.definition in self.operators or node.definition in self._copies:
                        return True
                    if not node.definition.standard and node.definition not in visits:
                        visits.add(node.definition)
                        waiting.append(node.definition.body)
            waiting += children(node)
        return False


def _formal(name: object) -> Formal:
    assert isinstance(name, Formal)
    return name
