"""Helpers of rewritten code: attributes and variables. Each announces its access first."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument.containers import IMMUTABLE, PROXIES, behind
from wheelproof.plain.instrument.fakes import is_fake
from wheelproof.plain.objects import fields_of, slots_of
from wheelproof.plain.sites import Site

NONE, FIELD, OF_CLASS, DICTIONARY, MODULE, DEFAULTED, MERGED, OF_THREAD, OF_C = range(9)
"""Kinds of attributes: none that is state; of the object; of a class that is the object; its
``__dict__``; of a module; of the object, with a default in a class; of the object, under one name
with all others; of an object of which each thread has its own attributes; of an object in C, or
of a fake, whose methods access it too."""

ADDED = ("\u01c1wheelproof_", "_wheelproof_")
"""How the variables begin that the rewriter adds. The first sort behind all others."""

ALL = "__dict__"
"""The name that stands for all attributes of an object."""

_CODE = (
    types.FunctionType,
    classmethod,
    staticmethod,
    property,
    type,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
)

_NOT_KEPT = (*_CODE, types.MemberDescriptorType)
"""Types of attributes of classes whose content is none of the class."""

_OF_THEIR_OWN = (
    BaseException,
    types.FunctionType,
    types.CellType,
    types.FrameType,
    types.GeneratorType,
    types.TracebackType,
)
"""Types in C whose attributes no method accesses but by its name."""

CHANGEABLE = frozenset({object, types.FunctionType})
"""Types without state of their own for a thread, whose attributes can be assigned all the same."""


def classified(kind: type, name: str, shadow_names: set[str]) -> int:
    """The kind of an attribute of the instances of a class."""
    if issubclass(kind, types.ModuleType):
        return MODULE
    if name == "__dict__":
        return DICTIONARY
    if issubclass(kind, type):
        return OF_CLASS
    if kind is super:
        return NONE
    if is_fake(kind):
        return OF_C
    for base in kind.__mro__:
        if name not in base.__dict__:
            continue
        value = base.__dict__[name]
        if isinstance(value, StateProperty):
            return FIELD
        if isinstance(value, types.MemberDescriptorType):
            return FIELD if is_slot(base) else OF_C
        if isinstance(value, types.GetSetDescriptorType):
            if not is_state(value):
                return NONE
            return FIELD if is_slot(base) else OF_C
        if isinstance(value, _CODE):
            return FIELD if name in shadow_names and not hasattr(type(value), "__set__") else NONE
        if hasattr(type(value), "__set__"):
            return NONE if isinstance(type(value).__set__, types.FunctionType) else OF_C
        return FIELD if hasattr(type(value), "__get__") else DEFAULTED
    return OF_THREAD if hasattr(kind, "of_each_thread") else FIELD


class StateProperty(property):
    """A property of the checker's own classes whose value a program may change."""


def is_slot(base: type) -> bool:
    """Whether the attributes of a class in C are state each for itself, as slots are."""
    return base is object or "__slots__" in vars(base) or issubclass(base, _OF_THEIR_OWN)


def is_state(attribute: types.GetSetDescriptorType) -> bool:
    """Whether an attribute in C may have another value later."""
    kind = attribute.__objclass__
    return attribute.__name__ != "__weakref__" and (kind in CHANGEABLE or kind not in IMMUTABLE)


def defining(kind: type, name: str) -> type | None:
    """The class that has an attribute, where it is state."""
    for base in kind.__mro__:
        if name in base.__dict__:
            value = base.__dict__[name]
            return None if isinstance(value, _NOT_KEPT) else base
    return kind


class Fields:
    """The helpers for attributes, over one execution.

    ``shadowed``: names of methods that instances have overridden. ``assigned``: attributes of
    modules that were assigned in a run, which are announced from then on. ``rebound``: variables of
    modules that functions of their own assign. ``merged``: classes of
    whose objects all attributes were read or changed at once; each of these has one location from
    then on.
    """

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.shadowed: set[str] = set()
        self.assigned: set[tuple[str, str]] = set()
        self.rebound: set[tuple[str, str]] = set()
        self.merged: set[str] = set()

    def variable(self, module: types.ModuleType, name: str) -> Any:
        """The key of a module's variable, which is announced from now on by its name as well."""
        if not self.is_announced(module, name):
            self.assigned.add((module.__name__, name))
            self.execution.grown = True
        return getattr(module, "__file__", ""), "", 0, name

    def is_announced(self, module: types.ModuleType, name: str) -> bool:
        variable = module.__name__, name
        return variable in self.assigned or variable in self.rebound

    def location(self, holder: Any, name: str | None) -> Any:
        """The key of an attribute, or of all of them."""
        if issubclass(type(holder), types.ModuleType):
            return self.variable(holder, name or ALL)
        if name is not None and not self.merged:
            return id(holder), name
        kind = _title(type(holder))
        if name is None and kind not in self.merged:
            self.merged.add(kind)
            self.execution.wants(f"all attributes of {kind}")
        return id(holder), ALL if name is None or kind in self.merged else name

    def register(self, holder: Any) -> None:
        """An access of the dictionary of an object is one of its attributes from now on."""
        fields = behind(getattr(holder, "__dict__", None))
        if type(fields) is dict:
            self.execution.dictionaries[id(fields)] = holder
            self.execution.kept.append(fields)

    def whole(self, thread: Any, holder: Any, writes: bool, site: Site) -> bool:
        """Announce that all attributes of an object are read, or changed."""
        if fields_of(holder) is None and not slots_of(type(holder)):
            return False
        if fields_of(holder) is not None:
            self.register(holder)
        return self.execution.access(thread, self.location(holder, None), holder, writes, site)

    def announce(self, thread: Any, holder: Any, name: str, writes: bool, site: Site) -> bool:
        """Announce an access of an attribute of any kind."""
        kind = type(holder)
        if site.type is kind:
            access_kind = site.kind
        elif kind in PROXIES:
            is_noted = self.announce(thread, behind(holder), name, writes, site)
            self.execution.looks_at_life(site)  # last, so that no frame here keeps it alive
            return is_noted
        else:
            access_kind = classified(kind, name, self.shadowed)
            if access_kind in (FIELD, DEFAULTED) and self.merged and _title(kind) in self.merged:
                access_kind = MERGED
            site.kind, site.type = access_kind, kind
        if access_kind == FIELD:
            return self.execution.access(thread, (id(holder), name), holder, writes, site)
        if access_kind == NONE:
            if writes and not _is_data(kind, name):
                self.shadowed.add(name)
                self.execution.wants(name)
                site.type = None
            return False
        return self._special(access_kind, thread, holder, name, writes, site)

    def _special(
        self, access_kind: int, thread: Any, holder: Any, name: str, writes: bool, site: Site
    ) -> bool:
        execution, kind = self.execution, type(holder)
        if access_kind in (DEFAULTED, MERGED):
            if execution.quiet and not site.visible:
                return False
            is_noted = execution.access(thread, self.location(holder, name), holder, writes, site)
            if not writes and name not in (fields_of(holder) or ()):
                base = defining(kind, name)
                if base is not None and name in vars(base):
                    key = self.location(base, name)
                    is_noted = execution.access(thread, key, base, False, site) or is_noted
            return is_noted
        if access_kind == OF_THREAD and writes and thread.polling is not None:
            thread.polling.changes()
        if access_kind == OF_C:
            target = behind(holder)
            return execution.access(thread, id(target), target, writes, site)
        if access_kind == DICTIONARY:
            if writes:
                return self.whole(thread, holder, True, site)
            self.register(holder)
            return False
        if access_kind == OF_CLASS:
            if _is_data(kind, name):
                return False
            base = holder if writes else defining(holder, name)
            if base is None:
                return False
            return execution.access(thread, self.location(base, name), base, writes, site)
        if access_kind == MODULE:
            if name == "__dict__":
                self.register(holder)
            elif writes or self.is_announced(holder, name):
                key = self.variable(holder, name)
                return execution.access(thread, key, holder, writes, site)
        return False

    def reflective(self, site: Site, function: Any, *arguments: Any) -> Any:
        """``getattr`` and its like."""
        thread = self.execution.running
        if thread is not None and len(arguments) > 1 and isinstance(arguments[1], str):
            site.type = None
            writes = function.__name__ in ("setattr", "delattr")
            self.announce(thread, arguments[0], arguments[1], writes, site)
        return function(*arguments)

    def variables(self, site: Site, holder: Any) -> Any:
        """``vars``."""
        thread = self.execution.running
        if thread is not None:
            site.type = None
            self.announce(thread, holder, "__dict__", False, site)
        return vars(holder)


def _title(kind: type) -> str:
    """The name of a class, which may be made anew in each run."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_data(kind: type, name: str) -> bool:
    """Whether a class keeps the attribute itself: a property, or one of C."""
    value = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
    return hasattr(type(value), "__set__")


class Call:
    """Stands for a call of a function whose variables threads can share."""

    __slots__ = ()


def of_program(names: Any) -> Any:
    """Names of variables without those that the rewriter has added."""
    if type(names) is list:
        return [name for name in names if not name.startswith(ADDED)]
    return {name: value for name, value in names.items() if not name.startswith(ADDED)}


def hooks(fields: Fields) -> dict[str, Callable[..., Any]]:
    """The helpers, by the names that the rewriter uses."""
    execution = fields.execution
    announce, access = fields.announce, execution.access

    def load(holder: Any, name: str, site: Site) -> Any:
        thread = execution.running
        if thread is None:
            return getattr(holder, name)
        if site.type is type(holder):
            kind = site.kind
            if kind == NONE or (kind == FIELD and execution.quiet and not site.visible):
                return getattr(holder, name)
        if announce(thread, holder, name, False, site):
            value = getattr(holder, name)
            execution.recorder.note(value)
            return value
        return getattr(holder, name)

    def store(holder: Any, name: str, value: Any, site: Site) -> None:
        thread = execution.running
        if site.kind == FIELD and site.type is type(holder) and execution.quiet:
            thread = thread if site.visible else None
        if thread is not None and announce(thread, holder, name, True, site):
            execution.recorder.note(value)
        setattr(holder, name, value)

    def delete(holder: Any, name: str, site: Site) -> None:
        thread = execution.running
        if thread is not None:
            announce(thread, holder, name, True, site)
        delattr(holder, name)

    def forget(site: Site) -> None:
        """A variable of one thread alone is about to lose its object, which may end."""
        if execution.running is not None:
            execution.forgets(execution.running, site)

    def read_variable(key: Any, site: Site) -> bool:
        thread = execution.running
        if thread is not None:
            access(thread, key, None, False, site)
        return True

    def write_variable(key: Any, value: Any, site: Site) -> Any:
        thread = execution.running
        if thread is not None and access(thread, key, None, True, site):
            execution.recorder.note(value)
        return value

    def asynchronous(site: Site) -> None:
        if execution.running is not None:
            execution.unseen.setdefault((site.text, str(site)), execution.number)

    return {
        "asynchronous": asynchronous,
        "load": load,
        "store": store,
        "delete": delete,
        "forget": forget,
        "read_variable": read_variable,
        "write_variable": write_variable,
        "call": Call,
        "of_program": of_program,
        "slice": slice,
    }
