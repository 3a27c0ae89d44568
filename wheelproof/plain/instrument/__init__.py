"""Instrumentation: a module is rewritten so that it announces each access before it makes it."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from wheelproof.plain.instrument.rewriter import compiled
from wheelproof.plain.instrument.scopes import Shared
from wheelproof.plain.instrument.statements import Statements
from wheelproof.plain.sites import Site


def instrumented(
    tree: ast.Module,
    source: str,
    file: str,
    module: str,
    hooks: dict[str, Any],
    rebound: frozenset[str] = frozenset(),
) -> tuple[CodeType, list[Site]]:
    """The code of a module that calls ``hooks`` before its accesses, and its sites.

    ``rebound``: variables of the module that other modules assign.
    """
    rewriter = Statements(file, module, source, Shared(tree, rebound))
    new = rewriter.visit(tree)
    return compiled(new, rewriter, hooks), rewriter.sites
