"""The modules of a program, loaded a second time: instrumented, over controlled threads.

They have builtins and an import of their own. The modules that are looked into are those of the
program and all that they import, as :mod:`wheelproof.plain.universe` says. ``threading`` is a
substitute: locks and threads are those of :mod:`wheelproof.plain.primitives`, all other classes
the interpreter's own source on top of them.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import logging
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

from wheelproof.plain.clocks import of_dates
from wheelproof.plain.evaluation import Evaluation
from wheelproof.plain.execution import CLOCK, ENDS, Execution
from wheelproof.plain.identity import Identities
from wheelproof.plain.imports import by_name
from wheelproof.plain.instrument.calls import Calls
from wheelproof.plain.instrument.calls import hooks as call_hooks
from wheelproof.plain.instrument.fields import Fields
from wheelproof.plain.instrument.fields import hooks as field_hooks
from wheelproof.plain.instrument.generators import hooks as generator_hooks
from wheelproof.plain.instrument.items import Items, container_hooks, item_hooks
from wheelproof.plain.instrument.patterns import matching
from wheelproof.plain.modules import Modules
from wheelproof.plain.objects import fields_of
from wheelproof.plain.primitives import Clock
from wheelproof.plain.sites import REGIONS, Site
from wheelproof.plain.state import State
from wheelproof.plain.substitutes import substitute
from wheelproof.plain.universe import BLOCKED, OWN_TIME

ASSIGNED = "<assigned>"
"""Before the name of a variable that other modules assign."""

TIMED = "<timed>"
"""Before the origin of a thread that reads the clock."""


class World(Modules):
    """The modules of one program. ``into``: further modules or packages that are looked into.

    ``draws``: random numbers are imported.
    """

    def __init__(self, execution: Execution, into: Sequence[str] = ()) -> None:
        super().__init__(into)
        self.execution = execution
        self.draws = False
        self.state = State(self.owns)
        self.builtins.update(vars(builtins))
        self.builtins["__import__"] = self.import_
        identities = Identities(execution)
        self.builtins["id"] = identities.id
        self.identified = identities.base()
        fields = Fields(execution)
        items = Items(execution, fields)
        calls = Calls(execution, fields, items, self.looks_into, self.owns)
        execution.judged = lambda target: calls.wrapped(target, self._target(target))
        self.assigned, self.rebound = fields.assigned, fields.rebound
        self.hooks = field_hooks(fields) | item_hooks(items) | container_hooks(items)
        self.hooks |= generator_hooks(items.generators)
        self.hooks |= call_hooks(calls) | {"identified": self.identified}
        self.hooks["matched"] = matching(self.hooks)
        calls.hooks, calls.modules = self.hooks, self.modules
        evaluation = Evaluation(
            execution,
            fields,
            self.modules,
            self.builtins,
            self._report_sites,
            self._target,
            self.hooks,
        )
        self.builtins |= evaluation.functions
        self._targets: dict[str, Site] = {}
        self.own_time = types.ModuleType("time")
        self.clock = Clock(execution)
        calls.dated = lambda function: of_dates(self.clock, function)
        substitute(self)

    def _target(self, target: Any) -> Site:
        """The site of a thread's target."""
        name = getattr(target, "__qualname__", type(target).__qualname__)
        site = self._targets.get(name)
        if site is None:
            code = getattr(target, "__code__", None)
            file, line = (code.co_filename, code.co_firstlineno) if code else ("threading", 0)
            text = f"target={name}"
            site = self._targets[name] = Site(file, line, 0, text, f"{file}::{text}", next(REGIONS))
            self.sites.append(site)
        return site

    def _report_sites(self, sites: Sequence[Site]) -> None:
        self.sites.extend(sites)
        self._show(sites)

    # -- what is looked into

    def looks_into(self, function: Any) -> bool:
        """Whether a Python function announces its accesses, or is one of the checker's own."""
        if function.__globals__.get("__builtins__") is self.builtins:
            return True
        module = function.__module__
        return isinstance(module, str) and module.startswith("wheelproof.plain.")

    def owns(self, value: Any) -> bool:
        """Whether a module, a class or a function is one of the world. No code of it runs."""
        kind = type(value)
        if issubclass(kind, types.ModuleType):
            return (fields_of(value) or {}).get("__builtins__") is self.builtins
        if kind is types.FunctionType:
            return value.__globals__.get("__builtins__") is self.builtins
        if not issubclass(kind, type):
            return False
        fields = vars(value)
        module = fields.get("__module__")
        if type(module) is not str or module not in self.modules:
            return False
        for part in fields.values():
            if type(part) is types.FunctionType:
                return self.looks_into(part)
        second, real = self.modules[module], sys.modules.get(module)
        if not self.owns(second):
            return False
        return real is second or (fields_of(real) or {}).get(value.__name__) is not value

    # -- what is visible

    def visible_keys(self) -> tuple[str, ...]:
        """The keys of the visible places, with a word for each further kind of operation."""
        keys = [site.key for site in self.sites if site.visible]
        keys += [ENDS] * self.execution.ends_visible
        keys += [f"{ASSIGNED}{name}.{variable}" for name, variable in sorted(self.assigned)]
        keys += [f"{TIMED}{origin}" for origin in sorted(self.execution.timed)]
        return tuple(keys + [CLOCK] * self.execution.clock_visible)

    def show(self, keys: Sequence[str]) -> None:
        """Make these places visible, also those of modules that are loaded later."""
        self._shown = frozenset(keys)
        self.execution.ends_visible = ENDS in self._shown
        self.execution.clock_visible = CLOCK in self._shown
        for key in keys:
            if key.startswith(TIMED):
                self.execution.timed.add(int(key.removeprefix(TIMED)))
            if key.startswith(ASSIGNED):
                name, _, variable = key.removeprefix(ASSIGNED).rpartition(".")
                self.assigned.add((name, variable))
        self.renew()
        self._show(self.sites)

    @contextlib.contextmanager
    def around(self) -> Iterator[None]:
        """While programs run, handlers of the real ``logging`` have locks of the world."""
        real = logging.threading  # type: ignore[attr-defined]
        logging.threading = self.modules["threading"]  # type: ignore[attr-defined]
        try:
            with by_name():
                yield
        finally:
            logging.threading = real  # type: ignore[attr-defined]

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
                        self.submodule(f"{name}.{part}")
                return module
            return self.load(name.partition(".")[0])
        finally:
            execution.running = running

    def import_module(self, name: str, package: str | None = None) -> types.ModuleType:
        """``importlib.import_module``."""
        if name.startswith("."):
            name = importlib.util.resolve_name(name, package or "")
        self.import_(name)
        return self.load(name)
