"""Programs that a checker of threads gets wrong easily. Each is a function without arguments."""

import atexit
import contextvars
import os
import random
import sys
import threading
import time
import weakref

from tests.wheelproof.plain.started import run

REGISTRY = {}
LOCK = threading.Lock()
CALLS = []


class Registered:
    made = 0
    lock = threading.RLock()

    def __init__(self):
        with self.lock:
            Registered.made += 1
            REGISTRY[self.made] = self


def state_of_modules_and_classes_begins_anew(calls=[]):  # noqa: B006 - a default is state, too
    assert not REGISTRY and not CALLS and not calls and Registered.made == 0
    CALLS.append(1)
    calls.append(1)

    def use():
        with LOCK:
            Registered()

    run(use, use)
    assert sorted(REGISTRY) == [1, 2]


class Plain:
    def __init__(self):
        self.x = 0


def dictionary_of_an_object():
    plain = Plain()

    def add():
        plain.x += 1

    def add_otherwise():
        plain.__dict__["x"] = plain.__dict__["x"] + 1

    run(add, add_otherwise)
    assert plain.x == 2


class Disguised(Plain):
    @property
    def __class__(self):
        raise RuntimeError("its class is read")


def class_that_hides_itself():
    disguised = Disguised()

    def add():
        disguised.x += 1

    run(add, add)
    assert disguised.x == 2


def reflection():
    plain = Plain()

    def add(get=getattr, put=object.__setattr__):
        put(plain, "x", get(plain, "x") + 1)

    run(add, add)
    assert plain.x == 2


def container_methods_kept_in_variables():
    items = []

    def add(append=list.append, bound=items.__len__):
        count = bound()
        append(items, count)

    run(add, add)
    assert items == [0, 1]


class Link:
    def __init__(self):
        self.next = self


def loop_without_an_end():
    link = Link()
    thread = threading.Thread(target=setattr, args=(link, "next", link))
    thread.start()
    thread.join()
    while link is not None:
        link = link.next


def polling_of_a_flag():
    plain = Plain()

    def wait():
        while not plain.x:
            time.sleep(0.01)

    run(wait, lambda: setattr(plain, "x", 1))


def spinning_of_a_worker():
    stop, seen = threading.Event(), []

    def work():
        while not stop.wait(timeout=0.1):
            len(seen)

    worker = threading.Thread(target=work)
    worker.start()
    stop.set()
    worker.join()


WAITED = threading.Condition()
with WAITED:
    WAITED.wait(timeout=1)  # set-up outside a run: time must move


def worker_with_work():
    stop, done = threading.Event(), []

    def work():
        while not stop.wait(timeout=0.1):
            done.append(1)

    worker = threading.Thread(target=work)
    worker.start()
    stop.set()
    worker.join()


def set_up_waits():
    def use():
        with WAITED:
            pass

    run(use, use)


HERE = sys.modules[__name__]
assert sys._getframe().f_globals["__name__"] == __name__


def module_finds_itself():
    assert HERE.LOCK is LOCK
    run(LOCK.acquire, LOCK.release) if LOCK.acquire() else None


class Resource:
    closed = []

    def __del__(self):
        self.closed.append(1)


def finalizer_runs_at_once():
    resource = Resource()
    gone = []
    reference = weakref.ref(resource, gone.append)

    def drop():
        nonlocal resource
        resource = None

    run(drop)
    assert Resource.closed == [1] and reference() is None and len(gone) == 1


def generator_of_two_threads():
    lock, got = threading.Lock(), []

    def count():
        yield 1
        yield 2

    numbers = count()

    def take():
        with lock:
            got.append(next(numbers))

    run(take, take)
    assert sorted(got) == [1, 2]


def context_of_each_thread():
    variable = contextvars.ContextVar("variable", default=0)
    seen = []

    def use():
        variable.set(variable.get() + 1)
        seen.append(variable.get())

    run(use, use)
    assert seen == [1, 1]


def drawn_numbers_repeat():
    number, plain = random.random(), Plain()

    def add():
        if number < 2:
            plain.x = plain.x + 1

    run(add, add)


def chance_decides():
    chance, plain = os.urandom(8), Plain()

    def add():
        if chance[0] % 2:
            plain.x += 1
        if chance[1] % 2:
            plain.x += 1

    run(add, add, add)


def registered_for_the_end():
    atexit.register(os._exit, 9)
    run(lambda: CALLS.append(1), lambda: CALLS.append(2))


class Text:
    def __init__(self):
        super().__init__()
        self.parts = {"x": 1}

    def read(self):
        match self:
            case Text(parts={"x": x}):
                return f"{x!r} {self.parts!r:>10}"
        return ""

    def write(self):
        self.parts = {"x": 2}
        self.parts["x"] += (y := 1) + y


def patterns_and_formats():
    text, seen = Text(), []
    run(lambda: seen.append(text.read()), text.write)
    assert seen[0]


class Even:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        Even.compared += 1
        return self.number == other.number

    __hash__ = None
    compared = 0


def comparison_in_the_middle_of_a_call():
    items = [Even(1), Even(2)]
    run(lambda: items.remove(Even(2)), lambda: items.index(Even(1)))
    assert Even.compared == 3


def exits_by_itself():
    def leave():
        raise SystemExit

    run(leave, lambda: CALLS.append(1), lambda: CALLS.append(2))


def two_threads_with_a_name():
    names = []
    threads = [threading.Thread(target=lambda: names.append(1), name="one") for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == [1, 1]


def default_is_made_by_two():
    from collections import defaultdict

    made = []

    def make():
        made.append(1)
        return []

    table = defaultdict(make)
    run(lambda: table["a"].append(1), lambda: table["a"].append(2))
    assert len(table["a"]) == 2


def shuffled_under_a_lock():
    items = [1, 2, 3]

    def shuffle():
        with LOCK:
            random.shuffle(items)

    def add():
        with LOCK:
            items.append(4)

    run(shuffle, add)


EXHAUSTED = [
    state_of_modules_and_classes_begins_anew,
    polling_of_a_flag,
    spinning_of_a_worker,
    set_up_waits,
    module_finds_itself,
    finalizer_runs_at_once,
    generator_of_two_threads,
    context_of_each_thread,
    drawn_numbers_repeat,
    registered_for_the_end,
    patterns_and_formats,
    exits_by_itself,
    two_threads_with_a_name,
    shuffled_under_a_lock,
]
BUGS = [
    dictionary_of_an_object,
    class_that_hides_itself,
    reflection,
    container_methods_kept_in_variables,
    comparison_in_the_middle_of_a_call,
    default_is_made_by_two,
]


def loop_of_nothing():
    run(lambda: CALLS.append(1), lambda: CALLS.append(2))
    while True:
        pass


def long_count():
    run(lambda: CALLS.append(1), lambda: CALLS.append(2))
    count = 0
    while True:
        count += 1
