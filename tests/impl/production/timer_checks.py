"""What the queue, the executor, the reaper and the timer promise on real threads, each promise a check of one copy of the modules."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

from tests.impl.production.loading import Running, Steered, Waits, steered

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
    try:
        clock.advance(-1)
    except ValueError:
        pass
    assert clock.hi_res_clock_ms() == 5, "time went back"


def system_time_is_monotonic_and_in_milliseconds(impl: SimpleNamespace, waits: Waits) -> None:
    impl.clock.time = SimpleNamespace(monotonic_ns=lambda: 7_999_999, time_ns=lambda: 3_000_000)
    assert impl.clock.SystemClock().hi_res_clock_ms() == 7


# -- the delay queue


class Element:
    """Due at a time of the steered clock, in seconds."""

    def __init__(self, due: float) -> None:
        self.due = due

    def get_delay(self) -> float:
        return (self.due - Steered.now) * 1000

    def compare_to(self, other: Element) -> float:
        return self.due - other.due


class AtQueue:
    def __init__(self, impl: SimpleNamespace, waits: Waits, *due: float) -> None:
        self.queue, self.waits = steered(impl).delay_queue.DelayQueue(), waits
        self.condition: Steered = self.queue.gate.due
        for each in due:
            self.queue.offer(Element(Steered.now + each))

    def poller(self, timeout_s: float) -> Running:
        before = len(self.condition.sleepers)
        poller = Running(lambda: self.queue.poll(timeout_s * 1000))
        self.waits.until(
            lambda: poller.ended or len(self.condition.sleepers) > before,
            "a poller is neither through nor asleep",
        )
        return poller

    def sleep(self, *seconds: float, says: str) -> None:
        self.waits.until(
            lambda: [round(each, 6) for each in self.condition.deadlines()] == list(seconds),
            f"{says}: {self.condition.deadlines()}",
        )


def an_earlier_head_wakes_a_poller(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits, 50)
    poller = at.poller(1000)
    at.sleep(50, says="it does not sleep until the head is due")
    at.queue.offer(Element(Steered.now + 20))
    at.sleep(20, says="it sleeps on")
    at.queue.offer(Element(Steered.now))
    waits.until(lambda: poller.ended, "it sleeps on beside a due head")
    assert poller.result.due == Steered.now, "it took another element"


def a_later_element_wakes_nobody(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits, 50)
    at.poller(1000)
    sleeper = at.condition.sleepers[0]
    at.queue.offer(Element(Steered.now + 60))
    assert at.condition.sleepers == [sleeper], "a poller is woken for nothing"


def pollers_take_each_element_once_and_when_it_is_due(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits, 10, 20, 30)
    first = Steered.now
    pollers = [at.poller(1000) for _ in range(3)]
    for number in (1, 2, 3):
        waits.until(
            lambda: [round(each, 6) for each in at.condition.deadlines()[:1]] == [10],
            "nobody sleeps until the head is due",
        )
        at.condition.elapse(9)
        assert sum(poller.ended for poller in pollers) == number - 1, "it is taken before it is due"
        at.condition.elapse(1)
        waits.until(
            lambda: sum(poller.ended for poller in pollers) == number, "it is due and not taken"
        )
    assert sorted(poller.result.due - first for poller in pollers) == [10, 20, 30]


def a_poll_ends_with_its_time_and_nothing(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits)
    poller = at.poller(5)
    at.condition.elapse(5)
    waits.until(lambda: poller.ended, "it sleeps longer than its time")
    assert poller.result is None and poller.error is None and not at.condition.lock.locked()
    empty = at.poller(0)
    waits.until(lambda: empty.ended, "it sleeps although it has no time")
    assert empty.result is None


def an_empty_queue_is_waited_at(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtQueue(impl, waits)
    poller = at.poller(50)
    assert not poller.ended, "it gives up at once"
    at.sleep(50, says="its time")
    at.queue.offer(Element(Steered.now))
    waits.until(lambda: poller.ended, "it sleeps on beside a due head")


def each_operation_holds_the_gate(impl: SimpleNamespace, waits: Waits) -> None:
    queue, bare = steered(impl).delay_queue.DelayQueue(), []

    class Watched(list):
        def note(self, name: str) -> None:
            if not queue.gate.due.lock.locked():
                bare.append(name)

        def append(self, value) -> None:
            self.note("append")
            super().append(value)

        def pop(self, *index):
            self.note("pop")
            return super().pop(*index)

        def __getitem__(self, index):
            self.note("look")
            return super().__getitem__(index)

        def __setitem__(self, index, value) -> None:
            self.note("put")
            super().__setitem__(index, value)

    queue.heap = Watched()
    for due in (5, 3, 1):
        queue.offer(Element(Steered.now - due))
    assert queue.poll_now().due == Steered.now - 5 and queue.poll(0).due == Steered.now - 3
    queue.poll_now(), queue.poll_now(), queue.poll(0)
    assert not bare, f"{sorted(set(bare))} without the gate"
    assert not queue.gate.due.lock.locked(), "the gate is kept"


def an_element_that_raises_gives_the_gate_back(impl: SimpleNamespace, waits: Waits) -> None:
    class Raising(Element):
        asked = 0

        def get_delay(self) -> float:
            Raising.asked += 1
            if Raising.asked > 1:
                raise LookupError
            return 0

    queue = steered(impl).delay_queue.DelayQueue()
    queue.offer(Raising(0))
    try:
        queue.poll(0)
    except LookupError:
        pass
    assert Raising.asked == 2 and not queue.gate.due.lock.locked(), "the gate is kept"


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
        timer, clock = timer_of(impl)
        task = task_of(impl, 5)
        timer.add(task)
        entry, task.delay_ms = task.timer_task_entry, delay_ms
        try:
            timer.add(task)
        except ValueError:
            pass
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
    shutdown = pool.shutdown
    pool.shutdown = lambda **how: (shut.set(), shutdown(**how))
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
    """Somebody's executor: refuses, or runs in a thread of its own."""

    def __init__(self, refusal: Exception | None = None) -> None:
        self.refusal, self.calls = refusal, []

    def submit(self, call, /, *arguments, **named):
        if self.refusal is not None:
            raise self.refusal
        self.calls.append((call, arguments))


def what_a_task_raises_is_logged_and_harms_nobody(impl: SimpleNamespace, waits: Waits) -> None:
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
        self.asked = threading.Event()
        self.reaping_when_closed: bool | None = None
        self.reaper = None

    def advance_clock(self, timeout_ms: float) -> bool:
        self.polls.append(timeout_ms)
        self.asked.set()
        self.blocked.wait()
        time.sleep(0.001)  # one that a fault keeps polling for ever is not to take the processor
        return False

    def close(self) -> None:
        self.closed += 1
        self.reaping_when_closed = self.reaper is not None and self.reaper.thread.is_alive()


def a_reaper_polls_until_it_is_closed(impl: SimpleNamespace, waits: Waits) -> None:
    timer = Timer()
    timer.reaper = reaper = impl.system_timer_reaper.SystemTimerReaper(timer)
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
    timer.reaper = reaper = impl.system_timer_reaper.SystemTimerReaper(timer)
    waits.until(timer.asked.is_set, "it does not poll")
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
    reaper = impl.system_timer_reaper.SystemTimerReaper(Closing())
    made.set()
    waits.until(done.is_set, "it waits for itself")
    assert not errors, f"{errors}"
    waits.until(lambda: not reaper.thread.is_alive(), "it goes on after close")
