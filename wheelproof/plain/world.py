"""The modules of a program, loaded a second time: instrumented, over controlled threads.

They have builtins and an import of their own. The modules that are looked into are those of the
program and of what it imports, but for the standard library; of that, the modules that programs
with threads are made of. ``threading`` is a substitute: locks and threads are those of
:mod:`wheelproof.plain.primitives`, all other classes the interpreter's own source on top of them.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument import instrumented
from wheelproof.plain.instrument.calls import Calls
from wheelproof.plain.instrument.calls import hooks as call_hooks
from wheelproof.plain.instrument.fields import Fields
from wheelproof.plain.instrument.fields import hooks as field_hooks
from wheelproof.plain.instrument.items import Items, container_hooks, item_hooks
from wheelproof.plain.sites import Site
from wheelproof.plain.state import State
from wheelproof.plain.substitutes import substitute

STANDARD = frozenset(
    {
        "_weakrefset",
        "collections",
        "concurrent",
        "contextlib",
        "dataclasses",
        "functools",
        "queue",
        "sched",
        "weakref",
    }
)
"""Modules of the standard library that are looked into."""

LEFT_ALONE = frozenset(
    {"_pytest", "greenlet", "hypothesis", "pluggy", "pytest", "wheelproof", "xdist"}
)
"""Packages that are not looked into unless they are named."""

BLOCKED = frozenset({"_queue"})
"""Modules in C that have a source in Python beside them, which is used instead."""

OWN_TIME = frozenset({"concurrent.futures._base", "queue", "threading"})
"""Modules that ask for the time only to see how long they still wait."""

TRUSTED = frozenset(
    {
        "abc", "ast", "base64", "bisect", "builtins", "calendar", "codecs", "csv", "difflib",
        "fnmatch", "hashlib", "heapq", "hmac", "html", "ipaddress", "keyword", "shlex",
        "urllib.parse", "contextvars", "copy", "datetime", "decimal", "enum",
        "fractions", "inspect", "io", "itertools", "json", "logging", "math",
        "numbers", "operator", "os", "pathlib", "posixpath", "pprint", "pytest", "_pytest", "re",
        "reprlib", "statistics", "string", "sys", "textwrap", "time", "traceback", "types",
        "typing", "unittest", "uuid", "warnings", "_collections_abc", "collections.abc",
    }
)  # fmt: skip
"""Modules whose functions change no object that they are given, or do so safely."""


class World:
    """The modules of one program. ``into``: further modules or packages that are looked into.

    ``refused``: modules that could not be loaded a second time, with the reason. ``draws``: random
    numbers are imported.
    """

    def __init__(self, execution: Execution, into: Sequence[str] = ()) -> None:
        self.execution = execution
        self.into = tuple(into)
        self.modules: dict[str, types.ModuleType] = {}
        self.sites: list[Site] = []
        self.refused: dict[str, str] = {}
        self.draws = False
        self._shown: frozenset[str] = frozenset()
        self.state = State(self.owns)
        self.builtins: dict[str, Any] = dict(vars(builtins))
        self.builtins["__import__"] = self.import_
        self.builtins["exec"] = self._exec
        fields, items = Fields(execution), Items(execution)
        calls = Calls(execution, fields, items, self.looks_into, self.trusts, self.owns)
        execution.judged = lambda target: calls.wrapped(target, self._target(target))
        self.fields = fields
        self.hooks = field_hooks(fields) | item_hooks(items) | container_hooks(items)
        self.hooks |= call_hooks(calls)
        self._decided: dict[str, bool] = {}
        self._targets: dict[str, Site] = {}
        self.own_time = types.ModuleType("time")
        substitute(self)

    def _target(self, target: Any) -> Site:
        """The site of a thread's target."""
        name = getattr(target, "__qualname__", type(target).__qualname__)
        site = self._targets.get(name)
        if site is None:
            code = getattr(target, "__code__", None)
            file, line = (code.co_filename, code.co_firstlineno) if code else ("threading", 0)
            text = f"target={name}"
            site = self._targets[name] = Site(file, line, 0, text, f"{file}::{text}", True)
            self.sites.append(site)
        return site

    # -- what is looked into

    def looks_into(self, function: Any) -> bool:
        """Whether a Python function announces its accesses, or is one of the checker's own."""
        if function.__globals__.get("__builtins__") is self.builtins:
            return True
        module = function.__module__
        return isinstance(module, str) and module.startswith("wheelproof.plain.")

    def trusts(self, function: Any) -> bool:
        module = getattr(function, "__module__", None) or type(function).__module__
        if not isinstance(module, str):
            return False
        return (
            module in TRUSTED
            or module.partition(".")[0] in TRUSTED
            or module.startswith("namedtuple_")
        )

    def owns(self, value: Any) -> bool:
        """Whether a module, a class or a function is one of the world."""
        kind: Any = value
        if issubclass(type(value), types.ModuleType):
            return vars(value).get("__builtins__") is self.builtins
        if type(value) is types.FunctionType:
            return value.__globals__.get("__builtins__") is self.builtins
        if kind.__module__ not in self.modules:
            return False
        for value in vars(kind).values():
            if isinstance(value, types.FunctionType):
                return self.looks_into(value)
        return getattr(sys.modules.get(kind.__module__), kind.__name__, None) is not kind

    def _decides(self, name: str) -> bool:
        """Whether a module is to be looked into, as far as its name says."""
        answer = self._decided.get(name)
        if answer is None:
            root = name.partition(".")[0]
            named = any(
                name == other or name.startswith(other + ".") or other.startswith(name + ".")
                for other in self.into
            )
            standard = root in sys.stdlib_module_names or root in sys.builtin_module_names
            answer = named or (root in STANDARD if standard else root not in LEFT_ALONE)
            if name in ("collections.abc", "concurrent.futures.process"):
                answer = named
            self._decided[name] = answer
        return answer

    # -- what is visible

    def visible_keys(self) -> tuple[str, ...]:
        """The keys of the visible places, with a word for each further kind of operation."""
        keys = [site.key for site in self.sites if site.visible]
        keys += ["<ends>"] * self.execution.ends_visible
        return tuple(keys + ["<clock>"] * self.execution.clock_visible)

    def show(self, keys: Sequence[str]) -> None:
        """Make these places visible, also those of modules that are loaded later."""
        self._shown = frozenset(keys)
        self.execution.ends_visible = "<ends>" in self._shown
        self.execution.clock_visible = "<clock>" in self._shown
        self._show(self.sites)

    def _show(self, sites: Sequence[Site]) -> None:
        for site in sites:
            if site.key in self._shown:
                site.visible = True

    # -- imports

    def import_(
        self,
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        execution = self.execution
        running, execution.running = execution.running, None
        try:
            if level:
                package = globals.get("__package__") or globals["__name__"].rpartition(".")[0]
                name = importlib.util.resolve_name("." * level + name, package)
            self.draws = self.draws or name == "random"
            if name == "time" and globals and globals.get("__name__") in OWN_TIME:
                return self.own_time
            if name in BLOCKED:
                raise ImportError(f"{name} is written in C, its source is used")
            module = self.load(name)
            if fromlist:
                for part in fromlist:
                    if part != "*" and not hasattr(module, part):
                        self._submodule(f"{name}.{part}")
                return module
            return self.load(name.partition(".")[0])
        finally:
            execution.running = running

    def _submodule(self, name: str) -> None:
        try:
            self.load(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise

    def load(self, name: str) -> types.ModuleType:
        """A module of the world, or the real one where it is not looked into."""
        module = self.modules.get(name)
        if module is not None:
            return module
        parent = name.rpartition(".")[0]
        if parent:
            self.load(parent)
            module = self.modules.get(name)
            if module is not None:
                return module
        if self._decides(name) and name not in self.refused:
            spec = self._spec(name, parent)
            if spec is None and name in sys.modules:
                return sys.modules[name]
            if spec is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if spec.origin and spec.origin.endswith(".py"):
                return self._second(name, spec.origin, spec)
            if spec.submodule_search_locations is not None and spec.origin is None:
                return self._namespace(name, spec)
        module = importlib.import_module(name)
        self._attach(name, module)
        return module

    def _spec(self, name: str, parent: str) -> importlib.machinery.ModuleSpec | None:
        path = None
        if parent:
            path = getattr(self.load(parent), "__path__", None)
            if path is None:
                return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None:
            for finder in sys.meta_path:
                spec = finder.find_spec(name, path) if hasattr(finder, "find_spec") else None
                if spec is not None:
                    break
        return spec

    def _attach(self, name: str, module: types.ModuleType) -> None:
        parent, _, leaf = name.rpartition(".")
        if parent in self.modules:
            setattr(self.modules[parent], leaf, module)
            self.state.learn(self.modules[parent], leaf, module)

    def _namespace(self, name: str, spec: Any) -> types.ModuleType:
        module = types.ModuleType(name)
        module.__path__ = spec.submodule_search_locations
        self.modules[name] = module
        self._attach(name, module)
        return module

    def _second(self, name: str, file: str, spec: Any = None) -> types.ModuleType:
        source = importlib.util.decode_source(Path(file).read_bytes())
        path = spec.submodule_search_locations if spec is not None else None
        named = any(name == other or name.startswith(other + ".") for other in self.into)
        try:
            return self.make(name, source, file, path, spec=spec)
        except (Exception, SystemExit) as error:
            if named or name.partition(".")[0] not in sys.modules:
                raise
            self.refused[name] = f"{type(error).__name__}: {error}"
            return importlib.import_module(name)

    def make(
        self,
        name: str,
        source: str,
        file: str,
        path: Any = None,
        classes: frozenset[str] | None = None,
        spec: Any = None,
        **variables: Any,
    ) -> types.ModuleType:
        """Load a module from its source."""
        module = types.ModuleType(name)
        fields = module.__dict__
        fields.update(__builtins__=self.builtins, __file__=file, __spec__=spec, **variables)
        fields["__package__"] = name if path is not None else name.rpartition(".")[0]
        fields["__loader__"] = getattr(spec, "loader", None)
        if path is not None:
            module.__path__ = list(path)
        rebound = frozenset(v for m, v in self.fields.assigned if m == name)
        code, sites = instrumented(source, file, name, self.hooks, rebound, classes)
        self.modules[name] = module
        known = len(self.sites)
        self.sites.extend(sites)
        self._show(sites)
        try:
            exec(code, fields)
        except BaseException:
            del self.modules[name]
            del self.sites[known:]
            raise
        self._attach(name, module)
        self.state.record([module])
        return module

    def _exec(self, source: Any, globals: Any = None, locals: Any = None, /, **more: Any) -> None:
        """``exec``: what is made from text is instrumented as well."""
        if globals is None:
            frame = sys._getframe(1)
            globals, locals = frame.f_globals, frame.f_locals if locals is None else locals
        elif locals is None:
            locals = globals
        if globals.get("__name__") in self.modules:
            globals.setdefault("__builtins__", self.builtins)
        if isinstance(source, str) and globals.get("__builtins__") is self.builtins:
            name = globals.get("__name__", "")
            source, sites = instrumented(source, "<string>", f"{name}.<string>", self.hooks)
            self.sites.extend(sites)
        exec(source, globals, locals, **more)
