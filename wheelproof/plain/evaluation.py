"""``exec``, ``eval`` and ``compile``: code that is made from text is instrumented as well."""

from __future__ import annotations

import ast
import builtins
import collections
import copy
import symtable
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument import instrumented
from wheelproof.plain.instrument.fields import Fields
from wheelproof.plain.sites import Site

RESULT = "_wheelproof_result"
"""The variable that has the value of an expression."""

_REAL = (builtins, vars(builtins))
"""The builtins of a module that is not of the world."""


@dataclass(frozen=True)
class Text:
    """The source of a code object. ``mode``: that of ``compile``."""

    source: str
    mode: str


class Evaluation:
    """The three functions as a world has them.

    ``modules``: those of the world, by their names. ``report_sites`` is called with the sites of
    new code. ``target`` makes the site of a function. ``functions``: the three, by their names.
    """

    def __init__(
        self,
        execution: Execution,
        fields: Fields,
        modules: Mapping[str, types.ModuleType],
        own_builtins: dict[str, Any],
        report_sites: Callable[[Sequence[Site]], None],
        target: Callable[[Any], Site],
        hooks: dict[str, Any],
    ) -> None:
        self._hooks = hooks
        self._execution, self._fields, self._modules = execution, fields, modules
        self._builtins, self._report_sites, self._target = own_builtins, report_sites, target
        self._codes: dict[tuple[Text, str], types.CodeType] = {}
        self._texts: dict[types.CodeType, Text] = {}
        self.functions = {"compile": self.compile, "eval": self.eval, "exec": self.exec}

    def compile(
        self,
        source: Any,
        filename: Any,
        mode: str,
        flags: int = 0,
        dont_inherit: bool = False,
        optimize: int = -1,
        **more: Any,
    ) -> Any:
        """``compile``. The text of the code is kept, for its instrumentation where it is run."""
        code = builtins.compile(source, filename, mode, flags, dont_inherit, optimize, **more)
        if isinstance(code, types.CodeType) and mode in ("eval", "exec"):
            text = _text(source, mode) if isinstance(source, ast.AST) else _decode(source)
            if text:
                self._texts[code] = Text(text, mode)
        return code

    def exec(self, source: Any, globals: Any = None, locals: Any = None, /, **more: Any) -> None:
        """``exec``."""
        globals, locals = self._namespaces(sys._getframe(1), globals, locals)
        code, globals = self._prepare(source, "exec", globals, locals)
        builtins.exec(code, globals, locals, **more)

    def eval(self, source: Any, globals: Any = None, locals: Any = None, /) -> Any:
        """``eval``."""
        globals, locals = self._namespaces(sys._getframe(1), globals, locals)
        code, globals = self._prepare(source, "eval", globals, locals)
        if not isinstance(code, types.CodeType) or RESULT not in code.co_names:
            return builtins.eval(code, globals, locals)
        assignments: dict[str, Any] = {}
        builtins.exec(code, globals, collections.ChainMap(assignments, locals))
        value = assignments.pop(RESULT)
        locals.update(assignments)
        return value

    def _namespaces(self, frame: types.FrameType, globals: Any, locals: Any) -> tuple[Any, Any]:
        """Those that are given, or those of the frame that calls."""
        if globals is None:
            globals = frame.f_globals
            locals = frame.f_locals if locals is None else locals
        elif isinstance(globals, dict):
            globals.setdefault("__builtins__", self._builtins)
        return globals, globals if locals is None else locals

    def _prepare(self, source: Any, mode: str, globals: Any, locals: Any) -> tuple[Any, Any]:
        """The code to run, instrumented where its builtins can be the world's, and its globals."""
        text = self._texts.get(source) if isinstance(source, types.CodeType) else None
        if isinstance(source, str | bytes):
            text = Text(_decode(source), mode)
        if self._execution.running is not None:
            self._announce(self._execution.running, text, globals, locals)
        if text is None:
            return source, globals
        foreign = globals.get("__builtins__") in _REAL and locals is not globals
        if foreign and not _bound(text.source, False):  # of a module that is not the world's
            globals = {**globals, "__builtins__": self._builtins}
        if globals.get("__builtins__") is not self._builtins:
            return source, globals
        name = globals.get("__name__", "")
        code = self._codes.get((text, name))
        if code is None:
            code = self._codes[text, name] = self._instrument(text, name)
        return code, globals

    def _announce(self, thread: Any, text: Text | None, globals: Any, locals: Any) -> None:
        """Announce the accesses of the namespaces, which threads may share.

        The statements of a text are not divided there, so that a race on a namespace is unseen.
        """
        module = self._modules.get(globals.get("__name__"))
        names = None if text is None else _bound(text.source, locals is globals)
        keys: dict[Any, bool] = {id(globals): names is None or bool(names), id(locals): True}
        if names is not None and module is not None and vars(module) is globals:
            del keys[id(globals)]
            keys |= {self._fields.variable(module, name): True for name in sorted(names)}
        site = self._target(builtins.exec).copy()
        site.foreign = "text that is executed"
        for key, writes in keys.items():
            self._execution.access(thread, key, globals, writes, site)

    def _instrument(self, text: Text, name: str) -> types.CodeType:
        source = text.source
        if text.mode == "eval":
            builtins.compile(source, "<string>", "eval")  # its error is that of the text alone
            source = f"{RESULT} = (\n{source.strip()}\n)"
        code, sites, _ = instrumented(source, "<string>", f"{name}.<string>", self._hooks)
        self._report_sites(sites)
        return code


class _Formatted(ast.NodeTransformer):
    """Writes the parts of a string as Python's grammar has them, which a program need not do."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        self.generic_visit(node)
        node.values = [
            part
            if isinstance(part, ast.Constant | ast.FormattedValue)
            else ast.FormattedValue(part, -1)
            for part in node.values
        ]
        return node


def _text(tree: ast.AST, mode: str) -> str:
    """The source of a tree; "" where no source has it."""
    try:
        text = ast.unparse(_Formatted().visit(copy.deepcopy(tree)))
        builtins.compile(text, "<string>", mode)
    except (AttributeError, SyntaxError, TypeError, ValueError):
        return ""
    return text


def _decode(source: Any) -> str:
    return source if isinstance(source, str) else bytes(source).decode()


def _bound(source: str, at_the_top: bool) -> set[str]:
    """The variables of a module that a text may assign. ``at_the_top``: also outside functions."""
    tables, names = [symtable.symtable(source.strip(), "<string>", "exec")], set[str]()
    top = tables[0]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if (symbol.is_declared_global() or (at_the_top and table is top))
            and (symbol.is_assigned() or symbol.is_imported())
        }
    return names
