"""Waits for a limited time, of locks, semaphores, events, barriers and queues.

A wait with a time-out is two steps, which its line names as ``# wait W1, wake W2``. The first looks
whether the thread can go on, else fixes the moment at which its patience ends. The second goes on,
or finds that the time is up. Where both are so, the thread goes on: in the other case it wakes
before it could, which is another schedule. As of a condition, a time-out of ``TIMEOUT_MAX`` or more
is none, and without a clock in the scenario no wait times out.
"""

from __future__ import annotations

from threading import TIMEOUT_MAX, Lock

from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.threads import Admits, Thread


def is_limited(blocking: bool, timeout: float) -> bool:
    """Whether a lock's ``acquire`` with these arguments waits for a limited time.

    Raises the errors of Python's lock for arguments that it refuses: a free lock judges them.
    """
    if timeout == -1:
        return False
    Lock().acquire(blocking, timeout)
    return timeout < TIMEOUT_MAX


class Patience:
    """Admits a thread that sleeps for a limited time where ``gate`` does, or its time is up."""

    __slots__ = ("_gate", "_scheduler")

    def __init__(self, scheduler: Scheduler, gate: Admits) -> None:
        self._scheduler, self._gate = scheduler, gate

    def admits(self, thread: Thread) -> bool:
        return self._gate.admits(thread) or late(self._scheduler, thread)


def sleeps(scheduler: Scheduler, thread: Thread, timeout: float) -> None:
    """Note that a thread falls asleep for ``timeout`` seconds, in this step."""
    time = scheduler.time
    if time is not None and timeout < TIMEOUT_MAX:
        alarm = thread, time.now + timeout
        time.alarms = tuple(sorted((*time.alarms, alarm), key=_place))


def late(scheduler: Scheduler, thread: Thread) -> bool:
    """Whether a thread sleeps and its time is up."""
    time = scheduler.time
    deadline = None if time is None else time.deadline(thread)
    return deadline is not None and time is not None and deadline <= time.now


def wakes(scheduler: Scheduler, thread: Thread) -> bool:
    """Note that a thread wakes, in this step; whether its time is up."""
    was_late, time = late(scheduler, thread), scheduler.time
    if time is not None:
        time.alarms = tuple(alarm for alarm in time.alarms if alarm[0] is not thread)
    return was_late


def _place(alarm: tuple[Thread, float]) -> int:
    return alarm[0].index
