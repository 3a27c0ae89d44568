"""The computations of an implementation with numbers, read off its sources.

A run takes the numbers of its scenario, and an expression that differs for others alone (a
remainder modulo 2**31, a table, a ``min``) looks the same in each. So such expressions are listed
by function: operators on numbers, the built-in functions of them under any name, numbers beyond
-1, 0 and 1, and tables that are indexed. Operators on sets are written alike, and are listed too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wheelproof.python import parsed

FUNCTIONS = frozenset(
    {"abs", "divmod", "float", "hash", "int", "max", "min", "pow", "range", "round", "sum"}
)
"""Built-in functions whose results are numbers."""

TYPES = frozenset({"float", "int"})
"""Those that only compute where they are called."""

MODULES = frozenset({"cmath", "ctypes", "decimal", "fractions", "math", "operator", "struct"})
"""Modules that compute with numbers."""

OPERATORS = frozenset(
    {"add", "and", "divmod", "floordiv", "lshift", "mod", "mul", "or", "pow", "rshift", "sub"}
    | {"truediv", "xor"}
)

METHODS = frozenset(
    {"__getitem__", "bit_count", "bit_length", "conjugate", "from_bytes", "to_bytes"}
    | {f"__{side}{name}__" for side in ("", "r", "i") for name in OPERATORS}
)
"""Methods that are operators on numbers, or index a table."""

SMALL = (-1, 0, 1)
"""Numbers that need no mention: with them alone a program counts, and compares with none."""

MODULE, BODY = "<module>", "<body>"
"""The names of code outside of functions, in a module and in a class."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Table = ast.Tuple | ast.List | ast.Dict | ast.Set


def computations(text: str, file: str) -> dict[str, tuple[str, ...]]:
    """Qualified name of a function -> its largest expressions with numbers, as Python writes them.

    Code outside of functions is under ``<module>`` and ``Class.<body>``. Annotations are no
    expressions.
    """
    module = parsed.tree(text, file)
    tables = {
        target.id
        for node in module.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    expressions: dict[str, dict[str, None]] = {}
    for name, expression in _within(module, tables, "", MODULE):
        expressions.setdefault(name, {})[ast.unparse(expression)] = None
    return {name: tuple(texts) for name, texts in expressions.items()}


def _within(
    node: ast.AST, tables: set[str], prefix: str, name: str
) -> Iterator[tuple[str, ast.AST]]:
    for child in _children(node):
        if isinstance(child, _Function):
            inner = f"{prefix}{child.name}"
            yield from _within(child, tables, f"{inner}.", inner)
        elif isinstance(child, ast.ClassDef):
            inner = f"{prefix}{child.name}."
            yield from _within(child, tables, inner, f"{inner}{BODY}")
        elif _computes(child, tables):
            yield name, child
        else:
            yield from _within(child, tables, prefix, name)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, but annotations and the parameters of types."""
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "type_params"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield child


def _computes(node: ast.AST, tables: set[str]) -> bool:
    """Whether a node computes with numbers at its outermost operator."""
    match node:
        case ast.AugAssign() | ast.UnaryOp(op=ast.Invert()):
            return True
        case ast.BinOp(left=first, right=right):
            return not _is_type(first) and not _is_type(right)
        case ast.Call(func=ast.Name(id=name)):
            return name in FUNCTIONS
        case ast.Name(id=name, ctx=ast.Load()):
            return name in FUNCTIONS - TYPES
        case ast.Constant(value=value) if type(value) in (int, float, complex):
            return value not in SMALL
        case ast.Call(func=ast.Attribute(attr=attribute)):
            return attribute in METHODS
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return name in MODULES or attribute in METHODS
        case ast.Attribute(value=value, attr=attribute):
            return isinstance(value, _Table) or attribute in METHODS
        case ast.ImportFrom(module=name):
            return name in MODULES
        case ast.Import(names=names):
            return any(import_name.name in MODULES for import_name in names)
        case ast.Subscript(value=ast.Name(id=name)):
            return name in tables
        case ast.Subscript(value=value):
            return isinstance(value, _Table | ast.Constant)
    return False


def _is_type(node: ast.AST) -> bool:
    """Whether an operand of ``|`` is a type that is spelled out, as in ``int | None``."""
    match node:
        case ast.Constant(value=None):
            return True
        case ast.BinOp(op=ast.BitOr(), right=right):
            return _is_type(right)
    return False
