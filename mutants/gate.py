"""Gate with one decision taken away at a time; every step keeps its label."""
from __future__ import annotations

from collections.abc import Callable

from impl import gate as impl
from impl.threads import get_ident, monotonic
from mapping import gate as mapping


class LeadStaysWithSleeper:
    switch = "NotifyTakesLead"

    class Gate(impl.Gate):
        __slots__ = ()

        def notify(self) -> None:
            self.leader = self.leader  # write N1
            self.due.notify()  # notify N2


class LeavesInSilence:
    switch = "HandsOn"

    class Gate(impl.Gate):
        __slots__ = ()

        def release(self) -> None:
            self.due.release()  # unlock L2


class LeadsForEver:
    switch = "StepsDown"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me = get_ident()
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            while (wait := wait_ms() / 1000) > 0:
                now = monotonic()  # read A3
                left = deadline - now
                if left <= 0:
                    break
                if self.leader is not None or left < wait:
                    self.due.wait(left)  # wait A4, wake A5, lock A6
                    continue
                self.leader = me  # write A7
                self.due.wait(wait)  # wait A8, wake A9, lock A10
                if self.leader == me:
                    self.leader = self.leader  # write A11


class TakesAnothersLead:
    switch = "OwnLeadOnly"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me = get_ident()
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            while (wait := wait_ms() / 1000) > 0:
                now = monotonic()  # read A3
                left = deadline - now
                if left <= 0:
                    break
                if self.leader is not None or left < wait:
                    self.due.wait(left)  # wait A4, wake A5, lock A6
                    continue
                self.leader = me  # write A7
                self.due.wait(wait)  # wait A8, wake A9, lock A10
                self.leader = None  # write A11


class AllLead:
    switch = "OneSleepsLong"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me = get_ident()
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            while (wait := wait_ms() / 1000) > 0:
                now = monotonic()  # read A3
                left = deadline - now
                if left <= 0:
                    break
                if left < wait:
                    self.due.wait(left)  # wait A4, wake A5, lock A6
                    continue
                self.leader = me  # write A7
                self.due.wait(wait)  # wait A8, wake A9, lock A10
                if self.leader == me:
                    self.leader = None  # write A11


class SleepsOn:
    switch = "TimesOut"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me = get_ident()
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            while (wait := wait_ms() / 1000) > 0:
                now = monotonic()  # read A3
                left = deadline - now
                if left <= 0:
                    break
                if self.leader is not None or left < wait:
                    self.due.wait()  # wait A4, wake A5, lock A6
                    continue
                self.leader = me  # write A7
                self.due.wait(wait)  # wait A8, wake A9, lock A10
                if self.leader == me:
                    self.leader = None  # write A11


class LooksOnce:
    switch = "LooksAgain"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me = get_ident()
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            if (wait := wait_ms() / 1000) > 0:
                now = monotonic()  # read A3
                left = deadline - now
                if left <= 0:
                    return
                if self.leader is not None or left < wait:
                    self.due.wait(left)  # wait A4, wake A5, lock A6
                    return
                self.leader = me  # write A7
                self.due.wait(wait)  # wait A8, wake A9, lock A10
                if self.leader == me:
                    self.leader = None  # write A11


class TakesOutside:
    switch = "TakesInside"

    class World(mapping.World):
        class items_class(mapping.Items):
            __slots__ = ()

            def take(self, timeout: int) -> None:
                self.gate.acquire_when(self.wait_ms, timeout * mapping.MS)
                now = monotonic()  # read K1
                found = bool(self.moments) and self.moments[0] <= now
                self.gate.release()
                if found:
                    self.moments = self.moments[1:]  # write K2


class PutsLast:
    switch = "KeepsOrder"

    class World(mapping.World):
        class items_class(mapping.Items):
            __slots__ = ()

            def offer(self, at: int) -> None:
                with self.gate:
                    first = not self.moments
                    self.moments = (*self.moments, self.start + at * mapping.TICK)  # write P1
                    if first:
                        self.gate.notify()
