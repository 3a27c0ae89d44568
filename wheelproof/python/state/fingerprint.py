"""Fingerprints: all state that decides an implementation's future, in values equal in every run.

Shared part: every slot of every object that is reachable from the roots that the harness names,
marked or not. Per thread: how far its program has come, the label that it waits at and every
suspended frame of the code (function, position, locals). Objects are named by role first
(``l1``), then by path (``l1.root``); those that a thread has created, by that thread. A value that
has no such name is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from enum import Enum
from operator import itemgetter
from types import FrameType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, TypeGuard

from wheelproof.python.findings import Unnamed
from wheelproof.python.state.canonical import MUTABLE, PREFIX, Piece, Values
from wheelproof.python.state.kinds import Reads, is_named_tuple, slots_of, way
from wheelproof.python.state.positions import FramePlaces, Positions
from wheelproof.python.state.slots import ATOMS, UNSET, refuse_foreign, refuse_loose
from wheelproof.python.state.stack import Stacks

if TYPE_CHECKING:
    from wheelproof.python.runtime.threads import Thread

_CONTAINERS = (tuple, list, deque)
_VALUES = (type, FunctionType, MethodType, ModuleType, BaseException, Enum)


def _no_slots(path: str, kind: type) -> Unnamed:
    return Unnamed(
        f"The object {path} is a {kind.__qualname__}, whose state is in no slot.",
        "Give Harness.names objects of classes with __slots__.",
    )


def _of_created(piece: object) -> TypeGuard[Piece]:
    """Whether a part of a fingerprint is that of an object that a thread has created."""
    return isinstance(piece, tuple) and type(piece[0]) is str and piece[0].startswith("new ")


class Names(Values):
    """Names of the objects of one run, and the fingerprints made with them."""

    def __init__(
        self,
        harness: object,
        roots: dict[str, object],
        threads: Sequence[Thread],
        files: Container[str],
        objects: Sequence[tuple[str, object]] = (),
        stacks: Stacks | None = None,
        positions: Positions | None = None,
        tools: Mapping[str, object] = {},
        definitions: Container[int] = frozenset(),
    ) -> None:
        """Names the roots and the tools.

        ``roots``: role -> object. ``objects``: (name, object) of the threads' creations, a list
        that grows. ``tools``: name -> object of the tool. :class:`Values` has the others.
        """
        super().__init__(files, stacks, positions, definitions)
        self._names[id(harness)] = PREFIX + "harness"
        self._names |= {id(tool): PREFIX + name for name, tool in tools.items()}
        self._kept: list[object] = []
        self._cells: list[tuple[Callable[[object], object], object]] = []
        self.paths: list[str] = []
        self._created, self._noted = objects, 0
        # Sorted by name: the order of creation differs from run to run.
        self._new: list[tuple[str, object, Reads]] = []
        for thread in threads:
            self._names[id(thread)] = PREFIX + "thread " + thread.name
        for role, root in roots.items():
            self._names[id(root)] = PREFIX + role
        for role, root in roots.items():
            self._register(root, role, True)

    def _register(self, value: Any, path: str, root: bool = False) -> None:
        """Name an object and all that it reaches through slots and containers."""
        names, keep_alive = self._names, self._kept
        todo: list[tuple[Any, str, bool]] = [(value, path, root)]
        containers: set[int] = set()
        while todo:
            value, path, root = todo.pop()
            kind = type(value)
            if kind in ATOMS or (id(value) in names and not root):
                continue
            if way(kind) != "slots":
                if not root and kind in MUTABLE and id(value) in containers:
                    continue
                containers.add(id(value))
                todo += self._inside(value, kind, path, root)
                continue
            names[id(value)] = PREFIX + path
            keep_alive.append(value)
            later = []
            for name, get in slots_of(kind):
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

    def _inside(
        self, value: Any, kind: type, path: str, root: bool
    ) -> Iterator[tuple[object, str, bool]]:
        """The items of a container, last first.

        Refuses objects whose state is not in slots alone.
        """
        if root and (kind in MUTABLE or issubclass(kind, BaseException)):
            raise _no_slots(path, kind)
        if kind in _CONTAINERS or is_named_tuple(kind):
            for i in reversed(range(len(value))):
                yield value[i], f"{path}[{i}]", False
        elif kind is dict:
            for key, inner in reversed(value.items()):
                yield inner, f"{path}[{key!r}]", False
        elif not issubclass(kind, _VALUES):
            refuse_loose(value, path)
            if "__slots__" in vars(kind) or slots_of(kind):
                refuse_foreign(value, path)
            if root:
                raise _no_slots(path, kind)
            # Else it is a value of the standard library: named, or refused, where it is met.

    def knows(self, value: object) -> bool:
        """Whether the object has a name, hence its slots are part of the fingerprint."""
        return id(value) in self._names

    def note_created(self) -> None:
        """Name the objects that threads have created since the last call; begins a fingerprint."""
        if self._noted < len(self._created):
            for name, value in self._created[self._noted :]:
                if way(type(value)) != "slots":
                    refuse_loose(value, name)
                    refuse_foreign(value, name)
                self._names[id(value)] = PREFIX + name
                self._new.append((name, value, slots_of(type(value))))
            self._noted = len(self._created)
            self._new.sort(key=itemgetter(0))

    def shared(self) -> Piece:
        """The values of all slots: those of ``paths``, then those of created objects by name.

        Begins a fingerprint: the threads' parts follow, in their order.
        """
        self.begin()
        if not self._new:
            return self._first_part()
        return (self._first_part(), *[self._slots_of(*new) for new in self._new])

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
        head, *tail = piece
        objects = tuple([part for part in tail if _of_created(part)])
        if isinstance(head, tuple) and len(head) == len(self._cells) and len(objects) == len(tail):
            return head, objects
        return piece, ()

    def _slots_of(self, name: str, value: object, slots: Reads) -> Piece:
        out: list[object] = [name]
        for slot, get in slots:
            try:
                out.append(self._cell(get, value))
            except Unnamed as error:
                raise Unnamed(f"{name}.{slot} holds {error.message}", error.remedy) from None
        return tuple(out)

    def _first_part(self) -> Piece:
        name, value = self._names.get, self.value
        try:
            return tuple(
                [
                    name(id(v)) or (v if type(v) is int else value(v))
                    for v in [get(x) for get, x in self._cells]
                ]
            )
        except AttributeError:
            self.begin()
            return tuple([self._cell(get, x) for get, x in self._cells])
        except Unnamed:
            self.begin()
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

    def thread(self, thread: Thread) -> Piece:
        """A thread's position, label and suspended frames of the code, innermost first."""
        self.by_identity = False
        out: list[object] = [thread.position, thread.label]
        name, value, positions = self._names.get, self.value, self._positions
        frames = positions.frames
        assert thread.greenlet is not None
        frame: FrameType | None = thread.greenlet.gr_frame
        inner: FrameType | None = None
        if thread.handled is not None and frame is not None:
            out.append(value(thread.handled))
        while frame is not None:
            code = frame.f_code
            try:
                here = frames[id(code)]
            except KeyError:
                here = self._place(thread, frame)
            if here is not None:
                number, places, plain, cells = here
                out.append(number)
                out.append(places[frame.f_lasti // 2])
                if self._stacks is not None and positions.is_new(frame, inner):
                    self._stacks.check(frame, inner)
                inner = frame
                values = frame.f_locals
                variable = ""
                try:
                    for variable in plain:
                        try:
                            v = values[variable]
                        except KeyError:
                            continue
                        out.append(variable)
                        out.append(name(id(v)) or (v if type(v) is int else value(v)))
                    for variable in cells:
                        out += [variable, self.variable(frame, variable)]
                except Unnamed as error:
                    raise Unnamed(
                        f"The local {variable!r} of {code.co_qualname} "
                        f"({code.co_filename}:{frame.f_lineno}), "
                        f"suspended in thread {thread.name}, holds {error.message}",
                        error.remedy,
                    ) from None
            frame = frame.f_back
        return tuple(out)

    def _place(self, thread: Thread, frame: FrameType) -> FramePlaces | None:
        try:
            return self._positions.frame(frame.f_code, self._files)
        except Unnamed as error:
            raise Unnamed(
                f"Thread {thread.name} is suspended in {error.message}", error.remedy
            ) from None
