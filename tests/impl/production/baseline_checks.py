"""What the stand-ins for the JDK's timer and queue promise, each promise a check of one copy."""

from __future__ import annotations

from types import SimpleNamespace

from tests.impl.production.loading import Running, Steered, Waits, locked, steered
from tests.impl.production.timer_checks import logged


class Wall:
    """A wall clock that the check sets, and a timer on it."""

    def __init__(self, impl: SimpleNamespace) -> None:
        self.now_ms, self.log = 1_000, []
        self.timer = impl.baselines.JdkTimer(lambda: self.now_ms)

    def action(self, name: str, takes_ms: int = 0):
        def run() -> None:
            self.log.append((name, self.now_ms))
            self.now_ms += takes_ms

        return run


def refused(call, error: type[Exception]) -> bool:
    try:
        call()
    except error:
        return True
    return False


def drained(queue) -> list[int]:
    """When the elements of a queue are due, in the order in which it gives them."""
    out = []
    while (element := queue.poll_now()) is not None:
        out.append(element.due_ms)
    return out


# -- elements and the queue


def an_element_is_due_its_delay_after_it_is_made(impl: SimpleNamespace, waits: Waits) -> None:
    now_ms = [100]
    element = impl.baselines.Delay("e", 30, lambda: now_ms[0])
    now_ms[0] = 110
    assert (element.due_ms, element.get_delay()) == (130, 20)


def elements_are_ordered_by_the_time_when_they_are_due(impl: SimpleNamespace, waits: Waits) -> None:
    early, late, mutant = (impl.baselines.Delay("e", due, lambda: 0) for due in (1, 2, 2))
    assert (early.compare_to(late), late.compare_to(early), late.compare_to(mutant)) == (-1, 1, 0)


def the_element_itself_is_taken_out(impl: SimpleNamespace, waits: Waits) -> None:
    queue = steered(impl).baselines.JdkDelayQueue()
    first, second, stranger = (impl.baselines.Delay(name, 5, lambda: 0) for name in "abc")
    for each in (first, second):
        queue.offer(each)
    assert not queue.remove(stranger), "an element that is not queued was removed"
    assert queue.remove(second) is True
    assert [each.name for each in queue.heap] == ["a"], "another one with its time was removed"
    assert not queue.remove(second), "it was removed twice"
    assert not locked(queue.gate.due.lock), "the gate is kept"


def what_is_left_after_a_removal_is_in_order(impl: SimpleNamespace, waits: Waits) -> None:
    """In one heap the last element has to go up in the gap, in the other down."""
    for dues in ((1, 20, 2, 30, 40, 3, 4), (1, 2, 3, 4, 5, 6, 7)):
        for gone in range(len(dues)):
            now_ms = [0]
            queue = impl.baselines.JdkDelayQueue()
            elements = [impl.baselines.Delay(str(due), due, lambda: now_ms[0]) for due in dues]
            for each in elements:
                queue.offer(each)
            assert queue.remove(elements[gone]) is True
            heap = [each.due_ms for each in queue.heap]
            above = [heap[(place - 1) // 2] for place in range(1, len(heap))]
            assert all(one <= other for one, other in zip(above, heap[1:])), f"{heap} is no heap"
            now_ms[0] = 100
            rest = sorted(due for due in dues if due != dues[gone])
            assert drained(queue) == rest, f"after {dues[gone]} of {dues} was removed"


def the_gate_is_held_while_the_heap_is_looked_through(impl: SimpleNamespace, waits: Waits) -> None:
    queue, bare = steered(impl).baselines.JdkDelayQueue(), []
    element = impl.baselines.Delay("e", 5, lambda: 0)

    class Watched(list):
        def __iter__(self):
            bare.extend([] if locked(queue.gate.due.lock) else ["look"])
            return super().__iter__()

    queue.offer(element)
    queue.heap = Watched(queue.heap)
    queue.remove(element)
    assert not bare, "another thread may change the heap meanwhile"


def a_take_waits_on_when_one_wait_is_over(impl: SimpleNamespace, waits: Waits) -> None:
    queue = steered(impl).baselines.JdkDelayQueue()
    condition: Steered = queue.gate.due
    taker = Running(queue.take)
    waits.until(lambda: condition.sleepers, "it does not wait")
    for _ in range(2):
        sleeper = condition.sleepers[0]
        condition.elapse(impl.baselines.A_WHILE_MS / 1000)
        waits.until(lambda: taker.ended or condition.sleepers not in ([], [sleeper]), "it is stuck")
        assert not taker.ended, "it gives up when there is nothing"
    element = impl.baselines.Delay("e", 0, lambda: 0)
    queue.offer(element)
    waits.until(lambda: taker.ended, "it sleeps on beside an element that is due")
    assert taker.result is element


# -- the timer


def actions_run_in_order_and_one_after_the_other(impl: SimpleNamespace, waits: Waits) -> None:
    wall = Wall(impl)
    wall.timer.schedule(wall.action("late"), 20)
    wall.timer.schedule(wall.action("early", takes_ms=50), 10)
    assert wall.timer.run_due() == 0 and not wall.log, "an action ran before its time"
    wall.now_ms += 10
    assert wall.timer.run_due() == 2, "not all that is due was run"
    assert wall.log == [("early", 1_010), ("late", 1_060)]


def an_action_comes_again_a_period_after_its_start(impl: SimpleNamespace, waits: Waits) -> None:
    wall = Wall(impl)
    wall.timer.schedule(wall.action("tick", takes_ms=5), 10, period_ms=30)
    once = wall.timer.schedule(wall.action("once"), 0)
    assert once.period_ms == 0
    wall.now_ms += 12  # late by 2
    steps = [wall.timer.step() for _ in range(3)]
    assert steps == [True, True, False], "an action without a period comes again"
    assert wall.timer.wait_ms() == 30 - 5 and len(wall.timer) == 1


def a_cancelled_action_does_not_run(impl: SimpleNamespace, waits: Waits) -> None:
    wall = Wall(impl)
    for period_ms in (0, 10):
        wall.timer.schedule(wall.action("cancelled"), 1, period_ms).cancel()
    wall.now_ms += 100
    assert len(wall.timer) == 2, "a cancelled action leaves the heap before its time"
    assert wall.timer.run_due() == 2 and not wall.log and not len(wall.timer)


def what_an_action_raises_kills_the_timer(impl: SimpleNamespace, waits: Waits) -> None:
    wall = Wall(impl)
    wall.timer.schedule(lambda: [].pop(), 0)
    wall.timer.schedule(wall.action("after"), 0)
    assert refused(wall.timer.step, IndexError), "what the action raised does not come out"
    assert wall.timer.dead and not len(wall.timer) and not wall.timer.step(), "the timer lives on"
    taken = not refused(lambda: wall.timer.schedule(print, 0), RuntimeError)
    assert not taken, "a dead timer takes an action"


def a_cancelled_timer_drops_what_waits(impl: SimpleNamespace, waits: Waits) -> None:
    wall = Wall(impl)
    wall.timer.schedule(wall.action("dropped"), 0)
    wall.timer.cancel()
    assert not len(wall.timer) and not wall.timer.step() and not wall.log
    taken = not refused(lambda: wall.timer.schedule(print, 0), RuntimeError)
    assert not taken, "a dead timer takes an action"


def a_negative_time_is_refused(impl: SimpleNamespace, waits: Waits) -> None:
    wall = Wall(impl)
    assert refused(lambda: wall.timer.schedule(print, -1), ValueError), "a negative delay is taken"
    taken = not refused(lambda: wall.timer.schedule(print, 0, -1), ValueError)
    assert not taken, "a negative period is taken"
    assert not len(wall.timer)


def a_purge_drops_the_cancelled_and_nothing_else(impl: SimpleNamespace, waits: Waits) -> None:
    wall = Wall(impl)
    tasks = [wall.timer.schedule(wall.action(str(delay)), delay) for delay in (1, 10, 2, 20, 30, 3)]
    tasks[0].cancel(), tasks[2].cancel()
    assert wall.timer.purge() == 2, "it says another number than it dropped"
    wall.now_ms += 100
    wall.timer.run_due()
    assert [name for name, _ in wall.log] == ["3", "10", "20", "30"]


def the_wall_clock_is_in_milliseconds(impl: SimpleNamespace, waits: Waits) -> None:
    impl.baselines.time = SimpleNamespace(time_ns=lambda: 7_999_999, monotonic_ns=lambda: 3_000_000)
    assert impl.baselines.wall_clock_ms() == 7


# -- its thread


class AtThread:
    """A timer whose condition the check steers, and its thread."""

    def __init__(self, impl: SimpleNamespace, waits: Waits) -> None:
        self.wall, self.waits = Wall(steered(impl)), waits
        self.timer = self.wall.timer
        self.condition = self.timer.changed = Steered()

    def start(self, impl: SimpleNamespace) -> AtThread:
        self.thread = impl.baselines.JdkTimerThread(self.timer)
        return self

    def sleep(self, seconds: float, says: str) -> None:
        def asleep() -> bool:
            return [round(each, 6) for each in self.condition.deadlines()] == [seconds]

        self.waits.until(asleep, says)

    def asleep(self, says: str) -> None:
        self.waits.until(lambda: self.condition.sleepers, says)

    def ended(self, says: str) -> None:
        self.waits.until(lambda: not self.thread.thread.is_alive(), says)


def the_thread_sleeps_until_the_first_action_is_due(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtThread(impl, waits)
    at.timer.schedule(at.wall.action("later"), 50_000)
    at.start(impl).sleep(50, "it does not sleep until the action is due")
    at.timer.schedule(at.wall.action("sooner"), 20_000)
    at.sleep(20, "an earlier action does not wake it")
    at.wall.now_ms += 20_000
    at.condition.elapse(20)
    at.sleep(30, "it does not go on to the next action")
    assert at.wall.log == [("sooner", 21_000)]


def the_thread_ends_with_its_timer(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtThread(impl, waits).start(impl)
    at.asleep("without an action it does not sleep")
    closing = Running(at.thread.close)
    at.ended("it sleeps on in a dead timer")
    waits.until(lambda: closing.ended, "close waits for a thread that has ended")


def close_waits_for_the_action_that_runs(impl: SimpleNamespace, waits: Waits) -> None:
    at, seen = AtThread(impl, waits), []
    gate = impl.threads.Lock()
    gate.acquire()

    def action() -> None:
        seen.append("runs")
        gate.acquire()
        seen.append("ends")

    at.timer.schedule(action, 0)
    at.start(impl)
    waits.until(lambda: seen, "a due action is not run")
    closing = Running(lambda: at.thread.close() or list(seen))
    waits.until(lambda: at.timer.dead, "close does not cancel")
    closing.thread.join(waits.moment_s)
    gate.release()
    waits.until(lambda: closing.ended, "close does not come back")
    assert closing.result == ["runs", "ends"], "close came back while the action ran"


def an_action_may_close_its_own_timer(impl: SimpleNamespace, waits: Waits) -> None:
    at, errors = AtThread(impl, waits), []

    def action() -> None:
        try:
            at.thread.close()
        except RuntimeError as error:  # a thread cannot wait for itself
            errors.append(error)

    at.start(impl).asleep("without an action it does not sleep")
    at.timer.schedule(action, 0)
    at.ended("it sleeps on in a dead timer")
    assert not errors, "close waits for the thread that calls it"


def an_action_that_raises_ends_the_thread_and_is_logged(
    impl: SimpleNamespace, waits: Waits
) -> None:
    with logged("impl.baselines") as records:
        at = AtThread(impl, waits)
        at.timer.schedule(lambda: [].pop(), 0)
        at.start(impl).ended("it outlives what an action raised")
    assert [record.exc_info[0] for record in records] == [IndexError], (
        "what was raised is not logged"
    )
