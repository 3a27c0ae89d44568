"""State that outlives a run: variables of modules, attributes of classes, the objects they reach.

It is recorded once the modules are loaded, and put back before each run. Runs report their writes,
so that only the objects written are compared; now and then all of them are. Those that have changed
without a report are compared after each run from then on.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import itertools
import operator
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.plain.happens_before import Location
from wheelproof.plain.objects import fields_of, slot_values, slots_of

MOST = 200_000
"""Objects that are recorded, at most: a program with more of them has no answer."""

_FIXED = frozenset({"__dict__", "__weakref__"})
"""Attributes of a class that are not its own."""

_AS_THEY_ARE = frozenset({dict, list})
"""Types that are compared without a copy: none of their methods is another class's."""

_VARIABLE = frozenset({dict, list, set, collections.deque, collections.OrderedDict})
"""Types of variables of real modules that are left alone."""

_COUNTS = (itertools.count, itertools.cycle)


class _Kept:
    """One object and its content: ``read`` gives it, ``write`` puts it back.

    ``fields`` are those that a container has beside its elements.
    """

    __slots__ = ("content", "fields", "read", "renewed", "target", "value", "write")

    def __init__(
        self, target: Any, read: Callable[[Any], Any], write: Callable[[Any, Any], None]
    ) -> None:
        self.target, self.read, self.write = target, read, write
        self.content = read(target)
        self.fields: _Kept | None = None
        self.renewed: list[tuple[Any, Any]] = []
        self.value: Any = None  # the object itself: as long as it lives, no other has its identity

    def put_back(self) -> None:
        self.write(self.target, self.content)
        if self.fields is not None:
            self.fields.put_back()

    def has_changed(self) -> bool:
        target = self.target
        now = target if type(target) in _AS_THEY_ARE else self.read(target)
        if not _same(now, self.content):
            return True
        return self.fields is not None and self.fields.has_changed()

    def parts(self) -> Iterable[Any]:
        """The objects in it."""
        content = self.content
        parts = list(content.values() if isinstance(content, dict) else content)
        return parts if self.fields is None else [*parts, *self.fields.parts()]


def _same(now: Any, then: Any) -> bool:
    """Whether two lists or dictionaries hold the same objects in the same order."""
    if len(now) != len(then):
        return False
    if isinstance(then, dict):
        return all(map(operator.is_, now.values(), then.values())) and all(
            map(operator.is_, now, then)
        )
    return all(map(operator.is_, now, then))


# Subclasses may override each of these methods: those of the class in C are called.


def _items(target: Any) -> dict[Any, Any]:
    return dict(dict.items(target))


def _fill_dictionary(target: Any, content: Any) -> None:
    kind = collections.OrderedDict if isinstance(target, collections.OrderedDict) else dict
    kind.clear(target)
    kind.update(target, content)


def _elements(kind: Any) -> Callable[[Any], list[Any]]:
    return lambda target: list(kind.__iter__(target))


def _fill(kind: Any, extend: str) -> Callable[[Any, Any], None]:
    add = getattr(kind, extend)

    def fill(target: Any, content: Any) -> None:
        kind.clear(target)
        add(target, content)

    return fill


_CONTAINERS: tuple[tuple[Any, Callable[[Any], Any], Callable[[Any, Any], None]], ...] = (
    (dict, _items, _fill_dictionary),
    *(
        (kind, _elements(kind), _fill(kind, extend))
        for kind, extend in (
            (list, "extend"),
            (bytearray, "extend"),
            (set, "update"),
            (collections.deque, "extend"),
        )
    ),
)


def _of_class(target: Any) -> dict[str, Any]:
    return {name: part for name, part in vars(target).items() if name not in _FIXED}


def _fill_class(target: Any, content: Any) -> None:
    for name in [name for name in vars(target) if name not in content and name not in _FIXED]:
        type.__delattr__(target, name)
    for name, value in content.items():
        if vars(target).get(name) is not value:
            try:
                type.__setattr__(target, name, value)
            except (AttributeError, TypeError):
                continue  # an attribute that cannot be assigned has not changed


def _of_slots(target: Any) -> dict[str, Any]:
    """The content of an object with slots, and perhaps with a dictionary."""
    return {**(fields_of(target) or {}), **dict(slot_values(target))}


def _fill_slots(target: Any, content: Any) -> None:
    fields, slots = fields_of(target), dict(slots_of(type(target)))
    if fields is not None:
        _fill_dictionary(fields, {k: v for k, v in content.items() if k not in slots})
    for name, descriptor in slots.items():
        if name in content:
            descriptor.__set__(target, content[name])
        else:
            with contextlib.suppress(AttributeError):
                descriptor.__delete__(target)


def _fill_cell(target: Any, content: Any) -> None:
    if content:
        target.cell_contents = content[0]
    else:
        del target.cell_contents


def _cell(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _ignore(target: Any, content: Any) -> None:
    """Content that cannot change is not put back."""


class State:
    """The recorded objects. ``is_own``: whether a class, a function or a module is under test.
    ``full``: there are more than can be recorded.

    Variables of modules that are not under test are the process's own, and are left alone.
    """

    def __init__(self, is_own: Callable[[Any], bool]) -> None:
        self._own, self.full = is_own, False
        self._kept: dict[int, _Kept] = {}
        self._modules: dict[str, _Kept] = {}
        self._renewed: list[_Kept] = []
        self._cells: list[_Kept] = []
        self._unreported: dict[int, _Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def record(self, values: Iterable[Any]) -> None:
        """Record modules, functions and the objects that they reach, as they are now."""
        stack: list[Any] = list(values)
        real = self._real()
        while stack and not self.full:
            self.full = len(self._kept) >= MOST
            value = stack.pop()
            if id(value) in self._kept or id(value) in real:
                continue
            entry = self._entry(value)
            if entry is None:
                continue
            entry.value = value
            self._kept[id(value)] = entry
            if type(value) is types.CellType:
                self._cells.append(entry)
            content = entry.content
            stack.extend(entry.parts())
            if type(value) is types.FunctionType:
                stack.extend(value.__closure__ or ())
                stack.extend(value.__defaults__ or ())
                stack.extend((value.__kwdefaults__ or {}).values())
            elif issubclass(type(value), types.ModuleType):
                self._modules[content.get("__file__") or content["__name__"]] = entry
            if isinstance(content, dict):
                self._find_counters(entry, content)

    def _real(self) -> set[int]:
        """The identities of the variables of modules that are not under test."""
        real: set[int] = set()
        for module in list(sys.modules.values()):
            fields = fields_of(module) if issubclass(type(module), types.ModuleType) else None
            if fields is not None and not self._own(module):
                real.add(id(fields))
                real.update(id(part) for part in fields.values() if type(part) in _VARIABLE)
        return real

    def learn(self, module: types.ModuleType, name: str, value: Any) -> None:
        """A variable of a module has its first value later than the others."""
        entry = self._kept.get(id(module))
        if entry is not None:
            entry.content[sys.intern(name)] = value

    def _find_counters(self, entry: _Kept, content: dict[Any, Any]) -> None:
        for name, value in content.items():
            bound = type(value) is types.MethodWrapperType
            counter = value.__self__ if bound else value
            if type(counter) in _COUNTS:
                entry.renewed.append((name, (copy.copy(counter), counter is not value)))
        if entry.renewed:
            self._renewed.append(entry)

    def _entry(self, value: Any) -> _Kept | None:
        kind = type(value)
        if issubclass(kind, types.ModuleType):
            fields = fields_of(value) if self._own(value) else None
            return None if fields is None else _Kept(fields, _items, _fill_dictionary)
        if issubclass(kind, type):
            return _Kept(value, _of_class, _fill_class) if self._own(value) else None
        if issubclass(kind, Location | types.CodeType):
            return None
        for base, read, write in _CONTAINERS:
            if issubclass(kind, base):
                entry = _Kept(value, read, write)
                fields = fields_of(value) if kind is not base and self._own(kind) else None
                if fields is not None:
                    entry.fields = _Kept(fields, _items, _fill_dictionary)
                return entry
        if issubclass(kind, tuple):
            return _Kept(value, _elements(tuple), _ignore)
        if issubclass(kind, frozenset):
            return _Kept(value, _elements(frozenset), _ignore)
        if kind is types.CellType:
            return _Kept(value, _cell, _fill_cell)
        if issubclass(kind, classmethod | staticmethod):
            return self._entry(value.__func__)
        if self._own(value if kind is types.FunctionType else kind):
            if slots_of(kind):
                return _Kept(value, _of_slots, _fill_slots)
            fields = fields_of(value)
            if fields is not None:
                return _Kept(fields, _items, _fill_dictionary)
        return None

    def restore(self, locations: dict[Any, Location], places: Iterable[Any] = ()) -> None:
        """Put back the state that a run has written: of these locations, and at ``places``."""
        table, modules, variables = self._kept, self._modules, False
        keys = [key for key, location in locations.items() if location.writer >= 0]
        for key in (*keys, *places):
            holder: Any = key if type(key) is int else key[0]
            entry = table.get(holder) if type(holder) is int else modules.get(holder)
            if entry is not None:
                entry.put_back()
            if type(key) is tuple and len(key) > 2:  # a variable, perhaps of a function
                variables = True
        if variables:
            for entry in self._cells:
                entry.write(entry.target, entry.content)
        for entry in self._unreported.values():
            if entry.has_changed():
                entry.put_back()
        for entry in self._renewed:
            for name, (template, bound) in entry.renewed:
                new = copy.copy(template)
                value = new.__next__ if bound else new
                entry.content[name] = value
                if type(entry.target) is dict:
                    dict.__setitem__(entry.target, name, value)
                else:
                    entry.put_back()

    def restore_all(self) -> list[_Kept]:
        """Put back everything. The objects that had changed."""
        changes = [entry for entry in self._kept.values() if entry.has_changed()]
        for entry in changes:
            entry.put_back()
        return changes

    def compare(self) -> bool:
        """Put back everything. Whether more has changed without a report than was known."""
        count = len(self._unreported)
        self._unreported.update((id(entry.value), entry) for entry in self.restore_all())
        return len(self._unreported) > count
