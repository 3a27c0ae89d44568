"""Syntax trees of sources, parsed once for each text.

A verification loads the same sources for each of its checks, and a decision's file changes one or
two of them. The trees are shared between loads: a reader leaves a tree as it is, and a
change of a tree begins with ``ast.parse``.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from wheelproof import reading

KEPT = 512
"""How many results by content each cache of this package keeps."""


def tree(text: str, file: str = "a source") -> ast.Module:
    """The syntax tree of a source. Raises Unreadable, which names the file."""
    try:
        return _tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return reading.tree(text, file)


@lru_cache(KEPT)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def literal(text: str, name: str, absent: object, file: str) -> object:
    """The value of the constant ``name`` of a module, read without an import.

    ``absent`` where the module has none; None where it is no literal.
    """
    for node in tree(text, file).body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            try:
                constant: object = ast.literal_eval(value)
            except ValueError:
                return None
            return constant
    return absent


@lru_cache(KEPT)
def parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    """Node -> the node around it, of a whole tree."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
