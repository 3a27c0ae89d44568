"""When a watchdog looks, and what its looks add up to."""

import signal
from types import SimpleNamespace

from wheelproof import guest
from wheelproof.python.runtime import watchdog as watchdog_module
from wheelproof.python.runtime.watchdog import Watchdog


def test_a_watchdog_may_look_before_its_own_timer_starts(monkeypatch):
    """The timer of the watch around it goes on: on a busy machine it rings at any line."""

    def install(number, handler):
        former = real(number, handler)
        if isinstance(getattr(handler, "__self__", None), Watchdog):
            looks.append(handler)
            signal.raise_signal(number)
        return former

    looks, heard, real = [], [], signal.signal
    monkeypatch.setattr(guest.Watch, "_look", lambda *_: heard.append(len(looks)))
    with guest.Watch():
        signal.setitimer(signal.ITIMER_REAL, 0)
        monkeypatch.setattr(watchdog_module.signal, "signal", install)
        with Watchdog(SimpleNamespace(switches=0, running=None)):
            assert looks and heard == [1], "the look is handed on to the watch"


def looks_until_stuck(times, monkeypatch):
    """The number of looks at these times until a stuck thread is stopped, or None."""
    stopped = []
    scheduler = SimpleNamespace(
        switches=1,
        running=SimpleNamespace(name="a"),
        place_of=lambda frame: "here",
        stop_stuck=stopped.append,
    )
    with Watchdog(scheduler) as watchdog:
        signal.setitimer(signal.ITIMER_REAL, 0)  # the looks are the test's
        for number, now in enumerate(times, 1):
            monkeypatch.setattr(
                watchdog_module,
                "time",
                SimpleNamespace(process_time=lambda: 0.0, monotonic=lambda now=now: now),
            )
            watchdog._look(signal.SIGALRM, None)
            if stopped:
                return number
    return None


def test_a_stall_of_the_whole_process_is_no_loop(monkeypatch):
    assert looks_until_stuck([0.0, 3600.0, 3600.25], monkeypatch) is None
    assert looks_until_stuck([number * 0.25 for number in range(200)], monkeypatch) == 121, (
        "30 s of looks"
    )
