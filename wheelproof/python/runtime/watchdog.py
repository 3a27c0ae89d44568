"""A watchdog for a thread that runs on without reaching a step.

A timer's signal handler runs on top of the looping greenlet. If no step was taken since its last
look, it stops that greenlet for good. This needs the main thread of a system with ``setitimer``.
Elsewhere there is no watchdog; the scheduler's own count of accesses still catches a loop that
touches shared fields.
"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

from wheelproof import guest
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.threads import Thread

TICK = 0.25
"""Seconds between two looks."""

MOST = 2 * TICK
"""The most that one look adds to a loop's time.

A stall of the whole process, or a garbage collection, is one look however long it takes.
"""


class Watchdog:
    """Stops a step that runs for more than ``cpu`` seconds of CPU time or ``wall`` seconds."""

    def __init__(self, scheduler: Scheduler, cpu: float = 2.0, wall: float = 30.0) -> None:
        self._scheduler, self._cpu, self._wall = scheduler, cpu, wall
        self._active = False

    def __enter__(self) -> Watchdog:
        self._active = (
            hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        )
        if self._active:
            self._seen: tuple[int, Thread | None] = (-1, None)
            self._last = self._spent = (0.0, 0.0)
            # Known before the first look, which may be at once: another timer goes on.
            self._handler = signal.getsignal(signal.SIGALRM)
            signal.signal(signal.SIGALRM, self._look)
            self._timer = signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._active:
            signal.setitimer(signal.ITIMER_REAL, *self._timer)
            signal.signal(signal.SIGALRM, self._handler)

    def _look(self, number: int, frame: FrameType | None) -> None:
        scheduler = self._scheduler
        progress = (scheduler.switches, scheduler.running)
        now = (time.process_time(), time.monotonic())
        thread = scheduler.running
        if progress != self._seen or thread is None:
            self._seen, self._last, self._spent = progress, now, (0.0, 0.0)
            if thread is None and guest.is_watch(self._handler):
                self._handler(number, frame)  # no step: a harness, or a model
            return
        cpu = self._spent[0] + min(now[0] - self._last[0], MOST)
        wall = self._spent[1] + min(now[1] - self._last[1], MOST)
        self._spent = (cpu, wall)
        self._last = now
        if cpu >= self._cpu or wall >= self._wall:
            self._seen = (-1, None)
            place = scheduler.place_of(frame)
            scheduler.stop_stuck(
                f"{thread.name} ran for {max(cpu, wall):.1f} s without reaching a step, "
                f"last seen at {place}; "
                "label what the loop waits for",
            )
