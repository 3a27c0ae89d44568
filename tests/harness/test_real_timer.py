"""The real timer's task and executor in the purgatory's harness."""

from types import SimpleNamespace

import pytest

from harness.real_timer import Due, Hand
from impl.delay_queue import DelayQueue


def test_a_hand_has_the_tasks_of_the_entries_that_it_was_given_and_no_others():
    hand, given, other = Hand(), object(), object()
    assert not hand.has(given)
    hand.submit(SimpleNamespace(timer_task=given))
    assert hand.has(given) and not hand.has(other)


@pytest.mark.parametrize("entering", [True, False])
@pytest.mark.parametrize("bucket", [None, object()])
def test_a_task_is_over_if_it_is_in_no_list_and_will_be_in_none(entering, bucket):
    task = Due(1, DelayQueue())
    task.entering = entering
    assert task.over() is not entering
    task.timer_task_entry = SimpleNamespace(list=bucket)
    assert task.over() is (not entering and bucket is None)
