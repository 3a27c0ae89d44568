"""Helpers of rewritten code: items, truth, membership and iteration of containers."""

from __future__ import annotations

import collections
import functools
import gc
import operator
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.identity import by_address
from wheelproof.plain.instrument.containers import (
    CONTAINERS,
    IN_MEMORY,
    SHOWING,
    VIEWS,
    behind,
    has_hidden_state,
    in_c,
    is_container,
    is_of_immutable,
)
from wheelproof.plain.instrument.fields import Fields
from wheelproof.plain.instrument.generators import Generators
from wheelproof.plain.operations import Thread
from wheelproof.plain.sites import Site

PLAIN = frozenset({bool, bytes, float, int, str, type(None)})
"""Types of keys that call no code in Python."""

MADE_IN_C: tuple[Any, ...] = (*CONTAINERS, *PLAIN)
"""Types that make an object without code in Python."""


class Missing:
    """Stands in the columns of a run for an item that a dictionary does not have."""

    def __repr__(self) -> str:
        return "no item"


NESTING: tuple[type, ...] = (
    *CONTAINERS, *SHOWING, tuple, frozenset, types.SimpleNamespace, BaseException,
)  # fmt: skip
"""Types that a container in another one may have."""

COMPARISONS = frozenset({"eq", "ge", "gt", "le", "lt", "ne"})


def ordered(execution: Execution, values: Any, site: Site) -> None:
    """Note that a set is iterated over in the order of addresses: no two runs need agree."""
    if not execution.cause and len(values) > 1 and any(map(by_address, values)):
        execution.cause = f"{site} takes the elements of a set in the order of their addresses"


class Steps:
    """An iterator that announces each step on a container, or on an iterator with a position.

    ``take`` makes the iterator of the container: ``iter`` or ``reversed``.
    """

    __slots__ = ("__weakref__", "_execution", "_holder", "_iterator", "_key", "_site", "_writes")

    def __init__(
        self,
        items: Items,
        value: Any,
        site: Site,
        take: Callable[[Any], Iterator[Any]] = iter,
    ) -> None:
        self._execution, self._site = items.execution, site
        execution = items.execution
        kind = type(value)  # never isinstance: a class may have a __class__ of its own
        self._writes = items.is_iterator(kind)
        self._holder = behind(value)
        self._key = items.key(self._holder)
        if issubclass(kind, set | frozenset):
            ordered(execution, value, site)
        if take is reversed or not (self._writes or issubclass(kind, list | bytearray)):
            thread = execution.running  # the iterator keeps how many items there are
            if thread is not None:
                execution.access(thread, self._key, self._holder, False, site)
        self._iterator: Iterator[Any] = take(value)

    def __iter__(self) -> Steps:
        return self

    def __length_hint__(self) -> int:
        return operator.length_hint(self._iterator)

    def __next__(self) -> Any:
        execution, holder = self._execution, self._holder
        thread = execution.running
        if thread is not None:
            if thread.polling is not None:
                thread.polling.steps(self)
            if execution.access(thread, self._key, holder, self._writes, self._site):
                value = next(self._iterator)
                execution.recorder.note(value)
                return value
        return next(self._iterator)


class SharedSteps(Steps):
    """One that the program has: each of its steps changes its position, too.

    A weak reference to itself lets it end as early as the iterator that it stands for.
    """

    __slots__ = ("_reference",)

    def __init__(
        self,
        items: Items,
        value: Any,
        site: Site,
        take: Callable[[Any], Iterator[Any]] = iter,
    ) -> None:
        super().__init__(items, value, site, take)
        self._reference = weakref.ref(self)

    def __next__(self) -> Any:
        thread = self._execution.running
        if thread is not None:
            self._execution.access(thread, id(self), self, True, self._site)
            thread.position = self._site.position - 1  # all this is one call in C
        return super().__next__()


class Positions:
    """An iterator whose steps nothing notes but a thread that polls."""

    __slots__ = ("__weakref__", "_execution", "_iterator")

    def __init__(self, execution: Execution, value: Any) -> None:
        self._execution = execution
        self._iterator: Iterator[Any] = iter(value)

    def __iter__(self) -> Positions:
        return self

    def __next__(self) -> Any:
        thread = self._execution.running
        if thread is not None and thread.polling is not None:
            thread.polling.steps(self)
        return next(self._iterator)


class Items:
    """Which types have their items in C, remembered for each type."""

    def __init__(self, execution: Execution, fields: Fields) -> None:
        self.execution, self.fields = execution, fields
        self.generators = Generators(execution)
        self._methods: dict[tuple[type, str], bool] = {}
        self._iterated: dict[type, bool] = {}
        self._hidden: dict[type, bool] = {}

    def in_c(self, kind: type, method: str) -> bool:
        """Whether a method is written in C, of a type that has state."""
        key = kind, method
        answer = self._methods.get(key)
        if answer is None:
            shows = issubclass(kind, SHOWING) or is_container(kind)
            answer = in_c(kind, method) and (shows or not is_of_immutable(kind, method))
            self._methods[key] = answer
        return answer

    def key(self, holder: Any, item: Any = None) -> Any:
        """The location of an item: of the attribute, where the container is a ``__dict__``."""
        kind = type(holder)
        if kind is types.GeneratorType:
            self.generators.meet(holder)
        elif issubclass(kind, SHOWING):
            holder = behind(holder)
        dictionaries = self.execution.dictionaries
        if dictionaries and id(holder) in dictionaries:
            name = item if type(item) is str else None
            return self.fields.location(dictionaries[id(holder)], name)
        return id(holder)

    def is_iterator(self, kind: type) -> bool:
        """Whether a type in C is one of iterators: their position is state."""
        return self.in_c(kind, "__next__")

    def is_hidden(self, kind: type) -> bool:
        """Whether objects of a type have state in C that no attribute and no item shows."""
        answer = self._hidden.get(kind)
        if answer is None:
            answer = self._hidden[kind] = has_hidden_state(kind)
        return answer

    def hidden_in(self, value: Any) -> list[Any]:
        """An object in C with those that it works on, as a writer on its file."""
        parts, number = [value], 0
        while number < len(parts):
            for part in gc.get_referents(parts[number]):
                if type(part) is types.BuiltinFunctionType:
                    part = part.__self__
                if self.is_hidden(type(part)) and not any(part is other for other in parts):
                    parts.append(part)
            number += 1
        return parts

    def stepped(self, kind: type) -> bool:
        """Whether iteration of a type announces its steps."""
        answer = self._iterated.get(kind)
        if answer is None:
            shows = issubclass(kind, SHOWING) or is_container(kind)
            answer = self._iterated[kind] = (
                issubclass(kind, VIEWS)
                or self.is_iterator(kind)
                or (shows and in_c(kind, "__iter__"))
                or issubclass(kind, IN_MEMORY)
            )
        return answer

    def within(
        self,
        thread: Thread,
        site: Site,
        holder: Any,
        writes: bool,
        function: Callable[..., Any],
        *arguments: Any,
    ) -> Any:
        """An access in C that may call back: when the callback returns, it goes on.

        The code called back announces the access again, so that threads can switch between the
        callback and the effect.
        """
        execution = self.execution
        item = arguments[1] if len(arguments) > 1 else None
        location = self.key(holder, item)
        is_noted = execution.access(thread, location, holder, writes, site)
        outer, thread.inside = thread.inside, (location, holder, writes, site)
        try:
            value = function(*arguments)
        finally:
            thread.inside = outer
        if is_noted:
            execution.recorder.note(arguments[2] if len(arguments) > 2 else value)
        return value

    def defaulted(self, thread: Thread, holder: Any, item: Any, site: Site) -> Any:
        """An item of a dictionary that makes missing ones: it is read, made, and stored."""
        missing = Missing()
        value = self.within(
            thread, site, holder, False, lambda target, name: dict.get(target, name, missing),
            holder, item,
        )  # fmt: skip
        if value is not missing:
            return value
        factory = getattr(holder, "default_factory", None)
        if type(holder).__missing__ is not collections.defaultdict.__missing__ or factory is None:
            return holder[item]
        value = factory()
        if factory in MADE_IN_C and type(item) in PLAIN:
            thread.position = site.position - 1  # all this is one call in C
        self.within(thread, site, holder, True, operator.setitem, holder, item, value)
        return value

    def stepwise(self, values: tuple[Any, ...], site: Site) -> tuple[Any, ...]:
        """The values, of which a generator announces each step to code in C that runs it."""
        return tuple(
            Steps(self, value, site) if type(value) is types.GeneratorType else value
            for value in values
        )

    def deep(self, value: Any, site: Site) -> Any:
        """Announce that a container is read, and the containers in it."""
        execution, write_count = self.execution, -1
        if self.is_iterator(type(value)):
            return self.whole(value, site)
        while execution.running is not None and write_count != execution.written:
            write_count, visits = execution.written, set[int]()
            stack = [value]
            while stack:
                part = behind(stack.pop())
                kind = type(part)
                if id(part) in visits or not issubclass(kind, NESTING):
                    continue
                visits.add(id(part))
                parts: Any = ()
                if issubclass(kind, tuple):
                    parts = tuple.__iter__(part)
                elif issubclass(kind, BaseException):
                    parts = part.args
                elif issubclass(kind, types.SimpleNamespace):
                    self.fields.whole(execution.running, part, False, site)
                    parts = list(vars(part).values())
                elif self.stepped(kind):
                    self.whole(part, site)
                    if issubclass(kind, dict):
                        parts = dict.values(part)
                    elif issubclass(kind, list | collections.deque):
                        parts = list(part)
                stack.extend(inner for inner in parts if issubclass(type(inner), NESTING))
        return None

    def whole(self, value: Any, site: Site, writes: bool = False) -> Any:
        """Announce that all of a container is read, or changed."""
        execution = self.execution
        thread = execution.running
        if thread is not None:
            kind = type(value)
            if issubclass(kind, SHOWING):
                value = behind(value)
            elif self.is_iterator(kind):
                writes = True
            elif not issubclass(kind, CONTAINERS) and not self.in_c(kind, "__setitem__"):
                return None
            elif issubclass(kind, set):
                ordered(execution, value, site)
            execution.access(thread, self.key(value), value, writes, site)
        return None


def item_hooks(items: Items) -> dict[str, Callable[..., Any]]:
    """The helpers for single items, by the names that the rewriter uses."""
    execution = items.execution
    access, in_c, key, within = execution.access, items.in_c, items.key, items.within

    def get_item(holder: Any, item: Any, site: Site) -> Any:
        thread = execution.running
        if execution.quiet and not site.visible:
            return holder[item]
        if thread is not None and in_c(type(holder), "__getitem__"):
            if hasattr(type(holder), "__missing__"):
                return items.defaulted(thread, holder, item, site)
            if type(item) not in PLAIN:
                return within(thread, site, holder, False, operator.getitem, holder, item)
            if access(thread, key(holder, item), holder, False, site):
                value = holder[item]
                execution.recorder.note(value)
                return value
        return holder[item]

    def set_item(holder: Any, item: Any, value: Any, site: Site) -> None:
        thread = execution.running
        if execution.quiet and not site.visible:
            holder[item] = value
            return
        if thread is not None and in_c(type(holder), "__setitem__"):
            if type(item) not in PLAIN:
                if type(item) is slice:
                    items.whole(value, site)
                    value = items.stepwise((value,), site)[0]
                within(thread, site, holder, True, operator.setitem, holder, item, value)
                return
            if access(thread, key(holder, item), holder, True, site):
                execution.recorder.note(value)
        holder[item] = value

    def delete_item(holder: Any, item: Any, site: Site) -> None:
        thread = execution.running
        if thread is not None and in_c(type(holder), "__delitem__"):
            if type(item) not in PLAIN:
                within(thread, site, holder, True, operator.delitem, holder, item)
                return
            access(thread, key(holder, item), holder, True, site)
        del holder[item]

    def contains(item: Any, holder: Any, site: Site) -> bool:
        thread = execution.running
        if execution.quiet and not site.visible:
            return item in holder
        if thread is not None:
            if not issubclass(type(holder), dict | set | frozenset):
                items.deep(holder, site)
            if in_c(type(holder), "__contains__"):
                inside: bool = within(thread, site, holder, False, operator.contains, holder, item)
                return inside
            if issubclass(type(holder), VIEWS):
                items.whole(holder, site)
        return item in holder

    def returns(value: Any) -> Any:
        thread = execution.running
        if thread is not None and thread.inside is not None and not execution.over:
            location, holder, writes, site = thread.inside
            access(thread, location, holder, writes, site)
        return value

    return {
        "get_item": get_item,
        "set_item": set_item,
        "delete_item": delete_item,
        "contains": contains,
        "returns": returns,
    }


def _unpacked(items: Items, values: Any, site: Site) -> Any:
    """The values, each of which is unpacked into a target of several names."""

    def announced(value: Any) -> Any:
        if items.execution.running is not None and (site.visible or not items.execution.quiet):
            items.whole(value, site)
        return value

    return values if items.execution.running is None else map(announced, values)


def container_hooks(items: Items) -> dict[str, Callable[..., Any]]:
    """The helpers for whole containers, by the names that the rewriter uses."""
    execution = items.execution
    access, in_c = execution.access, items.in_c

    def truth(value: Any, site: Site) -> Any:
        thread = execution.running
        if execution.quiet and not site.visible:
            return value
        if thread is not None and in_c(type(value), "__len__"):
            access(thread, items.key(value), value, False, site)
        return value

    def iterate(value: Any, site: Site) -> Any:
        if execution.running is None:
            return value
        if items.stepped(type(value)):
            return Steps(items, value, site)
        return value if issubclass(type(value), Steps) else Positions(execution, value)

    def delegate(value: Any, site: Site) -> Any:
        """The iterator that a generator hands its steps to. A generator is sent values, too."""
        if type(value) is types.GeneratorType:
            items.whole(value, site, writes=True)
        elif execution.running is not None and items.stepped(type(value)):
            return Steps(items, value, site)
        return value

    def at_once(site: Site) -> None:
        """The next access follows the last one at once: no global lock divides the two."""
        thread = execution.running
        if thread is not None and thread.region == site.region:
            thread.position = site.position - 1

    def whole(value: Any, site: Site) -> Any:
        if execution.running is not None and (site.visible or not execution.quiet):
            items.whole(value, site)
        return value

    def shown(value: Any, site: Site) -> Any:
        if site.visible or not execution.quiet:
            items.deep(value, site)
        return value

    def spread(value: Any, site: Site) -> Any:
        whole(value, site)
        return items.stepwise((value,), site)[0] if execution.running is not None else value

    def binary(name: str, first: Any, second: Any, site: Site) -> Any:
        if execution.running is not None and (site.visible or not execution.quiet):
            read = items.deep if name in COMPARISONS or type(first) is str else items.whole
            for value in (first, second):
                read(value, site)
        return getattr(operator, name)(first, second)

    def in_place(name: str, first: Any, second: Any, site: Site) -> Any:
        if execution.running is not None and (site.visible or not execution.quiet):
            if items.stepped(type(second)):
                items.whole(second, site)
            if in_c(type(first), f"__{name}__"):
                items.whole(first, site, writes=True)
        return getattr(operator, name)(first, second)

    return {
        "truth": truth,
        "iterate": iterate,
        "delegate": delegate,
        "spread": spread,
        "at_once": at_once,
        "unpacked": functools.partial(_unpacked, items),
        "whole": whole,
        "shown": shown,
        "binary": binary,
        "in_place": in_place,
    }
