"""The executor that keeps the real timer's entries for the purgatory's harness."""

from types import SimpleNamespace

from harness.real_timer import Hand


def test_a_hand_has_the_tasks_of_the_entries_that_it_was_given_and_no_others():
    hand, given, other = Hand(), object(), object()
    assert not hand.has(given)
    hand.submit(SimpleNamespace(timer_task=given))
    assert hand.has(given) and not hand.has(other)
