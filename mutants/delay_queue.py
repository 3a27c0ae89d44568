"""DelayQueue and its gate with one decision taken away at a time; every step keeps its label."""
from __future__ import annotations

from collections.abc import Callable

from impl import delay_queue, gate as impl
from impl.delay_queue import Delayed
from impl.runtime import NoMonitor
from impl.threads import TIMEOUT_MAX, get_ident, monotonic


def due(queue: delay_queue.DelayQueue) -> bool:
    """Whether the first element is due."""
    first = queue.heap[0] if queue.heap else None
    if first is None:
        return False
    delay = first.get_delay()  # read K1
    return delay <= 0


def first_of(queue: delay_queue.DelayQueue) -> Delayed | None:
    """Take the first element; None where another thread has taken the last one meanwhile."""
    heap = queue.heap  # change K2
    if not heap:
        return None
    first, last = heap[0], heap.pop()
    if heap:
        queue._down(0, last)
    return first


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

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def poll(self, timeout_ms: int) -> Delayed | None:
            self.gate.acquire_when(self.wait_ms, timeout_ms)
            found = due(self)
            self.gate.release()
            return first_of(self) if found else None


class TakesOutsideAtOnce:
    switch = "NowTakesInside"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ("open",)

        def __init__(self) -> None:
            super().__init__()
            self.open = NoMonitor()

        def poll_now(self) -> Delayed | None:
            self.open.acquire()  # lock G1
            found = due(self)
            taken = first_of(self) if found else None
            self.open.release()  # unlock G2
            return taken


class TakesEarly:
    switch = "TakesDueOnly"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def _take(self) -> Delayed | None:
            heap = self.heap
            if not heap:
                return None
            heap[0].get_delay()  # read K1
            return first_of(self)


class TakesTwice:
    switch = "Removes"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def _take(self) -> Delayed | None:
            heap = self.heap
            if not heap:
                return None
            delay = heap[0].get_delay()  # read K1
            if delay > 0:
                return None
            return self.heap[0]  # change K2


class KeepsGate:
    switch = "ReleasesEmptyHanded"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def poll(self, timeout_ms: int) -> Delayed | None:
            self.gate.acquire_when(self.wait_ms, timeout_ms)
            taken = self._take()
            if taken is not None:
                self.gate.release()
            return taken


class PutsLast:
    switch = "KeepsOrder"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def _up(self, index: int, element: Delayed) -> None:
            pass


class LastComesFirst:
    switch = "SinksLast"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def _down(self, index: int, element: Delayed) -> None:
            self.heap[index] = element


class OffersInSilence:
    switch = "NotifiesFirst"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def offer(self, element: Delayed) -> None:
            with self.gate:
                self.heap.append(element)  # change P1
                self._up(len(self.heap) - 1, element)


class TellsOfAll:
    switch = "NotifiesFirstOnly"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def offer(self, element: Delayed) -> None:
            with self.gate:
                self.heap.append(element)  # change P1
                self._up(len(self.heap) - 1, element)
                self.gate.notify()


class TellsOfOne:
    switch = "NotifiesEveryFirst"

    class DelayQueue(delay_queue.DelayQueue):
        __slots__ = ()

        def offer(self, element: Delayed) -> None:
            with self.gate:
                self.heap.append(element)  # change P1
                self._up(len(self.heap) - 1, element)
                if len(self.heap) == 1:
                    self.gate.notify()


class InterruptedKeepsLead:
    switch = "InterruptStepsDown"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me, taken = get_ident(), False
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            try:
                while (wait := wait_ms() / 1000) > 0:
                    now = monotonic()  # read A3
                    left = deadline - now
                    if left <= 0:
                        break
                    if self.leader is not None or left < wait:
                        self.due.wait(min(left, TIMEOUT_MAX))  # wait A4, wake A5, lock A6
                        continue
                    self.leader = me  # write A7
                    self.due.wait(min(wait, TIMEOUT_MAX))  # wait A8, wake A9, lock A10
                    if self.leader == me:
                        self.leader = None  # write A11
                taken = True
            finally:
                if not taken:
                    self.release()


class InterruptedLeavesInSilence:
    switch = "InterruptHandsOn"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me, taken = get_ident(), False
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            try:
                while (wait := wait_ms() / 1000) > 0:
                    now = monotonic()  # read A3
                    left = deadline - now
                    if left <= 0:
                        break
                    if self.leader is not None or left < wait:
                        self.due.wait(min(left, TIMEOUT_MAX))  # wait A4, wake A5, lock A6
                        continue
                    self.leader = me  # write A7
                    try:
                        self.due.wait(min(wait, TIMEOUT_MAX))  # wait A8, wake A9, lock A10
                    finally:
                        if self.leader == me:
                            self.leader = None  # write A11
                taken = True
            finally:
                if not taken:
                    self.due.release()  # unlock L2


class InterruptedKeepsGate:
    switch = "InterruptReleases"

    class Gate(impl.Gate):
        __slots__ = ()

        def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
            me, taken = get_ident(), False
            start = monotonic()  # read A1
            deadline = start + timeout_ms / 1000
            self.due.acquire()  # lock A2
            try:
                while (wait := wait_ms() / 1000) > 0:
                    now = monotonic()  # read A3
                    left = deadline - now
                    if left <= 0:
                        break
                    if self.leader is not None or left < wait:
                        self.due.wait(min(left, TIMEOUT_MAX))  # wait A4, wake A5, lock A6
                        continue
                    self.leader = me  # write A7
                    try:
                        self.due.wait(min(wait, TIMEOUT_MAX))  # wait A8, wake A9, lock A10
                    finally:
                        if self.leader == me:
                            self.leader = None  # write A11
                taken = True
            finally:
                if not taken and self.leader is None:
                    self.due.notify()  # notify L1
