"""Helpers of rewritten code: calls. Code in C announces its accesses; foreign code is noted.

A helper returns the callable to call, so that the call itself stays in the frame of the code under
test. A callable that needs an announcement comes back wrapped, since the arguments are evaluated in
between.
"""

from __future__ import annotations

import contextvars
import functools
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.plain.clocks import NOW
from wheelproof.plain.execution import Execution
from wheelproof.plain.happens_before import Location
from wheelproof.plain.instrument import containers as tables
from wheelproof.plain.instrument import outside
from wheelproof.plain.instrument.fields import NONE, Fields, classified
from wheelproof.plain.instrument.foreign import (
    REGISTERED,
    Foreign,
    Unbound,
    identity,
    module_of,
)
from wheelproof.plain.instrument.items import Items, SharedSteps, Steps
from wheelproof.plain.instrument.named import GETTERS, ByName
from wheelproof.plain.operations import Thread
from wheelproof.plain.sites import Site
from wheelproof.plain.universe import NOTHING, read_by

READS, WRITES, ARGUMENTS, OTHER = range(10, 14)
"""Kinds of methods beside those of attributes: in C, reading or changing the receiver; in C,
touching no more than its arguments; to be decided when it is called."""

_FUNCTIONS = frozenset({types.BuiltinFunctionType, types.FunctionType, types.MethodType})
_ITERATORS: dict[str, Callable[[Any], Any]] = {"__iter__": iter, "__reversed__": reversed}
"""Methods of containers that make iterators, and the functions that do."""

_LRU = type(functools.lru_cache(lambda: None))
_REFERRED = weakref.ref.__call__
_UNBOUND = types.MethodDescriptorType | types.WrapperDescriptorType


class Calls(Foreign, ByName):
    """Decides which objects a callable touches.

    ``dated`` gives the virtual counterpart of a function that reads the calendar. ``looked_into``:
    whether a Python function is instrumented. ``own``: whether a class belongs to the world.
    """

    def __init__(
        self,
        execution: Execution,
        fields: Fields,
        items: Items,
        looked_into: Callable[[Any], bool],
        is_own: Callable[[type], bool],
    ) -> None:
        super().__init__(execution, fields, items)
        self.looked_into, self.own = looked_into, is_own
        self.dated: Callable[[Any], Any] = lambda function: function

    # -- what a callable is

    def method_kind(self, kind: type, name: str) -> int:
        """How the method of a class is called."""
        access_kind = classified(kind, name, self.fields.shadowed)
        if access_kind != NONE or issubclass(kind, types.ModuleType):
            return access_kind
        value = next((b.__dict__[name] for b in kind.__mro__ if name in b.__dict__), None)
        if isinstance(value, types.FunctionType):
            return NONE if self.looked_into(value) else OTHER
        if isinstance(value, classmethod | staticmethod):
            return NONE if self.looked_into(value.__func__) else OTHER
        if not isinstance(value, _UNBOUND):
            return OTHER
        if kind in tables.REAL:
            return OTHER
        if value.__objclass__ is object:
            return OTHER
        if issubclass(value.__objclass__, BaseException):
            return WRITES if name in tables.OF_EXCEPTIONS else NONE
        if value.__objclass__ in tables.IMMUTABLE:
            return ARGUMENTS
        if name in tables.VIEWING and issubclass(kind, dict):
            return NONE
        return READS if name in tables.READING else WRITES

    def wrapped(self, function: Any, site: Site) -> Any:
        """A callable as it is to be called: itself, if it announces its own accesses."""
        kind = type(function)
        if kind in _FUNCTIONS and getattr(function, "__func__", function) in outside.FUNCTIONS:
            return functools.partial(self.outside, site, function)
        if kind is types.FunctionType:
            return function if self.looked_into(function) else self.foreign(function, site)
        if kind is types.MethodType:
            inner = function.__func__
            if type(inner) is types.FunctionType and self.looked_into(inner):
                return function
            return self.foreign(function, site, function.__self__)
        if issubclass(kind, type):
            return self._class(function, site)
        if kind is types.BuiltinFunctionType:
            return self._builtin(function, site)
        if issubclass(kind, types.MethodDescriptorType | types.WrapperDescriptorType):
            return functools.partial(self.unbound, site, function)
        if kind is types.MethodWrapperType:
            return functools.partial(self.bound, site, function, function.__self__)
        if kind in GETTERS:
            return functools.partial(self.getter, site, function)
        if kind is functools.partial:
            inner = self.wrapped(function.func, site)
            if inner is function.func:
                return function
            return functools.partial(inner, *function.args, **function.keywords)
        if kind is _LRU:
            return functools.partial(self.cached, site, function)
        call = getattr(kind, "__call__", None)  # noqa: B004 - the function is wanted
        if call is _REFERRED:
            return functools.partial(self.referred, site, function)
        if type(call) is types.FunctionType and self.looked_into(call):
            return function
        return self.foreign(function, site, function)

    def _class(self, cls: Any, site: Site) -> Any:
        if type(cls) is type:
            if cls in tables.LAZY:
                return functools.partial(self.lazy, site, cls)
            if cls is weakref.ref:
                return functools.partial(self.referring, cls)
            if cls in tables.HARMLESS or issubclass(cls, BaseException):
                return cls
            if cls in tables.EAGER:
                return functools.partial(self.eager, site, cls)
        for name in ("__new__", "__init__"):
            code = getattr(cls, name)
            if type(code) is types.FunctionType and not (
                self.looked_into(code) or read_by(module_of(code)) == NOTHING
            ):
                return self.foreign(cls, site)
        new, init = cls.__new__, cls.__init__
        is_made = new is object.__new__ or type(new) is types.FunctionType
        if is_made and (init is object.__init__ or type(init) is types.FunctionType):
            return cls
        return functools.partial(self.eager, site, cls)

    def _builtin(self, function: Any, site: Site) -> Any:
        receiver, name = function.__self__, function.__name__
        if receiver is not None and not isinstance(receiver, types.ModuleType):
            if issubclass(type(receiver), type):  # a class method in C, or __new__
                if name == "__new__" and issubclass(receiver, weakref.ref):
                    return functools.partial(self.referring, function)
                if name in NOW:
                    function = self.dated(function)
                return functools.partial(self.eager, site, function)
            return functools.partial(self.bound, site, function, receiver)
        if function is weakref.proxy:
            return functools.partial(self.referring, function)
        if function in (isinstance, issubclass) and self.registers:
            return functools.partial(self.checked, site, function)
        if function in tables.HARMLESS:
            return function
        if function is globals:
            return self.globals
        if function in tables.LAZY:
            return functools.partial(self.lazy, site, function)
        if function in tables.EAGER:
            return functools.partial(self.eager, site, function)
        if name in tables.REFLECTIVE:
            return functools.partial(self.fields.reflective, site, function)
        if function is next:
            return functools.partial(self.advance, site)
        if name in tables.FIRST_WRITTEN:
            return functools.partial(self.first_written, site, function)
        if name == "vars" and function is vars:
            return functools.partial(self.fields.variables, site)
        return functools.partial(self.unknown, site, function)

    def referring(self, make: Callable[..., Any], *arguments: Any) -> Any:
        """A weak reference, or a proxy, is made."""
        reference = make(*arguments)
        target = reference() if isinstance(reference, weakref.ref) else arguments[0]
        self.execution.watch(target)
        return reference

    def referred(self, site: Site, reference: Any) -> Any:
        """The object that a weak reference refers to, if it still is."""
        self.execution.looks_at_life(site)
        return reference()

    def checked(self, site: Site, function: Any, *arguments: Any) -> Any:
        """A check of a class, where classes are registered with abstract ones."""
        thread = self.execution.running
        if thread is not None:
            self.execution.access(thread, REGISTERED, None, False, site)
        return function(*arguments)

    def outside(self, site: Site, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """A function on files or on settings of the process, which all threads share."""
        thread = self.execution.running
        if thread is not None:
            target = getattr(function, "__func__", function)
            site.foreign = outside.FUNCTIONS[target][0]
            writes = outside.changes(target, arguments, keywords)
            self.execution.access(thread, site.foreign, None, writes, site)
        return function(*arguments, **keywords)

    # -- calls in C

    def bound(
        self, site: Site, function: Any, holder: Any, *arguments: Any, **keywords: Any
    ) -> Any:
        """A method in C of an object."""
        execution, name = self.execution, function.__name__
        thread, kind = execution.running, type(holder)
        if thread is None:
            return function(*arguments, **keywords)
        if execution.quiet and not keywords and not site.visible and tables.is_at_once(kind, name):
            value = function(*arguments)
            if not execution.quiet:  # its callback has started a thread
                access = name not in tables.READING
                execution.access(thread, self.items.key(holder), holder, access, site)
            return value
        if kind in tables.REAL:
            self.real(repr(holder), site)
        if name in tables.OF_ATTRIBUTES and arguments:
            self.fields.announce(thread, holder, arguments[0], name[2] != "g", site)
            return function(*arguments, **keywords)
        if kind in tables.ATTRIBUTES and name in tables.OF_DESCRIPTORS and arguments:
            self.fields.announce(thread, arguments[0], holder.__name__, name != "__get__", site)
        if issubclass(kind, BaseException) and name in tables.OF_EXCEPTIONS:
            location = self.fields.location(holder, tables.OF_EXCEPTIONS[name])
            execution.access(thread, location, holder, True, site)
        if name in tables.OF_STATE:
            self.fields.whole(thread, holder, False, site)
        self.hand_over(site, arguments)
        writes = name not in tables.READING
        if kind not in tables.IMMUTABLE and not (
            getattr(function, "__objclass__", None) is object
            or not hasattr(kind, name)
            or tables.is_of_immutable(kind, name)
            or issubclass(kind, type | BaseException | Location)
            or (name in tables.VIEWING and issubclass(kind, dict))
        ):
            return self.called(thread, site, function, holder, writes, arguments, keywords)
        return function(*arguments, **keywords)

    def called(
        self,
        thread: Thread,
        site: Site,
        function: Any,
        holder: Any,
        writes: bool,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Any:
        """A method in C that accesses its object, and may call back."""
        execution, name = self.execution, function.__name__
        key = self.items.key(holder, arguments[0] if arguments else None)
        is_deep = name in tables.COMPARED and not issubclass(type(holder), dict | set)
        if is_deep or name in tables.DEEP_METHODS:
            self.hand_over(site, (holder, *arguments), deep=True)
        if self.items.is_hidden(type(holder)):
            parts = self.items.hidden_in(holder)
            site.foreign = ""
            for place in outside.accessed(parts, name, arguments):
                site.foreign = place.thing
                execution.access(thread, place.key, None, place.writes, site)
            for part in parts[1:]:
                execution.access(thread, self.items.key(part), part, writes, site)
                thread.position = site.position - 1  # all this is one call in C
        is_noted = execution.access(thread, key, holder, writes, site)
        if name in _ITERATORS and self.items.stepped(type(holder)):
            return SharedSteps(self.items, holder, site, _ITERATORS[name])
        outer, thread.inside = thread.inside, (key, holder, writes, site)

        if (type(holder), name) in tables.ENTERED:
            function = functools.partial(function, self._enter, thread)
        elif keywords.get("key") is not None:
            by, again = self.wrapped(keywords["key"], site), self._again(thread)
            keywords["key"] = lambda element: again(by(element))
        try:
            value = function(*arguments, **keywords)
        finally:
            thread.inside = outer
        if is_noted:
            execution.recorder.note(arguments if arguments and writes else value)
        return value

    def _again(self, thread: Thread) -> Callable[[Any], Any]:
        """Has a method in C announce its access again, where a callback returns to it."""
        execution, inside = self.execution, thread.inside

        def again(value: Any) -> Any:
            if execution.running is thread:
                execution.access(thread, *inside)
            return value

        return again

    def _enter(self, thread: Thread, body: Any, *positional: Any, **keywords: Any) -> Any:
        again = self._again(thread)
        try:
            return body(*positional, **keywords)
        finally:
            again(None)

    def unbound(self, site: Site, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """A method in C that is called with its object as the first argument."""
        if not arguments or self.execution.running is None:
            return function(*arguments, **keywords)
        holder, *rest = arguments
        if function.__objclass__ is object and function.__name__ not in tables.OF_ATTRIBUTES:
            return function(*arguments, **keywords)
        return self.bound(site, Unbound(function, holder), holder, *rest, **keywords)

    def _steps(self, site: Site, value: Any) -> Any:
        return Steps(self.items, value, site) if self.items.stepped(type(value)) else value

    def hand_over(
        self, site: Site, arguments: Iterable[Any], writes: bool = False, deep: bool = False
    ) -> None:
        """Announce the containers that code in C is given."""
        for value in arguments if deep else ():
            self.items.deep(value, site)
        for value in arguments:
            if self.items.stepped(type(value)):
                self.items.whole(value, site, writes)
            elif self.items.is_hidden(type(value)):
                self._hidden(value, site, writes)

    def _hidden(self, value: Any, site: Site, writes: bool) -> None:
        """Announce an object in C, and those that it works on."""
        execution = self.execution
        for part in self.items.hidden_in(value):
            if execution.running is not None:
                execution.access(execution.running, self.items.key(part), part, writes, site)

    def eager(self, site: Site, function: Any, *arguments: Any, **keywords: Any) -> Any:
        if self.execution.running is not None:
            receiver = getattr(function, "__self__", None)
            at_once = type(receiver) in tables.AT_ONCE or function in tables.EAGER
            if at_once and self.execution.quiet and not keywords and not site.visible:
                return function(*arguments)
            polling = self.execution.running.polling
            if polling is not None and type(receiver) is contextvars.ContextVar:
                polling.changes()
            if type(receiver) is str and function.__name__ == "format":
                return self.formatted(site, receiver, *arguments, **keywords)
            name = getattr(function, "__name__", "")
            is_deep = function in tables.DEEP or name in ("join", "format_map")
            self.hand_over(site, arguments, deep=is_deep)
            self._announce_keys(site, keywords)
            if name == "from_iterable" and arguments:
                parts = Steps(self.items, arguments[0], site)
                arguments = (map(functools.partial(self._steps, site), parts), *arguments[1:])
            if function in tables.ITERATING or name == "join":
                arguments = self.items.stepwise(arguments, site)
        return function(*arguments, **keywords)

    def lazy(self, site: Site, function: Any, *arguments: Any, **keywords: Any) -> Any:
        if self.execution.running is None:
            return function(*arguments, **keywords)
        if function in tables.COMPARING and len(arguments) > 1:
            return self.eager(site, function, *arguments, **keywords)
        self._announce_keys(site, keywords)
        is_stepped, (first, end) = self.items.stepped, tables.ITERATED.get(function, (0, None))
        if function is reversed and len(arguments) == 1 and is_stepped(type(arguments[0])):
            return SharedSteps(self.items, arguments[0], site, reversed)
        values = list(arguments)
        if function in tables.DEEP:
            self.hand_over(site, values, deep=True)
        number = tables.CALLING.get(function, len(values))
        if number < len(values) > 1 and values[number] is not None:
            values[number] = self.wrapped(values[number], site)
        iterator = SharedSteps if function is iter else Steps
        for index in range(len(values))[first:end]:
            if is_stepped(type(values[index])):
                values[index] = iterator(self.items, values[index], site)
        return function(*values, **keywords)

    def _announce_keys(self, site: Site, keywords: dict[str, Any]) -> None:
        """Code in C calls the function that it is given as a key."""
        for name in ("key", "func"):
            if keywords.get(name) is not None:
                keywords[name] = self.wrapped(keywords[name], site)

    def first_written(self, site: Site, function: Any, *arguments: Any, **keywords: Any) -> Any:
        if self.execution.running is not None and arguments:
            self.hand_over(site, arguments[1:])
            self.hand_over(site, arguments[:1], writes=True)
        return function(*arguments, **keywords)

    def advance(self, site: Site, *arguments: Any) -> Any:
        """A step of an iterator by ``next``."""
        if self.execution.running is not None and arguments:
            self.hand_over(site, arguments[:1], writes=True)
        return next(*arguments)

    def cached(self, site: Site, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """A cache in C: its function, if that is looked into, would run in the middle of it."""
        thread = self.execution.running
        if thread is not None:
            is_instrumented = self.looked_into(function.__wrapped__)
            site.foreign = "functools.lru_cache in C" if is_instrumented else ""
            self.execution.access(thread, id(function), function, True, site)
        return function(*arguments, **keywords)

    def unknown(self, site: Site, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """A function in C that is in no table changes the containers that it is given."""
        if self.execution.running is not None:
            self.hand_over(site, arguments, writes=True)
        return function(*arguments, **keywords)


def hooks(calls: Calls) -> dict[str, Callable[..., Any]]:
    """The helpers, by the names that the rewriter uses."""
    execution, fields = calls.execution, calls.fields
    bound, eager = calls.bound, calls.eager
    partial = functools.partial

    def method(holder: Any, name: str, site: Site) -> Any:
        thread = execution.running
        if thread is None:
            attribute = getattr(holder, name)
            return calls.dated(attribute) if name in NOW else attribute
        kind = type(holder)
        if site.type is kind:
            access_kind = site.kind
        else:
            access_kind = site.kind = calls.method_kind(kind, name)
            site.type = kind
        if access_kind == NONE:
            return getattr(holder, name)
        if access_kind in (READS, WRITES):
            return partial(bound, site, getattr(holder, name), holder)
        if access_kind == ARGUMENTS:
            return partial(eager, site, getattr(holder, name))
        if access_kind != OTHER:
            fields.announce(thread, holder, name, False, site)
        return calls.wrapped(getattr(holder, name), site)

    def function(target: Any, site: Site) -> Any:
        if execution.running is None:
            return target
        code = identity(target)
        if code is not None and code is site.type:
            return target
        wrapper = calls.wrapped(target, site)
        site.type = code if wrapper is target else None
        return wrapper

    def manager(value: Any, site: Site) -> Any:
        if execution.running is not None:
            kind = type(value)
            if kind in tables.REAL:
                calls.real(repr(value), site)
            if kind.__module__ in tables.REAL_MODULES and not calls.own(kind):
                calls.real(f"{kind.__module__}.{kind.__qualname__}", site)
        return value

    return {"method": method, "function": function, "manager": manager, "imported": calls.imported}
