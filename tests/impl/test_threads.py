"""The production runtime: time passes by sleeping, and no other deadline is reached for it."""

from __future__ import annotations

from impl import threads
from impl.threads import Time


def test_time_passes_by_as_much_sleep_as_is_requested(monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr(threads, "sleep", slept.append)
    Time().advance(0.25)
    Time().advance(3)
    assert slept == [0.25, 3]


def test_production_has_no_deadline_to_go_on_to():
    assert Time().elapse() is False


def test_time_has_no_state():
    assert Time.__slots__ == () and not hasattr(Time(), "__dict__")
