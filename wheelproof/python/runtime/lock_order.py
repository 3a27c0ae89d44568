"""The order in which an implementation takes its locks, collected while it runs.

Where a thread that holds lock A takes or awaits lock B, there is an edge from the class of A to the
class of B. A class of locks has the name of the attribute by which people reach it, as in
``Account.monitor``; of a read/write lock each half has its own, ``Account.lock(read)``.

* The locks of an operation that is one step count too: each acquire comes here, whether the thread
  stops at it or not.
* To take a re-entrant lock again is no edge. Two objects of one class are an edge from the class to
  itself.
* A try does not wait, and a wait with a time-out ends: neither closes a cycle, so neither is an
  edge. A lock that is taken under its lock is the target of one.
* A sleeper does not hold its condition's lock. To take it again is an acquire.
"""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from wheelproof.python import labels, parsed
from wheelproof.python.runtime.threads import Site

if TYPE_CHECKING:
    from wheelproof.python.runtime.controlled import Scheduler
    from wheelproof.python.runtime.threads import Thread

MOST_OBJECTS = 50_000
"""Objects of a scenario that are looked at to name a lock."""

VALUES = (str, bytes, int, float, type, type(None))
RUNTIME = ("wheelproof.python.runtime.threads", "wheelproof.python.runtime.controlled")
"""Modules of objects that are no part of the implementation, and hold all others."""

_TAKES = ("lock", "try", "wait")
"""Kinds of the labels of a line that takes a lock."""

_getframe = sys._getframe

Key = int | tuple[tuple[int, int], ...]
"""A lock's number among those of the set-up; for one that a thread made, the calls that made it."""

Held = tuple[object, "Site"]
"""A lock that a thread holds, and where it was taken."""


class Place(NamedTuple):
    """The place in the implementation at which a lock is taken."""

    file: str
    line: int
    function: str
    label: str
    """The name of the step, or ""."""

    @property
    def where(self) -> str:
        """``file:line`` and the label."""
        return f"{self.file}:{self.line} {self.label}".rstrip()

    @property
    def name(self) -> str:
        """The place without its line: it stays the same when the file grows."""
        return f"{self.file} {self.function} {self.label}".rstrip()


class Edge(NamedTuple):
    """The order of two classes of locks."""

    held: str
    """The lock that is held."""
    target: str
    """The lock that is taken meanwhile."""
    place: Place
    """The place at which it is taken."""

    @property
    def name(self) -> str:
        return f"{self.held} -> {self.target}"


class LockOrder:
    """The edges of all runs so far."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.found: dict[Edge, Place] = {}
        """Edge -> the place where the held lock had been taken."""
        self.classes: set[str] = set()
        """The names of all locks that were taken."""
        self.texts: Mapping[str, str] = {}
        """File, relative to the root -> source."""
        self.harness: object = None
        """The harness of the present run. A lock that it owns has its module's name first."""
        self._scenario: object = None
        # They are keyed by id(lock): this list keeps the ids from being used again.
        self._keys: dict[int, Key] = {}
        self._locks: list[object] = []
        self._made = 0
        self._names: dict[Key, str] = {}
        self._seen: set[tuple[Key, Key, Site, Site]] = set()
        self._sites: dict[tuple[int, int], Site] = {}
        # They are keyed by id(code): this list keeps the ids from being used again.
        self._codes: list[CodeType] = []

    def begin(self, scenario: object) -> None:
        """A run begins: its objects are about to be made."""
        self._keys.clear()
        self._locks.clear()
        self._made = 0
        self.harness = None
        if scenario is not self._scenario:
            self._scenario = scenario
            self._names.clear()
            self._seen.clear()

    # -- called by the locks

    def add(self, lock: object) -> None:
        """Note a new lock. Called by its ``__init__``."""
        self._locks.append(lock)
        if self._scheduler.running is None:
            self._keys[id(lock)] = self._made
            self._made += 1
        else:
            self._keys[id(lock)] = self._calls(_getframe(2))

    def enter(self, thread: Thread, lock: object, site: Site | None) -> None:
        """The thread has taken the lock. ``site``: its step, or None within an operation."""
        if site is None or site.label is None:
            self.inside(thread, lock, True)
        else:
            thread.held.append((lock, site))

    def inside(self, thread: Thread, lock: object, blocking: bool) -> None:
        """The thread has taken the lock and did not stop at it: the step under way does more.

        ``blocking``: it would have waited for it. The caller's caller is a method of the primitive.
        """
        frame = _getframe(3)
        code, at = frame.f_code, frame.f_lasti
        place = (id(code), at)
        site = self._sites.get(place)
        if site is None:
            site = self._sites[place] = self._site(frame)
            self._codes.append(code)
        held_locks = thread.held
        key = self._keys.get(id(lock))
        if key is None or key not in self._names:
            self._key_of(lock, frame)
            key = self._keys[id(lock)]
        if held_locks and blocking:
            self._add_edges(held_locks, lock, key, site, frame)
        held_locks.append((lock, site))

    def leave(self, locks: list[Held], lock: object) -> None:
        """A lock among those that a thread holds is released, once."""
        for index in range(len(locks) - 1, -1, -1):
            if locks[index][0] is lock:
                del locks[index]
                return

    # -- called by the search

    def wait_for(self, threads: Iterable[Thread]) -> None:
        """The run is in a new state: a thread that stands before a lock waits for it, or takes it.

        So an edge counts although no thread may ever get the lock.
        """
        for thread in threads:
            awaits = thread.awaits
            if awaits is None:
                continue
            lock = getattr(awaits, "gate", awaits)
            key = self._keys.get(id(lock))
            if key is None:
                continue  # sleepers, and operations that are one step
            assert thread.frame is not None and thread.site is not None
            if key not in self._names:
                self._key_of(lock, thread.frame)
            if thread.held:
                self._add_edges(thread.held, lock, key, thread.site, thread.frame)

    # -- edges

    def _add_edges(
        self, locks: list[Held], lock: object, key: Key, site: Site, frame: FrameType
    ) -> None:
        for other_lock, _ in locks:
            if other_lock is lock:
                return
        for outer_lock, since in locks:
            outer = self._keys[id(outer_lock)]
            pair = outer, key, since, site
            if pair not in self._seen:
                self._seen.add(pair)
                self._key_of(outer_lock, frame)
                edge = Edge(self._names[outer], self._names[key], self._place(site))
                self.found.setdefault(edge, self._place(since))

    def _site(self, frame: FrameType) -> Site:
        """A place without a step of its own; the label is that of the source."""
        code, line = frame.f_code, frame.f_lineno
        file = self._scheduler.shown.get(code.co_filename, code.co_filename)
        return Site(None, "lock", True, file, line, code.co_name)

    def _place(self, site: Site) -> Place:
        text, kinds = self.texts.get(site.file), {}
        if text is not None:
            kinds = labels.of_source(text, site.file).get(site.line, {})
        function = "" if text is None else _function(text, site.line)
        label = next((kinds[kind] for kind in _TAKES if kind in kinds), "")
        return Place(site.file, site.line, function or site.function, label)

    # -- names

    def _calls(self, frame: FrameType | None) -> Key:
        """The calls that make a lock, from the inside out."""
        calls, files = [], self._scheduler.files
        while frame is not None:
            code = frame.f_code
            if code.co_filename in files:
                calls.append((id(code), frame.f_lasti))
            frame = frame.f_back
        return tuple(calls)

    def _key_of(self, lock: object, frame: FrameType) -> Key:
        key = self._keys.get(id(lock))
        if key is None:  # a class that does not call its base's __init__
            key = self._keys[id(lock)] = self._calls(frame)
            self._locks.append(lock)
        if key not in self._names:
            scheduler = self._scheduler
            running, scheduler.running = scheduler.running, None
            try:
                self._names[key] = self._name(lock, frame)
            finally:
                scheduler.running = running
            self.classes.add(self._names[key])
        return key

    def _name(self, lock: object, frame: FrameType) -> str:
        """The attribute by which a lock is reached.

        One of the implementation's classes goes before one of the harness's. Among several the one
        with the shortest way from the scenario's objects counts.
        """
        whole: Any = getattr(lock, "of", lock)
        half = ""
        if whole is not lock:
            half = "(read)" if lock is whole.read_lock else "(write)"
        names = [
            (is_own, deep, name)
            for deep, is_own, name, value in self._reachable(frame)
            if value is whole
        ]
        if names:
            return min(names)[2] + half
        return f"the lock of {self._place(self._site(frame)).name}{half}"

    def _reachable(self, frame: FrameType | None) -> Iterator[tuple[int, bool, str, object]]:
        """(steps from the start, whether the harness owns it, attribute, value) of all objects.

        They are reached from the harness, from the objects that threads have made, and from the
        locals of the calls under way. A part of a container or a primitive has the name of its
        attribute.
        """
        todo: deque[tuple[int, bool, str, object]] = deque()
        visits: set[tuple[int, str]] = set()
        if self.harness is not None:
            todo.append((0, True, "", self.harness))
        if self._scheduler.created is not None:
            todo += [(1, True, "", value) for _, value in self._scheduler.created.objects]
        while frame is not None:
            if frame.f_code.co_filename in self._scheduler.files:
                todo += [(1, True, "", value) for value in frame.f_locals.values()]
            frame = frame.f_back
        while todo and len(visits) < MOST_OBJECTS:
            deep, is_own, name, value = todo.popleft()
            if isinstance(value, VALUES) or type(value).__module__ in RUNTIME:
                continue
            if (id(value), name) in visits:
                continue
            visits.add((id(value), name))
            if name:
                yield deep, is_own, name, value
            if isinstance(value, Mapping):
                todo += [(deep, is_own, name, inner) for inner in value.values()]
            elif isinstance(value, (list, tuple, set, frozenset, deque)):
                todo += [(deep, is_own, name, inner) for inner in value]
            else:
                todo += self._attributes(deep, is_own, name, value)

    def _attributes(
        self, deep: int, is_own: bool, name: str, value: object
    ) -> Iterator[tuple[int, bool, str, object]]:
        values = [
            (cls, slot, getattr(value, slot))
            for cls in type(value).__mro__
            for slot in _slots(cls)
            if hasattr(value, slot)
        ]
        more = getattr(value, "__dict__", {})
        values += [
            (_setter(type(value), key), key, inner)
            for key, inner in more.items()
            if value is not self.harness or key != "names"
        ]
        for cls, attribute, inner in values:
            package, _, module = cls.__module__.partition(".")
            if package == "wheelproof":  # a primitive
                yield deep, is_own, name, inner
            elif package == "harness":
                prefix = "" if cls.__name__ == "Harness" else f"{cls.__name__}."
                yield deep + 1, True, f"{module}.{prefix}{attribute}", inner
            else:
                yield deep + 1, False, f"{cls.__name__}.{attribute}", inner


@lru_cache(256)
def _function(text: str, line: int) -> str:
    """The innermost function around a line, as ``Class.method``; "" outside of all."""
    names = []
    todo: list[ast.AST] = [parsed.tree(text)]
    while todo:
        node = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                if child.lineno <= line <= (child.end_lineno or child.lineno):
                    names.append(child.name)
                    todo = [child]
                    break
            else:
                todo.append(child)
    return ".".join(names)


def _slots(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _setter(cls: type, attribute: str) -> type:
    """The base that brings an attribute: the first of all whose methods name it."""
    for base in reversed(cls.__mro__):
        for function in vars(base).values():
            code = getattr(function, "__code__", None)
            if code is not None and attribute in code.co_names:
                return base
    return cls
