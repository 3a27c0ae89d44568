"""Instrumentation: a module is rewritten so that it announces each access before it makes it."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from wheelproof.plain.instrument.rewriter import Rewritten
from wheelproof.plain.instrument.scopes import Shared
from wheelproof.plain.instrument.statements import Statements
from wheelproof.plain.sites import Site

_REWRITTEN: dict[tuple[object, ...], Rewritten] = {}
"""The sources that this process has rewritten already: one exploration follows another."""


def instrumented(
    source: str,
    file: str,
    module: str,
    hooks: dict[str, Any],
    rebound: frozenset[str] = frozenset(),
    classes: frozenset[str] | None = None,
) -> tuple[CodeType, list[Site], set[str]]:
    """The code of a module that calls ``hooks`` before its accesses, its sites, and its variables
    that functions rebind.

    ``rebound``: variables of the module that other modules assign. ``classes``: the only statements
    of the module that count are the definitions of these.
    """
    key = (source, file, module, rebound, classes)
    rewritten = _REWRITTEN.get(key)
    if rewritten is None:
        tree = ast.parse(source, file)
        if classes is not None:
            tree.body = [
                node
                for node in tree.body
                if isinstance(node, ast.ClassDef) and node.name in classes
            ]
        rewriter = Statements(file, module, source, Shared(tree, rebound))
        rewritten = _REWRITTEN[key] = Rewritten(rewriter.visit(tree), rewriter)
    return *rewritten.filled(hooks), rewritten.rebound
