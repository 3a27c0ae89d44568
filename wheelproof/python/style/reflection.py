"""Style rules against reflection: access to state past the names that the code has for it.

A frame, a module or the attributes of an object can be reached through an attribute of Python's own
(``__globals__``, ``gi_frame``), through a built-in function (``vars``), or by a text (``getattr``).
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TypeGuard

from wheelproof.python.findings import Faults
from wheelproof.python.style import scopes

_REFLECTION = frozenset(
    {
        "setattr",
        "delattr",
        "vars",
        "globals",
        "locals",
        "exec",
        "eval",
        "compile",
        "__import__",
        "__setattr__",
        "__delattr__",
        "gi_frame",
        "gi_code",
        "cr_frame",
        "cr_code",
        "ag_frame",
        "ag_code",
        "tb_frame",
        "f_back",
        "f_builtins",
        "f_globals",
        "f_locals",
    }
)
_OUTSIDE = frozenset(
    {
        "id",
        "open",
        "input",
        "breakpoint",
        "copyright",
        "credits",
        "exit",
        "help",
        "license",
        "quit",
    }
)
"""Built-in functions that bring in addresses, files and the terminal, and objects for it."""
_DUNDERS = frozenset(
    {
        "__init__",
        "__enter__",
        "__exit__",
        "__call__",
        "__name__",
        "__qualname__",
        "__class__",
        "__doc__",
        "__module__",
        "__slots__",
    }
)
_NAMES = _DUNDERS | {"__debug__", "__file__"}


def rules(tree: ast.Module, nodes: Collection[ast.AST]) -> Faults:
    """Findings among the nodes of a file."""
    definitions = [
        s for s in tree.body if isinstance(s, (ast.Assign, ast.FunctionDef, ast.ClassDef))
    ]
    built_in = (_REFLECTION | _OUTSIDE | {"getattr"}) - scopes.assigned_names(definitions)
    read = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    names = {n.id for n in read} & built_in
    shadows = scopes.variables(tree, names)
    callees = {id(node.func) for node in nodes if isinstance(node, ast.Call)} if names else set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Load) and _hides(node.attr):
                yield _reaching(node.lineno, node.attr)
        elif isinstance(node, ast.Name):
            is_store = not isinstance(node.ctx, ast.Load)
            if node.id == "__match_args__":
                yield _reaching(node.lineno, node.id)
            elif is_store or id(node) in shadows:
                continue
            elif node.id in names:
                if node.id != "getattr":
                    yield _reaching(node.lineno, node.id)
                elif id(node) not in callees:
                    yield _by_text(node.lineno, "getattr as a value")
            elif _dunder(node.id) and node.id not in _NAMES:
                yield _reaching(node.lineno, node.id)
        elif isinstance(node, ast.MatchClass):
            for name in filter(_hides, node.kwd_attrs):
                yield _reaching(node.lineno, name)
        elif is_getattr(node) and "getattr" in names and id(node.func) not in shadows:
            constant = text_of(node)
            if constant is None:
                yield _by_text(node.lineno, "getattr with a computed name")
            elif _hides(constant):
                yield _reaching(node.lineno, constant)


def is_getattr(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr"
    )


def text_of(node: ast.Call) -> str | None:
    """The constant name in a call of ``getattr``, or None."""
    if len(node.args) > 1:
        name = node.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return name.value
    return None


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _hides(attribute: str) -> bool:
    return attribute in _REFLECTION or (_dunder(attribute) and attribute not in _DUNDERS)


def _reaching(line: int, name: str) -> tuple[int, str, str, str]:
    return (
        line,
        "hidden-state",
        f"{name} reaches state that is not seen",
        "use the object's own slots and methods, named in the code",
    )


def _by_text(line: int, description: str) -> tuple[int, str, str, str]:
    return (
        line,
        "hidden-state",
        f"{description}: which attribute it reaches is not seen",
        "name the attribute in the code",
    )
