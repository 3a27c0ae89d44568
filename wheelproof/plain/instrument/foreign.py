"""Calls of code in Python that is not looked into: it may touch all that it reaches."""

from __future__ import annotations

import abc
import functools
import os
import types
from collections.abc import Sequence
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.happens_before import Location
from wheelproof.plain.instrument import containers as tables
from wheelproof.plain.instrument import fakes, outside
from wheelproof.plain.instrument.fields import Fields
from wheelproof.plain.instrument.items import Items
from wheelproof.plain.objects import content, fields_of, slot_values
from wheelproof.plain.objects import identity as identity_of
from wheelproof.plain.operations import Ending, RealLock, Thread
from wheelproof.plain.sites import Site
from wheelproof.plain.universe import CONTAINERS, NOTHING, read_by

MOST_TOUCHED = 1_000
"""Objects that a call of foreign code is taken to touch, at most."""

_GET = type(os.environ).get

REGISTERED = "the classes that are registered with abstract ones"
"""The location of all of them."""

HEAP_TYPE = 1 << 9
"""The flag of classes that are made when they are executed, as all in Python are."""


class Foreign:
    """Announces the objects that foreign code may touch.

    ``changing``: the functions that have changed their receiver though their module only reads.
    ``registers``: a run has registered a class with an abstract one.
    """

    def __init__(self, execution: Execution, fields: Fields, items: Items) -> None:
        self.execution, self.fields, self.items = execution, fields, items
        self.changing: set[str] = set()
        self.registers = False

    def foreign(self, function: Any, site: Site, *receiver: Any) -> Any:
        """A function that is not looked into."""
        return functools.partial(self.unseen, site, function, receiver)

    def unseen(
        self, site: Site, function: Any, receiver: tuple[Any, ...], *arguments: Any, **keywords: Any
    ) -> Any:
        if self.execution.running is None:
            return function(*arguments, **keywords)
        module = module_of(function)
        reads = NOTHING if fakes.is_fake(type(function)) else read_by(module)
        name = getattr(function, "__qualname__", None) or type(function).__qualname__
        if module in tables.REAL_MODULES:
            self.real(f"{module}.{name}", site)
        self.execution.foreign_called = True
        site.foreign = f"{module}.{name}"
        if _is_compiled(function):
            self.execution.compiled.add(site.foreign)
        values = (*receiver, *arguments, *keywords.values())
        if module == "collections" and values and _is_named_tuple(values[0]):
            reads = NOTHING  # its fields' values are handed on
        changes = site.foreign in self.changing
        before = None if reads is None or changes else _own_state(receiver)
        self._beside_arguments(function, site, reads)
        code = site.foreign
        if reads is not None:
            self._announce_attributes(receiver, changes, site)
        self.touch(site, values, reads)
        try:
            return function(*arguments, **keywords)
        finally:
            if self.execution.running is not None and not self.execution.over:
                if code and before is not None and before != _own_state(receiver):
                    self.changing.add(code)
                    self.execution.wants(code)
                    changes = True
                site.foreign = code
                if changes:
                    self._announce_attributes(receiver, True, site)
                self.touch(site, values, reads)

    def _beside_arguments(self, function: Any, site: Site, reads: int | None) -> None:
        """Announce the state that a foreign function has without being given it."""
        execution, target = self.execution, getattr(function, "__func__", function)
        thread: Any = execution.running
        variables = getattr(target, "__globals__", None)
        if reads is None and variables is not None:  # those of its module, under one name
            execution.access(thread, id(variables), variables, True, site)
        holder = getattr(function, "__self__", None)
        if type(holder) is outside.ENVIRON or (
            type(target) is types.FunctionType and target in outside.OF_ENVIRON
        ):
            if target is _GET or target is os.getenv:
                site.foreign = ""  # one step
            environment = tables.behind(os.environ)
            execution.access(thread, id(environment), environment, False, site)
        if issubclass(type(target), tables.IN_C_LIBRARIES):
            execution.access(thread, id(tables.MEMORY), tables.MEMORY, True, site)
        if fakes.is_fake(type(target)) and target is function:
            site.foreign = ""  # one step
            for fake in fakes.with_parents(target):
                execution.access(thread, id(fake), fake, True, site)
        if target is abc.ABCMeta.register:
            if not self.registers:
                self.registers = True
                execution.wants(REGISTERED)
            site.foreign = ""  # one step
            execution.access(thread, REGISTERED, None, True, site)

    def touch(self, site: Site, values: Sequence[Any], reads: int | None) -> None:
        """Foreign code may access everything that can be reached from values.

        ``reads``: how much of it is only read; None: all of it may be changed.
        """
        if reads == NOTHING:
            return
        execution, is_done = self.execution, False
        while not is_done:  # a value may have changed since it was read
            before = execution.written
            number = self._touch(site, values, reads)
            is_done = reads is None or execution.written == before + number

    def _announce_attributes(self, values: Sequence[Any], writes: bool, site: Site) -> None:
        """Announce that the attributes of objects are accessed, and the containers in them."""
        execution = self.execution
        thread: Any = execution.running
        for value in values:
            for name, part in _attributes(value):
                execution.access(thread, self.fields.location(value, name), value, writes, site)
                if tables.is_container(type(part)):
                    execution.access(thread, self.items.key(part), part, writes, site)

    def _touch(self, site: Site, values: Sequence[Any], reads: int | None) -> int:
        """Announce the objects. Returns the number of writes."""
        execution = self.execution
        thread: Any = execution.running
        writes, count = reads is None, 0
        stack, visits = list(values), set[int]()
        while stack:
            value = stack.pop()
            kind = type(value)
            if id(value) in visits or issubclass(kind, Location | type | types.ModuleType):
                continue
            if len(visits) >= MOST_TOUCHED:
                if execution.is_beside_others(thread):
                    execution.far.add(site.foreign)
                    execution.unseen.setdefault((site.foreign, str(site)), execution.number)
                return count
            visits.add(id(value))
            if issubclass(kind, tuple | frozenset):
                stack.extend(value)
            elif issubclass(kind, tables.SHOWING):
                stack.append(tables.behind(value))
            elif tables.is_container(kind):
                execution.access(thread, self.items.key(value), value, writes, site)
                stack.extend(dict.values(value) if issubclass(kind, dict) else list(value))
            elif value is tables.MEMORY or self.items.is_iterator(kind):
                count += self._write(thread, value, site)
            elif self.items.is_hidden(kind):
                count += sum(
                    [self._write(thread, part, site) for part in self.items.hidden_in(value)]
                )
            elif reads != CONTAINERS and not _is_opaque(kind):
                for name, part in _attributes(value):
                    key = self.fields.location(value, name)
                    execution.access(thread, key, value, writes, site)
                    stack.append(part)
        return count

    def _write(self, thread: Thread, value: Any, site: Site) -> bool:
        """Announce a write. Whether it counts: in a set-up that is not announced it does not."""
        before = self.execution.written
        self.execution.access(thread, self.items.key(value), value, True, site)
        return self.execution.written > before

    def real(self, thing: str, site: Site) -> None:
        """A real lock would make the whole process wait."""
        fault = RealLock(
            f"{site.file}:{site.line}: {site.text}: {thing} is not under control: it was made by "
            "code that is not looked into, or before the exploration"
        )
        self.execution.stop(Ending.STOPPED, fault)


def _attributes(value: Any) -> list[tuple[str, Any]]:
    """The attributes of an object itself, those in slots and those in its dictionary."""
    return [*slot_values(value), *(fields_of(value) or {}).items()]


def _own_state(values: Sequence[Any]) -> list[Any]:
    """The attributes of some objects, and the content of the containers among them, but caches."""
    return [
        (name, identity_of(part), content(0, part) if tables.is_container(type(part)) else None)
        for value in values
        for name, part in _attributes(value)
        if "cache" not in name
    ]


def _is_opaque(kind: type) -> bool:
    """Whether objects of a class have no state, or are the checker's own."""
    module = vars(kind).get("__module__")
    return kind in tables.IMMUTABLE or (
        isinstance(module, str) and module.startswith("wheelproof.plain.")
    )


def _is_compiled(function: Any) -> bool:
    """Whether no code in Python is behind a callable."""
    target: Any = function.__func__ if type(function) is types.MethodType else function
    if issubclass(type(target), type):  # a proxy says that it is of another class
        return not target.__flags__ & HEAP_TYPE
    return not any(type(code) is types.FunctionType for code in (target, type(target).__call__))


def _is_named_tuple(value: Any) -> bool:
    """Whether a value is a named tuple, or a class of them."""
    kind = value if issubclass(type(value), type) else type(value)
    return issubclass(kind, tuple) and "_fields" in dir(kind)


def module_of(function: Any) -> str:
    """The name of the module that a callable comes from."""
    module = getattr(function, "__module__", None) or type(function).__module__
    return module if isinstance(module, str) else ""


class Unbound:
    """A method in C together with its object."""

    def __init__(self, function: Any, holder: Any) -> None:
        self._function, self._holder = function, holder
        self.__name__, self.__objclass__ = function.__name__, function.__objclass__

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._function(self._holder, *arguments, **keywords)


def identity(target: Any) -> Any:
    """The part of a callable that a site remembers: it keeps no object of a run alive."""
    if type(target) is types.MethodType:
        target = target.__func__
    if type(target) is types.FunctionType:
        return target.__code__
    return target if type(target) is type else None
