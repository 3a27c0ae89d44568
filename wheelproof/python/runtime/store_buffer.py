"""Weak memory under control: stores of plain fields wait in buffers.

A harness's ``MEMORY`` names the fields whose stores may be delayed, and its Harness makes one
``Memory``. A thread of its own calls ``memory.write_back(thread, field)`` again and again: it
brings that thread's stores into that field into memory. So a delay is a choice of the scheduler,
and every step stays deterministic.

The order is that of the race detector. A release (unlock, volatile write, write of an atomic) marks
all that its thread has stored so far. An acquisition of the same object (lock, volatile read, read
of an atomic) first brings the marked stores of other threads into memory. A thread reads its own
newest store at once. Fields that are read under their lock alone need no buffer: every access is
ordered, and so sees the newest store in any case.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from wheelproof.mapping import marks_of
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.fields import Field
from wheelproof.python.runtime.race import RaceDetector
from wheelproof.python.runtime.registry import Primitive, primitive
from wheelproof.python.runtime.threads import DONE, Buffers, Observer, Site, Thread
from wheelproof.python.state.canonical import Unordered


class Store(NamedTuple):
    """A store that is not in memory yet."""

    thread: Thread
    field: str
    instance: object
    value: object
    marks: frozenset[object]
    """The locks, atomics and (object, field) that its thread has released since."""


class Stores(Protocol):
    """A memory with the stores that are on their way."""

    stores: tuple[Store, ...]


class _Way:
    """Admits a memory process: there is a store for it, or there will never be one again."""

    __slots__ = ("_field", "_memory", "_thread")

    def __init__(self, memory: Stores, thread: Thread, field: str) -> None:
        self._memory, self._thread, self._field = memory, thread, field

    def admits(self, thread: Thread) -> bool:
        return self._thread.label is DONE or self.oldest() is not None

    def oldest(self) -> Store | None:
        """The store that is next on this way."""
        return next(
            (
                store
                for store in self._memory.stores
                if store.thread is self._thread and store.field == self._field
            ),
            None,
        )


@primitive
class Memory(Primitive):
    """The buffers of delayed stores."""

    __slots__ = ("stores",)

    def __init__(self) -> None:
        self.stores: tuple[Store, ...] = ()
        """The stores of all threads that are on their way, oldest first."""
        self.scheduler.memory = self

    # called by the implementation

    def write_back(self, thread: str, field: str) -> bool:
        scheduler = self.scheduler
        owner = next(
            (candidate for candidate in scheduler.threads if candidate.name == thread), None
        )
        if owner is None:
            scheduler.fail(
                f"memory of {thread}: the scenario has no such thread; name one whose stores "
                "are to be brought into memory"
            )
        way = _Way(self, owner, field)
        scheduler.point("write", True, way)
        store = way.oldest()
        if store is None:
            return False
        self._bring((store,))
        return True

    # called by fields

    def delay(self, thread: Thread, field: str, instance: object, value: object) -> None:
        """A plain store begins its way."""
        self.stores = (*self.stores, Store(thread, field, instance, value, Unordered()))

    def own_store(self, thread: Thread, field: str, instance: object) -> Store | None:
        """The thread's newest store into a field of an object, if it is on its way."""
        for store in reversed(self.stores):
            if store.thread is thread and store.instance is instance and store.field == field:
                return store
        return None

    # called by synchronisation

    def acquire(self, thread: Thread, source: object) -> None:
        """The thread sees all that others had stored when they released ``source``."""
        if self.stores:
            self._bring(
                tuple(
                    [
                        store
                        for store in self.stores
                        if store.thread is not thread and source in store.marks
                    ]
                )
            )

    def release(self, thread: Thread, target: object) -> None:
        """A later acquirer of ``target`` sees all that the thread has stored so far."""
        if self.stores:
            self.stores = tuple(
                [
                    store._replace(marks=Unordered(store.marks | {target}))
                    if store.thread is thread
                    else store
                    for store in self.stores
                ]
            )

    def _bring(self, stores: tuple[Store, ...]) -> None:
        for store in stores:
            getattr(type(store.instance), store.field).arrive(store.instance, store.value)
        self.stores = tuple(
            [store for store in self.stores if not any(store is arrival for arrival in stores)]
        )


class DelayedField(Field):
    """A plain field whose stores go to the buffers of the run's Memory.

    A store without a label is not delayed: in a constructor it is there with the object, in an
    atomic operation with that. A field into which nothing was stored reads as None: Java has its 0
    or null there.
    """

    __slots__ = ()

    def __get__(self, instance: object, owner: type | None = None) -> object:
        if instance is None:
            return self
        scheduler = self.scheduler
        thread = scheduler.running
        if thread is not None:
            site = scheduler.point("read", False)
            if scheduler.race is not None:
                scheduler.race.read(thread, self, instance, site)
            memory = scheduler.memory
            store = None if memory is None else memory.own_store(thread, self.name, instance)
            if store is not None:
                return store.value
        try:
            return self._get(instance)
        except AttributeError:
            return None

    def __set__(self, instance: object, value: object) -> None:
        scheduler = self.scheduler
        thread = scheduler.running
        if thread is not None:
            site = scheduler.point("write", False)
            if scheduler.race is not None:
                scheduler.race.write(thread, self, instance, site)
            memory = scheduler.memory
            if memory is not None and site is not None and site.label is not None:
                memory.delay(thread, self.name, instance, value)
                return
        self._set(instance, value)

    def arrive(self, instance: object, value: object) -> None:
        """A store is in memory."""
        self._set(instance, value)


class Ordering:
    """Reports synchronisation to the Memory, and to the race detector if there is one."""

    def __init__(self, memory: Buffers, race: RaceDetector | None) -> None:
        self._memory, self._race = memory, race

    def acquire(self, thread: Thread, source: object) -> None:
        self._memory.acquire(thread, source)
        if self._race is not None:
            self._race.acquire(thread, source)

    def release(self, thread: Thread, target: object) -> None:
        self._memory.release(thread, target)
        if self._race is not None:
            self._race.release(thread, target)

    def read(self, thread: Thread, field: Field, instance: object, site: Site | None) -> None:
        if field.volatile:
            self._memory.acquire(thread, (instance, field.name))
        if self._race is not None:
            self._race.read(thread, field, instance, site)

    def write(self, thread: Thread, field: Field, instance: object, site: Site | None) -> None:
        # no thread could acquire a field of an object under construction; no site: within an atomic
        # operation
        if field.volatile and (site is None or site.label is not None):
            self._memory.release(thread, (instance, field.name))
        if self._race is not None:
            self._race.write(thread, field, instance, site)


def delay(classes: Iterable[type], names: object, scheduler: Scheduler, where: str) -> None:
    """Put buffers before the plain fields of these names, not before volatile ones.

    ``where``: the harness's file.

    Raises ExploreError for a name that no marked field has: such a delay would have no
    effect.
    """
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) for name in names):
        raise ExploreError(
            f"{where}: MEMORY is no list of field names.",
            "Write MEMORY = ('some_field',), or leave it out.",
        )
    fields = set()
    for cls in classes:
        for name in set(names) & marks_of(cls).keys():
            fields.add(name)
            field = cls.__dict__[name]
            if not field.volatile:
                setattr(cls, name, DelayedField(field.member, False, scheduler))
    if missing := sorted(set(names) - fields):
        raise ExploreError(
            f"{where}: MEMORY names {', '.join(missing)}, which no class marks as a field.",
            "Name slots that are marked Plain or Volatile.",
        )


def ordering(
    scheduler: Scheduler, names: object, race: RaceDetector | None, where: str
) -> Observer | None:
    """The object to which a run reports synchronisation: the race detector, or an Ordering.

    Raises ExploreError where stores are to be delayed and Harness has made no Memory.
    """
    if not names:
        return race
    if scheduler.memory is None:
        raise ExploreError(
            f"{where}: MEMORY delays stores, but Harness makes no Memory.",
            "Make one in Harness.__init__, and name it in Harness.names.",
        )
    return Ordering(scheduler.memory, race)
