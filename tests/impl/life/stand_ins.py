"""What the reaper and the executor take from the standard library, on the runtime's primitives:
loaded under control as ``impl.stand_ins``.

A thread of a scenario plays the part of a ``Thread`` or of the pool's one thread: it calls
``run``.
"""
from __future__ import annotations

from impl.threads import Condition, Lock, Plain, get_ident


class Event:
    """``threading.Event``, as far as it is used."""

    __slots__ = ("changed", "flag")

    flag: Plain[bool]

    def __init__(self) -> None:
        self.changed = Condition(Lock())
        self.flag = False

    def is_set(self) -> bool:
        with self.changed:  # lock E1, unlock E2
            flag = self.flag
        return flag

    def set(self) -> None:
        with self.changed:  # lock E3, unlock E5
            self.flag = True  # write E4


class Thread:
    """``threading.Thread``: ``number`` is the place of the thread in the scenario that plays its
    part."""

    __slots__ = ("target", "changed", "ended", "number")

    ended: Plain[bool]

    def __init__(self, target, name: str = "", daemon: bool = False) -> None:
        self.target = target
        self.changed = Condition(Lock())
        self.ended = False
        self.number = 0

    def start(self) -> None:
        """It runs when the scenario's thread calls :meth:`run`."""

    def run(self) -> None:
        self.target()
        with self.changed:  # lock H1, unlock H4
            self.ended = True  # write H2
            self.changed.notify_all()  # notify H3

    def join(self) -> None:
        if self.number == get_ident():
            raise RuntimeError("cannot join current thread")
        with self.changed:  # lock J1, unlock J5
            while not self.ended:
                self.changed.wait()  # wait J2, wake J3, lock J4


class ThreadPoolExecutor:
    """``concurrent.futures.ThreadPoolExecutor`` with one thread, and without futures.
    ``accepted``: how many calls it has taken."""

    __slots__ = ("changed", "calls", "accepted", "shut", "initializer", "worker")

    calls: Plain[tuple]
    accepted: Plain[int]
    shut: Plain[bool]

    def __init__(self, workers: int, name: str, initializer) -> None:
        self.initializer = initializer
        self.changed = Condition(Lock())
        self.calls = ()
        self.accepted = 0
        self.shut = False
        self.worker = Thread(self._work)

    def submit(self, call, *arguments) -> None:
        with self.changed:  # lock X1, unlock X4
            if self.shut:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self.calls = (*self.calls, (call, arguments))  # write X2
            self.accepted = self.accepted + 1  # write X5
            self.changed.notify_all()  # notify X3

    def _work(self) -> None:
        self.initializer()
        while (call := self._next()) is not None:
            function, arguments = call
            function(*arguments)

    def _next(self):
        with self.changed:  # lock Y1, unlock Y6
            while not self.calls and not self.shut:
                self.changed.wait()  # wait Y2, wake Y3, lock Y4
            call = self.calls[0] if self.calls else None
            if call is not None:
                self.calls = self.calls[1:]  # write Y5
        return call

    def shutdown(self, wait: bool = True, cancel_futures: bool = False) -> None:
        with self.changed:  # lock Z1, unlock Z4
            self.shut = True  # write Z2
            self.changed.notify_all()  # notify Z3
        if wait:
            self.worker.join()


class Log:
    """Keeps nothing."""

    __slots__ = ()

    def error(self, *arguments) -> None:
        pass

    exception = error


def getLogger(name: str) -> Log:
    return Log()


class Threads:
    """The threads of the scenario that play the part of a Thread."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: tuple[Thread, ...] = ()


THREADS = Threads()


def current_thread() -> Thread | None:
    me = get_ident()
    return next((thread for thread in THREADS.known if thread.number == me), None)
