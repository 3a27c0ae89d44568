"""The modules of a program, loaded a second time: instrumented, over controlled threads.

They have builtins and an import of their own. The modules that are looked into are those of the
program and of what it imports, but for the standard library; of that, the modules that programs
with threads are made of. ``threading`` is a substitute: locks and threads are those of
:mod:`wheelproof.plain.primitives`, all other classes the interpreter's own source on top of them.
"""

from __future__ import annotations

import _thread
import ast
import atexit
import builtins
import collections
import importlib
import importlib.machinery
import importlib.util
import itertools
import sys
import threading
import time
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.plain import primitives, threads
from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument import instrumented
from wheelproof.plain.instrument.calls import Calls
from wheelproof.plain.instrument.calls import hooks as call_hooks
from wheelproof.plain.instrument.fields import Fields
from wheelproof.plain.instrument.fields import hooks as field_hooks
from wheelproof.plain.instrument.items import Items, container_hooks, item_hooks
from wheelproof.plain.sites import Site
from wheelproof.plain.state import State

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

TRUSTED = frozenset(
    {
        "abc", "ast", "builtins", "codecs", "contextvars", "copy", "datetime", "decimal", "enum",
        "fractions", "inspect", "io", "itertools", "json", "linecache", "logging", "math",
        "numbers", "operator", "os", "pathlib", "posixpath", "pprint", "pytest", "_pytest", "re",
        "reprlib", "statistics", "string", "sys", "textwrap", "time", "traceback", "types",
        "typing", "unittest", "uuid", "warnings", "_collections_abc", "collections.abc",
    }
)  # fmt: skip
"""Modules whose functions change no object that they are given, or do so safely."""

CLASSES = frozenset(
    {
        "Barrier",
        "BoundedSemaphore",
        "BrokenBarrierError",
        "Condition",
        "Event",
        "Semaphore",
        "Timer",
    }
)
"""The classes of ``threading`` that are the interpreter's own source."""

REAL_LOCKS = (type(_thread.allocate_lock()), type(threading.RLock()))


class _System(types.ModuleType):
    """``sys``, with the modules of the world."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(sys, name, value)


class World:
    """The modules of one program. ``into``: further modules or packages that are looked into."""

    def __init__(self, execution: Execution, into: Sequence[str] = ()) -> None:
        self.execution = execution
        self.into = tuple(into)
        self.modules: dict[str, types.ModuleType] = {}
        self.sites: list[Site] = []
        self.refused: dict[str, str] = {}
        self.state = State(self._own)
        self.builtins: dict[str, Any] = dict(vars(builtins))
        self.builtins["__import__"] = self.import_
        self.builtins["exec"] = self._exec
        fields, items = Fields(execution), Items(execution)
        calls = Calls(execution, fields, items, self.looks_into, self.trusts, REAL_LOCKS)
        self.fields = fields
        self.hooks = field_hooks(fields) | item_hooks(items) | container_hooks(items)
        self.hooks |= call_hooks(calls)
        self._decided: dict[str, bool] = {}
        self._substitutes()

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

    def _own(self, kind: type) -> bool:
        return kind.__module__ in self.modules

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
        tree: ast.Module | None = None,
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
        code, sites = instrumented(
            tree or ast.parse(source, file), source, file, name, self.hooks, rebound
        )
        self.modules[name] = module
        known = len(self.sites)
        self.sites.extend(sites)
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
            source, sites = instrumented(
                ast.parse(source), source, "<string>", f"{name}.<string>", self.hooks
            )
            self.sites.extend(sites)
        exec(source, globals, locals, **more)

    # -- substitutes

    def _substitutes(self) -> None:
        execution = self.execution
        clock = primitives.Clock(execution)
        lock, rlock = primitives.locks(execution, clock)
        ident = threads.identities(execution)
        local = threads.local_data(execution)
        of_threads = threads.threads(execution, clock)
        self._module(
            "_thread", _thread, allocate_lock=lock, LockType=lock, lock=lock, RLock=rlock,
            get_ident=ident, get_native_id=ident, _local=local, error=RuntimeError,
            allocate=lock,
        )  # fmt: skip
        self._module(
            "time", time, monotonic=clock.now, time=clock.now, perf_counter=clock.now,
            sleep=clock.sleep, monotonic_ns=_nanoseconds(clock.now),
            time_ns=_nanoseconds(clock.now), perf_counter_ns=_nanoseconds(clock.now),
        )  # fmt: skip
        self._module("atexit", atexit, register=_registered, unregister=_registered)
        system = _System("sys")
        modules: Any = collections.ChainMap(self.modules, sys.modules)
        vars(system).update(modules=modules)
        self.modules["sys"] = system
        source = Path(threading.__file__).read_text(encoding="utf-8")
        tree = ast.parse(source, threading.__file__)
        tree.body = [
            node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in CLASSES
        ]
        prelude: dict[str, Any] = {
            "Lock": lock, "RLock": rlock, "_PyRLock": rlock, "_CRLock": rlock,
            "_allocate_lock": lock, "allocate_lock": lock, "LockType": lock, "local": local,
            "get_ident": ident, "get_native_id": ident, "TIMEOUT_MAX": _thread.TIMEOUT_MAX,
            "ThreadError": RuntimeError, "_time": clock.now, "_deque": collections.deque,
            "_islice": itertools.islice, "_count": itertools.count,
            "_register_atexit": self._at_exit, "_shutdown": _registered,
            "excepthook": threading.excepthook, "__excepthook__": threading.excepthook,
            "ExceptHookArgs": threading.ExceptHookArgs, "settrace": _registered,
            "setprofile": _registered, "stack_size": threading.stack_size,
            "gettrace": _registered, "getprofile": _registered, **of_threads,
        }  # fmt: skip
        module = self.make("threading", source, threading.__file__, None, tree, **prelude)
        module.__dict__["__all__"] = [name for name in vars(module) if not name.startswith("_")]

    def _at_exit(self, function: Callable[..., object], *arguments: Any, **keywords: Any) -> None:
        self.execution.at_exit.append(lambda: function(*arguments, **keywords))

    def _module(self, name: str, real: types.ModuleType, **changed: Any) -> None:
        module = types.ModuleType(name)
        module.__dict__.update(vars(real))
        module.__dict__.update(changed)
        self.modules[name] = module

    # -- the program

    def program(self, function: Callable[..., object]) -> Callable[..., object]:
        """A function of the real world, as the world has it."""
        name, file = function.__module__, function.__code__.co_filename
        if name not in self.modules:
            real = sys.modules.get(name)
            spec = getattr(real, "__spec__", None)
            parent = name.rpartition(".")[0]
            if parent and self._decides(name):
                self.load(parent)
            if name not in self.modules:
                path = getattr(real, "__path__", None)
                source = importlib.util.decode_source(Path(file).read_bytes())
                self.make(name, source, file, path, spec=spec)
        second: Callable[..., object] = self.second(function)
        return second

    def second(self, function: Any) -> Any:
        """The instrumented function for one of a module that is loaded already."""
        module = self.modules.get(function.__module__)
        if module is None:
            return function
        value: Any = module
        for part in function.__qualname__.split("."):
            value = getattr(value, part, None)
        if value is not None:
            return value
        raise UsageError(
            f"{function.__module__}.{function.__qualname__} is a function within another: give "
            "one of a module."
        )


def _nanoseconds(now: Callable[[], float]) -> Callable[[], int]:
    return lambda: int(now() * 1e9)


def _registered(*arguments: Any, **keywords: Any) -> Any:
    """Registering a function for the interpreter's end has no effect on a run."""
    return arguments[0] if arguments else None
