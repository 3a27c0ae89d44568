"""Programs with a fault that people make. Each is a function without arguments."""

import sys
import threading
import weakref

from tests.wheelproof.plain import faulty_data
from tests.wheelproof.plain.started import run


class Counter:
    def __init__(self):
        self.count = 0

    def increment(self):
        self.count += 1


def lost_update():
    counter = Counter()
    run(counter.increment, counter.increment)
    assert counter.count == 2


class Lazy:
    def __init__(self):
        self.value, self.made = None, 0

    def make(self):
        self.made += 1
        return object()

    def get(self):
        if self.value is None:
            self.value = self.make()
        return self.value


def lazy_value_made_twice():
    lazy = Lazy()
    run(lazy.get, lazy.get)
    assert lazy.made == 1


class Checked:
    def __init__(self):
        self.ready, self.value, self.lock = False, None, threading.Lock()

    def get(self):
        if not self.ready:
            with self.lock:
                if not self.ready:
                    self.ready = True
                    self.value = 42
        return self.value


def flag_set_before_the_value():
    checked, seen = Checked(), []
    run(lambda: seen.append(checked.get()), lambda: seen.append(checked.get()))
    assert seen == [42, 42]


class Gate:
    def __init__(self):
        self.condition, self.opened = threading.Condition(), False

    def wait(self):
        if not self.opened:
            with self.condition:
                self.condition.wait()

    def open(self):
        self.opened = True
        with self.condition:
            self.condition.notify_all()


def flag_tested_outside_the_lock():
    gate = Gate()
    run(gate.wait, gate.open)


class Buffer:
    def __init__(self):
        self.condition, self.items = threading.Condition(), []

    def put(self, item):
        with self.condition:
            while len(self.items) == 1:
                self.condition.wait()
            self.items.append(item)
            self.condition.notify()

    def get(self):
        with self.condition:
            while not self.items:
                self.condition.wait()
            item = self.items.pop()
            self.condition.notify()
            return item


def one_condition_for_two_kinds_of_waiters():
    buffer = Buffer()

    def put_twice():
        buffer.put(1)
        buffer.put(2)

    run(buffer.get, buffer.get, put_twice)


class Bank:
    def __init__(self):
        self.locks, self.money = [threading.Lock(), threading.Lock()], [5, 5]

    def transfer(self, source, target):
        with self.locks[source], self.locks[target]:
            self.money[source] -= 1
            self.money[target] += 1


def locks_in_two_orders():
    bank = Bank()
    run(lambda: bank.transfer(0, 1), lambda: bank.transfer(1, 0))


class Cell:
    def __init__(self):
        self.value, self.lock = None, threading.Lock()

    def swap(self, old, new):
        with self.lock:
            if self.value is old:
                self.value = new
                return True
            return False


class Node:
    def __init__(self, number):
        self.number, self.next = number, None


class Stack:
    def __init__(self):
        self.head = Cell()

    def push(self, node):
        while True:
            node.next = self.head.value
            if self.head.swap(node.next, node):
                return

    def pop(self):
        while True:
            node = self.head.value
            if node is None:
                return None
            following = node.next
            if self.head.swap(node, following):
                return node


def nodes_used_again():
    stack, popped = Stack(), []
    for number in (3, 2, 1):
        stack.push(Node(number))

    def swap_two():
        first, second = stack.pop(), stack.pop()
        popped.append(second)
        stack.push(first)

    run(lambda: popped.append(stack.pop()), swap_two)
    rest, node = [], stack.head.value
    while node is not None:
        rest.append(node.number)
        node = node.next
    assert sorted(rest + [node.number for node in popped]) == [1, 2, 3]


class Bucket:
    def __init__(self):
        self.tokens = {"a": 2}

    def replenish(self):
        self.tokens["a"] = min(2, self.tokens.get("a", 0) + 1)

    def consume(self, count):
        self.replenish()
        if self.tokens["a"] < count:
            return False
        self.tokens["a"] = self.tokens.get("a") - count
        return True


def bucket_gives_too_much():
    bucket, got = Bucket(), []
    run(lambda: got.append(bucket.consume(2)), lambda: got.append(bucket.consume(2)))
    assert got.count(True) == 1


class Pool:
    def __init__(self):
        self.created, self.available = 0, []

    def connect(self):
        if self.available:
            return self.available.pop()
        if self.created >= 1:
            raise LookupError
        self.created += 1
        return object()


def pool_exceeds_its_size():
    pool, got = Pool(), []

    def use():
        try:
            got.append(pool.connect())
        except LookupError:
            got.append(None)

    run(use, use)
    assert got.count(None) == 1


class Closing:
    def __init__(self):
        self.queue = [1]

    def close(self):
        if self.queue is None:
            return
        old, self.queue = self.queue, None
        old.clear()


def closed_twice_at_once():
    closing = Closing()
    run(closing.close, closing.close)


class Storage:
    def __init__(self):
        self.counts, self.expiring = {}, {}

    def get(self, key):
        if self.expiring.get(key, 0) <= 0:
            self.counts.pop(key, None)
            self.expiring.pop(key, None)
        return self.counts.get(key, 0)

    def hit(self, key):
        self.get(key)
        self.counts[key] = self.counts.get(key, 0) + 1
        self.expiring[key] = 1
        return self.counts.get(key, 0)


def storage_loses_a_hit():
    storage = Storage()
    run(lambda: storage.hit("a"), lambda: storage.hit("a"))
    assert storage.get("a") == 2


class Histogram:
    def __init__(self):
        self.lock, self.sum, self.count = threading.Lock(), 0, 0

    def observe(self, value):
        with self.lock:
            self.sum += value
        with self.lock:
            self.count += 1

    def collect(self):
        with self.lock:
            return self.sum, self.count


def sum_without_its_count():
    histogram, seen = Histogram(), []
    run(lambda: histogram.observe(1), lambda: seen.append(histogram.collect()))
    assert seen[0] in ((0, 0), (1, 1))


class Referent:
    pass


def weak_dictionary_changes_while_it_is_listed():
    kept = [Referent(), Referent()]
    weak = weakref.WeakValueDictionary({0: kept[0]})
    run(lambda: weak.__setitem__(1, kept[1]), lambda: list(weak.keys()))


CLASSES = {
    lost_update: ("assertion", True),
    lazy_value_made_twice: ("assertion", False),
    flag_set_before_the_value: ("assertion", True),
    flag_tested_outside_the_lock: ("lost wake-up", False),
    one_condition_for_two_kinds_of_waiters: ("lost wake-up", False),
    locks_in_two_orders: ("deadlock", False),
    nodes_used_again: ("assertion", False),
    bucket_gives_too_much: ("assertion", False),
    pool_exceeds_its_size: ("assertion", None),
    closed_twice_at_once: ("exception", True),
    storage_loses_a_hit: ("assertion", False),
    sum_without_its_count: ("assertion", False),
    weak_dictionary_changes_while_it_is_listed: ("exception", False),
    faulty_data.class_variable_counts_too_little: ("assertion", True),
    faulty_data.module_variable_counts_too_little: ("assertion", True),
    faulty_data.closure_counts_too_little: ("assertion", True),
    faulty_data.event_cleared_before_it_is_seen: ("lost wake-up", False),
    faulty_data.semaphore_released_too_late: ("deadlock", False),
    faulty_data.thread_polls_what_is_never_set: ("endless loop", False),
    faulty_data.dictionary_changes_while_it_is_iterated: ("exception", False),
    faulty_data.two_values_in_one_slot: ("assertion", None),
    faulty_data.reader_sees_half_of_a_pair: ("assertion", True),
    faulty_data.generator_runs_in_two_threads: ("exception", None),
    faulty_data.delegating_generator_runs_in_two_threads: ("exception", None),
    faulty_data.generator_runs_in_a_method_in_c: ("exception", False),
    faulty_data.generator_in_an_expression_runs_in_two_threads: ("exception", False),
    faulty_data.generator_is_searched_by_two_threads: ("exception", False),
    faulty_data.generator_closes_while_it_runs: ("exception", None),
    faulty_data.delegates_share_a_generator: ("exception", None),
    faulty_data.generator_is_sent_values_by_two_threads: ("exception", None),
    faulty_data.pattern_unpacks_a_list_that_grows: ("exception", True),
    faulty_data.pattern_takes_two_keys: ("assertion", True),
    faulty_data.cached_function_makes_two: ("assertion", False),
    faulty_data.count_stored_at_once: ("assertion", True),
    faulty_data.count_stored_behind_a_call: ("assertion", False),
    faulty_data.count_stored_behind_a_loop: ("assertion", False),
    faulty_data.state_stored_behind_the_lock: ("assertion", False),
    faulty_data.sets_made_for_one_key: ("assertion", True),
    faulty_data.sets_made_in_python_for_one_key: ("assertion", False),
}
"""Program -> the kind of its failure, and whether only a free-threaded build shows it."""

if sys.version_info < (3, 12):
    CLASSES[faulty_data.cached_properties_wait_for_each_other] = ("deadlock", False)
