"""Loads modules a second time, instrumented, from their sources."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib.machinery
import importlib.util
import random
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.plain.imports import by_name, real_import
from wheelproof.plain.instrument import instrumented
from wheelproof.plain.settings import Loaded
from wheelproof.plain.sites import Site
from wheelproof.plain.state import State
from wheelproof.plain.universe import is_looked_into

_NAMESPACE = (type(None), importlib.machinery.NamespaceLoader)
"""Loaders of folders without ``__init__.py``."""


@dataclasses.dataclass(frozen=True)
class Source:
    """How a module was instrumented. ``rebound``: its variables that other modules assign."""

    text: str
    file: str
    classes: frozenset[str] | None
    rebound: frozenset[str]
    code: CodeType
    sites: list[Site]


class Modules:
    """The modules that have been loaded, and how further ones are.

    ``refused``: modules that could not be loaded a second time, with the reason. ``twice``: those
    of them whose package has been: its classes exist twice. ``changes`` are made to modules once
    they are loaded.
    """

    state: State
    owns: Callable[[Any], bool]

    def __init__(self, into: Sequence[str]) -> None:
        self.into = tuple(into)
        self.modules: dict[str, types.ModuleType] = {}
        self.builtins: dict[str, Any] = {}
        self.hooks: dict[str, Any] = {}
        self.sites: list[Site] = []
        self.finders: list[Any] = list(sys.meta_path)
        self.assigned: set[tuple[str, str]] = set()
        self.rebound: set[tuple[str, str]] = set()
        self.refused: dict[str, str] = {}
        self.twice: dict[str, str] = {}
        self.changes: dict[str, list[Callable[[types.ModuleType], object]]] = {
            "random": [lambda module: vars(module)["seed"](0)]
        }
        self._sources: dict[str, Source] = {}
        self._shown: frozenset[str] = frozenset()
        self._decided: dict[str, bool] = {}
        self._loading: dict[str, types.ModuleType | None] = {}
        self._loaded: list[types.ModuleType] = []

    def _decides(self, name: str) -> bool:
        """Whether a module is to be looked into, as far as its name says."""
        answer = self._decided.get(name)
        if answer is None:
            answer = self._decided[name] = is_looked_into(name, self.into)
        return answer

    def _show(self, sites: Sequence[Site]) -> None:
        for site in sites:
            if site.key in self._shown:
                site.visible = True

    def submodule(self, name: str) -> None:
        """Load a module that may not be there."""
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
        if self.loads_again(name):
            spec = self._spec(name, parent)
            if spec is None and name in sys.modules:
                return sys.modules[name]
            if spec is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if spec.origin and spec.origin.endswith(".py"):
                return self._second(name, spec.origin, spec)
            if isinstance(spec.loader, _NAMESPACE):
                return self._namespace(name, spec)
            if self.owns(type(spec.loader)):
                return self._made_by(spec)
        module = self._real(name)
        self._attach(name, module)
        return module

    def loads_again(self, name: str) -> bool:
        """Whether a module is looked into, unless it or a package around it has been refused."""
        if name == "__main__" or not self._decides(name):
            return False
        parts = name.split(".")
        return not any(".".join(parts[: count + 1]) in self.refused for count in range(len(parts)))

    def why_refused(self, code: str) -> str:
        """Why the module of a function could not be loaded a second time, if that is so."""
        return next((why for name, why in self.refused.items() if code.startswith(name + ".")), "")

    def _real(self, name: str) -> types.ModuleType:
        """Import a real module, which finds real ones."""
        second = {module_name: sys.modules.get(module_name) for module_name in self._loading}
        _put(self._loading)
        try:
            return real_import(name)
        finally:
            self._loading.update(
                {module_name: sys.modules.get(module_name) for module_name in self._loading}
            )
            _put(second)

    def _spec(self, name: str, parent: str) -> importlib.machinery.ModuleSpec | None:
        path = None
        if parent:
            path = getattr(self.load(parent), "__path__", None)
            if path is None:
                return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None:
            for finder in sorted(
                self.finders, key=lambda candidate: not self.owns(type(candidate))
            ):
                spec = finder.find_spec(name, path) if hasattr(finder, "find_spec") else None
                if spec is not None:
                    break
        return spec

    def _made_by(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A module that code of the world makes, as the lazy ones of ``six``."""
        loader: Any = spec.loader
        if hasattr(loader, "exec_module"):
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
        else:
            module = loader.load_module(spec.name)
        self.modules[spec.name] = module
        self._attach(spec.name, module)
        return module

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
        """A module from its source; the real one where only that can be loaded."""
        source = importlib.util.decode_source(Path(file).read_bytes())
        path = spec.submodule_search_locations if spec is not None else None
        is_named = any(name == prefix or name.startswith(prefix + ".") for prefix in self.into)
        if name.partition(".")[0] in sys.stdlib_module_names:
            self._real(name)  # what that imports must not find the second one
        try:
            return self.make(name, source, file, path, spec=spec)
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            if is_named:
                raise
            try:
                module = self._real(name)
            except (Exception, SystemExit):
                raise error from None
            reason = self.refused[name] = f"{type(error).__name__}: {error}"
            if name.partition(".")[0] in self.modules:
                self.twice[name] = reason
            self._attach(name, module)
            return module

    def make(
        self,
        name: str,
        source: str,
        file: str,
        path: Any = None,
        classes: frozenset[str] | None = None,
        spec: Any = None,
        into: types.ModuleType | None = None,
        **variables: Any,
    ) -> types.ModuleType:
        """Load a module from its source. ``into``: it exists already, and is empty."""
        module = types.ModuleType(name) if into is None else into
        fields = module.__dict__
        fields.update(__builtins__=self.builtins, __file__=file, __spec__=spec, **variables)
        fields["__package__"] = name if path is not None else name.rpartition(".")[0]
        fields["__loader__"] = getattr(spec, "loader", None)
        if path is not None:
            module.__path__ = list(path)
        rebound = frozenset(v for m, v in self.assigned if m == name)
        code, sites, changes = instrumented(source, file, name, self.hooks, rebound, classes)
        self.rebound.update((name, variable) for variable in changes)
        self.modules[name] = module
        self._sources[name] = Source(source, file, classes, rebound, code, sites)
        first = len(self.sites)
        self.sites.extend(sites)
        self._show(sites)
        try:
            with self._loading_place(name, module), by_name(), contextlib.suppress(Loaded):
                exec(code, fields)
        except BaseException:
            del self.modules[name], self._sources[name]
            del self.sites[first : first + len(sites)]
            raise
        self._attach(name, module)
        for change in self.changes.get(name, ()):
            change(module)
        self._loaded.append(module)
        if not self._loading:  # a module may know another one that is only half loaded
            new_modules, self._loaded = self._loaded, []
            self.state.record(new_modules)
        return module

    def renew(self) -> None:
        """Announce variables that other modules assign, where functions of their own read them.

        Functions that exist get the new code: it has the same parts in the same order.
        """
        for name, old in list(self._sources.items()):
            rebound = frozenset(v for m, v in self.assigned if m == name)
            if not any(_reads(old.code, variable) for variable in rebound - old.rebound):
                continue
            code, sites, _ = instrumented(
                old.text, old.file, name, self.hooks, rebound, old.classes
            )
            visible = {site.key for site in old.sites if site.visible}
            for site in sites:
                site.visible = site.key in visible or site.key in self._shown
            old_ids = {id(site) for site in old.sites}
            self.sites[:] = [site for site in self.sites if id(site) not in old_ids] + sites
            self._sources[name] = dataclasses.replace(old, rebound=rebound, code=code, sites=sites)
            _exchange(list(_pairs(old.code, code)))

    @contextlib.contextmanager
    def _loading_place(self, name: str, module: types.ModuleType) -> Iterator[None]:
        """A module stands in ``sys.modules`` while it is loaded: some find themselves there."""
        self._loading[name] = sys.modules.get(name)
        sys.modules[name] = module
        try:
            yield
        finally:
            _put({name: self._loading.pop(name)})

    def seed(self) -> None:
        """Random numbers are the same in each run."""
        random.seed(0)
        second = self.modules.get("random")
        if second is not None:
            vars(second)["seed"](0)


def _inner(code: CodeType) -> list[CodeType]:
    return [value for value in code.co_consts if isinstance(value, CodeType)]


def _reads(code: CodeType, variable: str) -> bool:
    """Whether a function in a code reads a variable of its module."""
    return any(variable in part.co_names or _reads(part, variable) for part in _inner(code))


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The codes of functions, each with the one that replaces it."""
    for before, after in zip(_inner(old), _inner(new), strict=True):
        assert before.co_name == after.co_name and before.co_firstlineno == after.co_firstlineno
        yield before, after
        yield from _pairs(before, after)


def _exchange(pairs: list[tuple[CodeType, CodeType]]) -> None:
    """Give functions new codes. Codes of two modules may be equal: only the very same count."""
    codes = {id(old): new for old, new in pairs}
    frozen_count = gc.get_freeze_count()
    gc.unfreeze()
    for function in gc.get_referrers(*(old for old, _ in pairs)):
        if type(function) is types.FunctionType and id(function.__code__) in codes:
            function.__code__ = codes[id(function.__code__)]
    if frozen_count:
        gc.freeze()


def _put(modules: dict[str, types.ModuleType | None]) -> None:
    """Make these the modules that ``sys.modules`` has by their names."""
    for name, module in modules.items():
        if module is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = module
