"""The accesses of C code to the objects that it is given: tables by type and by name.

A call of C code is one access of its receiver, unless it calls Python code: then threads switch
inside it, as they do in the interpreter. A callable in no table writes.
"""

from __future__ import annotations

import _thread
import array
import collections
import contextlib
import contextvars
import ctypes
import datetime
import decimal
import functools
import gc
import itertools
import operator
import queue
import re
import struct
import threading
import types
import weakref
from typing import Any

from wheelproof.plain.instrument.outside import ENVIRON

REAL = frozenset({type(_thread.allocate_lock()), type(threading.RLock()), queue.SimpleQueue})
"""Types in C whose methods make the whole process wait."""

REAL_MODULES = frozenset({"multiprocessing.synchronize", "queue", "threading"})
"""Modules whose classes do, where they are not those of the world."""

CONTAINERS: tuple[type, ...] = (dict, list, set, collections.deque, bytearray, array.array)
"""Types whose items are shared state."""

AT_ONCE: frozenset[type] = frozenset(
    {dict, list, set, collections.deque, bytearray, str, bytes, int, float, tuple, frozenset}
)
"""Types whose methods have done all that they do when they return, but for iterators."""

VIEWS: tuple[type, ...] = (
    type({}.keys()),
    type({}.values()),
    type({}.items()),
    type(collections.OrderedDict().keys()),
    type(collections.OrderedDict().values()),
    type(collections.OrderedDict().items()),
)

PROXIES = frozenset({weakref.ProxyType, weakref.CallableProxyType})
"""Types whose objects stand for another one, attributes and all."""

IN_MEMORY: type = ctypes.Structure.__mro__[1]
"""The base of the types of ``ctypes``, whose objects may be parts of each other."""


IN_C_LIBRARIES: type = ctypes._CFuncPtr  # type: ignore[attr-defined]
"""The base of the types of functions that ``ctypes`` calls."""


class Memory:
    """Stands for all that objects of ``ctypes`` show."""

    __slots__ = ()


MEMORY = Memory()

SHOWING: tuple[type, ...] = (
    *VIEWS, *PROXIES, types.MappingProxyType, memoryview, IN_MEMORY, ENVIRON,
)  # fmt: skip
"""Types whose items are those of another object."""

IMMUTABLE: frozenset[type] = frozenset(
    {
        int, float, complex, bool, str, bytes, tuple, frozenset, range, slice, type(None),
        type(...), type(NotImplemented), object, re.Pattern, re.Match, decimal.Decimal,
        datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone,
        datetime.tzinfo,
        types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CodeType,
        types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType,
        types.GetSetDescriptorType, types.MemberDescriptorType, types.GenericAlias,
        types.ClassMethodDescriptorType, classmethod, staticmethod, property, super, type,
        types.ModuleType, weakref.ref, operator.itemgetter, operator.attrgetter,
        operator.methodcaller, functools.partial, contextvars.ContextVar, contextvars.Token,
    }
)  # fmt: skip
"""Types without state that a thread can change for another one."""

CALM: frozenset[type] = frozenset(
    {
        functools._lru_cache_wrapper, struct.Struct, types.SimpleNamespace, types.UnionType,
        types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, types.FrameType,
        types.CellType, types.TracebackType, types.ModuleType,
    }
)  # fmt: skip
"""Types in C whose methods change no state, or announce it themselves."""

READING = frozenset(
    {
        "__contains__", "__eq__", "__getitem__", "__iter__", "__len__", "__ne__", "__repr__",
        "__reversed__", "__str__", "copy", "count", "difference", "get", "hex", "index",
        "intersection", "isdisjoint", "issubset", "issuperset", "items", "keys",
        "symmetric_difference", "tobytes", "tolist", "union", "values", "__sizeof__", "__and__",
        "__or__", "__sub__", "__xor__", "__add__", "__mul__", "__lt__", "__le__", "__gt__",
        "__ge__", "decode", "startswith", "endswith", "find", "__hash__", "__class__", "__dir__",
        "__format__", "__reduce__", "__reduce_ex__", "__getattribute__",
    }
)  # fmt: skip
"""Methods of containers that change nothing."""

OF_ATTRIBUTES = frozenset({"__delattr__", "__getattribute__", "__setattr__"})
"""Methods that access the attribute that they are given."""

ATTRIBUTES = frozenset({types.GetSetDescriptorType, types.MemberDescriptorType})
"""Types of attributes in C, as a class has them."""

OF_DESCRIPTORS = frozenset({"__delete__", "__get__", "__set__"})
"""Methods of an attribute in C that access it in the object that they are given."""

OF_STATE = frozenset({"__getstate__", "__reduce__", "__reduce_ex__"})
"""Methods that read all attributes of an object, and hand out its dictionary."""

OF_EXCEPTIONS = {
    "__setstate__": "__dict__", "add_note": "__notes__", "with_traceback": "__traceback__"
}  # fmt: skip
"""Methods of exceptions in C, and the attribute that each changes."""

ENTERED = frozenset({(contextvars.Context, "run")})
"""Methods in C that mark their object as entered while they call back."""

VIEWING = frozenset({"items", "keys", "values"})
"""Methods of dictionaries that touch no item until their result is iterated."""

LAZY: frozenset[Any] = frozenset(
    {
        enumerate, zip, map, filter, iter, reversed, sum, any, all, min, max, itertools.chain,
        itertools.islice, itertools.takewhile, itertools.dropwhile, itertools.starmap,
        itertools.zip_longest, itertools.accumulate, itertools.pairwise, itertools.groupby,
        functools.reduce, itertools.filterfalse, itertools.compress, itertools.cycle,
    }
)  # fmt: skip
"""Callables that take item by item from the containers that they are given."""

ITERATED: dict[Any, tuple[int, int]] = {functools.reduce: (1, 2), iter: (0, 1), sum: (0, 1)}
"""Of these the arguments that they take items from, as a range; of the others all."""

CALLING: dict[Any, int] = {
    map: 0, filter: 0, functools.reduce: 0, iter: 0, itertools.accumulate: 1,
    itertools.dropwhile: 0, itertools.filterfalse: 0, itertools.starmap: 0, itertools.takewhile: 0,
    itertools.groupby: 1,
}  # fmt: skip
"""Callables that call one of their arguments, and its number. Others have it as ``key``."""

COMPARING = frozenset({max, min})
"""Those of them that compare their arguments where there are several."""

EAGER: frozenset[Any] = frozenset(
    {
        len, list, tuple, set, frozenset, dict, sorted, bytes, bytearray, str, repr, ascii, format,
        print, hash, collections.deque, collections.OrderedDict,
        itertools.product, itertools.permutations, itertools.combinations,
        itertools.combinations_with_replacement, divmod, pow, round, int, float, bool, abs,
    }
)  # fmt: skip
"""Callables that read the containers that they are given, at once."""

ITERATING: frozenset[Any] = frozenset(
    {
        list, tuple, set, frozenset, dict, sorted, bytes, bytearray, collections.deque,
        collections.OrderedDict, itertools.product, itertools.permutations,
        itertools.combinations, itertools.combinations_with_replacement,
    }
)  # fmt: skip
"""Those of them that run a generator that they are given."""

HARMLESS: frozenset[Any] = frozenset(
    {
        isinstance, issubclass, id, type, callable, object, super, property, classmethod, range,
        staticmethod, slice, complex, memoryview, dir, locals, chr, ord, bin, hex, oct,
        input, compile, weakref.ref, weakref.proxy, functools.partial, itertools.count,
        itertools.repeat, operator.itemgetter, operator.attrgetter, operator.methodcaller,
        Exception, BaseException, __import__, aiter, anext,
    }
)  # fmt: skip
"""Callables that touch no state of their arguments."""

DEEP: frozenset[Any] = frozenset(
    {ascii, collections.OrderedDict, dict, format, max, min, print, repr, sorted, str, sum}
)
"""Those that read the containers in these containers, too."""

DEEP_METHODS = frozenset(
    f"__{name}__" for name in ("repr", "str", "format", "eq", "ne", "lt", "le", "gt", "ge")
)
"""Methods that read the containers in a container, too."""

COMPARED = frozenset({"__contains__", "count", "index", "remove"})
"""Methods that compare the items of a container with their argument."""

FIRST_WRITTEN = frozenset(
    {
        "heapify", "heappop", "heappush", "heappushpop", "heapreplace", "insort", "insort_left",
        "insort_right", "_heapify_max", "_heappop_max", "_heapreplace_max",
        "_count_elements",
    }
)  # fmt: skip
"""Names of functions in C that change their first argument, and read the others."""

REFLECTIVE = frozenset({"delattr", "getattr", "hasattr", "setattr"})


def is_at_once(kind: type, name: str) -> bool:
    """Whether a method in C has done all that it does when it returns."""
    return kind in AT_ONCE and name not in ("__iter__", "__reversed__")


def is_container(kind: type) -> bool:
    return issubclass(kind, CONTAINERS)


def is_of_immutable(kind: type, name: str) -> bool:
    """Whether a method in C, as a class has it, is one of a type without state."""
    descriptors = types.MethodDescriptorType | types.WrapperDescriptorType
    for base in kind.__mro__:
        if isinstance(base.__dict__.get(name), descriptors):
            return base in IMMUTABLE
    return kind in IMMUTABLE


def behind(value: Any) -> Any:
    """The object whose items a view, a memory view, a proxy or an object of ctypes shows."""
    kind = type(value)
    if issubclass(kind, VIEWS):
        value = value.mapping
        kind = types.MappingProxyType
    if kind is types.MappingProxyType:
        return next(iter(gc.get_referents(value)), value)
    if kind is memoryview:
        return value.obj
    if kind is ENVIRON:
        return value._data
    if issubclass(kind, IN_MEMORY):
        return MEMORY
    if kind in PROXIES:
        with contextlib.suppress(ReferenceError):
            return value.__repr__.__self__
    return value


def has_hidden_state(kind: type) -> bool:
    """Whether objects of a class have state in C that no attribute and no item shows."""
    for base in kind.__mro__:
        if base in CALM or issubclass(base, (*CONTAINERS, *SHOWING, BaseException, type)):
            return False
        if base in IMMUTABLE or base in REAL or "__slots__" in vars(base):
            continue
        if any(
            type(part) is types.MethodDescriptorType and part.__objclass__ is base
            for part in vars(base).values()
        ):
            return True
    return False


def in_c(kind: type, name: str) -> bool:
    """Whether a class has a method by this name that is one step, as those in C are."""
    return (kind is ENVIRON and hasattr(kind, name)) or isinstance(
        getattr(kind, name, None),
        types.MethodDescriptorType | types.WrapperDescriptorType | types.BuiltinFunctionType,
    )
