"""More programs with a fault that people make: variables, iteration, waits."""

import collections
import functools
import threading
import time

from tests.wheelproof.plain.started import run


class Counter:
    count = 0


class Account:
    opened = 0

    def __init__(self):
        Account.opened = Account.opened + 1


def class_variable_counts_too_little():
    run(Account, Account)
    assert Account.opened == 2


TOTAL = 0


def _add():
    global TOTAL
    TOTAL += 1


def module_variable_counts_too_little():
    run(_add, _add)
    assert TOTAL == 2


def closure_counts_too_little():
    total = 0

    def add():
        nonlocal total
        total += 1

    run(add, add)
    assert total == 2


def event_cleared_before_it_is_seen():
    event = threading.Event()

    def pulse():
        event.set()
        event.clear()

    run(event.wait, pulse)


def semaphore_released_too_late():
    semaphore, lock = threading.Semaphore(1), threading.Lock()

    def first():
        with semaphore, lock:
            pass

    def second():
        with lock, semaphore:
            pass

    run(first, second)


def thread_polls_what_is_never_set():
    counter = Counter()

    def wait():
        while counter.count != 1:
            time.sleep(0.01)

    def skip():
        counter.count = 2

    run(wait, skip)


def dictionary_changes_while_it_is_iterated():
    shared = {1: 1}

    def read():
        for key in shared:
            shared.get(key)

    run(read, lambda: shared.update({2: 2}))


class Properties:
    other = None

    @functools.cached_property
    def first(self):
        return 1 if self.other is None else self.other.second

    @functools.cached_property
    def second(self):
        return 2 if self.other is None else self.other.first


def cached_properties_wait_for_each_other():
    one, two, plain = Properties(), Properties(), Properties()
    one.other, two.other = plain, plain
    run(lambda: one.first, lambda: two.second)


class Resizing:
    def __init__(self):
        self.slots, self.used = [None], 0

    def add(self, value):
        if self.used == len(self.slots):
            self.slots.append(None)
        self.slots[self.used] = value
        self.used += 1


def two_values_in_one_slot():
    table = Resizing()
    run(lambda: table.add(1), lambda: table.add(2))
    assert sorted(filter(None, table.slots)) == [1, 2]


def reader_sees_half_of_a_pair():
    pair = {"left": 0, "right": 0}
    seen = []

    def write():
        pair["left"] = 1
        pair["right"] = 1

    run(write, lambda: seen.append((pair["left"], pair["right"])))
    assert seen[0][0] >= seen[0][1]


def generator_runs_in_two_threads():
    def count():
        yield 0
        yield 1

    numbers = count()
    run(lambda: list(numbers), lambda: list(numbers))


def delegating_generator_runs_in_two_threads():
    def inner():
        yield 1
        yield 2

    def outer():
        yield from inner()

    numbers = outer()

    def take():
        for _ in numbers:
            pass

    run(take, take)


def generator_runs_in_a_method_in_c():
    def count():
        yield 0
        yield 1

    numbers, values = count(), []
    run(lambda: values.extend(numbers), lambda: values.extend(numbers))


def generator_in_an_expression_runs_in_two_threads():
    squares = (number * number for number in range(2))
    run(lambda: sum(squares), lambda: "".join(map(str, squares)))


def generator_is_searched_by_two_threads():
    def count():
        yield 0
        yield 1

    numbers = count()
    run(lambda: 5 in numbers, lambda: 5 in numbers)


def pattern_unpacks_a_list_that_grows():
    values = [1]

    def match():
        match values:
            case [_] | [_, _]:
                pass

    run(match, lambda: values.append(2))


def pattern_takes_two_keys():
    values, pairs = {1: 0, 2: 0}, []

    def match():
        match values:
            case {1: one, 2: two}:
                pairs.append((one, two))

    run(match, lambda: values.update({1: 1, 2: 1}))
    assert pairs[0] in ((0, 0), (1, 1))


def generator_closes_while_it_runs():
    def count():
        yield 0
        yield 1

    numbers = count()
    next(numbers)
    run(lambda: numbers.close(), lambda: next(numbers, None))


def delegates_share_a_generator():
    def inner():
        yield 1
        yield 2

    def outer():
        yield from numbers

    numbers = inner()
    run(lambda: list(outer()), lambda: list(outer()))


def generator_is_sent_values_by_two_threads():
    def total():
        added = 0
        while True:
            added += yield added

    totals = total()
    next(totals)
    run(lambda: totals.send(1), lambda: totals.send(2))


def cached_function_makes_two():
    @functools.lru_cache
    def one(name):
        return object()

    made = []
    run(lambda: made.append(one("a")), lambda: made.append(one("a")))
    assert made[0] is made[1]


def target_in_c():
    values = []
    thread = threading.Thread(target=values.append, args=(1,))
    thread.start()
    count = len(values)
    thread.join()
    assert count == 0


STEP, STOPPED, RUNNING = 1, 0, 1


class Steps:
    """A count whose update reads a variable of the module right before it stores."""

    def __init__(self):
        self.count, self.step = 0, 1

    def at_once(self):
        self.count = self.count + STEP

    def behind_a_call(self):
        count = self.count
        noop()
        self.count = count + STEP

    def behind_a_loop(self):
        count = self.count
        for _ in "ab":
            pass
        self.count = count + self.step


def noop():
    pass


class Starter:
    def __init__(self):
        self.lock, self.state, self.pending = threading.Lock(), STOPPED, []

    def start(self):
        with self.lock:
            self.pending.clear()
        self.state = RUNNING

    def add(self):
        with self.lock:
            if self.state == STOPPED:
                self.pending.append(1)


def added_by(method):
    steps = Steps()
    run(*[getattr(steps, method)] * 2)
    assert steps.count == 2


def count_stored_at_once():
    added_by("at_once")


def count_stored_behind_a_call():
    added_by("behind_a_call")


def count_stored_behind_a_loop():
    added_by("behind_a_loop")


def state_stored_behind_the_lock():
    starter = Starter()
    run(starter.start, starter.add)
    assert not (starter.state == RUNNING and starter.pending)


def sets_made_for_one_key():
    """A set is made and stored in one call in C: no global lock divides it."""
    receivers = collections.defaultdict(set)
    run(lambda: receivers["any"].add(1), lambda: receivers["any"].add(2))
    assert receivers["any"] == {1, 2}


def sets_made_in_python_for_one_key():
    receivers = collections.defaultdict(lambda: set())
    run(lambda: receivers["any"].add(1), lambda: receivers["any"].add(2))
    assert receivers["any"] == {1, 2}
