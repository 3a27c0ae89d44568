"""The part of the rewriter that all kinds of syntax use: sites, calls of helpers, scopes.

Helpers and sites stand in the rewritten code as constants. They are put there once it is
compiled: until then a string stands for each.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from types import CodeType
from typing import Any

from wheelproof.plain.instrument.fields import ADDED
from wheelproof.plain.instrument.scopes import Scope, Shared
from wheelproof.plain.sites import REGIONS, Site

_MARK = "\0wheelproof:"
LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
"""Statements that none follows."""

LONGEST = 70
"""Characters of a site's text."""


class Base(ast.NodeTransformer):
    """Collects the sites of a module while it is rewritten.

    ``region``: the number of the code from the last call, entry of a function or backward jump on.
    An interpreter with a global lock switches threads between two regions, and within none.
    ``assigns_nothing``: above 0 in a generator expression and in the iterable of a comprehension.
    A variable assigned there is an error, or is shared by the threads that run the generator.
    """

    def __init__(self, file: str, module: str, source: str, shared: Shared) -> None:
        self.file, self.module, self.shared = file, module, shared
        self._lines = source.encode().split(b"\n")
        self.constants: list[Any] = []
        self.hooks: dict[str, str] = {}
        self.sites: list[Site] = []
        self.scopes: list[Scope] = [shared.module]
        self.names: list[str] = []
        self.classes: list[str] = []
        self.of_class = [False]
        self.called_back = [False]
        self.calls: dict[Scope | None, str] = {}
        self.region = next(REGIONS)
        self._temporaries, self.assigns_nothing = 0, 0
        self._held: list[str] = []
        self._texts: Counter[tuple[str, str]] = Counter()

    def leave(self) -> None:
        """A call, an entry of a function or a backward jump: another region begins."""
        self.region = next(REGIONS)

    def join(self, *regions: int) -> None:
        """Go on behind blocks of which one was run, each with its region at the end."""
        self.region = regions[0] if len({*regions}) == 1 else next(REGIONS)

    # -- what stands in rewritten code

    def constant(self, value: Any) -> ast.expr:
        self.constants.append(value)
        return ast.Constant(f"{_MARK}{len(self.constants) - 1}")

    def text(self, node: ast.AST) -> str:
        """A node as the source has it, shortened."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        line = self._lines[first - 1]
        end = node.end_col_offset if first == last else len(line)  # type: ignore[attr-defined]
        begin: int = node.col_offset  # type: ignore[attr-defined]
        text: str = line[begin:end].decode(errors="replace")
        if first != last:
            text += " ..."
        return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."

    def site(self, node: ast.AST, text: str) -> ast.expr:
        """A new site, of the access that is announced next."""
        function = ".".join(self.names)
        self._texts[function, text] += 1
        key = f"{self.module}:{function}:{text}#{self._texts[function, text]}"
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        site = Site(self.file, line, column, text, key, self.region, len(self.sites))
        self.sites.append(site)
        return self.constant(site)

    def hook(self, name: str, *arguments: ast.expr) -> ast.Call:
        """A call of a helper."""
        return ast.Call(self.helper(name), list(arguments), [])

    def helper(self, name: str) -> ast.expr:
        mark = self.hooks.get(name)
        if mark is None:
            self.constants.append(_Hook(name))
            mark = self.hooks[name] = f"{_MARK}{len(self.constants) - 1}"
        return ast.Constant(mark)

    def begins_call(self, scope: Scope) -> list[ast.stmt]:
        """How a function begins whose variables threads can share: it makes a mark of this call."""
        if not self.shared.has_shared(scope):
            return []
        self.calls[scope] = name = f"{ADDED[0]}{len(self.calls)}"
        return [ast.Assign([ast.Name(name, ast.Store())], self.hook("call"))]

    def temporary(self) -> str:
        """The name of a variable that holds a value until its statement ends."""
        self._temporaries += 1
        self._held.append(f"{ADDED[1]}{self._temporaries}")
        return self._held[-1]

    def mangled(self, name: str) -> str:
        if self.classes and name.startswith("__") and not name.endswith("__"):
            inside = self.classes[-1].lstrip("_")
            return f"_{inside}{name}" if inside else name
        return name

    def is_shared(self, name: str) -> bool:
        return not self.in_class() and self.shared.is_shared(self.scopes[-1], name)

    def in_class(self) -> bool:
        """Whether names here are attributes of a class."""
        return self.of_class[-1]

    def variable(self, name: str) -> ast.expr:
        """The key of a shared variable. Each call of its function has one of its own."""
        owner = self.scopes[-1].owner(name)
        where = (self.file, owner.name, owner.line) if owner else (self.file, "", 0)
        call = self.calls.get(owner)
        if call is None:
            return self.constant((*where, name))
        parts: list[ast.expr] = [ast.Constant(part) for part in where]
        return ast.Tuple([*parts, ast.Name(call, ast.Load()), ast.Constant(name)], ast.Load())

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in statements:
            outer, self._held = self._held, []
            new = self.visit(statement)
            names, self._held = self._held, outer
            result.extend(new if isinstance(new, list) else [new])
            if names and not isinstance(statement, LEAVING):
                targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
                freed = ast.Assign(targets, ast.Constant(None))
                result.append(ast.copy_location(freed, statement))
        return result


class _Hook:
    """Stands for a helper until the code is compiled."""

    def __init__(self, name: str) -> None:
        self.name = name


class Rewritten:
    """A rewritten module: its code, in which strings stand for helpers and sites."""

    def __init__(self, tree: ast.Module, rewriter: Base) -> None:
        ast.fix_missing_locations(tree)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            self._code = compile(tree, rewriter.file, "exec", dont_inherit=True)
        self._constants = rewriter.constants
        self.rebound = rewriter.shared.globals

    def filled(self, hooks: dict[str, Any]) -> tuple[CodeType, list[Site]]:
        """The code with helpers and with sites of its own, and those sites."""
        values: list[Any] = []
        for value in self._constants:
            if isinstance(value, _Hook):
                value = hooks[value.name]
            elif isinstance(value, Site):
                value = value.copy()
            values.append(value)
        return _fill(self._code, values), [value for value in values if type(value) is Site]


def _fill(code: CodeType, values: list[Any]) -> CodeType:
    constants = []
    for value in code.co_consts:
        if isinstance(value, CodeType):
            value = _fill(value, values)
        elif isinstance(value, str) and value.startswith(_MARK):
            value = values[int(value[len(_MARK) :])]
        constants.append(value)
    return code.replace(co_consts=tuple(constants))
