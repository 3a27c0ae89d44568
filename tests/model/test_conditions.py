"""What models say of a condition's tickets, where no scenario has the case."""

from model.conditions import taken

A, B = frozenset({"a", "b"}), frozenset({"b", "c"})


def test_who_wakes_takes_the_oldest_ticket_that_is_for_it():
    assert taken((B, A, A), "a") == (B, frozenset({"b"}))
    assert taken((B, A), "c") == (A,)


def test_who_wakes_by_itself_takes_none():
    """However short its name, and however many tickets there are."""
    assert taken((B, B, B), "a") == (B, B, B)
    assert taken((), "a") == ()
