"""TaskExecutor: its threads, tasks that raise or are refused, and the waiting of ``close``."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from impl import task_executor
from impl.task_executor import TaskExecutor
from impl.timer_task_list import TimerTask, TimerTaskEntry

PATIENCE_S = 20


class Task(TimerTask):
    """Does what it is given."""

    __slots__ = ("body",)

    def __init__(self, body) -> None:
        super().__init__(7)
        self.body = body

    def run(self) -> None:
        self.body()


def entry(body) -> TimerTaskEntry:
    return TimerTaskEntry(Task(body), 42)


class Watched:
    """An executor that runs nothing, and notes what it is given and how it is shut down."""

    def __init__(self) -> None:
        self.submitted, self.shut_down = [], []

    def submit(self, function, *arguments) -> Future:
        self.submitted.append((function, arguments))
        return Future()

    def shutdown(self, wait: bool = True, **options: bool) -> None:
        self.shut_down.append(wait)


def test_its_own_executor_runs_tasks_in_their_order_on_one_thread():
    executor, ran, both = TaskExecutor(), [], threading.Barrier(2)

    def alone() -> None:
        """Two tasks at a time would meet at the barrier."""
        ran.append(threading.current_thread().name)
        try:
            both.wait(0.1)
        except threading.BrokenBarrierError:
            return
        ran.append("two at a time")

    for _ in range(3):
        executor.submit(entry(alone))
    executor.close()
    assert len(ran) == 3 and len(set(ran)) == 1 and ran[0].startswith("timer")


def test_another_executor_gets_the_run_of_an_entry_and_is_left_alone():
    theirs = Watched()
    executor, handed = TaskExecutor(theirs), entry(lambda: None)
    executor.submit(handed)
    executor.close()
    assert theirs.submitted == [(task_executor.run, (handed,))] and theirs.shut_down == []
    assert executor.executor is theirs and not executor.own


def test_close_waits_for_what_its_own_executor_runs():
    executor, begun, go, done = TaskExecutor(), threading.Event(), threading.Event(), []
    executor.submit(entry(lambda: (begun.set(), go.wait(PATIENCE_S), done.append(True))))
    assert begun.wait(PATIENCE_S)
    threading.Timer(0.05, go.set).start()
    executor.close()
    assert done == [True]


def test_close_from_one_of_its_own_tasks_does_not_wait_for_that_task():
    executor, closed = TaskExecutor(), threading.Event()
    executor.submit(entry(lambda: (executor.close(), closed.set())))
    assert closed.wait(PATIENCE_S)


@pytest.mark.parametrize("error", [RuntimeError("shut down"), OSError("full")])
def test_a_refusal_goes_out_and_is_logged_by_its_report_alone(error, caplog):
    class Refusing(Watched):
        def submit(self, function, *arguments):
            raise error

    executor, refused = TaskExecutor(Refusing()), entry(lambda: None)
    with caplog.at_level(logging.ERROR):
        with pytest.raises(type(error)):
            executor.submit(refused)
        assert not caplog.records
        executor.report(refused, error)
    assert [record.getMessage() for record in caplog.records] == [
        f"the executor refused the task that was due at 42 ms: {error}"
    ]


def test_what_ends_the_program_is_no_refusal():
    class Ending(Watched):
        def submit(self, function, *arguments):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TaskExecutor(Ending()).submit(entry(lambda: None))


def test_a_task_that_raises_is_logged_once_with_its_trace(caplog):
    def raising() -> None:
        raise ValueError("bad")

    with caplog.at_level(logging.ERROR):
        task_executor.run(entry(raising))
    (record,) = caplog.records
    assert (
        record.getMessage() == "the task that was due at 42 ms raised"
        and record.exc_info[0] is ValueError
    )


ENDS = [SystemExit, KeyboardInterrupt, GeneratorExit]


def ending(error) -> TimerTaskEntry:
    def body() -> None:
        raise error

    return entry(body)


@pytest.mark.parametrize("error", ENDS)
def test_a_task_that_ends_the_program_does_and_is_logged(error, caplog):
    with pytest.raises(error):
        task_executor.run(ending(error))
    (record,) = caplog.records
    assert record.getMessage() == "the task that was due at 42 ms asks to end"


@pytest.mark.parametrize("error", ENDS)
def test_on_its_own_thread_it_is_logged_and_the_next_task_runs(error, caplog):
    executor, ran = TaskExecutor(), []
    executor.submit(ending(error))
    executor.submit(entry(lambda: ran.append(True)))
    executor.close()
    (record,) = caplog.records
    assert ran == [True] and record.exc_info[0] is error


def test_a_task_runs_once_on_a_pool_of_the_users():
    with ThreadPoolExecutor(2) as pool:
        ran = []
        TaskExecutor(pool).submit(entry(lambda: ran.append(True)))
    assert ran == [True]
