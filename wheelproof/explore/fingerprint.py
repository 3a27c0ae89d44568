"""Fingerprints: all state that decides an implementation's future, in values equal in every run.

Shared part: every slot of every object that is reachable from the roots that the harness names,
marked or not. Per thread: how far its program has come, the label that it waits at and every
suspended frame of the code (function, position, locals). Objects are named by role first
(``l1``), then by path (``l1.root``); those that a thread has created, by that thread. A value that
has no such name is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from enum import Enum
from operator import itemgetter
from types import (
    BuiltinFunctionType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any, TypeGuard

from wheelproof.explore.callables import of_builtin, of_function
from wheelproof.explore.findings import Unnamed
from wheelproof.explore.generators import of_generator, of_traceback
from wheelproof.explore.positions import Positions
from wheelproof.explore.slots import (
    ATOMS,
    UNSET,
    Slots,
    hashed_by_value,
    loose_attributes,
    refuse_foreign,
    refuse_loose,
    slots_of,
    variables_of,
)
from wheelproof.explore.stack import Stacks
from wheelproof.explore.threads import Thread


class Unordered(frozenset[object]):
    """A set whose order decides no step, since only the tool reads it."""

    __slots__ = ()


Piece = tuple[object, ...]
"""One canonical part of a fingerprint: nested tuples of atoms."""

_PREFIX = "@"  # of every object's name, so that no string of the implementation equals one
_CONTAINERS = (tuple, list, deque)
_MUTABLE = frozenset({list, deque, dict, set})
_VALUES = (type, FunctionType, MethodType, ModuleType, BaseException, Enum)
_ENUM = frozenset({"_value_", "_name_", "__objclass__", "_sort_order_"})


def _of_created(piece: object) -> TypeGuard[Piece]:
    """Whether a part of a fingerprint is that of an object that a thread has created."""
    return isinstance(piece, tuple) and type(piece[0]) is str and piece[0].startswith("new ")


class Names:
    """Names of the objects of one run, and the fingerprints made with them.

    ``roots``: role -> object. ``files``: the files of the implementation. ``created``:
    (name, object) of what the threads have created, a list that grows. A list, deque, dict or set
    that is met again in one fingerprint is written as the one that it is, so that a second name of
    it differs from a copy. ``stacks`` judges the evaluation stacks of suspended frames;
    ``positions``: those that it has passed, which runs share. ``known``: objects of the tool.
    """

    def __init__(
        self,
        harness: object,
        roots: dict[str, object],
        threads: Sequence[Thread],
        files: Container[str],
        created: Sequence[tuple[str, object]] = (),
        stacks: Stacks | None = None,
        positions: Positions | None = None,
        known: Mapping[str, object] = {},
    ) -> None:
        self._files, self._stacks = files, stacks
        self._positions = Positions() if positions is None else positions
        self._names: dict[int, str] = {
            id(None): _PREFIX + "None",
            id(True): _PREFIX + "True",
            id(False): _PREFIX + "False",
            id(harness): _PREFIX + "harness",
        }
        self._names |= {id(tool): _PREFIX + name for name, tool in known.items()}
        self._kept: list[object] = []
        self._cells: list[tuple[Callable[[object], object], object]] = []
        self.paths: list[str] = []
        self._created, self._noted = created, 0
        # Sorted by name: the order of creation differs from run to run.
        self._new: list[tuple[str, object, Slots]] = []
        # id of a container -> its number, in the order in which this fingerprint meets them
        self._met: dict[int, int] = {}
        self.by_identity = False
        """Whether the last thread's part has such a container: other threads may change it."""
        for thread in threads:
            self._names[id(thread)] = _PREFIX + "thread " + thread.name
        for role, root in roots.items():
            self._names[id(root)] = _PREFIX + role
        for role, root in roots.items():
            self._register(root, role, True)

    def _register(self, value: Any, path: str, root: bool = False) -> None:
        """Name an object and all that it reaches through slots and containers."""
        names, kept = self._names, self._kept
        todo: list[tuple[Any, str, bool]] = [(value, path, root)]
        containers: set[int] = set()
        while todo:
            value, path, root = todo.pop()
            kind = type(value)
            if kind in ATOMS:
                continue
            if kind in _MUTABLE:
                if id(value) in containers:
                    continue
                containers.add(id(value))
            if kind in _CONTAINERS or (isinstance(value, tuple) and hasattr(value, "_fields")):
                todo += [
                    (inner, f"{path}[{i}]", False) for i, inner in reversed(list(enumerate(value)))
                ]
                continue
            if kind is dict:
                todo += [
                    (inner, f"{path}[{key!r}]", False) for key, inner in reversed(value.items())
                ]
                continue
            if (id(value) in names and not root) or isinstance(value, _VALUES):
                continue
            slots = slots_of(kind)
            refuse_loose(value, path)
            if not slots and "__slots__" not in kind.__dict__:
                if root:
                    raise Unnamed(
                        f"The object {path} is a {kind.__qualname__}, whose state is in no slot.",
                        "Give Harness.names objects of classes with __slots__.",
                    )
                continue  # a value of the standard library: named, or refused, where it is met
            refuse_foreign(value, path)
            names[id(value)] = _PREFIX + path
            kept.append(value)
            later = []
            for name, get in slots:
                place = f"{path}.{name}"
                self._cells.append((get, value))
                self.paths.append(place)
                try:
                    inner = get(value)
                except AttributeError:
                    continue
                if type(inner) not in ATOMS:
                    later.append((inner, place, False))
            todo += reversed(later)

    def knows(self, value: object) -> bool:
        """Whether the object has a name, hence its slots are part of the fingerprint."""
        return id(value) in self._names

    def note_created(self) -> None:
        """Name the objects that threads have created since the last call; begins a fingerprint."""
        if self._noted < len(self._created):
            for name, value in self._created[self._noted :]:
                refuse_loose(value, name)
                self._names[id(value)] = _PREFIX + name
                self._new.append((name, value, slots_of(type(value))))
            self._noted = len(self._created)
            self._new.sort(key=itemgetter(0))

    def shared(self) -> Piece:
        """The values of all slots: those of ``paths``, then those of created objects by name.

        Begins a fingerprint: the threads' parts follow, in their order.
        """
        self._met.clear()
        if not self._new:
            return self._fixed()
        return (self._fixed(), *[self._slots_of(*new) for new in self._new])

    def slots(self) -> Iterator[tuple[str, Callable[[object], object], object]]:
        """(path, function that reads it without a step, object) of every slot in :meth:`shared`.

        The slots of created objects go by their places: ``new Entry a.1.1.#0``.
        """
        for path, (get, value) in zip(self.paths, self._cells, strict=True):
            yield path, get, value
        for name, value, slots in self._new:
            for place, (_, get) in enumerate(slots):
                yield f"{name}.#{place}", get, value

    def parts(self, piece: Piece) -> tuple[Piece, tuple[Piece, ...]]:
        """Split a result of :meth:`shared`: fixed slots, (name, value, ...) per created object."""
        if not piece:
            return piece, ()
        fixed, *others = piece
        created = tuple([each for each in others if _of_created(each)])
        if (
            isinstance(fixed, tuple)
            and len(fixed) == len(self._cells)
            and len(created) == len(others)
        ):
            return fixed, created
        return piece, ()

    def _slots_of(self, name: str, value: object, slots: Slots) -> Piece:
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

    def value(self, v: Any) -> object:
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
                raise loose_attributes(f"a {kind.__qualname__}")
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
            return of_function(v, self.value)
        if kind is BuiltinFunctionType:
            return of_builtin(v, self.value)
        if kind is GeneratorType:
            return of_generator(v, self._files, self._positions, self._stacks, self.value)
        if isinstance(v, (type, ModuleType)):
            return (
                "definition",
                getattr(v, "__module__", ""),
                getattr(v, "__qualname__", v.__name__),
            )
        if isinstance(v, Enum):
            if not vars(v).keys() <= _ENUM:
                raise loose_attributes(f"the enum member {v}")
            return ("enum", kind.__qualname__, v.name)
        if isinstance(v, BaseException):
            return self._exception(v)
        if kind is TracebackType:
            return of_traceback(v)
        if v is Ellipsis or v is NotImplemented:
            return ("constant", repr(v))
        raise Unnamed(
            f"a value of type {kind.__qualname__}, which has no name that is equal in every run.",
            "Keep state in slots of objects that the harness's Harness.names reaches from the "
            "start, not in iterators, generators or new objects.",
        )

    def _exception(self, error: BaseException) -> Piece:
        """Class, arguments, slots and origin of an exception; other attributes are refused."""
        kind = type(error)
        if vars(error):
            raise loose_attributes(f"an exception {kind.__qualname__}")
        origin = error.__cause__ or error.__context__
        return (
            "exception",
            kind.__qualname__,
            *[self.value(a) for a in error.args],
            *[(slot, self._cell(get, error)) for slot, get in slots_of(kind)],
            None if origin is None else self.value(origin),
        )

    def _in_order(self, values: Collection[object]) -> list[object]:
        """The elements as they are iterated over, which the hashes and the set's history decide.

        Hashes of atoms are the same in every run; those of objects are addresses.
        """
        if len(values) > 1 and not all(map(hashed_by_value, values)):
            raise Unnamed(
                "a set of objects: the order in which they are met differs from run to run.",
                "Keep them in a tuple, a list or a dict.",
            )
        return [self.value(x) for x in values]

    def thread(self, thread: Thread) -> Piece:
        """A thread's position, label and suspended frames of the code, innermost first."""
        self.by_identity = False
        out: list[object] = [thread.position, thread.label]
        files, name, value, positions = self._files, self._names.get, self.value, self._positions
        assert thread.greenlet is not None
        frame: FrameType | None = thread.greenlet.gr_frame
        inner: FrameType | None = None
        if thread.handled is not None and frame is not None:
            out.append(value(thread.handled))
        while frame is not None:
            code = frame.f_code
            if code.co_filename in files:
                out.append(code.co_qualname)
                out.append(positions.of(code)[frame.f_lasti // 2])
                if self._stacks is not None and positions.is_new(frame, inner):
                    self._stacks.check(frame, inner)
                inner = frame
                seen = frame.f_locals
                variable = ""
                try:
                    for variable in variables_of(code):
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
