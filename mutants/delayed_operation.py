"""DelayedOperation with one decision taken away at a time; see ``mutants/timer_task_list.py`` for the rules."""
from __future__ import annotations

from impl import delayed_operation as impl
from impl.runtime import NoMonitor


class P1:
    """completed is tested in one step and set in another."""

    switch = "CompareAndSet"

    class TryPending(impl.TryPending):
        __slots__ = ()

        def force_complete(self):
            if self.completed.get():  # read X1
                return False
            self.completed.set(True)  # write X2
            self.timer_task.cancel()
            self.on_complete()
            return True


class P9:
    """Who does not get the lock leaves no note."""

    switch = "PendingNoted"

    class TryPending(impl.TryPending):
        __slots__ = ()

        def maybe_try_complete(self):
            done = False
            while True:
                if self.lock.acquire(blocking=False):  # try P1
                    try:
                        self.try_complete_pending.set(False)  # write P2
                        done = self.try_complete()
                    finally:
                        self.lock.release()  # unlock P3
                    retry = self.try_complete_pending.get()  # read P4
                else:
                    self.try_complete_pending.get()  # read P5
                    retry = False
                completed = self.completed.get()  # read P6
                if completed or not retry:
                    return done


class ClearedLate:
    """The note is cleared when the lock is given back: one that came meanwhile is lost."""

    switch = "ClearedFirst"

    class TryPending(impl.TryPending):
        __slots__ = ()

        def maybe_try_complete(self):
            done = False
            while True:
                if self.lock.acquire(blocking=False):  # try P1
                    try:
                        done = self.try_complete()
                        self.try_complete_pending.set(False)  # write P2
                    finally:
                        self.lock.release()  # unlock P3
                    retry = self.try_complete_pending.get()  # read P4
                else:
                    retry = not self.try_complete_pending.get_and_set(True)  # swap P5
                completed = self.completed.get()  # read P6
                if completed or not retry:
                    return done


class ReadEarly:
    """The note is read before the lock is given back: one that comes in between is seen by nobody."""

    switch = "ReadAfterUnlock"

    class TryPending(impl.TryPending):
        __slots__ = ()

        def maybe_try_complete(self):
            done = False
            while True:
                if self.lock.acquire(blocking=False):  # try P1
                    try:
                        self.try_complete_pending.set(False)  # write P2
                        done = self.try_complete()
                        retry = self.try_complete_pending.get()  # read P4
                    finally:
                        self.lock.release()  # unlock P3
                else:
                    retry = not self.try_complete_pending.get_and_set(True)  # swap P5
                completed = self.completed.get()  # read P6
                if completed or not retry:
                    return done


class NoRetry:
    """Who leaves a note never tries again itself."""

    switch = "RetriesAfterSwap"

    class TryPending(impl.TryPending):
        __slots__ = ()

        def maybe_try_complete(self):
            done = False
            while True:
                if self.lock.acquire(blocking=False):  # try P1
                    try:
                        self.try_complete_pending.set(False)  # write P2
                        done = self.try_complete()
                    finally:
                        self.lock.release()  # unlock P3
                    retry = self.try_complete_pending.get()  # read P4
                else:
                    self.try_complete_pending.get_and_set(True)  # swap P5
                    retry = False
                completed = self.completed.get()  # read P6
                if completed or not retry:
                    return done


class BlockingTry:
    """The lock is waited for, as before KAFKA-5970."""

    switch = "TryLock"

    class TryPending(impl.TryPending):
        __slots__ = ()

        def maybe_try_complete(self):
            done = False
            while True:
                self.lock.acquire()  # lock P1
                try:
                    self.try_complete_pending.set(False)  # write P2
                    done = self.try_complete()
                finally:
                    self.lock.release()  # unlock P3
                retry = self.try_complete_pending.get()  # read P4
                completed = self.completed.get()  # read P6
                if completed or not retry:
                    return done


class UnlockedTry:
    """tryComplete runs without the operation's lock."""

    switch = "TryUnderLock"

    class LockedTry(impl.LockedTry):
        __slots__ = ()

        def maybe_try_complete(self):
            monitor = NoMonitor()
            with monitor:  # lock S1, unlock S2
                done = self.try_complete()
            return done


class P10:
    """tryComplete runs on an operation that is completed already."""

    switch = "CheckedUnderLock"

    class Blocking(impl.Blocking):
        __slots__ = ()

        def maybe_try_complete(self):
            with self.lock:  # lock B1, unlock B3
                self.completed.get()  # read B2
                done = self.try_complete()
            return done


class P11:
    """forceComplete holds no lock, as before KAFKA-19312."""

    switch = "ForceUnderLock"

    class Blocking(impl.Blocking):
        __slots__ = ()

        def force_complete(self):
            if self.completed.get():  # read L1
                return False
            monitor = NoMonitor()
            with monitor:  # lock L2, unlock L7
                if self.completed.get():  # read L3
                    return False
                self.completed.set(True)  # write L4
                self.timer_task.cancel()
                self.on_complete()
                return True


class P12:
    """onExpiration runs for a thread that did not complete the operation."""

    switch = "ExpiresIfWon"

    class TryPending(impl.TryPending):
        __slots__ = ()

        def run(self):
            self.force_complete()
            self.on_expiration()
