"""ReadWriteLock with one decision taken away at a time; every step keeps its label."""
from __future__ import annotations

from impl import read_write_lock as impl
from impl.threads import get_ident


class EntersBesideWriter:
    switch = "SeesWriter"

    class ReadLock(impl.ReadLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock R1, unlock R6
                while of.waiting:
                    of.changed.wait()  # wait R2, wake R3, lock R4
                of.readers = of.readers | {me}  # write R5


class PassesWaitingWriter:
    switch = "WriterFirst"

    class ReadLock(impl.ReadLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock R1, unlock R6
                while of.writer is not None:
                    of.changed.wait()  # wait R2, wake R3, lock R4
                of.readers = of.readers | {me}  # write R5


class WritesBesideReaders:
    switch = "SeesReaders"

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock W1, unlock W8
                of.waiting = of.waiting + 1  # write W2
                while of.writer is not None:
                    of.changed.wait()  # wait W3, wake W4, lock W5
                of.writer = me  # write W6
                of.waiting = of.waiting - 1  # write W7


class WritesBesideWriter:
    switch = "SeesOtherWriter"

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock W1, unlock W8
                of.waiting = of.waiting + 1  # write W2
                while of.readers:
                    of.changed.wait()  # wait W3, wake W4, lock W5
                of.writer = me  # write W6
                of.waiting = of.waiting - 1  # write W7


class LooksOnce:
    switch = "LooksAgain"

    class ReadLock(impl.ReadLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock R1, unlock R6
                if of.writer is not None or of.waiting:
                    of.changed.wait()  # wait R2, wake R3, lock R4
                of.readers = of.readers | {me}  # write R5

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock W1, unlock W8
                of.waiting = of.waiting + 1  # write W2
                if of.writer is not None or of.readers:
                    of.changed.wait()  # wait W3, wake W4, lock W5
                of.writer = me  # write W6
                of.waiting = of.waiting - 1  # write W7


class EntersOutside:
    switch = "EntersInside"

    class ReadLock(impl.ReadLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            of.changed.acquire()  # lock R1
            while of.writer is not None or of.waiting:
                of.changed.wait()  # wait R2, wake R3, lock R4
            of.changed.release()  # unlock R5
            of.readers = of.readers | {me}  # write R6


class LeavesInSilence:
    switch = "LastReaderWakes"

    class ReadLock(impl.ReadLock):
        __slots__ = ()

        def __exit__(self, *exception: object) -> None:
            of = self.of
            with of.changed:  # lock U1, unlock U4
                of.readers = of.readers - {get_ident()}  # write U2


class LastReaderWakesOne:
    switch = "LastReaderWakesAll"

    class ReadLock(impl.ReadLock):
        __slots__ = ()

        def __exit__(self, *exception: object) -> None:
            of = self.of
            with of.changed:  # lock U1, unlock U4
                of.readers = of.readers - {get_ident()}  # write U2
                if not of.readers:
                    of.changed.notify()  # notify U3


class WriterWakesOne:
    switch = "WriterWakesAll"

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __exit__(self, *exception: object) -> None:
            of = self.of
            with of.changed:  # lock X1, unlock X4
                of.writer = None  # write X2
                of.changed.notify()  # notify X3


class WaitsForEver:
    switch = "Withdraws"

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock W1, unlock W8
                of.waiting = of.waiting + 1  # write W2
                while of.writer is not None or of.readers:
                    of.changed.wait()  # wait W3, wake W4, lock W5
                of.writer = me  # write W6
                of.waiting = of.waiting + 0  # write W7


class InterruptedWriterWaits:
    switch = "InterruptWithdraws"

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock W1, unlock W8
                of.waiting = of.waiting + 1  # write W2
                try:
                    while of.writer is not None or of.readers:
                        of.changed.wait()  # wait W3, wake W4, lock W5
                    of.writer = me  # write W6
                finally:
                    of.waiting = of.waiting - (of.writer == me)  # write W7
                    if of.writer != me:
                        of.changed.notify_all()  # notify W9


class InterruptedWriterIsSilent:
    switch = "InterruptWakes"

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock W1, unlock W8
                of.waiting = of.waiting + 1  # write W2
                try:
                    while of.writer is not None or of.readers:
                        of.changed.wait()  # wait W3, wake W4, lock W5
                    of.writer = me  # write W6
                finally:
                    of.waiting = of.waiting - 1  # write W7


class InterruptedWriterWakesOne:
    switch = "InterruptWakesAll"

    class WriteLock(impl.WriteLock):
        __slots__ = ()

        def __enter__(self) -> None:
            of, me = self.of, get_ident()
            with of.changed:  # lock W1, unlock W8
                of.waiting = of.waiting + 1  # write W2
                try:
                    while of.writer is not None or of.readers:
                        of.changed.wait()  # wait W3, wake W4, lock W5
                    of.writer = me  # write W6
                finally:
                    of.waiting = of.waiting - 1  # write W7
                    if of.writer != me:
                        of.changed.notify()  # notify W9
