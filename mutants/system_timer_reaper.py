"""SystemTimerReaper with one decision taken away at a time; every step keeps its label."""

from __future__ import annotations

from impl import system_timer_reaper as impl
from impl.runtime import get_ident


class Turning(impl.SystemTimerReaper):
    """The same steps, with one place for the test. Python compiles that of a ``while`` twice, and a
    cycle would begin a step later than in the model."""

    __slots__ = ()

    def _reap(self) -> None:
        while True:
            if self.stopping.is_set():
                break
            self.timer.advance_clock(impl.POLL_MS)


class IsNotTold:
    switch = "Tells"

    class SystemTimerReaper(Turning):
        __slots__ = ()

        def close(self) -> None:
            if get_ident() != self.thread.ident:
                self.thread.join()
            self.timer.close()


class IsToldLate:
    switch = "TellsFirst"

    class SystemTimerReaper(Turning):
        __slots__ = ()

        def close(self) -> None:
            if get_ident() != self.thread.ident:
                self.thread.join()
            self.stopping.set()
            self.timer.close()


class IsNotAwaited:
    switch = "Joins"

    class SystemTimerReaper(impl.SystemTimerReaper):
        __slots__ = ()

        def close(self) -> None:
            self.stopping.set()
            self.timer.close()


class WaitsForItself:
    switch = "KnowsItself"

    class SystemTimerReaper(impl.SystemTimerReaper):
        __slots__ = ()

        def close(self) -> None:
            self.stopping.set()
            self.thread.join()
            self.timer.close()


class ClosesTimerFirst:
    switch = "ReaperFirst"

    class SystemTimerReaper(impl.SystemTimerReaper):
        __slots__ = ()

        def close(self) -> None:
            self.stopping.set()
            self.timer.close()
            if get_ident() != self.thread.ident:
                self.thread.join()


class LeavesTimerOpen:
    switch = "ClosesTimer"

    class SystemTimerReaper(impl.SystemTimerReaper):
        __slots__ = ()

        def close(self) -> None:
            self.stopping.set()
            if get_ident() != self.thread.ident:
                self.thread.join()


class DoesNotLook:
    switch = "Looks"

    class SystemTimerReaper(impl.SystemTimerReaper):
        __slots__ = ()

        def _reap(self) -> None:
            while True:
                self.stopping.is_set()
                self.timer.advance_clock(impl.POLL_MS)


class ReapsOnce:
    switch = "ReapsOn"

    class SystemTimerReaper(impl.SystemTimerReaper):
        __slots__ = ()

        def _reap(self) -> None:
            if not self.stopping.is_set():
                self.timer.advance_clock(impl.POLL_MS)
