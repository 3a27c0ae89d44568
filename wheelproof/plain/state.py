"""What outlives a run: variables of modules, attributes of classes, and what they reach.

It is recorded once the modules are loaded, and put back before each run. Runs report what they
write, so that only those objects are compared; now and then all of them are.
"""

from __future__ import annotations

import collections
import copy
import itertools
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.plain.happens_before import Location

MOST = 200_000
"""Objects that are recorded, at most: a program with more of them has no answer."""

_FIXED = frozenset({"__dict__", "__weakref__"})
"""Attributes of a class that are not its own."""

_COUNTS = (itertools.count, itertools.cycle)


class _Kept:
    """One object and its content: ``read`` gives it, ``write`` puts it back."""

    __slots__ = ("content", "renewed", "target", "value", "write")

    def __init__(self, target: Any, content: Any, write: Callable[[Any, Any], None]) -> None:
        self.target, self.content, self.write = target, content, write
        self.renewed: list[tuple[Any, Any]] = []
        self.value: Any = None  # the object itself: as long as it lives, no other has its identity


def _same(now: Any, then: Any) -> bool:
    """Whether two lists or dictionaries hold the same objects in the same order."""
    if len(now) != len(then):
        return False
    if isinstance(then, dict):
        return all(map(operator.is_, now.values(), then.values())) and all(
            map(operator.is_, now, then)
        )
    return all(map(operator.is_, now, then))


def _fill_dictionary(target: Any, content: Any) -> None:
    dict.clear(target)
    dict.update(target, content)


def _fill_list(target: Any, content: Any) -> None:
    target[:] = content


def _fill(target: Any, content: Any) -> None:
    target.clear()
    (target.update if isinstance(target, set) else target.extend)(content)


def _fill_class(target: Any, content: Any) -> None:
    for name in [name for name in vars(target) if name not in content and name not in _FIXED]:
        type.__delattr__(target, name)
    for name, value in content.items():
        if vars(target).get(name) is not value:
            try:
                type.__setattr__(target, name, value)
            except (AttributeError, TypeError):
                continue  # an attribute that cannot be assigned has not changed


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


class State:
    """The recorded objects. ``own``: whether a class, a function or a module is under test.
    ``full``: there are more than can be recorded."""

    def __init__(self, own: Callable[[Any], bool]) -> None:
        self._own, self.full = own, False
        self._kept: dict[int, _Kept] = {}
        self._modules: dict[str, _Kept] = {}
        self._renewed: list[_Kept] = []
        self._cells: list[_Kept] = []

    def __len__(self) -> int:
        return len(self._kept)

    def record(self, values: Iterable[Any]) -> None:
        """Record modules, functions and what they reach, as it is now."""
        stack: list[Any] = list(values)
        while stack and not self.full:
            self.full = len(self._kept) >= MOST
            value = stack.pop()
            if id(value) in self._kept:
                continue
            kept = self._entry(value)
            if kept is None:
                continue
            kept.value = value
            self._kept[id(value)] = kept
            if type(value) is types.CellType:
                self._cells.append(kept)
            content = kept.content
            parts = content.values() if isinstance(content, dict) else content
            stack.extend(parts)
            if type(value) is types.FunctionType:
                stack.extend(value.__closure__ or ())
                stack.extend(value.__defaults__ or ())
                stack.extend((value.__kwdefaults__ or {}).values())
            elif isinstance(value, types.ModuleType):
                self._modules[getattr(value, "__file__", None) or value.__name__] = kept
            if isinstance(content, dict):
                self._find_counters(kept, content)

    def learn(self, module: types.ModuleType, name: str, value: Any) -> None:
        """A variable of a module has its first value later than the others."""
        kept = self._kept.get(id(module))
        if kept is not None:
            kept.content[name] = value

    def _find_counters(self, kept: _Kept, content: dict[Any, Any]) -> None:
        for name, value in content.items():
            counter = getattr(value, "__self__", value)
            if type(counter) in _COUNTS:
                kept.renewed.append((name, (copy.copy(counter), counter is not value)))
        if kept.renewed:
            self._renewed.append(kept)

    def _entry(self, value: Any) -> _Kept | None:
        kind = type(value)
        if issubclass(kind, types.ModuleType):
            if not self._own(value):
                return None
            return _Kept(value.__dict__, dict(value.__dict__), _fill_dictionary)
        if issubclass(kind, type):
            if not self._own(value):
                return None
            content = {name: part for name, part in vars(value).items() if name not in _FIXED}
            return _Kept(value, content, _fill_class)
        if issubclass(kind, Location | types.CodeType):
            return None
        if issubclass(kind, dict):
            return _Kept(value, dict(value), _fill_dictionary)
        if issubclass(kind, list | bytearray):
            return _Kept(value, list(value), _fill_list)
        if issubclass(kind, set | collections.deque):
            return _Kept(value, list(value), _fill)
        if issubclass(kind, tuple | frozenset):
            return _Kept(value, list(value), lambda target, content: None)
        if kind is types.CellType:
            return _Kept(value, _cell(value), _fill_cell)
        if issubclass(kind, classmethod | staticmethod):
            return self._entry(value.__func__)
        if self._own(value if kind is types.FunctionType else kind):
            fields = getattr(value, "__dict__", None)
            if type(fields) is dict:
                return _Kept(fields, dict(fields), _fill_dictionary)
        return None

    def restore(self, locations: dict[Any, Location]) -> None:
        """Put back what a run has written at these locations."""
        kept, modules, variables = self._kept, self._modules, False
        for key, location in locations.items():
            if location.writer < 0:
                continue
            holder: Any = key if type(key) is int else key[0]
            entry = kept.get(holder) if type(holder) is int else modules.get(holder)
            if entry is not None:
                entry.write(entry.target, entry.content)
            if type(key) is tuple and len(key) > 2:  # a variable, perhaps of a function
                variables = True
        if variables:
            for entry in self._cells:
                entry.write(entry.target, entry.content)
        for entry in self._renewed:
            for name, (template, bound) in entry.renewed:
                new = copy.copy(template)
                value = new.__next__ if bound else new
                if isinstance(entry.target, dict):
                    dict.__setitem__(entry.target, name, value)
                else:
                    type.__setattr__(entry.target, name, value)
                entry.content[name] = value

    def restore_all(self) -> int:
        """Put back everything. How many objects had changed."""
        changed = 0
        for entry in self._kept.values():
            target = entry.target
            if isinstance(target, type):
                now: Any = {
                    name: value for name, value in vars(target).items() if name not in _FIXED
                }
            elif isinstance(target, types.CellType):
                now = _cell(target)
            elif isinstance(target, set):
                now = list(target)
            else:
                now = target
            if not _same(now, entry.content):
                entry.write(target, entry.content)
                changed += 1
        return changed
