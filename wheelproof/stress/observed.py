"""The production primitives, observed: each contract is checked at every use, on real threads.

An observer adds no lock: it appends to lists, which CPython does at once. A thread is noted as
inside after the primitive has let it in, and as outside before the primitive lets it out. So a
correct primitive is never reported.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

from wheelproof.stress import library
from wheelproof.stress.linear import Operation, explains

EXCLUSION = "Exclusion"
LINEARIZABLE = "Linearizable"

Report = Callable[[str, str], None]
"""Called with the name of the property that is broken and with a message."""


class Observer:
    """Collects failures, and the primitives that threads have used.

    ``findings``: property and message of each failure; ``used``: names of primitives.
    """

    def __init__(self) -> None:
        self.findings: list[tuple[str, str]] = []
        self.atomics: list[Any] = []
        self.used: set[str] = set()

    def report(self, property: str, message: str) -> None:
        self.findings.append((property, message))

    def begin(self) -> None:
        """A new round: its objects are made next."""
        self.findings.clear()
        self.atomics.clear()

    def end(self) -> None:
        """All threads are at rest: judge the histories of the round's atomic variables."""
        for atomic in self.atomics:
            history = atomic.history()
            if len({operation.thread for operation in history}) > 1 and not explains(
                atomic.first, history, atomic.last()
            ):
                text = ", ".join(f"{call.name}{call.arguments} = {call.result}" for call in history)
                self.report(
                    LINEARIZABLE,
                    f"no order of {text} leads from {atomic.first} to {atomic.last()}",
                )


class Inside:
    """The threads inside of one exclusive section, once per entry."""

    __slots__ = ("_name", "_report", "threads")

    def __init__(self, name: str, observer: Observer) -> None:
        self.threads: list[int] = []
        self._name, self._report = name, observer.report

    def enter(self) -> None:
        me = get_ident()
        self.threads.append(me)
        if any(thread != me for thread in tuple(self.threads)):
            self._report(EXCLUSION, f"two threads are inside one {self._name}")

    def leave(self) -> None:
        me = get_ident()
        if me in self.threads:  # else the primitive itself raises
            self.threads.remove(me)


def _lock(name: str, inner: Callable[[], Any], observer: Observer) -> type:
    class Lock:
        __slots__ = ("_inner", "_inside")

        def __init__(self) -> None:
            self._inner, self._inside = inner(), Inside(name, observer)

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            observer.used.add(name)
            success = bool(self._inner.acquire(blocking, timeout))
            if success:
                self._inside.enter()
            return success

        def release(self) -> None:
            self._inside.leave()
            self._inner.release()

        def locked(self) -> bool:
            return bool(self._inner.locked())

        def __enter__(self) -> None:
            self.acquire()

        def __exit__(self, *exception: object) -> None:
            self.release()

        def __getattr__(self, name: str) -> Any:
            """Whether the caller is inside: a condition wants to know it of a monitor."""
            if name != "_is_owned":
                raise AttributeError(name)
            return self._inner._is_owned

    Lock.__name__ = Lock.__qualname__ = name
    return Lock


def _gate(name: str, inner: Any, observer: Observer) -> type:
    class Gate(inner):  # type: ignore[misc]  # the project's own class
        __slots__ = ("_inside",)

        def __init__(self) -> None:
            super().__init__()
            self._inside = Inside(name, observer)

        def __enter__(self) -> None:
            observer.used.add(name)
            super().__enter__()
            self._inside.enter()

        def __exit__(self, *exception: object) -> None:
            self._inside.leave()
            super().__exit__(*exception)

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            observer.used.add(name)
            super().acquire_when(wait_ms, timeout_ms)
            self._inside.enter()

        def release(self) -> None:
            self._inside.leave()
            super().release()

    return Gate


def _read_write_lock(name: str, inner: Any, observer: Observer) -> type:
    class Half:
        __slots__ = ("_inner", "_others", "_own", "_message")

        def __init__(
            self, inner: Any, mode: list[int], rivals: tuple[list[int], ...], message: str
        ) -> None:
            self._inner, self._own, self._others, self._message = inner, mode, rivals, message

        def __enter__(self) -> None:
            observer.used.add(name)
            self._inner.__enter__()
            me = get_ident()
            self._own.append(me)
            if any(thread != me for rival in self._others for thread in tuple(rival)):
                observer.report(EXCLUSION, self._message)

        def __exit__(self, *exception: object) -> None:
            me = get_ident()
            if me in self._own:
                self._own.remove(me)
            self._inner.__exit__(*exception)

    class ReadWriteLock(inner):  # type: ignore[misc]  # the project's own class
        __slots__ = ()

        def __init__(self) -> None:
            super().__init__()
            readers: list[int] = []
            writers: list[int] = []
            lock: Any = self
            lock.read_lock = Half(
                lock.read_lock,
                readers,
                (writers,),
                "a reader enters while a writer holds the ReadWriteLock",
            )
            lock.write_lock = Half(
                lock.write_lock,
                writers,
                (readers, writers),
                "a writer enters while another thread holds the ReadWriteLock",
            )

    return ReadWriteLock


def _atomic(name: str, inner: Any, observer: Observer) -> type:
    def observe(operation: str) -> Callable[..., Any]:
        method = getattr(inner, operation)

        def call(self: Any, *arguments: Any) -> Any:
            observer.used.add(name)
            events = self._events
            events.append(None)
            # at or after this operation's own event: one that ended before has a smaller number
            start = len(events)
            result = method(self, *arguments)
            events.append(Operation(get_ident(), operation, arguments, result, start))
            return result

        call.__name__ = operation
        return call

    class Atomic(inner):  # type: ignore[misc]  # the project's own class
        __slots__ = ("_events", "first")

        def __init__(self, value: Any) -> None:
            super().__init__(value)
            self._events: list[Operation | None] = []
            self.first = value
            observer.atomics.append(self)

        def history(self) -> list[Operation]:
            """The operations that change the variable, each with its begin and end.

            Both are numbers of events.
            """
            return [
                event._replace(ended=number)
                for number, event in enumerate(self._events)
                if event is not None
            ]

        def last(self) -> Any:
            return inner.get(self)

    for operation in "set", "get_and_set", "compare_and_set", "add_and_get":
        setattr(Atomic, operation, observe(operation))
    return Atomic


def _of_library(name: str, inner: Any, observer: Observer) -> type:
    return library.recorder(name, inner, observer.used)


OBSERVERS: dict[str, Callable[[str, Any, Observer], type]] = {
    "Lock": _lock,
    "Monitor": _lock,
    "Gate": _gate,
    "Atomic": _atomic,
    "ReadWriteLock": _read_write_lock,
    **dict.fromkeys(library.CLASSES, _of_library),
}
"""Primitive -> builder of its observed class, called with the name, the class to be observed (or a
planted fault) and the observer."""
