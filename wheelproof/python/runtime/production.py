"""Imports for production only, such as a thread pool, the machine's clock or a logger.

They have the mark ``# production only`` behind the import, or behind an assignment at the top of
the file. The linter accepts such an import, and this module stops a controlled thread that uses it.

A harness may declare a stand-in for such a module: a module of its own that has the same names,
made of the runtime's primitives. Under control the marked import brings the stand-in, whose
labelled lines are steps like any others.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from wheelproof.isolated import ARTEFACTS
from wheelproof.python import parsed
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.controlled import Scheduler

MARK = "# production only"
TABLE = "STAND_INS"


def marked_lines(tree: ast.Module, text: str) -> dict[int, tuple[str, ...]]:
    """Line of each marked import or assignment at the top of a file -> the names that it binds."""
    lines = text.splitlines()
    names = {}
    for node in tree.body:
        if not lines[node.lineno - 1].rstrip().endswith(MARK):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names[node.lineno] = tuple(
                (alias.asname or alias.name).partition(".")[0] for alias in node.names
            )
        elif isinstance(node, ast.Assign):
            names[node.lineno] = tuple(
                target.id for target in node.targets if isinstance(target, ast.Name)
            )
    return names


def stand_ins(text: str, file: str) -> dict[str, str]:
    """The literal table ``STAND_INS`` of a harness: module -> its stand-in under control.

    Raises ExploreError for a table that is no literal, or that names a stand-in outside of the
    project.
    """
    table = parsed.literal(text, TABLE, {}, file)
    if not isinstance(table, dict) or not all(
        isinstance(name, str) and str(table[name]).partition(".")[0] in ARTEFACTS for name in table
    ):
        raise ExploreError(
            f"{file}: {TABLE} is not a literal table of modules of the project.",
            f"Write {TABLE} = {{'some.library': 'harness.some_module'}}.",
        )
    return table


def substitute(text: str, table: Mapping[str, str]) -> str:
    """A module's text in which marked imports bring their stand-ins. Lines stay in place."""
    lines = text.splitlines()
    tree = ast.parse(text)
    exempt = marked_lines(tree, text)
    for node in tree.body:
        if node.lineno not in exempt:
            continue
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module in table:
            node.module = table[node.module]
        elif isinstance(node, ast.Import) and any(alias.name in table for alias in node.names):
            node.names = [
                ast.alias(table[item.name], item.asname or item.name)
                if item.name in table
                else item
                for item in node.names
            ]
        else:
            continue
        lines[node.lineno - 1] = ast.unparse(node)
    return "\n".join(lines) + "\n"


def guard(
    module: ModuleType, text: str, scheduler: Scheduler, table: Mapping[str, str] = {}
) -> None:
    """Replace the names that marked imports bind by a :class:`Guarded`, except stand-ins."""
    classes = frozenset(table.values())
    for names in marked_lines(parsed.tree(text), text).values():
        for name in names:
            value = vars(module)[name]
            home = (
                value.__name__
                if isinstance(value, ModuleType)
                else getattr(value, "__module__", None)
            )
            if home not in classes:
                vars(module)[name] = Guarded(name, value, scheduler)


class Guarded:
    """Replaces a module, class or function; its use by a controlled thread breaks a rule."""

    _name: str
    _value: Any
    _scheduler: Scheduler

    def __init__(self, name: str, value: object, scheduler: Scheduler) -> None:
        vars(self).update(_name=name, _value=value, _scheduler=scheduler)

    def _primitive(self) -> Any:
        scheduler = self._scheduler
        if scheduler.running is not None:
            scheduler.fail(
                f"{scheduler.place_of(sys._getframe(2))}: {self._name} is imported for production "
                "only and is out of the scheduler's "
                "control; take locks, threads, clocks and chance from the project's runtime, or "
                "have the scenario hand them in"
            )
        return self._value

    def __getattr__(self, name: str) -> object:
        return getattr(self._primitive(), name)

    def __call__(self, *arguments: object, **keywords: object) -> object:
        return self._primitive()(*arguments, **keywords)
