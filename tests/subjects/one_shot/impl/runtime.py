"""What the mechanisms take from their surroundings: in production, the standard library and nothing around it.

A mechanism imports its monitors, locks and atomic variables from here, so that a controlled runtime can be put in this
module's place and the very same source be run one operation at a time. In production a monitor *is* a
``threading.RLock`` and a marked field *is* a slot: the indirection costs nothing.

``Volatile[T]`` and ``Plain[T]`` mark the mutable shared fields of a class. They are annotations of names in
``__slots__``, in modules with postponed annotations, hence never evaluated:

* ``Volatile``: accessed without a common lock; every access is a step of its own and is sequentially consistent
  (a Java ``volatile`` field);
* ``Plain``: guarded by a lock (an ordinary Java field); a data race on it is an error;
* no mark: final, set before the object is published and never again.
"""
from collections.abc import Callable
from threading import TIMEOUT_MAX, Condition, Lock, RLock as Monitor, get_ident
from time import monotonic
from typing import Annotated, Generic, TypeVar

__all__ = ["Atomic", "Gate", "Lock", "Memory", "Monitor", "NoMonitor", "Plain", "ReadWriteLock", "Volatile"]

T = TypeVar("T")

Volatile = Annotated[T, "accessed without a common lock"]
Plain = Annotated[T, "guarded by a lock"]


class Atomic(Generic[T]):
    """An atomic variable, as far as the mechanisms need ``java.util.concurrent.atomic``."""

    __slots__ = ("_value", "_lock")

    def __init__(self, value: T) -> None:
        self._value = value
        self._lock = Lock()

    def get(self) -> T:
        return self._value

    def set(self, value: T) -> None:
        with self._lock:
            self._value = value

    def get_and_set(self, value: T) -> T:
        """Store ``value`` and return what it replaced."""
        with self._lock:
            old, self._value = self._value, value
            return old

    def compare_and_set(self, expected: T, value: T) -> bool:
        """Store ``value`` if the variable holds ``expected``: the same object, or an equal number."""
        with self._lock:
            current = self._value
            if current is not expected and not (type(current) is type(expected) is int and current == expected):
                return False
            self._value = value
            return True

    def add_and_get(self, delta: T) -> T:
        """Add ``delta`` and return the sum."""
        with self._lock:
            self._value += delta
            return self._value


class NoMonitor:
    """A monitor that excludes nobody: what a mutant puts where it takes a lock away, so that its steps keep their names."""

    __slots__ = ()

    def acquire(self, blocking: bool = True) -> bool:
        return True

    def release(self) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


class Memory:
    """What lies between a thread's stores and the others' reads. Here it is nothing: CPython performs every store at once.

    Under control it may delay the stores of plain fields, as Java's memory model permits; ``write_back`` then is its step.
    """

    __slots__ = ()

    def write_back(self, thread: str, field: str) -> bool:
        """Bring a thread's oldest delayed store of a field of this name into memory; False when there will be no more."""
        return False


class ReadWriteLock:
    """Many readers or one writer, as far as the mechanisms need ``java.util.concurrent.locks.ReentrantReadWriteLock``.

    Not re-entrant: RuntimeError for a thread that holds either half and asks for one. A writer that waits goes before
    readers that come later, or a stream of them could keep it out. ``read_lock`` and ``write_lock`` are context managers.
    """

    __slots__ = ("read_lock", "write_lock", "_changed", "_readers", "_writer", "_waiting")

    def __init__(self) -> None:
        self._changed = Condition(Lock())
        self._readers: set[int] = set()  # get_ident() of each thread that reads
        self._writer: int | None = None
        self._waiting = 0  # writers
        self.read_lock = _ReadLock(self)
        self.write_lock = _WriteLock(self)

    def _refuse_twice(self, me: int) -> None:
        if self._writer == me or me in self._readers:
            raise RuntimeError("This thread holds the ReadWriteLock already, and it is not re-entrant: release it first.")


class _ReadLock:
    __slots__ = ("_of",)

    def __init__(self, of: ReadWriteLock) -> None:
        self._of = of

    def __enter__(self) -> None:
        of, me = self._of, get_ident()
        with of._changed:
            of._refuse_twice(me)
            while of._writer is not None or of._waiting:
                of._changed.wait()
            of._readers.add(me)

    def __exit__(self, *exception: object) -> None:
        of = self._of
        with of._changed:
            of._readers.remove(get_ident())
            if not of._readers:
                of._changed.notify_all()


class _WriteLock:
    __slots__ = ("_of",)

    def __init__(self, of: ReadWriteLock) -> None:
        self._of = of

    def __enter__(self) -> None:
        of, me = self._of, get_ident()
        with of._changed:
            of._refuse_twice(me)
            of._waiting += 1
            try:
                while of._writer is not None or of._readers:
                    of._changed.wait()
                of._writer = me
            finally:
                of._waiting -= 1

    def __exit__(self, *exception: object) -> None:
        of = self._of
        with of._changed:
            of._writer = None
            of._changed.notify_all()


class Gate:
    """A lock, not re-entrant, at which a thread can wait until something is due.

    Of the threads that wait, one leads: it alone sleeps for as long as ``wait_ms`` says, the others until they are notified
    or their own time is up, so that not all of them wake for one thing (as in ``java.util.concurrent.DelayQueue``).
    """

    __slots__ = ("_due", "_leader")

    def __init__(self) -> None:
        self._due = Condition(Lock())
        self._leader: int | None = None

    def __enter__(self) -> None:
        self._due.acquire()

    def __exit__(self, *exception: object) -> None:
        self._due.release()

    def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
        """Take the lock once ``wait_ms() <= 0``, or ``timeout_ms`` milliseconds have passed; the caller finds out which it was.

        ``wait_ms``: called with the lock held; for how many milliseconds to sleep at most before it is asked again
        (``math.inf``: until notified). If it raises, the lock is not held afterwards.
        """
        deadline, me = monotonic() + timeout_ms / 1000, get_ident()
        self._due.acquire()
        try:
            while (wait := wait_ms() / 1000) > 0 and (left := deadline - monotonic()) > 0:
                if self._leader is not None or left < wait:
                    self._due.wait(min(left, TIMEOUT_MAX))
                    continue
                self._leader = me
                try:
                    self._due.wait(min(wait, TIMEOUT_MAX))
                finally:
                    if self._leader == me:  # else a notification has taken the lead away
                        self._leader = None
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Give back what :meth:`acquire_when` took. If nobody leads, one of those that wait is woken to do so."""
        if self._leader is None:
            self._due.notify()
        self._due.release()

    def notify(self) -> None:
        """Something is due sooner than before: let one of those that wait look. Called with the lock held."""
        self._leader = None
        self._due.notify()
