"""Punctual time: waits end in the order of their times, once no other thread can move."""

import contextlib
import threading
import time

import pytest

from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.schedulers.bounded import Bounded
from wheelproof.plain.schedulers.source_dpor import SourceDPOR

LOG = []


def sleepers():
    """The shorter sleep ends first."""
    threads = [
        threading.Thread(target=lambda ms=ms: (time.sleep(ms / 1000), LOG.append(ms)))
        for ms in (3, 1, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert LOG == [1, 2, 3]


def waiter():
    """A wait with a time-out ends then, though another thread sleeps, and one works before."""
    event, begun = threading.Event(), time.monotonic()
    worker = threading.Thread(target=lambda: LOG.append("worked"))
    worker.start()
    sleeper = threading.Thread(target=lambda: time.sleep(1))
    sleeper.start()
    assert not event.wait(0.5)
    assert LOG == ["worked"]
    assert 0.49 < time.monotonic() - begun < 0.51
    sleeper.join()


def poller():
    """A loop that polls is not stretched, and ends with the last thread that is no daemon."""

    def poll():
        while True:
            time.sleep(0.01)
            LOG.append(time.monotonic())

    begun = time.monotonic()
    threading.Thread(target=poll, daemon=True).start()
    time.sleep(0.055)
    assert [round(100 * (when - begun)) for when in LOG] == [1, 2, 3, 4, 5]


def together():
    """Two sleeps end at one moment: their threads then go on in any order."""

    def wake(name):
        time.sleep(0.01)
        LOG.append(name)
        LOG.append(name.upper())

    threads = [threading.Thread(target=wake, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    time.sleep(0.005)
    LOG.append("before")
    for thread in threads:
        thread.join()
    LOG.append("after")


def punctual(program):
    explorer = Explorer(program)
    explorer.execution.patient = explorer.execution.punctual = True
    return explorer


@pytest.mark.daily(3)
@pytest.mark.parametrize("program", [sleepers, waiter, poller])
def test_waits_end_at_their_times(program):
    answer = punctual(program).explore()
    assert answer.answer in (Answer.EXHAUSTED, Answer.VACUOUS), answer.reason


@pytest.mark.daily(2)
@pytest.mark.parametrize("program", [sleepers, waiter])
def test_waits_that_end_at_any_time_fail(program):
    assert Explorer(program).explore().answer is Answer.BUG


def outcomes(scheduler):
    """The logs of all runs of ``together``, with every access of the log visible."""
    explorer = punctual(together)
    logs = set()
    explorer.observe = lambda execution: logs.add(tuple(explorer.world.modules[__name__].LOG))
    explorer.explore()
    logs.clear()
    with explorer.ready(), contextlib.suppress(StopIteration):
        while not scheduler.over:
            explorer.run(scheduler)
            assert not explorer.grew()
    return logs


@pytest.mark.nightly
def test_the_reduction_loses_no_order_of_what_ends_at_one_moment():
    everything = Bounded(None)
    everything.remembers = False
    logs = outcomes(SourceDPOR())
    assert logs == outcomes(everything)
    assert len(logs) == 6
    assert all(log[0] == "before" and log[-1] == "after" for log in logs)
