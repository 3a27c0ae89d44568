"""Kafka's DelayedOperationPurgatory, with its timer and the thread that lets its time pass.

``impl.purgatory`` has the steps of its operations, which are checked. This module adds what
surrounds them: the timer, the reaper's thread, and the end of both.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from impl.arguments import able, flag, text
from impl.delayed_operation import DelayedOperation
from impl.purgatory import Purgatory
from impl.system_timer import SystemTimer
from impl.system_timer_reaper import Reaper, Timed
from impl.unclosed import Closing


class Timer(Timed, Protocol):
    """What a purgatory and its reaper need of a timer. Kafka: ``Timer``."""

    def add(self, task: Any) -> None: ...

    def size(self) -> int: ...


class Around:
    """A timer that hands each call to another one."""

    __slots__ = ("timer",)

    def __init__(self, timer: Timer) -> None:
        self.timer = timer

    def add(self, task: Any) -> None:
        self.timer.add(task)

    def advance_clock(self, timeout_ms: int) -> bool:
        return self.timer.advance_clock(timeout_ms)

    def size(self) -> int:
        return self.timer.size()

    def wake(self) -> None:
        self.timer.wake()

    def close(self) -> None:
        self.timer.close()


class Untimed(Around):
    """A timer that takes no operation: they wait for their events, however long."""

    __slots__ = ()

    def add(self, task: Any) -> None:
        """Leave the operation out of the timer."""


class Purging(Around):
    """The timer of a purgatory's reaper: after its clock has advanced, the purgatory is purged.

    The purgatory is held weakly: one that is used no more becomes garbage, and its reaper's
    thread ends.
    """

    __slots__ = ("purgatory",)

    def __init__(self, timer: Timer, purgatory: Purgatory) -> None:
        super().__init__(timer)
        self.purgatory = weakref.ref(purgatory)

    def advance_clock(self, timeout_ms: int) -> bool:
        expired = super().advance_clock(timeout_ms)
        purgatory = self.purgatory()
        if purgatory is not None:
            purgatory.purge()
        return expired


class DelayedOperationPurgatory(Purgatory, Closing):
    """Operations that wait for events on keys, and for their timeouts.

    A context manager, which shuts down at the end of its block. A purgatory that becomes garbage
    and was not shut down warns with a ResourceWarning, and its thread ends. Kafka:
    ``DelayedOperationPurgatory``.
    """

    __slots__ = ("name", "purging", "reaper", "__weakref__")

    SHARDS = 512

    def __init__(
        self,
        name: str,
        timer: Timer | None = None,
        purge_interval: int = 1000,
        reaper_enabled: bool = True,
        timer_enabled: bool = True,
        *,
        shards: int = SHARDS,
    ) -> None:
        """``name``: of the purgatory, and of its thread ``ExpirationReaper-name``.

        ``timer``: None for a ``SystemTimer`` of its own; any is closed with the purgatory.
        ``purge_interval``: how many completed operations may stay in the lists before they are
        dropped. ``reaper_enabled``: False: no thread, and time passes in ``advance_clock`` alone.
        ``timer_enabled``: False: no operation has a timeout. ``shards``: of the keys, at least 1.

        Raises TypeError and ValueError for other arguments.
        """
        text("name", name)
        if timer is not None:
            able("timer", timer, Timed)
        flag("reaper_enabled", reaper_enabled)
        flag("timer_enabled", timer_enabled)
        own: Timer = SystemTimer() if timer is None else timer
        super().__init__(own if timer_enabled else Untimed(own), purge_interval, shards)
        self.name = name
        self.purging = Purging(own, self)
        self.reaper = Reaper(f"ExpirationReaper-{name}", self.purging) if reaper_enabled else None

    def __repr__(self) -> str:
        reaper = self.reaper
        state = (
            "without a reaper"
            if reaper is None
            else "shut down"
            if reaper.stopping.is_set()
            else "running"
            if reaper.thread.is_alive()
            else "dead"
        )
        return (
            f"<DelayedOperationPurgatory {self.name!r}, {state}, {self.watched()} watched, "
            f"{self.num_delayed()} delayed>"
        )

    def try_complete_else_watch(
        self, operation: DelayedOperation, keys: Sequence[Hashable]
    ) -> bool:
        """Try to complete the operation; otherwise let it wait for its keys and its timeout.

        Returns whether this thread completed it. Raises ValueError for no key, TypeError for one
        text in the place of keys, and RuntimeError if the reaper's thread has died: nothing would
        expire. After shutdown a RuntimeError says, too, that the timer has no time left for the
        operation: it is watched, and events alone complete it.
        """
        if isinstance(keys, (str, bytes)):
            raise TypeError(
                f"keys is {keys!r}, of which each character were a key: write [{keys!r}]"
            )
        death = None if self.reaper is None else self.reaper.death.get()
        if death is not None:
            raise RuntimeError(
                f"the reaper of the purgatory {self.name!r} has died of {death!r}: no operation "
                "expires; shut it down, and make another purgatory"
            ) from death
        return super().try_complete_else_watch(operation, keys)

    def advance_clock(self, timeout_ms: int) -> bool:
        """Wait up to ``timeout_ms`` for what is due, expire it, and purge. False if nothing was.

        The reaper does so all the time. Without a reaper another thread must.
        """
        return self.purging.advance_clock(timeout_ms)

    def shutdown(self, timeout_s: float | None = None) -> None:
        """Stop the reaper and close the timer. What the executor has runs; nothing else expires.

        What waits is still completed by its events. ``timeout_s``: for how many seconds to wait for
        the reaper; None: as long as it lives. After that time a TimeoutError is raised, and
        shutdown may be called again.
        """
        if self.reaper is None:
            self.purging.close()
        else:
            self.reaper.close(timeout_s)

    def close(self) -> None:
        """Shut down: what ``with`` calls at its end."""
        self.shutdown()
