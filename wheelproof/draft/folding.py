"""Conditions that are known before a program runs, and the branches that they drop."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

from wheelproof.draft.rewriting import locals_of


def decided(op: ast.cmpop, value: object, second: object) -> bool | None:
    """The truth of a comparison of two constants; None where it is not decided."""
    match op:
        case ast.Is() | ast.Eq():
            return value == second
        case ast.IsNot() | ast.NotEq():
            return value != second
    if not isinstance(value, int | float) or not isinstance(second, int | float):
        return None
    match op:
        case ast.Lt():
            return value < second
        case ast.LtE():
            return value <= second
        case ast.Gt():
            return value > second
        case ast.GtE():
            return value >= second
    return None


def fold(statements: Sequence[ast.stmt], values: Mapping[str, ast.expr]) -> list[ast.stmt]:
    """Statements with these values in the place of names, without branches that cannot run.

    ``values``: a name or ``self.attribute`` -> its value. A name that is assigned keeps its own.
    """
    targets = locals_of(statements)
    constants = {name: value for name, value in values.items() if name not in targets}
    preset: list[ast.stmt] = [
        ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), statements[0])
        for name, value in values.items()
        if name in targets and statements
    ]
    folder = _Folder(constants)
    out: list[ast.stmt] = []
    for statement in [*preset, *map(copy.deepcopy, statements)]:
        result = folder.visit(statement)
        out += result if isinstance(result, list) else [result] if result is not None else []
    return [ast.fix_missing_locations(statement) for statement in out]


class _Folder(ast.NodeTransformer):
    """Puts values in the place of names, and takes out the branches that they decide."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.values:
            return ast.copy_location(copy.deepcopy(self.values[node.id]), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and ast.unparse(node) in self.values:
            return ast.copy_location(copy.deepcopy(self.values[ast.unparse(node)]), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) > 1 and isinstance(node.comparators[0], ast.Constant):
            middle = node.comparators[0]
            parts: list[ast.expr] = [
                ast.Compare(node.left, node.ops[:1], [middle]),
                ast.Compare(middle, node.ops[1:], node.comparators[1:]),
            ]
            conjunction = ast.BoolOp(ast.And(), parts)
            result: ast.expr = self.visit(
                ast.fix_missing_locations(ast.copy_location(conjunction, node))
            )
            return result
        match node:
            case ast.Compare(
                left=ast.Constant(value=value), ops=[op], comparators=[ast.Constant(value=second)]
            ) if (truth := decided(op, value, second)) is not None:
                return ast.copy_location(ast.Constant(truth), node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.copy_location(ast.Constant(not node.operand.value), node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        neutral = isinstance(node.op, ast.And)
        rest: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.Constant) and bool(value.value) == neutral:
                continue
            rest.append(value)
            if isinstance(value, ast.Constant):
                break
        if not rest:
            return ast.copy_location(ast.Constant(neutral), node)
        if len(rest) == 1:
            return rest[0]
        node.values = rest
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_While(self, node: ast.While) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if node.orelse and not breaks(node.body):
            rest, node.orelse = node.orelse, []
            return [node, *rest]
        return node


def breaks(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop with this body has a ``break`` of its own."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.While | ast.For):
            continue
        for name in ("body", "orelse", "finalbody"):
            if breaks(getattr(statement, name, [])):
                return True
    return False
