"""The timer's model by itself: the heap and the wheel's arithmetic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.heap import offered, polled
from tests.model.system_timer import MECHANISM


@given(st.lists(st.integers(0, 9), max_size=12))
def test_the_heap_gives_its_buckets_in_the_order_of_their_keys(keys):
    key, heap = dict(enumerate(keys)), ()
    for bucket in key:
        heap = offered(heap, bucket, key)
    out = []
    while heap:
        out.append(key[heap[0]])
        heap = polled(heap, key)
    assert out == sorted(keys)


def test_a_key_that_is_raised_in_the_heap_hides_others():
    key = {1: 3, 2: 4}
    heap = offered(offered((), 1, key), 2, key)
    key[1] = 7
    assert key[heap[0]] == 7, "the bucket of 4 is not the first"


@pytest.mark.parametrize("level, time, trimmed", [(1, 5, 5), (2, 5, 3), (2, 6, 6)])
def test_a_time_is_rounded_down_to_the_tick_of_a_level(level, time, trimmed):
    assert MECHANISM.model("stalled_adder").trim(time, level) == trimmed


def test_entries_of_one_slot_of_two_turns_meet_in_one_bucket():
    model = MECHANISM.model("stalled_adder")
    assert model.slot("far", 1) == model.slot("near", 1) == 3
    assert model.slot("far", 2) != model.slot("near", 2)


def test_an_unknown_timer_is_refused():
    with pytest.raises(KeyError, match="Timer"):
        MECHANISM.model_module.Model(MECHANISM.scenarios["stalled_adder"] | {"timer": "Timer"})
