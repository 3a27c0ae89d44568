"""Imports for production only: a thread pool, the machine's clock, a logger. No controlled thread may use what they bring.

The mark ``# production only`` behind the import, or behind an assignment at the top of the file, says so. The linter then lets the import pass, and this module stops the
thread that uses it all the same.
"""
from __future__ import annotations

import ast
import sys
from types import ModuleType

from wheelproof.explore.controlled import Scheduler

MARK = "# production only"


def marked(tree: ast.Module, text: str) -> dict[int, tuple[str, ...]]:
    """Line of each marked import or assignment at the top of a file -> the names that it binds."""
    lines = text.splitlines()
    found = {}
    for node in tree.body:
        if not lines[node.lineno - 1].rstrip().endswith(MARK):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found[node.lineno] = tuple((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign):
            found[node.lineno] = tuple(target.id for target in node.targets if isinstance(target, ast.Name))
    return found


def guard(module: ModuleType, text: str, scheduler: Scheduler) -> None:
    """Put a :class:`Guarded` in the place of what a loaded module's marked imports bind."""
    for names in marked(ast.parse(text), text).values():
        for name in names:
            vars(module)[name] = Guarded(name, vars(module)[name], scheduler)


class Guarded:
    """Stands for a module, class or function of the standard library; a rule is broken where a controlled thread uses it."""

    def __init__(self, name: str, value: object, scheduler: Scheduler) -> None:
        vars(self).update(_name=name, _value=value, _scheduler=scheduler)

    def _used(self) -> object:
        scheduler = self._scheduler
        if scheduler.running is not None:
            scheduler.fail(f"{scheduler.place_of(sys._getframe(2))}: {self._name} is imported for production only and is out of the scheduler's "
                           "control; take locks, threads, clocks and chance from impl.runtime, or have the scenario hand them in")
        return self._value

    def __getattr__(self, name: str) -> object:
        return getattr(self._used(), name)

    def __call__(self, *arguments: object, **named: object) -> object:
        return self._used()(*arguments, **named)
