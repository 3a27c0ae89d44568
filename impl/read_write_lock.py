"""A lock for many readers or one writer.

Java: ``java.util.concurrent.locks.ReentrantReadWriteLock``, as far as the mechanisms need it.

Labels are those of ``spec/ReadWriteLock.tla``.
"""

from __future__ import annotations

import sys  # production only

from .threads import Condition, Monitor, Plain, get_ident


class Refused(RuntimeError):
    """A thread that holds the lock has requested it again."""


class ReadWriteLock:
    """Many readers or one writer. ``read_lock`` and ``write_lock`` are context managers.

    Not re-entrant: a thread that holds either half and takes one gets a RuntimeError. A writer that
    waits goes before readers that come later, or they could keep it out for ever. So a reader may
    wait although only readers are inside. A thread that holds the read lock must not wait for a
    thread that has yet to take it.
    """

    __slots__ = ("read_lock", "write_lock", "changed", "readers", "writer", "waiting")

    readers: Plain[frozenset[int]]
    writer: Plain[int | None]
    waiting: Plain[int]

    def __init__(self) -> None:
        self.changed = Condition(Monitor())
        self.readers = frozenset()  # get_ident() of each thread that reads
        self.writer = None
        self.waiting = 0  # writers
        self.read_lock = ReadLock(self)
        self.write_lock = WriteLock(self)

    def refuse_twice(self, me: int) -> None:
        """Raise RuntimeError if ``me`` holds the lock. Called with ``changed`` held."""
        if self.writer == me or me in self.readers:
            raise Refused(
                "This thread holds the ReadWriteLock already, and it is not re-entrant: "
                "release it first."
            )

    def let_go(self) -> None:
        """Release what the calling thread still holds after an exception has ended its ``with``.

        To be called while the exception is handled. An interrupt can come before the first line of
        ``__exit__`` or after the last one of ``__enter__``: both are written in Python and cannot
        catch it there. A refusal leaves the lock as it is.
        """
        if isinstance(sys.exc_info()[1], Refused):
            return
        me = get_ident()
        with self.changed:
            self.readers = self.readers - {me}
            if self.writer == me:
                self.writer = None
            self.changed.notify_all()  # the release may have been interrupted before its own


class ReadLock:
    """The half for readers."""

    __slots__ = ("of",)

    def __init__(self, of: ReadWriteLock) -> None:
        self.of = of

    def __enter__(self) -> None:
        of, me = self.of, get_ident()
        with of.changed:  # lock R1, unlock R6
            of.refuse_twice(me)
            while of.writer is not None or of.waiting:
                of.changed.wait()  # wait R2, wake R3, lock R4
            of.readers = of.readers | {me}  # write R5

    def __exit__(self, *exception: object) -> None:
        of = self.of
        with of.changed:  # lock U1, unlock U4
            of.readers = of.readers - {get_ident()}  # write U2
            if not of.readers:
                of.changed.notify_all()  # notify U3


class WriteLock:
    """The half for writers."""

    __slots__ = ("of",)

    def __init__(self, of: ReadWriteLock) -> None:
        self.of = of

    def __enter__(self) -> None:
        of, me = self.of, get_ident()
        with of.changed:  # lock W1, unlock W8
            of.refuse_twice(me)
            of.waiting = of.waiting + 1  # write W2
            try:
                while of.writer is not None or of.readers:
                    of.changed.wait()  # wait W3, wake W4, lock W5
                of.writer = me  # write W6
            finally:
                of.waiting = of.waiting - 1  # write W7
                if of.writer != me:
                    # interrupted: readers that waited for this writer alone may enter
                    of.changed.notify_all()  # notify W9

    def __exit__(self, *exception: object) -> None:
        of = self.of
        with of.changed:  # lock X1, unlock X4
            of.writer = None  # write X2
            of.changed.notify_all()  # notify X3
