"""The form of a program: short, and without a word about places, schedules or private names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

LINES = 15
"""Lines of a program that are not blank, at most."""

CHECKERS = {"benchmarks", "frontrun", "greenlet", "interleave_test", "pytest", "wheelproof"}
ORDERS = {"Barrier", "sleep", "setprofile", "setswitchinterval", "settrace"}
"""Names that would put threads in an order or slow one of them down."""

ENTRY = "program"


def faults(source: str) -> Iterator[str]:
    """The faults in the source of a program. Raises SyntaxError where it is no Python."""
    tree = ast.parse(source)
    lines = sum(1 for line in source.splitlines() if line.strip())
    if lines > LINES:
        yield f"has {lines} lines, of at most {LINES}"
    if not any(_is_entry(node) for node in tree.body):
        yield f"has no function {ENTRY}() without parameters"
    for node in ast.walk(tree):
        imports = isinstance(node, ast.Import | ast.ImportFrom)
        for name in _names(node):
            place, parts = f"line {getattr(node, 'lineno', 0)}", name.split(".")
            if any(map(_is_private, parts)):
                yield f"{place} names {name}, which is private"
            if imports and parts[0] in CHECKERS:
                yield f"{place} imports {parts[0]}: a program knows no checker"
            if parts[-1] in ORDERS:
                yield f"{place} names {name}, which orders threads"


def _is_private(name: str) -> bool:
    return name.startswith("_") and name != "_" and not name.endswith("__")


def _is_entry(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef) or node.name != ENTRY:
        return False
    parameters = node.args
    return not (
        parameters.posonlyargs
        or parameters.args
        or parameters.vararg
        or parameters.kwonlyargs
        or parameters.kwarg
    )


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a node itself uses."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.ImportFrom(module=module, names=aliases):
            yield module or "."
            yield from (alias.name for alias in aliases)
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.keyword(arg=str(name)):
            yield name
