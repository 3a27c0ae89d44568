"""A poll of a scenario that gives nothing says that nothing can come, however short it waits."""

import pytest

from harness.progress import Progress, Queue
from impl import delay_queue
from impl.runtime import Atomic


class Due:
    """An element that is due."""

    def get_delay(self):
        return 0

    def compare_to(self, other):
        return 0


@pytest.fixture
def queue():
    made = Queue()
    made.progress, made.task_counter = Progress(1), Atomic(0)
    return made


def too_early(queue, method, nothing):
    """The method, whose first wait ends by its time: the last add offers just after it."""
    element, waits = Due(), []

    def ends(self, timeout_ms):
        waits.append(timeout_ms)
        if len(waits) > 1:
            return method(self, timeout_ms)
        queue.offer(element)
        queue.progress.left = 0
        return nothing

    return element, ends


def test_what_is_offered_as_a_wait_ends_is_polled(queue, monkeypatch):
    element, ends = too_early(queue, delay_queue.DelayQueue.poll, None)
    monkeypatch.setattr(delay_queue.DelayQueue, "poll", ends)
    assert queue.over() is False
    assert queue.poll(1) is element


def test_what_is_offered_as_a_wait_ends_is_due(queue, monkeypatch):
    _, ends = too_early(queue, Queue._due, False)
    monkeypatch.setattr(Queue, "_due", ends)
    assert queue.due(1)


def test_nothing_is_polled_once_nothing_can_come(queue):
    queue.progress.left = 0
    assert queue.poll(1) is None and not queue.due(1)


def test_an_element_is_seen_as_due_and_stays(queue):
    queue.offer(element := Due())
    assert queue.due(1)
    assert queue.poll(1) is element
