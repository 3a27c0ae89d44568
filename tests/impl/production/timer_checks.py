"""Promises of queue, executor, reaper and timer on real threads, each a check of one copy."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import SimpleNamespace

from tests.impl.production.loading import Running, Waits

HOUR_MS = 3_600_000


class Logged(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def logged(name: str):
    """What is logged under a name meanwhile, and nowhere else."""
    logger, handler = logging.getLogger(name), Logged()
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield handler.records
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def task_of(impl: SimpleNamespace, delay_ms: int, run=lambda: None):
    class Task(impl.timer_task_list.TimerTask):
        __slots__ = ("ran",)

        def run(self) -> None:
            self.ran += 1
            run()

    task = Task(delay_ms)
    task.ran = 0
    return task


def timer_of(impl: SimpleNamespace, executor=None):
    clock = impl.clock.VirtualClock()
    return impl.system_timer.SystemTimer(executor, clock=clock), clock


# -- the clocks


def virtual_time_is_added_at_once(impl: SimpleNamespace, waits: Waits) -> None:
    clock, calls = impl.clock.VirtualClock(), []

    class Counted(impl.runtime.Atomic):
        __slots__ = ()

        def __getattribute__(self, name):
            if not name.startswith("_"):
                calls.append(name)
            return super().__getattribute__(name)

    clock.time_ms = Counted(7)
    clock.advance(5)
    assert calls == ["add_and_get"], "two advances at once may lose one"
    assert clock.hi_res_clock_ms() == 12


def virtual_time_does_not_go_back(impl: SimpleNamespace, waits: Waits) -> None:
    clock = impl.clock.VirtualClock(5)
    with suppress(ValueError):
        clock.advance(-1)
    assert clock.hi_res_clock_ms() == 5, "time went back"


def system_time_is_monotonic_and_in_milliseconds(impl: SimpleNamespace, waits: Waits) -> None:
    impl.clock.time = SimpleNamespace(monotonic_ns=lambda: 7_999_999, time_ns=lambda: 3_000_000)
    assert impl.clock.SystemClock().hi_res_clock_ms() == 7


# -- entries and tasks


def an_entry_is_whole_when_its_task_has_it(impl: SimpleNamespace, waits: Waits) -> None:
    seen = []

    class Task(impl.timer_task_list.TimerTask):
        __slots__ = ()

        def set_timer_task_entry(self, entry) -> None:
            seen.append([name for name in type(entry).__slots__ if not hasattr(entry, name)])
            super().set_timer_task_entry(entry)

    impl.timer_task_list.TimerTaskEntry(Task(1), 1)
    assert seen == [[]], f"published without {seen}"


def a_task_says_what_is_due(impl: SimpleNamespace, waits: Waits) -> None:
    try:
        impl.timer_task_list.TimerTask(1).run()
    except NotImplementedError:
        return
    raise AssertionError("a task without run() does nothing and says nothing")


# -- the timer


def a_refused_add_leaves_the_waiting_task(impl: SimpleNamespace, waits: Waits) -> None:
    for delay_ms in (-100, 1 << 63):
        timer, _ = timer_of(impl)
        task = task_of(impl, 5)
        timer.add(task)
        entry, task.delay_ms = task.timer_task_entry, delay_ms
        with suppress(ValueError):
            timer.add(task)
        assert task.timer_task_entry is entry, "a refused add takes the task out"
        assert entry.list is not None and timer.size() == 1, "a refused add takes the task out"


def an_add_reads_the_clock_within_the_read_lock(impl: SimpleNamespace, waits: Waits) -> None:
    timer, _ = timer_of(impl)
    held = []

    class Clock(impl.clock.VirtualClock):
        __slots__ = ()

        def hi_res_clock_ms(self) -> int:
            held.append(bool(timer.lock.readers))
            return super().hi_res_clock_ms()

    timer.clock = Clock()
    timer.add(task_of(impl, 5))
    assert held == [True], "the reaper may pass between the clock and the wheel"


def refuses(impl: SimpleNamespace, timer) -> bool:
    """Whether an add of a task that is due now is refused."""
    try:
        timer.add(task_of(impl, 0))
    except RuntimeError:
        return True
    return False


def a_running_task_that_adds_does_not_hold_close_up(impl: SimpleNamespace, waits: Waits) -> None:
    timer, _ = timer_of(impl)
    begun, ended = threading.Event(), []

    def adds() -> None:
        begun.set()
        waits.until(lambda: refuses(impl, timer), "close does not begin")
        timer.add(task_of(impl, 5))
        ended.append(True)

    timer.add(task_of(impl, 0, adds))
    waits.until(begun.is_set, "the task does not run")
    closing = Running(timer.close)
    waits.until(lambda: closing.ended, "close waits for a task that waits for close")
    assert ended == [True] and closing.error is None, "the task was not refused, or close raised"


def a_refused_task_does_not_stop_the_flush(impl: SimpleNamespace, waits: Waits) -> None:
    for refusal in RuntimeError("shut down"), OSError("full"):
        timer, clock = timer_of(impl, Lent(refusal))
        with logged("impl.task_executor") as records:
            for _ in range(2):  # a bucket that kept its key would not be queued the second time
                for _ in range(2):
                    timer.add(task_of(impl, 20))
                clock.advance(20)
                try:
                    assert timer.advance_clock(0), "the bucket is not due"
                except type(refusal):
                    raise AssertionError("a refusal leaves a flush half done") from None
                assert timer.size() == 0, "a bucket is not flushed"
        assert len(records) == 4, "a refusal is not logged"


def an_add_that_is_refused_raises(impl: SimpleNamespace, waits: Waits) -> None:
    timer, _ = timer_of(impl)
    timer.close()
    assert refuses(impl, timer), "a task that is due is dropped in silence"


def close_waits_for_what_runs_and_may_be_called_twice(impl: SimpleNamespace, waits: Waits) -> None:
    timer, _ = timer_of(impl)
    begun, goes_on = threading.Event(), threading.Event()
    task, queued = task_of(impl, 0, lambda: (begun.set(), goes_on.wait())), task_of(impl, 0)
    timer.add(task), timer.add(queued)
    waits.until(begun.is_set, "the task does not run")
    ended, shut, pool = [], threading.Event(), timer.executor.executor
    timer.executor.executor = SimpleNamespace(
        submit=pool.submit, shutdown=lambda **how: (shut.set(), pool.shutdown(**how))
    )
    closing = Running(lambda: (timer.close(), ended.append(queued.ran), timer.close()))
    waits.until(shut.is_set, "close does not begin")
    goes_on.set()
    waits.until(lambda: closing.ended, "close does not end")
    assert closing.error is None and ended == [1], "close did not wait for what was handed over"


def a_task_may_close_its_timer(impl: SimpleNamespace, waits: Waits) -> None:
    timer, _ = timer_of(impl)
    closed = []
    timer.add(task_of(impl, 0, lambda: (timer.close(), closed.append(True))))
    waits.until(lambda: closed, "close waits for the task that closes")


def anothers_executor_is_left_alone(impl: SimpleNamespace, waits: Waits) -> None:
    with ThreadPoolExecutor(1) as executor:
        timer, _ = timer_of(impl, executor)
        timer.close()
        try:
            assert executor.submit(lambda: 7).result(waits.within_s) == 7
        except RuntimeError:
            raise AssertionError("close shut another's executor down") from None


def tasks_run_one_after_the_other(impl: SimpleNamespace, waits: Waits) -> None:
    timer, _ = timer_of(impl)
    order, first, goes_on = [], threading.Event(), threading.Event()
    timer.add(
        task_of(impl, 0, lambda: (first.set(), goes_on.wait(waits.moment_s), order.append(1)))
    )
    waits.until(first.is_set, "the task does not run")
    timer.add(task_of(impl, 0, lambda: (order.append(2), goes_on.set())))
    waits.until(lambda: len(order) == 2, "a task does not run")
    goes_on.set()
    assert order == [1, 2], "a later task overtakes one that runs"


class Lent(Executor):
    """The caller's executor: it refuses, or runs in a thread of its own."""

    def __init__(self, refusal: Exception | None = None) -> None:
        self.refusal, self.calls = refusal, []

    def submit(self, call, /, *arguments, **named):
        if self.refusal is not None:
            raise self.refusal
        self.calls.append((call, arguments))


def what_a_task_raises_is_logged_and_harms_no_thread(impl: SimpleNamespace, waits: Waits) -> None:
    def fails() -> None:
        raise LookupError("no luck")

    timer, _ = timer_of(impl)
    task, later = task_of(impl, 0, fails), task_of(impl, 0)
    with logged("impl.task_executor") as records:
        timer.add(task), timer.add(later)
        waits.until(lambda: later.ran, "a task that raises ends the thread")
        timer.close()
    assert [record.exc_info[0] for record in records] == [LookupError], (
        "what a task raised is not logged"
    )


# -- the reaper


class Timer:
    """A timer that notes what its reaper does."""

    def __init__(self) -> None:
        self.polls: list[float] = []
        self.closed = 0
        self.blocked = threading.Event()
        self.blocked.set()
        self.looked = threading.Event()
        self.reaping_when_closed: bool | None = None
        self.reaper = None

    def advance_clock(self, timeout_ms: float) -> bool:
        self.polls.append(timeout_ms)
        self.looked.set()
        self.blocked.wait()
        time.sleep(0.001)  # one that a fault keeps polling for ever is not to take the processor
        return False

    def wake(self) -> None:
        pass

    def close(self) -> None:
        self.closed += 1
        self.reaping_when_closed = self.reaper is not None and self.reaper.thread.is_alive()


def a_reaper_polls_until_it_is_closed(impl: SimpleNamespace, waits: Waits) -> None:
    timer = Timer()
    timer.reaper = reaper = impl.system_timer_reaper.SystemTimerReaper("reaper", timer)
    waits.until(lambda: len(timer.polls) > 3, "it polls once and never again")
    assert (
        set(timer.polls) == {impl.system_timer_reaper.POLL_MS}
        and 1 < impl.system_timer_reaper.POLL_MS < 10_000
    ), "how long it waits at a time"
    assert reaper.thread.daemon, "it keeps the process from ending"
    closing = Running(reaper.close)
    waits.until(lambda: closing.ended, "close does not end")
    waits.until(lambda: not reaper.thread.is_alive(), "it goes on after close")
    assert timer.closed == 1 and closing.error is None, "the timer is not closed with it"


def a_reaper_is_through_when_its_timer_is_closed(impl: SimpleNamespace, waits: Waits) -> None:
    timer = Timer()
    timer.blocked.clear()
    timer.reaper = reaper = impl.system_timer_reaper.SystemTimerReaper("reaper", timer)
    waits.until(timer.looked.is_set, "it does not poll")
    closing = Running(reaper.close)
    waits.until(lambda: reaper.stopping.is_set() or timer.closed, "close does not begin")
    timer.blocked.set()
    waits.until(lambda: closing.ended, "close does not end")
    assert timer.reaping_when_closed is False, "the timer was closed under its reaper"


def what_the_reaper_runs_may_close_it(impl: SimpleNamespace, waits: Waits) -> None:
    """With an executor that runs tasks in the reaper's own thread."""
    done, errors = threading.Event(), []

    class Closing(Timer):
        def advance_clock(self, timeout_ms: float) -> bool:
            made.wait()
            try:
                reaper.close()
            except RuntimeError as error:
                errors.append(error)
            done.set()
            return False

    made = threading.Event()
    reaper = impl.system_timer_reaper.SystemTimerReaper("reaper", Closing())
    made.set()
    waits.until(done.is_set, "it waits for itself")
    assert not errors, f"{errors}"
    waits.until(lambda: not reaper.thread.is_alive(), "it goes on after close")
