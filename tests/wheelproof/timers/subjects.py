"""A timer that keeps the contract, and one for each clause that it breaks."""

import heapq
import itertools
import threading
import time


class Sound:
    """A heap under a lock. An action runs under the lock, so that a cancellation is in time."""

    early_ms = late_ms = 0

    def __init__(self):
        self.changed = threading.Condition()
        self.heap, self.waiting, self.numbers = [], {}, itertools.count()
        threading.Thread(target=self.live, daemon=True).start()

    def add(self, delay_ms, action):
        with self.changed:
            number = next(self.numbers)
            due = time.monotonic() + (delay_ms + self.late_ms - self.early_ms) / 1000
            heapq.heappush(self.heap, (due, number))
            self.waiting[number] = action
            self.tell()
        return number

    def tell(self):
        self.changed.notify()

    def cancel(self, number):
        with self.changed:
            self.waiting.pop(number, None)

    def size(self):
        with self.changed:
            return len(self.waiting)

    def live(self):
        while True:
            with self.changed:
                if not self.heap:
                    self.changed.wait()
                    continue
                due, number = self.heap[0]
                left = due - time.monotonic()
                if left > 0.0000001:
                    self.changed.wait(left)
                    continue
                self.expire(number)

    def expire(self, number):
        heapq.heappop(self.heap)
        action = self.waiting.pop(number, None)
        if action is not None:
            action()


class Early(Sound):
    early_ms = 1


class Late(Sound):
    late_ms = 2


class Untold(Sound):
    """Its thread does not learn of an earlier deadline."""

    def tell(self):
        if len(self.heap) == 1:
            self.changed.notify()


class Twice(Sound):
    def expire(self, number):
        action = self.waiting.get(number)
        super().expire(number)
        if action is not None and self.waiting:
            action()


class Forgetful(Sound):
    """Of two deadlines that are one, it serves one."""

    def expire(self, number):
        due, _ = self.heap[0]
        super().expire(number)
        while self.heap and self.heap[0][0] == due:
            self.waiting.pop(heapq.heappop(self.heap)[1], None)


class Deaf(Sound):
    def cancel(self, number):
        """Nothing is cancelled."""


class Counting(Sound):
    """Its size has what was cancelled until it would be due."""

    def size(self):
        with self.changed:
            return len(self.heap)


class Refusing(Sound):
    def cancel(self, number):
        del self.waiting[number]


class Outside(Sound):
    """An action is chosen under the lock, and runs outside of it."""

    def live(self):
        while True:
            with self.changed:
                if not self.heap:
                    self.changed.wait()
                    continue
                due, number = self.heap[0]
                left = due - time.monotonic()
                if left > 0.0000001:
                    self.changed.wait(left)
                    continue
                heapq.heappop(self.heap)
                action = self.waiting.pop(number, None)
            if action is not None:
                action()


class Peeking(Outside):
    """The first one runs, and what is then the first one is taken out."""

    def live(self):
        while True:
            time.sleep(0.001)
            with self.changed:
                first = self.heap[0] if self.heap else None
            if first is None or first[0] > time.monotonic():
                continue
            with self.changed:
                action = self.waiting.get(first[1])
            if action is not None:
                action()
            with self.changed:
                if self.heap:
                    self.waiting.pop(heapq.heappop(self.heap)[1], None)

    def cancel(self, number):
        with self.changed:
            self.heap[:] = [pair for pair in self.heap if pair[1] != number]
            heapq.heapify(self.heap)
            self.waiting.pop(number, None)


class Unheard:
    """A timer that never runs anything."""

    def add(self, delay_ms, action):
        return None

    def cancel(self, handle):
        """Nothing is cancelled."""
