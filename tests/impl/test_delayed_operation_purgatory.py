"""What surrounds the purgatory's steps: its timer, its reaper's thread, and the end of both."""

from __future__ import annotations

import gc
import threading
import time
import warnings

import pytest

from impl.clock import VirtualClock
from impl.delayed_operation import DelayedOperation
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
from impl.system_timer import SystemTimer
from impl.system_timer_reaper import POLL_MS
from tests.docs.reading import blocks
from tests.impl.real_threads import HOUR_MS, PATIENCE_S, until
from tests.impl.timing import Inline
from tests.model.artefacts import ROOT


class Waiting(DelayedOperation):
    """Completes when ``ready``; ``ended`` says how."""

    __slots__ = ("ready", "ended", "over")

    def __init__(self, delay_ms=HOUR_MS):
        super().__init__(delay_ms)
        self.ready, self.ended, self.over = False, [], threading.Event()

    def try_complete(self):
        return self.ready and self.force_complete()

    def on_complete(self):
        self.ended.append("complete")

    def on_expiration(self):
        self.ended.append("expire")
        self.over.set()


class Still:
    """A timer that never fires, and says what was called."""

    def __init__(self, raises=None):
        self.calls, self.raises, self.woken = [], raises, threading.Event()

    def add(self, task):
        self.calls.append("add")

    def advance_clock(self, timeout_ms):
        self.calls.append(timeout_ms)
        if self.raises is not None:
            raise self.raises
        self.woken.wait(0.001)
        return False

    def size(self):
        return 0

    def wake(self):
        self.woken.set()

    def close(self):
        self.calls.append("close")


def by_hand(**options):
    """A purgatory without a thread, and its clock."""
    clock = VirtualClock()
    timer = SystemTimer(Inline(), clock=clock)
    options = {"reaper_enabled": False} | options
    return DelayedOperationPurgatory("hand", timer, **options), clock


# -- its thread


def test_a_purgatory_with_a_name_alone_expires_what_waits():
    with DelayedOperationPurgatory("Produce") as purgatory:
        thread = purgatory.reaper.thread
        assert (thread.name, thread.daemon) == ("ExpirationReaper-Produce", True)
        due, far = Waiting(5), Waiting()
        for each in (due, far):
            assert not purgatory.try_complete_else_watch(each, ["k"])
        assert due.over.wait(PATIENCE_S) and due.ended == ["complete", "expire"]
        assert until(lambda: purgatory.num_delayed() == 1) and far.ended == []
    assert not thread.is_alive() and far.ended == [], "it ends without completing what waits"


def test_its_reaper_polls_as_kafkas_does_and_purges_after_each_poll():
    timer = Still()
    with DelayedOperationPurgatory("Fetch", timer, purge_interval=0) as purgatory:
        operation = Waiting()
        purgatory.try_complete_else_watch(operation, ["k", "l"])
        assert purgatory.watched() == 2
        operation.force_complete()
        assert until(lambda: purgatory.watched() == 0), "the reaper drops what is completed"
    assert set(timer.calls) == {"add", POLL_MS, "close"} and timer.calls[-1] == "close"


def test_shutdown_wakes_the_reaper_and_may_be_called_twice():
    timer = Still()
    purgatory = DelayedOperationPurgatory("Fetch", timer)
    purgatory.shutdown()
    purgatory.shutdown()
    assert timer.woken.is_set() and "shut down" in repr(purgatory)


def test_a_reaper_that_does_not_end_is_given_up_after_the_time_given():
    class Stuck(Still):
        def advance_clock(self, timeout_ms):
            go_on.wait(PATIENCE_S)

    go_on = threading.Event()
    purgatory = DelayedOperationPurgatory("Stuck", Stuck())
    with pytest.raises(TimeoutError, match="'ExpirationReaper-Stuck' has not ended within 0.01 s"):
        purgatory.shutdown(0.01)
    go_on.set()
    purgatory.shutdown()


def test_a_purgatory_whose_reaper_has_died_takes_no_operation(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda found: None)
    purgatory = DelayedOperationPurgatory("Produce", Still(OSError("gone")))
    assert until(lambda: not purgatory.reaper.thread.is_alive()) and "dead" in repr(purgatory)
    with pytest.raises(RuntimeError, match="'Produce' has died of OSError.*make another") as found:
        purgatory.try_complete_else_watch(Waiting(), ["k"])
    assert isinstance(found.value.__cause__, OSError)
    purgatory.shutdown()


def test_a_purgatory_that_is_left_open_warns_and_its_thread_ends():
    gc.freeze()  # the search goes through what is made from now on
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        purgatory = DelayedOperationPurgatory("left", Still())
        thread = purgatory.reaper.thread
        del purgatory
        # The reaper may be purging it at the moment.
        assert until(lambda: [gc.collect(), not thread.is_alive()][1])
    assert "the reaper 'ExpirationReaper-left' was not closed" in str(
        [each.message for each in seen if each.category is ResourceWarning]
    )


def test_one_that_was_shut_down_does_not_warn():
    gc.freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with DelayedOperationPurgatory("closed", Still()):
            pass
        gc.collect()


# -- without a thread, and without timeouts


def test_without_a_reaper_time_passes_in_advance_clock_alone():
    before = threading.active_count()
    purgatory, clock = by_hand(purge_interval=0)
    assert purgatory.reaper is None and threading.active_count() == before
    first, second = Waiting(10), Waiting(20)
    for each in (first, second):
        purgatory.try_complete_else_watch(each, ["k"])
    clock.advance(15)
    assert first.ended == [] and purgatory.advance_clock(0)
    assert (first.ended, second.ended) == (["complete", "expire"], [])
    assert purgatory.watched() == 1, "advance_clock purges"
    while purgatory.advance_clock(0):
        pass
    assert not purgatory.advance_clock(0)
    purgatory.shutdown()


def test_with_its_timer_disabled_nothing_expires_and_events_complete():
    purgatory, clock = by_hand(timer_enabled=False)
    operation = Waiting(10)
    assert not purgatory.try_complete_else_watch(operation, ["k"])
    assert purgatory.num_delayed() == 0 and purgatory.watched() == 1
    clock.advance(1000)
    assert not purgatory.advance_clock(0) and operation.ended == []
    operation.ready = True
    assert purgatory.check_and_complete("k") == 1 and operation.ended == ["complete"]


def test_the_timer_is_closed_with_the_purgatory():
    for enabled in (True, False):
        timer = Still()
        with DelayedOperationPurgatory("x", timer, reaper_enabled=False, timer_enabled=enabled):
            pass
        assert timer.calls == ["close"]


# -- its texts, and what it refuses


def test_it_says_how_much_waits():
    purgatory, _ = by_hand(shards=3)
    purgatory.try_complete_else_watch(Waiting(), ["k", "l"])
    assert len(purgatory.shards) == 3
    assert repr(purgatory) == (
        "<DelayedOperationPurgatory 'hand', without a reaper, 2 watched, 1 delayed>"
    )


def test_it_has_as_many_shards_and_purges_as_rarely_as_kafkas():
    purgatory, _ = by_hand()
    assert len(purgatory.shards) == 512 and purgatory.purge_interval == 1000


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Still(),), {}, TypeError, "name is .*must be a str"),
        (("x", "timer"), {}, TypeError, "timer is 'timer', and must be an object"),
        (
            ("x",),
            {"purge_interval": -1},
            ValueError,
            "purge_interval is -1, and must be at least 0",
        ),
        (("x",), {"purge_interval": 1.5}, TypeError, "purge_interval is 1.5, and must be an int"),
        (("x",), {"shards": 0}, ValueError, "shards is 0, and must be at least 1"),
        (("x",), {"shards": True}, TypeError, "shards is True, and must be an int"),
    ],
)
def test_wrong_arguments_are_refused_before_a_thread_starts(arguments, options, error, message):
    before = threading.active_count()
    with pytest.raises(error, match=message):
        DelayedOperationPurgatory(*arguments, **options)
    assert threading.active_count() == before


def test_a_text_in_the_place_of_keys_is_refused():
    purgatory, _ = by_hand()
    with pytest.raises(TypeError, match=r"write \['topic'\]"):
        purgatory.try_complete_else_watch(Waiting(), "topic")
    with pytest.raises(ValueError, match="keys is empty"):
        purgatory.try_complete_else_watch(Waiting(), [])


# -- the page


def test_the_example_of_the_page_runs(capsys):
    page = (ROOT / "docs/mechanisms/purgatory.md").read_text("utf-8")
    (code,) = [each.text for each in blocks(page) if each.language == "python"]
    names = {
        "arrived": threading.Event(),
        "DelayedOperation": DelayedOperation,
        "DelayedOperationPurgatory": DelayedOperationPurgatory,
    }
    exec(compile(code, "purgatory.md", "exec"), names)
    assert capsys.readouterr().out == "done\n"


# -- with real time


@pytest.mark.parametrize("number", [200])
def test_events_and_timeouts_complete_each_operation_once(number):
    with DelayedOperationPurgatory("both", shards=4, purge_interval=10) as purgatory:
        operations = [Waiting(1 + each % 5) for each in range(number)]

        def enter():
            for place, each in enumerate(operations):
                purgatory.try_complete_else_watch(each, [place % 7])

        def bring():
            for place, each in enumerate(operations):
                each.ready = place % 3 == 0
                purgatory.check_and_complete(place % 7)
                time.sleep(0)

        threads = [threading.Thread(target=work) for work in (enter, bring)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert until(lambda: all(each.is_completed() for each in operations))
        assert until(lambda: purgatory.num_delayed() == 0)
    assert {tuple(each.ended) for each in operations} <= {("complete",), ("complete", "expire")}
