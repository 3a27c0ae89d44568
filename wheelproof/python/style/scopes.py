"""Which names in a file are variables of a function, a lambda or a comprehension."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from wheelproof.python.style.suspension import COMPREHENSIONS

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, *COMPREHENSIONS)


def variables(tree: ast.Module, names: Collection[str]) -> frozenset[int]:
    """The ids of the nodes that are variables, of those that are called like one of ``names``."""
    name_set = frozenset(names)
    return frozenset(_variables(tree.body, frozenset(), name_set)) if name_set else frozenset()


def _variables(
    nodes: Iterable[ast.AST], bound: frozenset[str], names: frozenset[str]
) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Name):
            if node.id in bound:
                yield id(node)
        elif isinstance(node, _FUNCTIONS):
            body = [node.body] if isinstance(node, ast.Lambda) else node.body
            arguments = {n.arg for n in ast.walk(node.args) if isinstance(n, ast.arg)}
            inner = bound | (names & (arguments | assigned_names(body)))
            outside = [c for c in ast.iter_child_nodes(node) if c not in body]
            yield from _variables(outside, bound, names)
            yield from _variables(body, inner, names)
        elif isinstance(node, COMPREHENSIONS):
            first = node.generators[0]
            targets = {
                n.id
                for generator in node.generators
                for n in ast.walk(generator.target)
                if isinstance(n, ast.Name)
            }
            inner = bound | (names & targets)
            yield from _variables([first.iter], bound, names)
            within = [c for c in ast.iter_child_nodes(node) if c is not first]
            yield from _variables([*within, first.target, *first.ifs], inner, names)
        else:
            yield from _variables(ast.iter_child_nodes(node), bound, names)


def assigned_names(body: Iterable[ast.AST]) -> set[str]:
    """The names that these statements bind in their own scope."""
    names, todo = set(), list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        if not isinstance(node, _SCOPES):
            todo += ast.iter_child_nodes(node)
    return names
