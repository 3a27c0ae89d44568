"""`queue.SimpleQueue`: a method of it is one step, and loses no order."""

import queue
import threading
import time

import pytest

from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import HANDING, Writer, drawn
from tests.wheelproof.plain.started import run
from wheelproof.plain import columns
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.exploration import Explorer, explore_program
from wheelproof.plain.simple_queue import EMPTY, SimpleQueue

FILLED = queue.SimpleQueue()
FILLED.put("first")


def answers_as_in_c():
    handed = queue.SimpleQueue()
    handed.put(1)
    handed.put(2, block=False, timeout=-1)
    handed.put_nowait(None)
    assert (handed.qsize(), handed.empty()) == (3, False)
    assert [handed.get(), handed.get(timeout=0), handed.get_nowait()] == [1, 2, None]
    assert handed.empty()
    for arguments, error in (((False,), queue.Empty), ((True, 5), queue.Empty),
                             ((False, -1), queue.Empty), ((True, -1), ValueError)):  # fmt: skip
        with pytest.raises(error):
            handed.get(*arguments)
    queue.SimpleQueue[int]().put(1)
    run(lambda: handed.put(1), lambda: handed.put(2))
    assert {handed.get(), handed.get()} == {1, 2}


def begins_with_what_its_module_has_put():
    run(lambda: FILLED.put("second"), lambda: FILLED.put("second"))
    assert [FILLED.get() for _ in range(3)] == ["first", "second", "second"]


def hands_objects_over():
    """What is written before the put is seen after the get."""
    handed, first, second = queue.SimpleQueue(), {}, {}

    def make():
        first["x"] = 1
        handed.put(first)
        handed.put(second)

    def take():
        assert handed.get()["x"] == 1
        handed.get()["y"] = 2

    run(make, take)


def pool_of_threads():
    """As that of `concurrent.futures`, which ends its workers through their queue."""
    work, done = queue.SimpleQueue(), []

    def worker():
        while (item := work.get()) is not None:
            done.append(item)
        work.put(None)

    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    work.put(1)
    work.put(None)
    for thread in threads:
        thread.join()
    assert done == [1]


SOUND = [
    answers_as_in_c, begins_with_what_its_module_has_put, hands_objects_over, pool_of_threads,
]  # fmt: skip


@pytest.mark.daily(4)
@pytest.mark.parametrize("program", SOUND, ids=lambda program: program.__name__)
def test_a_sound_program_is_exhausted(program):
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)


def test_the_real_one_answers_alike():
    answers_as_in_c()


def takes_too_early():
    handed, written = queue.SimpleQueue(), {}
    handed.put(1)

    def write():
        written["x"] = 1
        handed.put(2)

    def read():
        handed.get()
        assert written["x"]

    run(write, read)


def takes_another_s_item():
    """Who gives back what it took waits for ever if the other one comes between."""
    handed = queue.SimpleQueue()
    handed.put(1)

    def borrow():
        handed.put(handed.get())

    run(borrow, handed.get, borrow)


def tests_before_it_takes():
    handed = queue.SimpleQueue()
    handed.put(1)

    def take():
        if not handed.empty():
            handed.get_nowait()

    run(take, take)


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (takes_too_early, FailureKind.EXCEPTION),
        (takes_another_s_item, FailureKind.LOST_WAKE_UP),
        (tests_before_it_takes, FailureKind.EXCEPTION),
    ],
)
def test_a_race_at_a_queue_is_a_bug(program, kind):
    failure = explore_program(program).failure
    assert failure.kind is kind and failure.minimal


def test_the_steps_name_what_is_done_with_the_queue():
    text = columns.text(explore_program(takes_too_early))
    assert "takes an item from" in text and "handed" in text
    assert "holds" not in text


def puts_while_it_polls():
    handed, stop = queue.SimpleQueue(), threading.Event()

    def fill():
        while not stop.is_set():
            handed.put(1)
            time.sleep(1)

    threading.Thread(target=fill, daemon=True).start()
    while handed.qsize() < 3:
        time.sleep(1)


def test_a_loop_that_fills_a_queue_does_not_repeat_itself():
    explorer = Explorer(puts_while_it_polls, bound=0, executions=200)
    explorer.execution.most_points = 300
    found = explorer.explore()
    assert found.answer is not Answer.BUG


@pytest.mark.nightly
def test_drawn_programs_have_the_outcomes_and_classes_of_the_references():
    differences = []
    for seed in range(60):
        if seed % 20 == 0:
            explorer = oracle.Drawn()
        comparison = oracle.compared(explorer, drawn(seed, HANDING), naive=100)
        if comparison.difference:
            differences.append((seed, comparison.difference))
    assert differences == []


def _puts_are_not_exchanged_with_gets(monkeypatch):
    put = SimpleQueue.put

    def alone(self, item, block=True, timeout=None):
        self._renew()
        before = self.last_acquire
        put(self, item)
        self.last_acquire = before

    monkeypatch.setattr(SimpleQueue, "put", alone)


def _items_outlive_a_run(monkeypatch):
    renew = SimpleQueue._renew

    def outlived(self):
        items, again = self._items, self.run != self.execution.number
        renew(self)
        if again and items:
            self._items, self.owner = items, None

    monkeypatch.setattr(SimpleQueue, "_renew", outlived)


def _emptied_queues_can_be_taken_from(monkeypatch):
    get = SimpleQueue.get

    def careless(self, block=True, timeout=None):
        item = get(self, block, timeout)
        if self.owner is EMPTY:
            self._items.append(None)
            self.owner = None
        return item

    monkeypatch.setattr(SimpleQueue, "get", careless)


@pytest.mark.parametrize(
    "plant",
    [
        _puts_are_not_exchanged_with_gets,
        _items_outlive_a_run,
        _emptied_queues_can_be_taken_from,
    ],
)
def test_the_oracle_finds_a_fault_of_the_queue(plant, monkeypatch):
    plant(monkeypatch)
    explorer, differences = oracle.Drawn(), []
    for seed in range(20):
        program = drawn(seed, (Writer.simple_queue,))
        differences.append(oracle.compared(explorer, program, naive=300, most=1_000).difference)
        if differences[-1]:
            return
    raise AssertionError(differences)
