"""Calls of a method as steps: of conditions, of containers, of other methods of the class."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from wheelproof.draft import containers, rewriting
from wheelproof.draft.expressions import Untranslated
from wheelproof.draft.steps import Node, Notify, Sleep, Step
from wheelproof.draft.subject import Guard, attribute_of
from wheelproof.draft.values import Values

INLINED = 4
"""How deep calls of the class's own methods are replaced by their bodies."""


class Calls(Values):
    """The calls of one method."""

    def prepared(
        self, statements: Sequence[ast.stmt], values: Mapping[str, ast.expr]
    ) -> list[ast.stmt]:
        """Statements without the parts that are decided before they run."""
        raise NotImplementedError

    def nodes(self, statement: ast.stmt, last: bool) -> Iterator[Node]:
        """The nodes of a statement. Raises Untranslated."""
        raise NotImplementedError

    def loop(self, statement: ast.While) -> Iterator[Node]:
        """A ``while``."""
        raise NotImplementedError

    def call(self, call: ast.Call, target: str | None) -> Iterator[Node]:
        """A call as a statement, or with its result in the local ``target``."""
        if self.is_own(call):
            yield from self.inlined(call, target)
            return
        if not isinstance(call.func, ast.Attribute):
            raise Untranslated(f"{ast.unparse(call)} calls what a draft does not look into")
        attribute, name = attribute_of(call.func.value), call.func.attr
        if attribute in self.subject.guards and target is None:
            yield from self.of_guard(self.subject.guards[attribute], name, call)
            return
        variable = self.field(call.func.value)
        yield from self.of_container(attribute, variable, name, call, target)

    def of_guard(self, guard: Guard, name: str, call: ast.Call) -> Iterator[Node]:
        """A call of a condition."""
        if name in ("wait", "wait_for") and len(self.held) != 1:
            raise Untranslated("a wait under several locks")
        match name, call.args:
            case "wait", ([] | [ast.Constant(value=None)]):
                yield Sleep(guard, (self.label(), self.label(), self.label()))
            case "wait_for", (
                [ast.Lambda(body=body)] | [ast.Lambda(body=body), ast.Constant(value=None)]
            ):
                here = ast.Attribute(ast.Name("self", ast.Load()), guard.attribute, ast.Load())
                wait = ast.Expr(ast.Call(ast.Attribute(here, "wait", ast.Load()), [], []))
                loop = ast.While(ast.UnaryOp(ast.Not(), body), [wait], [])
                yield from self.loop(ast.fix_missing_locations(ast.copy_location(loop, call)))
            case "notify_all", []:
                yield Notify(guard, self.label(), ast.unparse(call), "")
            case "notify", []:
                yield Notify(guard, self.label(), ast.unparse(call))
            case "notify", [number]:
                text = self.expressions.term(number).text
                yield Notify(guard, self.label(), ast.unparse(call), text)
            case _:
                raise Untranslated(f"{ast.unparse(call)} is outside of what a draft knows")

    def of_container(
        self, attribute: str, variable: str, name: str, call: ast.Call, target: str | None
    ) -> Iterator[Node]:
        """A call of a container: ``append``, ``pop`` and the like."""
        field, arguments = self.subject.fields[attribute], call.args
        for argument in arguments:
            yield from self.simple(argument)
        terms = [self.expressions.term(argument).text for argument in arguments]
        keywords = {item.arg or "**": ast.unparse(item.value) for item in call.keywords}
        change = containers.change(field, name, terms, keywords)
        if change is None:
            raise Untranslated(f"{ast.unparse(call)} is outside of what a draft knows")
        value, after = change
        assignments = [(variable, after)]
        python = containers.code(field, name, call) or ast.unparse(call)
        if target is not None:
            if not value or python != ast.unparse(call):
                raise Untranslated(f"the result of {ast.unparse(call)}")
            assignments = [(self.variable(target, "any"), value), *assignments]
            python = f"{target} = {python}"
        yield Step(python, assignments, self.label(), "change")

    def inlined(self, call: ast.Call, target: str | None) -> Iterator[Node]:
        """The body of another method of the class, in the place of its call."""
        name = attribute_of(call.func)
        if self.depth == INLINED:
            raise Untranslated(f"{name} calls itself, or methods that call methods")
        arguments = call.args
        body = rewriting.body_for(self.subject.methods[name], arguments, call.keywords, name)
        variable = target or f"{name.strip('_')}_result"
        early = any(isinstance(node, ast.Return) for part in body[:-1] for node in ast.walk(part))
        early |= bool(body) and not isinstance(body[-1], ast.Return) and rewriting.returns(body[-1])
        if early and any(
            rewriting.returns(part)
            for statement in body
            for part in ast.walk(statement)
            if isinstance(part, ast.While | ast.For)
        ):
            raise Untranslated(f"{name} returns out of a loop")
        ends = isinstance(body[-1], ast.Return) if body else False
        if target is not None and not ends:
            body = [*body, ast.Return(ast.Constant(None))]
        statements = [item for part in body for item in rewriting.assigned(part, variable, early)]
        if early:
            statements = [ast.While(ast.Constant(True), [*statements, ast.Break()], [])]
        self.depth += 1
        for statement in self.prepared(statements, {}):
            yield from self.nodes(ast.copy_location(statement, call), False)
        self.depth -= 1
