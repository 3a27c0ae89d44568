"""Values on a suspended frame's evaluation stack, which Python does not show.

A frame is suspended inside one expression of one statement. The parts of the statement that were
evaluated before it wait on the stack. Each of them has to be *stable*: made of locals, constants,
final fields and pure functions of those, so that locals and objects determine it. So have the
context manager of each ``with`` and the argument of each ``for`` around the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from types import FrameType
from typing import Any

from wheelproof.python.findings import Faults, Unnamed
from wheelproof.python.parsed import KEPT, parents

_PURE = frozenset(
    {
        "abs",
        "bool",
        "divmod",
        "float",
        "frozenset",
        "int",
        "isinstance",
        "len",
        "max",
        "min",
        "range",
        "repr",
        "round",
        "str",
        "tuple",
        "type",
        "enumerate",
        "super",
    }
)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Stacks:
    """Judges the suspended frames of one implementation, each position once."""

    def __init__(self, trees: Mapping[str, ast.Module], fields: Collection[str]) -> None:
        """``trees``: file name -> syntax tree. ``fields``: names of the marked fields."""
        self._fields = frozenset(fields)
        self._pure = _pure_names(tuple(trees.values()), self._fields)
        self._trees = dict(trees)

    def check(self, frame: FrameType, inner: FrameType | None) -> None:
        """Refuse a value on the stack of a suspended frame that the fingerprint does not determine.

        ``inner``: the implementation's frame that it called, None for the innermost.

        Raises Unnamed with the place and the expression.
        """
        code, tree = frame.f_code, self._trees.get(frame.f_code.co_filename)
        if tree is None or frame.f_lasti < 0:
            return
        line, end_line, column, end_column = list(code.co_positions())[frame.f_lasti // 2]
        if line is None or end_line is None or column is None or end_column is None:
            return
        around = parents(tree)
        node = _node(tree, (line, column, end_line, end_column))
        if node is None:
            return
        expressions: list[ast.expr] = []
        if (
            isinstance(node, ast.expr)
            and isinstance(around.get(node), ast.withitem)
            and not _calls(node, inner)
        ):
            expressions = [node]
        # Python 3.11 gives the entry and the exit of a with the place of the statement.
        if isinstance(node, (ast.With, ast.AsyncWith)):
            expressions = [item.context_expr for item in node.items]
        for part in (*expressions, *self._arguments(node, inner), *self._waiting(node, around)):
            if not self._stable(part):
                text = ast.unparse(part)
                raise Unnamed(
                    f"The value of `{text}` is on the evaluation stack of {code.co_qualname} "
                    f"({code.co_filename}:{part.lineno}) while the "
                    "thread is suspended: no fingerprint sees it.",
                    "Put it into a local first, on a line of its own.",
                )

    # -- values that wait

    def _arguments(self, node: ast.AST, inner: FrameType | None) -> Iterator[ast.expr]:
        """Receiver and arguments of a primitive's call. A function has them in its locals."""
        if isinstance(node, ast.Call):
            if not _calls(node, inner):
                yield node.func
                yield from node.args
                yield from (keyword.value for keyword in node.keywords)
        elif isinstance(node, ast.Attribute):
            yield node.value

    def _waiting(self, node: ast.AST, around: Mapping[ast.AST, ast.AST]) -> Iterator[ast.expr]:
        child = node
        while (parent := around.get(child)) is not None and not isinstance(
            child, (*Function.__args__, ast.Module)
        ):
            yield from _before(parent, child)
            child = parent

    # -- stable values

    def _stable(self, node: ast.AST) -> bool:
        if isinstance(node, (ast.Name, ast.Constant, ast.NamedExpr, ast.Lambda)):
            return True
        if isinstance(node, ast.Attribute):
            return node.attr not in self._fields and self._stable(node.value)
        if isinstance(node, ast.Call):
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", None)
            )
            if name not in self._pure:
                return False
            receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            return all(
                map(
                    self._stable,
                    [*receiver, *node.args, *(keyword.value for keyword in node.keywords)],
                )
            )
        if isinstance(
            node,
            (
                ast.UnaryOp,
                ast.BinOp,
                ast.Compare,
                ast.BoolOp,
                ast.IfExp,
                ast.Tuple,
                ast.List,
                ast.Set,
                ast.Dict,
                ast.JoinedStr,
                ast.FormattedValue,
                ast.Starred,
                ast.Subscript,
                ast.Slice,
            ),
        ):
            return all(
                self._stable(part)
                for part in ast.iter_child_nodes(node)
                if isinstance(part, ast.expr)
            )
        return False


def _calls(node: ast.AST, inner: FrameType | None) -> bool:
    """Whether an expression is the call that has led to the frame ``inner``."""
    if inner is None or not isinstance(node, ast.Call):
        return False
    name = (
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    )
    return inner.f_code.co_name in (name, "__init__", "__call__") or (
        isinstance(node.func, ast.Name) and name not in _PURE
    )


@lru_cache(16 * KEPT)
def _node(tree: ast.Module, place: tuple[int, int, int, int]) -> ast.AST | None:
    """The outermost node of exactly this place, else the smallest around it."""
    best: ast.AST | None = None
    best_size: tuple[int, int] | None = None
    node: Any
    for node in ast.walk(tree):
        if not hasattr(node, "end_col_offset"):
            continue
        begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        exact = begin == place[:2] and end == place[2:]
        if exact and isinstance(node, (ast.expr, ast.stmt)):
            return node if not isinstance(node, ast.Expr) else node.value
        if begin <= place[:2] and end >= place[2:]:
            size = (end[0] - begin[0], end[1] - begin[1])
            if best_size is None or size <= best_size:
                best, best_size = node, size
    return best


def _before(parent: ast.AST, child: ast.AST) -> Iterator[ast.expr]:
    """The parts of a node whose values wait while one of its parts is evaluated."""
    if isinstance(parent, (ast.BoolOp, ast.IfExp, ast.NamedExpr)):
        return
    if isinstance(parent, ast.Assign):
        if child in parent.targets:
            yield parent.value
    elif isinstance(parent, ast.AnnAssign):
        if child is parent.target and parent.value is not None:
            yield parent.value
    elif isinstance(parent, ast.AugAssign):
        if child is parent.value and not isinstance(parent.target, ast.Name):
            yield ast.copy_location(ast.Await(parent.target), parent)  # its old value: never stable
    elif isinstance(parent, (ast.With, ast.AsyncWith)):
        if child in parent.body:
            yield from (item.context_expr for item in parent.items)
    elif isinstance(parent, (ast.For, ast.AsyncFor)):
        if child in parent.body:
            yield parent.iter
    elif isinstance(parent, ast.Dict):
        for key, value in zip(parent.keys, parent.values, strict=True):
            if child in (key, value):
                return
            yield from (part for part in (key, value) if part is not None)
    elif isinstance(parent, ast.keyword):
        return
    elif isinstance(parent, ast.expr):
        for part in ast.iter_child_nodes(parent):
            if part is child:
                return
            if isinstance(part, ast.keyword):
                part = part.value
            if isinstance(part, ast.expr):
                yield part


@lru_cache(KEPT)
def _pure_names(trees: tuple[ast.Module, ...], fields: frozenset[str]) -> frozenset[str]:
    """Names of functions that touch no marked field and call only such functions."""
    bodies: dict[str, list[ast.AST]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                bodies.setdefault(node.name, []).append(node)
    pure = set(bodies)
    while True:
        fewer = {
            name for name in pure if all(_is_pure(body, fields, pure) for body in bodies[name])
        }
        if fewer == pure:
            return frozenset(fewer | _PURE)
        pure = fewer


def _is_pure(function: ast.AST, fields: frozenset[str], pure: Collection[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and (
            node.attr in fields or not isinstance(node.ctx, ast.Load)
        ):
            return False
        if isinstance(node, ast.Call):
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", None)
            )
            if name not in pure and name not in _PURE:
                return False
        if isinstance(
            node,
            (
                ast.With,
                ast.AsyncWith,
                ast.Yield,
                ast.YieldFrom,
                ast.Await,
                ast.Nonlocal,
                ast.Global,
            ),
        ):
            return False
    return True


def returns_in_hand(tree: ast.Module, fields: Collection[str], lines: Collection[int]) -> Faults:
    """Style findings: a returned value that is in no local while the block around it ends.

    The block is a ``with`` or a ``try .. finally`` that ends with a step.
    """
    judge = Stacks({"": tree}, fields)
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            steps = node.lineno in lines
        elif isinstance(node, ast.Try) and node.finalbody:
            steps = any(
                getattr(inner, "lineno", None) in lines
                for part in node.finalbody
                for inner in ast.walk(part)
            )
        else:
            continue
        if not steps:
            continue
        for inner in _within(node):
            if (
                isinstance(inner, ast.Return)
                and inner.value is not None
                and not judge._stable(inner.value)
            ):
                yield (
                    inner.lineno,
                    "value-on-stack",
                    "a thread can be suspended at the end of this block with the returned value on "
                    "the evaluation stack",
                    "assign the value to a local in the block and return the local after it",
                )


def _within(block: ast.With | ast.AsyncWith | ast.Try) -> Iterator[ast.AST]:
    """The nodes of a block without those of functions nested in it."""
    todo: list[ast.AST] = (
        list(block.body)
        + [part for handler in getattr(block, "handlers", ()) for part in handler.body]
        + list(getattr(block, "orelse", ()))
    )
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*Function.__args__, ast.ClassDef)):
            todo += list(ast.iter_child_nodes(node))
