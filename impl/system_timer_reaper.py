"""The thread that lets a timer's time pass. Without it a timer runs what is due at once, no more.

Kafka: ``SystemTimerReaper``, and the purgatory's ``ExpiredOperationReaper``. The specification is
``spec/SystemTimerReaper.tla``. Its steps are those of the event and the thread.
"""

from __future__ import annotations

import logging  # production only
import threading  # production only
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from impl.arguments import able, text
from impl.runtime import Atomic
from impl.unclosed import Closing

if TYPE_CHECKING:
    from impl.timer_task_list import TimerTask

_LOG = logging.getLogger(__name__)  # production only

POLL_MS = 200
"""How long the reaper waits at a time, in milliseconds."""


@runtime_checkable
class Timed(Protocol):
    """What the reaper's thread calls."""

    def advance_clock(self, timeout_ms: int) -> bool: ...

    def wake(self) -> None: ...

    def close(self) -> None: ...


class Timer(Timed, Protocol):
    """What a reaper needs of a timer. Kafka: ``org.apache.kafka.server.util.timer.Timer``."""

    def add(self, task: TimerTask) -> None: ...

    def size(self) -> int: ...


class Reaper:
    """The thread itself. It holds the timer and not its owner, which can so become garbage.

    ``death``: what has ended the thread before it was closed, or None.
    """

    __slots__ = ("timer", "stopping", "death", "thread")

    def __init__(self, name: str, timer: Timer) -> None:
        text("the thread's name, which comes first,", name)
        able("the timer, which comes second,", timer, Timed)
        self.timer = timer
        self.stopping = threading.Event()
        self.death: Atomic[BaseException | None] = Atomic(None)
        self.thread = threading.Thread(target=self._live, name=name, daemon=True)
        self.thread.start()

    def _live(self) -> None:
        try:
            self._reap()
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            self.death.set(error)
            _LOG.critical(
                "the reaper %r has died, and no task that waits fires",
                self.thread.name,
                exc_info=True,
            )
            raise

    def _reap(self) -> None:
        while not self.stopping.is_set():
            self.timer.advance_clock(POLL_MS)

    def close(self, timeout_s: float | None) -> None:
        """Stop the thread, wait for it, then close the timer."""
        self.stopping.set()
        if threading.get_ident() != self.thread.ident:
            self.await_end(timeout_s)
        self.timer.close()

    def await_end(self, timeout_s: float | None) -> None:
        """Wake the thread out of its poll, and wait for its end."""
        self.timer.wake()
        self.thread.join(timeout_s)
        if timeout_s is not None and self.thread.is_alive():
            raise TimeoutError(
                f"the reaper {self.thread.name!r} has not ended within {timeout_s} s: its stop "
                "event is set, and its timer is open; call close() again"
            )


class SystemTimerReaper(Closing):
    """A timer whose time passes by itself: a daemon thread advances its clock until it is closed.

    A context manager, which closes at the end of its block. A reaper that becomes garbage and was
    not closed warns with a ResourceWarning, and its thread ends.
    """

    __slots__ = ("reaper",)

    def __init__(self, name: str, timer: Timer) -> None:
        """``name``: that of the thread. ``timer``: closed with the reaper.

        Raises TypeError for other arguments. Their order is Kafka's: the name, then the timer.
        """
        self.reaper = Reaper(name, timer)

    def __repr__(self) -> str:
        thread, closed = self.reaper.thread, self.reaper.stopping.is_set()
        state = "closed" if closed else "running" if thread.is_alive() else "dead"
        return f"<SystemTimerReaper {thread.name!r}, {state}, of {self.timer!r}>"

    @property
    def timer(self) -> Timer:
        return self.reaper.timer

    @property
    def stopping(self) -> threading.Event:
        return self.reaper.stopping

    @property
    def thread(self) -> threading.Thread:
        return self.reaper.thread

    def add(self, task: TimerTask) -> None:
        """Let ``task`` run when it is due: see :meth:`impl.system_timer.SystemTimer.add`.

        Raises RuntimeError, with the cause, if the reaper's thread has died: nothing would fire.
        """
        death = self.reaper.death.get()
        if death is not None:
            raise RuntimeError(
                f"the reaper {self.thread.name!r} has died of {death!r}: no task fires; "
                "close it, and make another timer"
            ) from death
        self.timer.add(task)

    def advance_clock(self, timeout_ms: int) -> bool:
        """Wait for what is due beside the thread. There is seldom a reason to."""
        return self.timer.advance_clock(timeout_ms)

    def size(self) -> int:
        """The number of tasks that the timer holds."""
        return self.timer.size()

    def wake(self) -> None:
        """Let a poll end at once."""
        self.timer.wake()

    def close(self, timeout_s: float | None = None) -> None:
        """Wake the thread and wait for its end, then close the timer.

        ``timeout_s``: for how many seconds to wait for the thread; None: as long as it lives. After
        that time a TimeoutError is raised, and the timer is open: :meth:`close` may be called
        again. The timer's own close waits for the task that runs.
        """
        self.reaper.close(timeout_s)
