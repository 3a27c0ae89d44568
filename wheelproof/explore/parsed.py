"""Syntax trees of sources, parsed once for each text.

A verification loads the same sources for each of its checks, and a decision's file changes one or
two of them. The trees are shared between loads: whatever reads one leaves it as it is, and a
change of a tree begins with ``ast.parse``.
"""

from __future__ import annotations

import ast
from functools import lru_cache

KEPT = 512
"""How many results by content each cache of this package keeps."""


@lru_cache(KEPT)
def tree(text: str) -> ast.Module:
    """The syntax tree of a source. Raises SyntaxError."""
    return ast.parse(text)


@lru_cache(KEPT)
def parents(of: ast.Module) -> dict[ast.AST, ast.AST]:
    """Node -> the node around it, of a whole tree."""
    return {child: node for node in ast.walk(of) for child in ast.iter_child_nodes(node)}
