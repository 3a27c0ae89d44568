"""Helpers of rewritten code: attributes and variables. Each announces its access first."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.sites import Site

NONE, FIELD, OF_CLASS, DICTIONARY, MODULE, DEFAULTED = range(6)
"""Kinds of attributes: none that is state; of the object; of a class that is the object; its
``__dict__``; of a module; of the object, with a default in a class."""

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


def classified(kind: type, name: str, shadowed: set[str]) -> int:
    """The kind of an attribute of the instances of a class."""
    if issubclass(kind, types.ModuleType):
        return MODULE
    if name == "__dict__":
        return DICTIONARY
    if issubclass(kind, type):
        return OF_CLASS
    if kind is super:
        return NONE
    for base in kind.__mro__:
        if name not in base.__dict__:
            continue
        value = base.__dict__[name]
        if isinstance(value, types.MemberDescriptorType):
            return FIELD
        if isinstance(value, _CODE):
            return FIELD if name in shadowed and not hasattr(type(value), "__set__") else NONE
        if hasattr(type(value), "__set__"):
            return NONE
        return FIELD if hasattr(type(value), "__get__") else DEFAULTED
    return FIELD


def defining(kind: type, name: str) -> type | None:
    """The class that has an attribute, where it is state."""
    for base in kind.__mro__:
        if name in base.__dict__:
            value = base.__dict__[name]
            return None if isinstance(value, (*_CODE, types.MemberDescriptorType)) else base
    return kind


class Fields:
    """The helpers for attributes, over one execution.

    ``shadowed``: names of methods that instances have overridden. ``assigned``: attributes of
    modules that were assigned in a run, which are announced from then on.
    """

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.shadowed: set[str] = set()
        self.assigned: set[tuple[str, str]] = set()

    def announce(self, thread: Any, holder: Any, name: str, writes: bool, site: Site) -> bool:
        """Announce an access of an attribute, whatever it is."""
        kind = type(holder)
        if site.type is kind:
            what = site.kind
        else:
            what = site.kind = classified(kind, name, self.shadowed)
            site.type = kind
        if what == FIELD:
            return self.execution.access(thread, (id(holder), name), holder, writes, site)
        if what == NONE:
            if writes and not _is_data(kind, name):
                self.shadowed.add(name)
                self.execution.wants(name)
                site.type = None
            return False
        return self._special(what, thread, holder, name, writes, site)

    def _special(
        self, what: int, thread: Any, holder: Any, name: str, writes: bool, site: Site
    ) -> bool:
        execution, kind = self.execution, type(holder)
        if what == DEFAULTED:
            noted = execution.access(thread, (id(holder), name), holder, writes, site)
            if not writes and name not in getattr(holder, "__dict__", ()):
                base = defining(kind, name)
                noted = execution.access(thread, (id(base), name), base, False, site) or noted
            return noted
        if what == DICTIONARY:
            fields = holder.__dict__
            if type(fields) is dict:
                execution.dictionaries[id(fields)] = holder
                execution.kept.append(fields)
            return False
        if what == OF_CLASS:
            if _is_data(kind, name):
                return False
            base = holder if writes else defining(holder, name)
            if base is None:
                return False
            return execution.access(thread, (id(base), name), base, writes, site)
        if what == MODULE:
            variable = holder.__name__, name
            if writes and variable not in self.assigned:
                self.assigned.add(variable)
                execution.grown = True
            if variable in self.assigned:
                key = (getattr(holder, "__file__", ""), "", 0, name)
                return execution.access(thread, key, holder, writes, site)
        return False


def _is_data(kind: type, name: str) -> bool:
    """Whether a class keeps the attribute itself: a property, or one of C."""
    value = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
    return hasattr(type(value), "__set__")


class Generator:
    """Stands for a generator that runs: it is accessed wherever it begins and goes on."""


def hooks(fields: Fields) -> dict[str, Callable[..., Any]]:
    """The helpers, by the names that the rewriter uses."""
    execution = fields.execution
    announce, access = fields.announce, execution.access

    def begins(site: Site) -> Generator:
        generator = Generator()
        if execution.running is not None:
            access(execution.running, id(generator), generator, True, site)
        return generator

    def goes_on(sent: Any, generator: Generator, site: Site) -> Any:
        if execution.running is not None:
            access(execution.running, id(generator), generator, True, site)
        return sent

    def load(holder: Any, name: str, site: Site) -> Any:
        thread = execution.running
        if thread is None:
            return getattr(holder, name)
        if site.type is type(holder) and site.kind == NONE:
            return getattr(holder, name)
        if announce(thread, holder, name, False, site):
            value = getattr(holder, name)
            execution.recorder.note(value)
            return value
        return getattr(holder, name)

    def store(holder: Any, name: str, value: Any, site: Site) -> None:
        thread = execution.running
        if thread is not None and announce(thread, holder, name, True, site):
            execution.recorder.note(value)
        setattr(holder, name, value)

    def delete(holder: Any, name: str, site: Site) -> None:
        thread = execution.running
        if thread is not None:
            announce(thread, holder, name, True, site)
        delattr(holder, name)

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

    def matched(subject: Any, names: tuple[str, ...], site: Site) -> Any:
        thread = execution.running
        if thread is not None:
            for name in names:
                site.type = None
                announce(thread, subject, name, False, site)
        return subject

    return {
        "load": load,
        "store": store,
        "delete": delete,
        "read_variable": read_variable,
        "write_variable": write_variable,
        "matched": matched,
        "begins": begins,
        "goes_on": goes_on,
        "slice": slice,
    }
