"""Loops whose state no variable of a frame shows: each ends after some steps."""

import array
import collections
import contextvars
import csv
import ctypes
import decimal
import functools
import io
import itertools
import queue
import re
import struct
import threading


class Constants:
    def __iter__(self):
        return itertools.repeat(None, 3)


class Slow:
    """Compares by code in Python, which code in C calls again and again."""

    __hash__ = None

    def __init__(self, pause):
        self.pause = pause

    def __eq__(self, other):
        self.pause()
        return False

    __lt__ = __eq__


def constants(pause):
    for _ in itertools.repeat(None, 3):
        pause()


def callback(pause):
    [pause() for _ in [None] * 3]


def equal_items(pause):
    for _ in [None] * 3:
        pause()


def explicit_steps(pause):
    it = itertools.repeat(None, 3)
    while True:
        try:
            next(it)
        except StopIteration:
            break
        pause()


def steps_with_a_default(pause):
    it = iter([1, 1, 1])
    while next(it, None) is not None:
        pause()


def numbers(pause):
    c = itertools.count()
    while next(c) < 3:
        pause()


def generator(pause):
    def g():
        for _i in range(3):
            yield 1

    for _ in g():
        pause()


def variable_of_a_closure(pause):
    n = 0

    def step():
        nonlocal n
        n += 1
        return n < 4

    while step():
        pause()


def attribute(pause):
    class C:
        pass

    c = C()
    c.n = 0
    while c.n < 3:
        c.n += 1
        pause()


def rotation(pause):
    d = collections.deque([1, 1, 0])
    while d[0]:
        d.rotate(-1)
        pause()


def bytes_that_are_taken(pause):
    b = bytearray(b"aaa")
    while b:
        b.pop()
        pause()


def numbers_that_are_taken(pause):
    a = array.array("i", [1, 1, 1])
    while a:
        a.pop()
        pause()


def file_in_memory(pause):
    s_ = io.StringIO("aaa")
    while s_.read(1):
        pause()


def bytes_in_memory(pause):
    s_ = io.BytesIO(b"aaa")
    while s_.read(1):
        pause()


def reduction(pause):
    functools.reduce(lambda *_: pause(), [0] * 4, None)


def recursion(pause):
    def r(n):
        pause()
        if n:
            r(n - 1)

    r(3)


def field_of_the_thread(pause):
    l = threading.local()
    l.n = 0
    while l.n < 3:
        l.n += 1
        pause()


def context(pause):
    v = contextvars.ContextVar("v", default=0)
    while v.get() < 3:
        v.set(v.get() + 1)
        pause()


def loop_in_a_loop(pause):
    for _ in itertools.repeat(None, 3):
        k = True
        while k:
            pause()
            k = False


def callable_until_a_value(pause):
    d = [1, 1, 1]
    for _ in iter(lambda: d.pop() if d else None, None):
        pause()


def view(pause):
    d = {1: 1, 2: 1, 3: 1}
    for _ in d.values():
        pause()


def elements(pause):
    d = {1, 2, 3}
    while d:
        d.pop()
        pause()


def queue_in_c(pause):
    k = queue.SimpleQueue()
    [k.put(1) for _ in range(3)]
    while not k.empty():
        k.get()
        pause()


def semaphore(pause):
    k = threading.Semaphore(3)
    while k.acquire(False):
        pause()


def view_of_bytes(pause):
    b = bytearray(3)
    m = memoryview(b)
    while m[2] < 3:
        m[2] += 1
        pause()


def order_of_keys(pause):
    d = collections.OrderedDict.fromkeys("abc")
    while next(iter(d)) != "c":
        d.move_to_end(next(iter(d)))
        pause()


def shared_iterator(pause):
    a, _b = itertools.tee([1, 1, 1])
    for _ in a:
        pause()


def scanner(pause):
    sc = re.compile("a").scanner("aaa")
    while sc.match():
        pause()


def records(pause):
    it = struct.iter_unpack("b", b"aaa")
    while next(it, None):
        pause()


def rows(pause):
    rd = csv.reader(["a", "a", "a"])
    while next(rd, None):
        pause()


def generator_that_is_sent_to(pause):
    def g():
        yield 1
        yield 1
        yield 0

    h = g()
    while h.send(None):
        pause()


def number_in_c(pause):
    n = ctypes.c_int(0)
    while n.value < 3:
        n.value += 1
        pause()


def precision(pause):
    c = decimal.Context(prec=1)
    while c.prec < 3:
        c.prec += 1
        pause()


def keys(pause):
    it = iter({1: 1, 2: 1, 3: 1})
    while next(it, None):
        pause()


def backwards(pause):
    it = reversed([1, 1, 1])
    while next(it, None):
        pause()


def groups(pause):
    for _, _g in itertools.groupby("abc"):
        _ = None
        pause()


def iterator_of_a_class(pause):
    for _ in Constants():
        pause()


def slice(pause):
    steps = itertools.repeat(None, 3)
    while list(itertools.islice(steps, 1)):
        pause()


def membership(pause):
    steps = iter([1, 1, 1])
    while 1 in steps:
        pause()


def delegation(pause):
    def generate():
        yield from itertools.repeat(None, 3)

    steps = generate()
    while next(steps, 1) is None:
        pause()


def keys_of_a_sort(pause):
    sorted([1, 2, 3], key=lambda _: pause() or 0)


def comparisons_of_a_sort(pause):
    assert sorted([Slow(pause) for _ in range(3)])


def comparisons_of_a_list(pause):
    assert 1 not in [Slow(pause)] * 3


def replacements(pause):
    re.sub("a", lambda _: pause() or "", "aaa")


def attribute_that_is_computed(pause):
    class Rest:
        steps = iter([1, 1, 0])

        @property
        def more(self):
            pause()
            return next(self.steps)

    rest = Rest()
    while rest.more:
        pass


LOOPS = [
    constants,
    callback,
    equal_items,
    explicit_steps,
    steps_with_a_default,
    numbers,
    generator,
    variable_of_a_closure,
    attribute,
    rotation,
    bytes_that_are_taken,
    numbers_that_are_taken,
    file_in_memory,
    bytes_in_memory,
    reduction,
    recursion,
    field_of_the_thread,
    context,
    loop_in_a_loop,
    callable_until_a_value,
    view,
    elements,
    queue_in_c,
    semaphore,
    view_of_bytes,
    order_of_keys,
    shared_iterator,
    scanner,
    records,
    rows,
    generator_that_is_sent_to,
    number_in_c,
    precision,
    keys,
    backwards,
    groups,
    iterator_of_a_class,
    slice,
    membership,
    delegation,
    keys_of_a_sort,
    comparisons_of_a_sort,
    comparisons_of_a_list,
    replacements,
    attribute_that_is_computed,
]
