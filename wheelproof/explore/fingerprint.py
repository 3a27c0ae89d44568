"""Fingerprints: all state that decides an implementation's future, in values equal in every run.

Shared part: every slot of every object that is reachable from the roots that the harness names,
marked or not. Per thread: how far its program has come, the label that it waits at and every
suspended frame of the code (function, position, locals). Objects are named by role first
(``l1``), then by path (``l1.root``); those that a thread has created, by that thread. A value that
has no such name is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from enum import Enum
from operator import itemgetter
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)

from wheelproof.explore.controlled import Thread
from wheelproof.explore.fields import Field
from wheelproof.explore.findings import Unnamed
from wheelproof.explore.stack import Stacks


class Unordered(frozenset):
    """A set whose order decides nothing, since the tool alone looks into it."""

    __slots__ = ()


Piece = tuple
"""One canonical part of a fingerprint: nested tuples of atoms."""

UNSET = "@unset"
_PREFIX = "@"  # of every object's name, so that no string of the implementation equals one
_ATOMS = frozenset({int, str, float, bool, type(None)})
_CONTAINERS = (tuple, list, deque)
_MUTABLE = frozenset({list, deque, dict, set})
_VALUES = (type, FunctionType, MethodType, ModuleType, BaseException, Enum)
_ENUM = frozenset({"_value_", "_name_", "__objclass__", "_sort_order_"})
_loose: dict[type, bool] = {}
_slots: dict[type, tuple[tuple[str, Callable[[object], object]], ...]] = {}
_variables: dict[int, tuple[tuple[str, ...], CodeType]] = {}


def slots_of(cls: type) -> tuple[tuple[str, Callable[[object], object]], ...]:
    """(name, function that reads it without a step) of every slot of a class and of its bases."""
    known = _slots.get(cls)
    if known is None:
        found = []
        for base in cls.__mro__:
            names = base.__dict__.get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                attribute = (
                    f"_{base.__name__.lstrip('_')}{name}"
                    if name.startswith("__") and not name.endswith("__")
                    else name
                )
                descriptor = base.__dict__.get(attribute)
                if descriptor is not None and name not in ("__dict__", "__weakref__"):
                    member = descriptor.member if isinstance(descriptor, Field) else descriptor
                    found.append((attribute, member.__get__))
        known = _slots[cls] = tuple(found)
    return known


def _refuse_loose(value: object, name: str) -> None:
    kind = type(value)
    loose = _loose.get(kind)
    if loose is None:
        loose = _loose[kind] = hasattr(value, "__dict__")
    if loose:
        raise Unnamed(
            f"The object {name} of class {kind.__qualname__} has a __dict__, in which state could "
            "hide.",
            "Give every class of the implementation __slots__ (a mutant's subclass __slots__ = "
            "()).",
        )


def _attributes(value: str) -> Unnamed:
    return Unnamed(
        f"{value} with attributes of its own, in which state could hide.",
        "Keep state in slots of objects of the scenario.",
    )


def _hashed_by_value(value: object) -> bool:
    return type(value) in _ATOMS or (type(value) is tuple and all(map(_hashed_by_value, value)))


def variables_of(code: CodeType) -> tuple[str, ...]:
    """The names of a frame's locals in a fixed order; ``f_locals`` of Python 3.11 has none.

    Looked up by id, since the hash of a code object is computed from its whole content.
    """
    known = _variables.get(id(code))
    if known is None:
        names = code.co_varnames + tuple(
            n for n in code.co_cellvars + code.co_freevars if n not in code.co_varnames
        )
        known = _variables[id(code)] = (names, code)
    return known[0]


class Names:
    """Names of the objects of one run, and the fingerprints made with them.

    ``roots``: role -> object. ``files``: the files of the implementation. ``created``:
    (name, object) of what the threads have created, a list that grows. A list, deque, dict or set
    that is met again in one fingerprint is written as the one that it is, so that a second name of
    it differs from a copy. ``stacks`` judges the evaluation stacks of suspended frames;
    ``judged``: the positions that it has passed, a table that runs share.
    """

    def __init__(
        self,
        harness: object,
        roots: dict[str, object],
        threads: Sequence[Thread],
        files: Container[str],
        created: Sequence[tuple[str, object]] = (),
        stacks: Stacks | None = None,
        judged: dict | None = None,
    ) -> None:
        self._files, self._stacks = files, stacks
        self._judged: dict[tuple, CodeType] = {} if judged is None else judged
        self._names: dict[int, str | tuple] = {
            id(None): _PREFIX + "None",
            id(True): _PREFIX + "True",
            id(False): _PREFIX + "False",
            id(harness): _PREFIX + "harness",
        }
        self._kept: list[object] = []
        self._cells: list[tuple[Callable[[object], object], object]] = []
        self.paths: list[str] = []
        self._created, self._noted = created, 0
        self._new: list[
            tuple[str, object, tuple]
        ] = []  # in the order of their names: that of creation differs from run to run
        self._met: dict[
            int, int
        ] = {}  # id of a container -> its number, in the order in which this fingerprint meets them
        self.by_identity = False
        """Whether the last thread's part has such a container: other threads may change it."""
        for thread in threads:
            self._names[id(thread)] = _PREFIX + "thread " + thread.name
        for role, root in roots.items():
            self._names[id(root)] = _PREFIX + role
        for role, root in roots.items():
            self._register(root, role, True)

    def _register(self, value: object, path: str, root: bool = False) -> None:
        """Name an object and all that it reaches through slots and containers."""
        names, kept = self._names, self._kept
        todo = [(value, path, root)]
        containers: set[int] = set()
        while todo:
            value, path, root = todo.pop()
            kind = type(value)
            if kind in _MUTABLE:
                if id(value) in containers:
                    continue
                containers.add(id(value))
            if kind in _CONTAINERS:
                todo += [
                    (inner, f"{path}[{i}]", False) for i, inner in reversed(list(enumerate(value)))
                ]
                continue
            if kind is dict:
                todo += [
                    (inner, f"{path}[{key!r}]", False) for key, inner in reversed(value.items())
                ]
                continue
            if kind in _ATOMS or (id(value) in names and not root) or isinstance(value, _VALUES):
                continue
            slots = _slots.get(kind) or slots_of(kind)
            _refuse_loose(value, path)
            if not slots and "__slots__" not in kind.__dict__:
                if root:
                    raise Unnamed(
                        f"The object {path} is a {kind.__qualname__}, whose state is in no slot.",
                        "Give Harness.names objects of classes with __slots__.",
                    )
                continue  # a value of the standard library: named, or refused, where it is met
            names[id(value)] = _PREFIX + path
            kept.append(value)
            later = []
            for name, get in slots:
                self._cells.append((get, value))
                self.paths.append(f"{path}.{name}")
                try:
                    inner = get(value)
                except AttributeError:
                    continue
                later.append((inner, f"{path}.{name}", False))
            todo += reversed(later)

    def knows(self, value: object) -> bool:
        """Whether the object has a name, hence its slots are part of the fingerprint."""
        return id(value) in self._names

    def note_created(self) -> None:
        """Name the objects that threads have created since the last call; begins a fingerprint."""
        if self._noted < len(self._created):
            for name, value in self._created[self._noted :]:
                _refuse_loose(value, name)
                self._names[id(value)] = _PREFIX + name
                self._new.append((name, value, slots_of(type(value))))
            self._noted = len(self._created)
            self._new.sort(key=itemgetter(0))

    def shared(self) -> Piece:
        """The values of all slots: those of ``paths``, then those of created objects by name.

        Begins a fingerprint: the threads' parts follow, in their order.
        """
        self._met.clear()
        return (
            self._fixed()
            if not self._new
            else (self._fixed(), *[self._slots_of(*new) for new in self._new])
        )

    def slots(self) -> Iterator[tuple[str, Callable[[object], object], object]]:
        """(path, function that reads it without a step, object) of every slot in :meth:`shared`.

        The slots of created objects go by their places: ``new Entry a.1.1.#0``.
        """
        for path, (get, value) in zip(self.paths, self._cells, strict=True):
            yield path, get, value
        for name, value, slots in self._new:
            for place, (_, get) in enumerate(slots):
                yield f"{name}.#{place}", get, value

    def parts(self, piece: Piece) -> tuple[Piece, Piece]:
        """Split a result of :meth:`shared` of any run: the values of the fixed slots, in
        the order of ``paths``, and a tuple (name, value, value, ...) for each created object."""
        if (
            piece
            and type(piece[0]) is tuple
            and len(piece[0]) == len(self._cells)
            and all(
                type(each) is tuple and type(each[0]) is str and each[0].startswith("new ")
                for each in piece[1:]
            )
        ):
            return piece[0], piece[1:]
        return piece, ()

    def _slots_of(self, name: str, value: object, slots: tuple) -> Piece:
        out: list[object] = [name]
        for slot, get in slots:
            try:
                out.append(self._cell(get, value))
            except Unnamed as error:
                raise Unnamed(f"{name}.{slot} holds {error.message}", error.remedy) from None
        return tuple(out)

    def _fixed(self) -> Piece:
        name, value = self._names.get, self.value
        try:
            return tuple(
                [
                    name(id(v)) or (v if type(v) is int else value(v))
                    for v in [get(x) for get, x in self._cells]
                ]
            )
        except AttributeError:
            self._met.clear()
            return tuple([self._cell(get, x) for get, x in self._cells])
        except Unnamed:
            self._met.clear()
            for (get, x), path in zip(self._cells, self.paths, strict=True):
                try:
                    self._cell(get, x)
                except Unnamed as error:
                    raise Unnamed(f"{path} holds {error.message}", error.remedy) from None
            raise

    def _cell(self, get: Callable[[object], object], instance: object) -> object:
        try:
            return self.value(get(instance))
        except AttributeError:
            return UNSET

    def value(self, v: object) -> object:
        """A value that is equal in two runs if and only if ``v`` means the same in both.

        Raises :class:`Unnamed`.
        """
        name = self._names.get(id(v))
        if name is not None:
            return name
        kind = type(v)
        if kind is int:
            return v
        if kind is str:
            return v if not v.startswith(_PREFIX) else ("str", v)
        if kind in (float, bytes, complex):
            return (kind.__name__, repr(v))
        if kind in _MUTABLE:
            number = self._met.get(id(v))
            if number is not None:
                return ("same", number)
            self._met[id(v)] = len(self._met)
            self.by_identity = True
        if kind is tuple or kind is list or (isinstance(v, tuple) and hasattr(v, "_fields")):
            if hasattr(v, "__dict__") and vars(v):
                raise _attributes(f"a {kind.__qualname__}")
            return (kind.__name__, *[self.value(x) for x in v])
        if kind is deque:
            return ("deque", v.maxlen, *[self.value(x) for x in v])
        if kind is Unordered:
            return (kind.__name__, *sorted([self.value(x) for x in v], key=repr))
        if kind in (dict, MappingProxyType):
            return (kind.__name__, *[(self.value(k), self.value(x)) for k, x in v.items()])
        if kind in (set, frozenset):
            return (kind.__name__, *self._in_order(v))
        if kind is range:
            return ("range", v.start, v.stop, v.step)
        if kind is MethodType:
            return ("method", self.value(v.__func__), self.value(v.__self__))
        if kind is FunctionType:
            if v.__dict__:
                raise _attributes(f"the function {v.__qualname__}")
            cells, defaults, named = (
                v.__closure__ or (),
                v.__defaults__ or (),
                v.__kwdefaults__ or {},
            )
            return (
                "function",
                v.__module__,
                v.__qualname__,
                *[self._contents(cell) for cell in cells],
                *[self.value(default) for default in defaults],
                *[(key, self.value(default)) for key, default in named.items()],
            )
        if kind is BuiltinFunctionType:
            return (
                "builtin",
                v.__qualname__,
                ""
                if isinstance(v.__self__, ModuleType) or v.__self__ is None
                else self.value(v.__self__),
            )
        if isinstance(v, (type, ModuleType)):
            return (
                "definition",
                getattr(v, "__module__", ""),
                getattr(v, "__qualname__", v.__name__),
            )
        if isinstance(v, Enum):
            if not vars(v).keys() <= _ENUM:
                raise _attributes(f"the enum member {v}")
            return ("enum", kind.__qualname__, v.name)
        if isinstance(v, BaseException):
            return self._exception(v)
        if v is Ellipsis or v is NotImplemented:
            return ("constant", repr(v))
        raise Unnamed(
            f"a value of type {kind.__qualname__}, which has no name that is the same in every "
            "run.",
            "Keep state in slots of objects that the harness's Harness.names reaches from the "
            "start, "
            "not in iterators, generators or new objects.",
        )

    def _exception(self, error: BaseException) -> Piece:
        """Class, arguments, slots and origin of an exception; other attributes are refused."""
        kind = type(error)
        if vars(error):
            raise _attributes(f"an exception {kind.__qualname__}")
        origin = error.__cause__ or error.__context__
        return (
            "exception",
            kind.__qualname__,
            *[self.value(a) for a in error.args],
            *[(slot, self._cell(get, error)) for slot, get in slots_of(kind)],
            None if origin is None else self.value(origin),
        )

    def _in_order(self, values: set | frozenset) -> list[object]:
        """The elements as they are iterated over, which the hashes and the set's history decide.

        Hashes of atoms are the same in every run; those of objects are addresses.
        """
        if len(values) > 1 and not all(map(_hashed_by_value, values)):
            raise Unnamed(
                "a set of objects: the order in which they are met differs from run to run.",
                "Keep them in a tuple, a list or a dict.",
            )
        return [self.value(x) for x in values]

    def _contents(self, cell: object) -> object:
        try:
            return self.value(cell.cell_contents)
        except ValueError:
            return UNSET

    def thread(self, thread: Thread) -> Piece:
        """A thread's position, label and suspended frames of the code, innermost first."""
        self.by_identity = False
        out: list[object] = [thread.position, thread.label]
        files, name, value, known, judged = (
            self._files,
            self._names.get,
            self.value,
            _variables,
            self._judged,
        )
        frame: FrameType | None = thread.greenlet.gr_frame
        inner: FrameType | None = None
        if thread.handled is not None and frame is not None:
            out.append(value(thread.handled))
        while frame is not None:
            code = frame.f_code
            if code.co_filename in files:
                out.append(code.co_qualname)
                out.append(frame.f_lasti)
                if (
                    self._stacks is not None
                    and (id(code), frame.f_lasti, inner and id(inner.f_code)) not in judged
                ):
                    judged[id(code), frame.f_lasti, inner and id(inner.f_code)] = code
                    self._stacks.check(frame, inner)
                inner = frame
                seen = frame.f_locals
                variable = ""
                try:
                    for variable in (known.get(id(code)) or (variables_of(code),))[0]:
                        try:
                            v = seen[variable]
                        except KeyError:
                            continue
                        out.append(variable)
                        out.append(name(id(v)) or (v if type(v) is int else value(v)))
                except Unnamed as error:
                    raise Unnamed(
                        f"The local {variable!r} of {code.co_qualname} "
                        f"({code.co_filename}:{frame.f_lineno}), "
                        f"suspended in thread {thread.name}, holds {error.message}",
                        error.remedy,
                    ) from None
            frame = frame.f_back
        return tuple(out)
