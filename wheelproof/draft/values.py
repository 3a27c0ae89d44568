"""Assignments of a method as steps: to locals, to fields, to elements of fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wheelproof.draft.expressions import Untranslated
from wheelproof.draft.method import Method
from wheelproof.draft.steps import Branch, Node, Step
from wheelproof.draft.subject import attribute_of, initial


class Values(Method):
    """The assignments of one method."""

    def branch(self, statement: ast.If, last: bool) -> Iterator[Node]:
        """An ``if``."""
        raise NotImplementedError

    def call(self, call: ast.Call, target: str | None) -> Iterator[Node]:
        """A call as a statement, or with its result in the local ``target``."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: ast.expr) -> Iterator[Node]:
        """An assignment to a local, a field or an element of a field."""
        if attribute := attribute_of(target):
            yield from self.write(attribute, value)
            return
        match target:
            case ast.Subscript(value=whole, slice=key):
                variable = self.field(whole, "pairs")
                yield from self.simple(value)
                at, term = self.expressions.term(key).text, self.expressions.term(value)
                python = f"{ast.unparse(target)} = {ast.unparse(value)}"
                yield self.change(python, variable, f"WithKey({variable}, {at}, {term.text})", key)
            case ast.Name(id=name):
                if isinstance(value, ast.Call) and self.acts(value):
                    yield from self.call(value, name)
                else:
                    yield from self.local(name, value)
            case _:
                raise Untranslated(f"an assignment to {ast.unparse(target)}")

    def local(self, name: str, value: ast.expr) -> Iterator[Node]:
        """An assignment to a local."""
        if isinstance(value, ast.BoolOp) and self.expressions.reads(value):
            yield from self.connected(name, value)
            return
        if isinstance(value, ast.IfExp) and self.expressions.reads(value):
            yield from self.either(name, value)
            return
        reads = self.expressions.reads(value)
        self.apart(value, reads)
        term = self.expressions.term(value)
        whole = self.subject.fields.get(attribute_of(value))
        if whole is not None and whole.container:
            raise Untranslated(f"{ast.unparse(value)} gets a second name, outside of its field")
        python = f"{name} = {ast.unparse(value)}"
        variable = self.variable(name, term.kind)
        label = self.label() if reads else ""
        yield Step(python, [(variable, term.text)], label, "read" if reads else "")

    def connected(self, name: str, value: ast.BoolOp) -> Iterator[Node]:
        """A local that is set to ``a and b`` or ``a or b``: the second is read if it counts."""
        first, *rest = value.values
        here = ast.Name(name, ast.Load())
        yield from self.assign(ast.Name(name, ast.Store()), first)
        for operand in rest:
            goes_on = isinstance(value.op, ast.And)
            formula = self.expressions.truth(here)
            branch = Branch(
                name if goes_on else f"not {name}", formula if goes_on else f"~{formula}"
            )
            branch.then = list(self.assign(ast.Name(name, ast.Store()), operand))
            yield branch

    def either(self, name: str, value: ast.IfExp) -> Iterator[Node]:
        """A local that is set to ``a if test else b``."""
        target = ast.Name(name, ast.Store())
        statement = ast.If(
            value.test, [ast.Assign([target], value.body)], [ast.Assign([target], value.orelse)]
        )
        yield from self.branch(
            ast.fix_missing_locations(ast.copy_location(statement, value)), False
        )

    def write(self, attribute: str, value: ast.expr) -> Iterator[Node]:
        """An assignment to a field."""
        if attribute not in self.subject.fields:
            raise Untranslated(f"self.{attribute} is not set in __init__")
        self.see(attribute)
        field = self.subject.fields[attribute]
        if field.container and not attribute_of(value):
            first = initial(value, self.subject)
            if first is None or first[:2] != (field.kind, field.initial):
                raise Untranslated(f"self.{attribute} gets an object that has other names")
            yield Step(f"{self.value} = {field.fresh}")
            python = f"self.{attribute} = {self.value}"
            yield Step(python, [(field.variable, field.initial)], self.label(), "write")
            return
        if isinstance(value, ast.Call) and self.acts(value):
            yield from self.call(value, self.value)
            value = ast.Name(self.value, ast.Load())
        elif self.expressions.reads(value) or isinstance(value, ast.BoolOp):
            yield from self.local(self.value, value)
            value = ast.Name(self.value, ast.Load())
        term = self.expressions.term(value)
        python = f"self.{attribute} = {ast.unparse(value)}"
        yield Step(python, [(field.variable, term.text)], self.label(), "write")

    def change(self, python: str, variable: str, term: str, *parts: ast.expr) -> Step:
        """A change of a container in place."""
        if any(self.expressions.reads(part) for part in parts):
            raise Untranslated("a change reads another field on its line")
        return Step(python, [(variable, term)], self.label(), "change")
