"""Classes with a known verdict: sound ones, faulty ones, and examples of the literature."""

import collections
import queue
import threading

from hypothesis import strategies as st

from tests.wheelproof.plain import faulty
from wheelproof.linearizability.reference import Waits

FEW = st.integers(1, 2)
ONE = st.just(1)


class Semaphore:
    def __init__(self):
        self.inner = threading.BoundedSemaphore(2)

    def acquire(self):
        return self.inner.acquire()

    def try_acquire(self):
        return self.inner.acquire(False)

    def release(self):
        self.inner.release()


# -- of the literature


class ArrayQueue:
    """M. Herlihy, J. Wing, 1990, section 4.2: its operations have no fixed points."""

    def __init__(self):
        self.back, self.items, self.lock = 0, [None] * 8, threading.Lock()

    def enqueue(self, item: int):
        with self.lock:
            at = self.back
            self.back += 1
        with self.lock:
            self.items[at] = item

    def dequeue(self):
        with self.lock:
            back = self.back
        for at in range(back):
            with self.lock:
                item, self.items[at] = self.items[at], None
            if item is not None:
                return item
        raise queue.Empty


class BlockingArrayQueue(ArrayQueue):
    """As it is in the article: a dequeue goes round until there is something."""

    def __init__(self):
        super().__init__()
        self.changed = threading.Condition(self.lock)

    def enqueue(self, item: int):
        super().enqueue(item)
        with self.lock:
            self.changed.notify_all()

    def dequeue(self):
        while True:
            with self.lock:
                back = self.back
                for at in range(back):
                    item, self.items[at] = self.items[at], None
                    if item is not None:
                        return item
                self.changed.wait()


class TreiberStack:
    """R. K. Treiber, 1986, with nodes that are used again: the ABA problem."""

    def __init__(self):
        self.stack = faulty.Stack()
        for number in (3, 2, 1):
            self.stack.push(faulty.Node(number))

    def pop(self):
        node = self.stack.pop()
        return node and node.number

    def drop_second(self):
        """Pops two nodes, and pushes the first one again."""
        first, second = self.stack.pop(), self.stack.pop()
        if first is not None:
            self.stack.push(first)
        return second and second.number


class SoundTreiberStack:
    """A node for each push."""

    def __init__(self):
        self.stack = faulty.Stack()

    def push(self, number: int):
        self.stack.push(faulty.Node(number))

    def pop(self):
        node = self.stack.pop()
        return node and node.number


class Link:
    def __init__(self, key, following):
        self.key, self.next, self.marked = key, following, False
        self.lock = threading.Lock()


class LazyList:
    """S. Heller and others: A Lazy Concurrent List-Based Set Algorithm, 2005.

    ``contains`` takes no lock.
    """

    MARKS = True

    def __init__(self):
        self.head = Link(-1, Link(9, None))

    def _find(self, key):
        before = self.head
        link = before.next
        while link.key < key:
            before, link = link, link.next
        return before, link

    def _valid(self, before, link):
        return not before.marked and not link.marked and before.next is link

    def add(self, key: int):
        while True:
            before, link = self._find(key)
            with before.lock, link.lock:
                if self._valid(before, link):
                    if link.key == key:
                        return False
                    before.next = Link(key, link)
                    return True

    def remove(self, key: int):
        while True:
            before, link = self._find(key)
            with before.lock, link.lock:
                if self._valid(before, link):
                    if link.key != key:
                        return False
                    link.marked = self.MARKS
                    before.next = link.next
                    return True

    def contains(self, key: int):
        link = self.head
        while link.key < key:
            link = link.next
        return link.key == key and not link.marked


class UnmarkedList(LazyList):
    """A removed link is not marked: an add behind it is lost."""

    MARKS = False


class Cache:
    """An LRU cache of one key. A hit is looked up without the lock: double-checked, and wrong."""

    def __init__(self):
        self.entries, self.lock = collections.OrderedDict(), threading.Lock()

    def get(self, key: int):
        if key in self.entries:
            self.entries.move_to_end(key)
            return self.entries[key]
        with self.lock:
            if key not in self.entries:
                if self.entries:
                    self.entries.popitem(last=False)
                self.entries[key] = key
            return self.entries[key]


class Register:
    """A write is seen by its own thread at once, and by other threads never."""

    def __init__(self):
        self.own = threading.local()

    def write(self, value: int):
        self.own.value = value

    def read(self):
        return getattr(self.own, "value", 0)


class Fifo:
    """What a queue does, one operation after the other."""

    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)

    def get(self):
        if not self.items:
            raise Waits
        return self.items.pop(0)


def endless_queue():
    return queue.Queue()


def queue_of_two():
    return queue.Queue(2)


def barrier():
    return threading.Barrier(2)


def items(subject):
    return list(subject.queue)


def value(semaphore):
    return semaphore.inner._value


def count(counter):
    return counter.count


QUEUE = {"put": FEW, "get": (), "put_nowait": FEW, "get_nowait": (), "qsize": (), "full": ()}

SOUND = {
    "Queue": (queue_of_two, {"operations": QUEUE, "observe": items}),
    "Queue by reference": (
        endless_queue, {"operations": {"put": FEW, "get": ()}, "reference": Fifo},
    ),
    "Semaphore": (Semaphore, {"observe": value}),
    "Event": (threading.Event, {"operations": ["set", "clear", "wait", "is_set"]}),
    "Barrier": (barrier, {"operations": ["wait"]}),
    "deque": (collections.deque, {"operations": {"append": FEW, "pop": (), "popleft": ()}}),
    "Herlihy and Wing's queue": (BlockingArrayQueue, {"threads": 2, "prefix": 1}),
    "a Treiber stack": (SoundTreiberStack, {}),
    "a lazy list": (LazyList, {"prefix": 1}),
}  # fmt: skip
"""Name -> how it is made, and options: no order of any program fails."""

FAULTY = {
    "lost update": (
        faulty.Counter,
        {"operations": ["increment"], "observe": count},
        "wrong results", 2,
    ),
    "flag before the value": (faulty.Checked, {}, "wrong results", 2),
    "flag outside the lock": (faulty.Gate, {}, "lost wake-up", 2),
    "one waiter is notified": (
        faulty.Buffer, {"operations": {"put": ONE, "get": ()}}, "lost wake-up", 5,
    ),
    "two orders of locks": (
        faulty.Bank,
        {"operations": {"transfer": (st.integers(0, 1), st.integers(0, 1))}},
        "deadlock", 2,
    ),
    "ABA": (TreiberStack, {}, "wrong results", 2),
    "tokens": (faulty.Bucket, {"operations": {"consume": FEW}}, "wrong results", 3),
    "size of a pool": (faulty.Pool, {}, "wrong results", 2),
    "closed twice": (faulty.Closing, {}, "wrong results", 2),
    "lost hit": (faulty.Storage, {"operations": {"hit": st.just("a")}}, "wrong results", 2),
    "sum without count": (
        faulty.Histogram, {"operations": {"observe": ONE, "collect": ()}}, "wrong results", 2,
    ),
    "an empty queue that is none": (ArrayQueue, {}, "wrong results", 4),
    "an unmarked link": (UnmarkedList, {"prefix": 1}, "wrong results", 4),
    "a double-checked cache": (Cache, {"prefix": 1}, "wrong results", 3),
}  # fmt: skip
"""Name -> how it is made, options, the kind of failure, and the most calls of its program."""
