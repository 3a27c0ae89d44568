"""Where a timer hands over what is due: a thread pool, its own or its user's."""
from __future__ import annotations

import logging  # production only
import threading  # production only
from concurrent.futures import Executor, ThreadPoolExecutor  # production only

from impl.timer_task_list import TimerTaskEntry

_LOG = logging.getLogger(__name__)


class TaskExecutor:
    """Runs tasks on ``executor``; None: on one thread of its own, as Kafka's SystemTimer does."""

    __slots__ = ("executor", "own")

    def __init__(self, executor: Executor | None = None) -> None:
        self.own = executor is None
        self.executor = ThreadPoolExecutor(1, "timer") if executor is None else executor

    def submit(self, entry: TimerTaskEntry) -> None:
        """Hand an entry's task over. A refusal is logged: an exception would leave the caller's flush half done."""
        try:
            self.executor.submit(run, entry)
        except Exception as refused:  # whatever an executor raises when it is full or shut down
            _LOG.error("the executor refused the task that was due at %d ms: %s", entry.expiration_ms, refused)

    def close(self) -> None:
        """Shut its own executor down, and wait for it unless one of its tasks asks; another's is left alone."""
        if self.own:
            inside = threading.current_thread() in getattr(self.executor, "_threads", ())
            self.executor.shutdown(wait=not inside)


def run(entry: TimerTaskEntry) -> None:
    """Run an entry's task, and part the two: an expired task leaves no cycle to the garbage collector. Logs what it raises."""
    task = entry.timer_task
    try:
        task.run()
    except Exception:
        _LOG.exception("the task that was due at %d ms raised", entry.expiration_ms)
    finally:
        task.forget(entry)
