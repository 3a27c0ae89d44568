"""Classes of plain threads for tests of drafts. Each is the text of a module."""

from pathlib import Path

BUFFER = '''
import threading
from collections import deque


class BoundedBuffer:
    """First in, first out."""

    def __init__(self, capacity):
        self.capacity = capacity
        self._items = deque()
        self._changed = threading.Condition()

    def put(self, item):
        with self._changed:
            while len(self._items) == self.capacity:
                self._changed.wait()
            self._items.append(item)
            self._changed.notify_all()

    def get(self):
        with self._changed:
            self._changed.wait_for(lambda: self._items)
            item = self._items.popleft()
            self._changed.notify_all()
            return item
'''

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "pool"
POOL = (EXAMPLE / "pool.py").read_text(encoding="utf-8")

SHELF = '''
import threading
from collections import OrderedDict


class Shelf:
    """Everything that a draft knows, in operations that wait for nothing."""

    LIMIT = 2

    def __init__(self, size, start=0):
        self.size = size
        self.start = start
        self._lock = threading.RLock()
        self._books = OrderedDict()
        self._names = set()
        self._order = []
        self._count = 0
        self._open = True
        self._last = None
        self.flag = False

    def place(self, key, book):
        self._lock.acquire()
        try:
            if not self._open:
                raise RuntimeError("closed")
            if key in self._books:
                self._books.move_to_end(key)
            self._books[key] = book
            self._names.add(key)
            self._order.append(key)
            self._trim()
            self._count += 1
        finally:
            self._lock.release()

    def _trim(self):
        with self._lock:
            while len(self._books) > self.size:
                self._books.popitem(last=False)

    def take(self, key, default=None):
        with self._lock:
            book = self._find(key)
            if book is None:
                return default
            del self._books[key]
            self._names.discard(key)
            self._order.remove(key)
            self._last = key
            return book

    def _find(self, key):
        if not self._open:
            return None
        if key in self._books and self.size > 0:
            return self._books.get(key)
        return None

    def newest(self):
        with self._lock:
            if self._order and self._open:
                return self._order[-1]
            return "none" if self._count == 0 else "gone"

    def keys(self):
        with self._lock:
            return list(self._books)

    def raise_flag(self):
        self.flag = True

    def is_raised(self):
        return self.flag

    def both(self):
        ready = self.flag or self._open
        for turn in range(2):
            if ready:
                continue_here = turn + 1
                with self._lock:
                    self._count = self._count + continue_here
        return self.is_raised()

    def first_of(self, one, other):
        for place in range(2):
            with self._lock:
                if one in self._books:
                    return one
                if place == 1:
                    break
        return other

    def default_of(self, key, other):
        if key == 3:
            key = other
        elif self.flag:
            other = key
        with self._lock:
            self._count += 1
        return key if key == 1 else other

    def close(self):
        with self._lock:
            self._open = False
            self._books.clear()
            self._order = []
            self._names.clear()
'''

CALLER = '''
import threading


class Caller:
    """A class with a statement that no draft knows."""

    def __init__(self, callback):
        self._callback = callback
        self._lock = threading.Lock()
        self._count = 0

    def add(self):
        with self._lock:
            self._count += 1
            self._callback()
'''
