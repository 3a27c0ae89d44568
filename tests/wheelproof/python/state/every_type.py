"""A program for any CPython: how each type that it has is compared, and whether that is complete.

It needs no package: the modules of the tool that it asks are loaded without their package. Prints a
JSON object: ``types``, how many there are; ``compared``, the names of those that are not refused,
by way; ``refused``, how many had an instance that was refused; ``faults``, texts.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import sys
import types
import warnings
from collections import deque
from enum import Enum
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

ROOT = Path(__file__).parents[4]
LEFT = {"__main__", "antigravity", "idlelib", "test", "this", "tkinter", "turtle", "turtledemo"}
UNSEEN = (types.CodeType, types.FrameType, types.TracebackType, str)
"""What a value refers to and is compared by identity, by place, or is its name."""


def imported():
    """Import each module of the standard library that is written in C, and ``collections``."""
    for name in sorted(sys.stdlib_module_names - LEFT):
        spec = importlib.util.find_spec(name)
        origin = "" if spec is None else str(spec.origin)
        if origin in ("built-in", "frozen") or origin.endswith(tuple(EXTENSION_SUFFIXES)):
            try:
                importlib.import_module(name)
            except ImportError:
                continue


def every_type():
    """All classes below ``object``."""
    found, todo = {}, [object]
    while todo:
        for cls in type.__subclasses__(todo.pop()):
            if id(cls) not in found:
                found[id(cls)] = cls
                todo.append(cls)
    return [object, *found.values()]


def tool():
    """The modules ``kinds`` and ``canonical``, without the package that they are in."""
    sys.path.insert(0, str(ROOT))
    package = types.ModuleType("wheelproof.python")
    package.__path__ = [str(ROOT / "wheelproof" / "python")]
    sys.modules["wheelproof.python"] = package
    return (
        importlib.import_module("wheelproof.python.state.kinds"),
        importlib.import_module("wheelproof.python.state.canonical"),
    )


def generator(items):
    """Waits in a loop, with an exception that it handles."""
    try:
        raise KeyError(items)
    except KeyError as error:
        for item in items:
            held = [item, error]
            yield held


def waiting():
    begun = generator([[0], [1]])
    next(begun)
    return begun


def traced():
    try:
        raise KeyError
    except KeyError as error:
        return error.__traceback__


def function(default, named):
    return lambda: (default, named)


class Colour(Enum):
    RED = 1


def samples():
    """An instance of each type that is compared, with an object of its own in each place."""
    closed = function([1], [1])
    own = type(closed)(
        closed.__code__, globals(), "own", ([2],), tuple(types.CellType([k]) for k in range(2))
    )
    table = {(1,): [3]}
    return [
        1, "x", 1.5, b"x", 1j, True, None, ..., NotImplemented, range(2**70, 2**71, 3),
        ([4],), [[5]], deque([[6]]), table, types.MappingProxyType(table), {7}, frozenset((8,)),
        own, [9].append, "".join, waiting(), traced(), Colour.RED, Colour, types,
        types.MethodType(closed, [10]), str.join, int.__add__, type.__dict__["__doc__"],
        dict.__dict__["fromkeys"], types.FunctionType.__closure__,
    ]  # fmt: skip


def of_exceptions(kinds):
    """An instance of each class of exceptions in C, with an object of its own in each place."""
    arguments = {
        "UnicodeDecodeError": ("a", b"b", 0, 1, "r"),
        "UnicodeEncodeError": ("a", "b", 0, 1, "r"),
        "UnicodeTranslateError": ("b", 0, 1, "r"),
        "BaseExceptionGroup": ("m", [BaseException()]),
        "ExceptionGroup": ("m", [ValueError()]),
    }
    for cls in every_type():
        if issubclass(cls, BaseException) and not cls.__flags__ & (1 << 9):
            error = cls(*arguments.get(cls.__name__, ()))
            for name, _ in kinds.members_of(cls):
                for held in (deque([name]), 1, True, "x"):
                    try:
                        setattr(error, name, held)
                        break
                    except (TypeError, AttributeError):
                        continue
            error.__cause__, error.__context__ = ValueError(1), ValueError(2)
            yield error


def unseen(value, canonical):
    """What an instance refers to and is written nowhere in its form."""
    noted = []

    class Noting(canonical.Values):
        def value(self, v):
            noted.append(v)
            return super().value(v)

    Noting((__file__,), None, None, ()).value(value)
    ids = {id(each) for each in noted}
    kept = [vars(sys.modules[__name__]), vars(sys.modules["builtins"]), type(value)]

    def seen(part):
        if id(part) in ids or part is None or isinstance(part, UNSEEN):
            return True
        if any(part is each for each in kept) or (type(part) is dict and not part):
            return True
        if type(part) is tuple:
            return all(map(seen, part))
        if type(part) is dict:
            return all(map(seen, [*part, *part.values()]))
        # of a generator: its function, and the iterators on its stack
        return isinstance(value, types.GeneratorType) and type(part).__name__ in (
            "function", "list_iterator",
        )  # fmt: skip

    return [part for part in gc.get_referents(value) if not seen(part)]


def instances(found):
    """One instance of each type that has one: alive, or made in C by a call without arguments."""
    by_type = {}
    for each in gc.get_objects():
        by_type.setdefault(id(type(each)), each)
    for cls in found:
        written = isinstance(cls.__init__, types.FunctionType) or isinstance(
            cls.__new__, types.FunctionType
        )
        if id(cls) not in by_type and not (written or issubclass(cls, (type, BaseException))):
            try:
                made = cls()
            except BaseException:
                continue
            if type(made) is cls:
                by_type[id(cls)] = made
    return by_type


def compared(found, kinds):
    """The names of the library's types that are not refused, by way.

    Without definitions, named tuples and exceptions that have no member of their own in C.
    """
    names = {"contents": set(), "identity": set(), "slots": set()}
    for cls in found:
        way = kinds.way(cls)
        if way == "refused" or cls.__module__ not in sys.stdlib_module_names:
            continue
        if kinds.is_named_tuple(cls) or issubclass(cls, (type, Enum)):
            continue
        of_base = () if cls is object else kinds.members_of(cls.__base__)
        if issubclass(cls, BaseException) and kinds.members_of(cls) == of_base:
            continue
        names[way].add(cls.__qualname__)
    return {way: sorted(each) for way, each in names.items()}


def incomplete(kinds, canonical):
    """Texts about the values that are not compared with all that they refer to."""
    for value in [*samples(), *of_exceptions(kinds)]:
        way = kinds.way(type(value))
        if way not in ("contents", "identity"):
            yield f"{type(value)} is refused"
        elif way == "contents" and (left := unseen(value, canonical)):
            yield f"{value!r}: {left} of {type(value)} are not compared"


def passed(found, kinds, canonical, refusal):
    """Texts about the instances of refused types that are compared, and how many are refused."""
    texts, refused = [], 0
    for value in instances(found).values():
        way = kinds.way(type(value))
        if way in ("refused", "slots") and type(value) is not canonical.Unordered:
            try:
                canonical.Values((), None, None, ()).value(value)
                texts.append(f"{type(value)} has the way {way}, and an instance is compared")
            except refusal:
                refused += 1
    return texts, refused


def main():
    warnings.simplefilter("ignore")
    kinds, canonical = tool()
    imported()
    found = every_type()
    texts, refused = passed(found, kinds, canonical, canonical.Unnamed)
    print(
        json.dumps(
            {
                "types": len(found),
                "compared": compared(found, kinds),
                "refused": refused,
                "faults": [*incomplete(kinds, canonical), *texts],
            }
        )
    )


if __name__ == "__main__":
    main()
