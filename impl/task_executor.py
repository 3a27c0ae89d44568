"""What runs a timer's due tasks: the timer's own thread, or an executor of its user's.

Kafka's is ``Executors.newFixedThreadPool(1)``. Labels are those of ``spec/TaskExecutor.tla``.
"""

from __future__ import annotations

import logging  # production only
from collections.abc import Callable
from concurrent.futures import Executor  # production only
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from impl.arguments import able
from impl.one_thread import OneThread
from impl.runtime import Volatile, get_ident

if TYPE_CHECKING:
    from impl.timer_task_list import TimerTaskEntry

_LOG = logging.getLogger(__name__)  # production only


@runtime_checkable
class Submitting(Protocol):
    """What a timer needs of an executor, such as ``concurrent.futures.Executor``."""

    def submit(self, call: Callable[..., object], /, *arguments: Any) -> object: ...


class TaskExecutor:
    """Runs tasks on ``executor``; None: on one thread of its own, as Kafka's SystemTimer does.

    ``thread``: get_ident() of the own executor's thread, once it runs.
    """

    __slots__ = ("executor", "own", "thread")

    thread: Volatile[int | None]

    def __init__(self, executor: Executor | None = None) -> None:
        """Raises TypeError for another object than an executor: one that has no ``submit``."""
        if executor is not None:
            able("executor", executor, Submitting)
        self.own = executor is None
        self.thread = None
        self.executor: Any = OneThread("timer", self._begin) if executor is None else executor

    def _begin(self) -> None:
        """Note the own executor's thread, before it runs its first task."""
        me = get_ident()
        self.thread = me  # write B1

    def submit(self, entry: TimerTaskEntry) -> None:
        """Hand an entry's task over. Raises the executor's exception if it is full or shut down."""
        self.executor.submit(run, entry)

    def report(self, entry: TimerTaskEntry, error: Exception) -> None:
        """Log that the executor has refused a due task."""
        _LOG.error(
            "the executor refused the task that was due at %d ms: %s", entry.expiration_ms, error
        )

    def close(self) -> None:
        """Shut the own executor down, and wait for it unless one of its tasks calls this."""
        if self.own:
            thread = self.thread  # read C1
            self.executor.shutdown(wait=get_ident() != thread)


def run(entry: TimerTaskEntry) -> None:
    """Run an entry's task. Logs what it raises.

    What asks the program to end is logged and goes on to the executor. It ends the timer's own
    thread, as any other BaseException, which Python reports. Another thread runs the next task.
    """
    try:
        entry.timer_task.run()
    except Exception:
        _LOG.exception("the task that was due at %d ms raised", entry.expiration_ms)
    except (SystemExit, KeyboardInterrupt, GeneratorExit):
        _LOG.critical(
            "the task that was due at %d ms asks to end", entry.expiration_ms, exc_info=True
        )
        raise
