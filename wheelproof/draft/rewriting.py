"""Statements of Python as others that mean the same: calls, early ends, blocks of locks."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from wheelproof.draft.expressions import Untranslated


def locals_of(statements: Sequence[ast.stmt]) -> set[str]:
    """The locals that statements assign."""
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def body_for(
    method: ast.FunctionDef,
    arguments: Sequence[ast.expr],
    keywords: Sequence[ast.keyword],
    name: str,
) -> list[ast.stmt]:
    """The body of a method with the arguments of a call; its own locals get the method's name."""
    decorators = [ast.unparse(item) for item in method.decorator_list]
    if decorators or method.args.vararg or method.args.kwarg:
        raise Untranslated(f"{name} has a decorator or any number of arguments")
    parameters = [argument.arg for argument in [*method.args.posonlyargs, *method.args.args]][1:]
    defaults = dict(
        zip(parameters[::-1], method.args.defaults[::-1], strict=False),
    )
    by_name = dict(zip(parameters, arguments, strict=False))
    by_name |= {item.arg: item.value for item in keywords if item.arg}
    values: dict[str, ast.expr] = {}
    for parameter in parameters:
        value = by_name.get(parameter, defaults.get(parameter))
        if value is None:
            raise Untranslated(f"a call of {name} leaves out {parameter}")
        if not isinstance(value, ast.Name | ast.Constant):
            raise Untranslated(f"an argument of {name} is computed in the call")
        values[parameter] = value
    body = [copy.deepcopy(statement) for statement in method.body]
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    stored_names = locals_of(body)
    if clash := stored_names & set(values):
        raise Untranslated(f"{name} assigns to its argument {min(clash)}")
    renamer = _Renamer({local: f"{name.strip('_')}_{local}" for local in stored_names}, values)
    return [renamer.visit(statement) for statement in body]


class _Renamer(ast.NodeTransformer):
    """Gives locals other names, and puts values in the place of arguments."""

    def __init__(self, names: Mapping[str, str], values: Mapping[str, ast.expr]) -> None:
        self.names, self.values = names, values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.values and isinstance(node.ctx, ast.Load):
            return ast.copy_location(copy.deepcopy(self.values[node.id]), node)
        node.id = self.names.get(node.id, node.id)
        return node


class Evaluated(ast.NodeTransformer):
    """Puts the expression in the place of a call of a method that only returns it."""

    def __init__(self, methods: Mapping[str, ast.FunctionDef]) -> None:
        self.methods = methods

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.methods:
                with suppress(Untranslated):
                    match body_for(self.methods[name], node.args, node.keywords, name):
                        case [ast.Return(value=ast.expr() as value)]:
                            return ast.copy_location(value, node)
        return node


def as_truth(node: ast.expr) -> ast.expr:
    """An expression whose parts are truth values, as a condition takes them."""
    if isinstance(node, ast.BoolOp):
        return ast.copy_location(ast.BoolOp(node.op, list(map(as_truth, node.values))), node)
    if isinstance(node, ast.Compare) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    ):
        return node
    return ast.copy_location(ast.Call(ast.Name("bool", ast.Load()), [node], []), node)


def returns(node: ast.AST) -> bool:
    """Whether some ``return`` stands in a statement."""
    return any(isinstance(inner, ast.Return) for inner in ast.walk(node))


def continues(body: Sequence[ast.stmt]) -> bool:
    """Whether some ``continue`` stands in a block."""
    return any(isinstance(node, ast.Continue) for part in body for node in ast.walk(part))


def assigned(statement: ast.stmt, target: str, early: bool) -> list[ast.stmt]:
    """A statement of a method that is called: its result goes to a local."""

    class Results(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
            value = node.value or ast.Constant(None)
            here: list[ast.stmt] = [ast.Assign([ast.Name(target, ast.Store())], value)]
            return [*here, ast.Break()] if early else here

    result = Results().visit(statement)
    parts: list[ast.stmt] = result if isinstance(result, list) else [result]
    return [ast.fix_missing_locations(ast.copy_location(part, statement)) for part in parts]


def as_blocks(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements with a ``with`` in the place of an ``acquire`` and the ``try`` that releases."""
    rest = list(statements)
    while rest:
        statement = rest.pop(0)
        match statement, rest[:1]:
            case (
                ast.Expr(value=ast.Call(func=ast.Attribute(value=lock, attr="acquire"), args=[])),
                [
                    ast.Try(
                        body=body,
                        handlers=[],
                        orelse=[],
                        finalbody=[
                            ast.Expr(
                                value=ast.Call(
                                    func=ast.Attribute(value=released_lock, attr="release")
                                )
                            )
                        ],
                    )
                ],
            ) if ast.unparse(lock) == ast.unparse(released_lock):
                block = ast.With([ast.withitem(lock, None)], body)
                rest[0] = ast.fix_missing_locations(ast.copy_location(block, statement))
            case _:
                yield statement
