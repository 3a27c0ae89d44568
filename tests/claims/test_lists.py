"""Claims about tasks, entries and lists: the setter's monitor, who writes ``list``, and what cancel
does to a task that runs.
"""

from __future__ import annotations

import ast
import inspect
import threading

from impl import timer_task_list
from impl.clock import VirtualClock
from impl.runtime import Atomic, NoMonitor
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask, TimerTaskEntry, TimerTaskList
from tests.impl.real_threads import MOMENT_S, PATIENCE_S, finished, started
from tests.model.timer import MECHANISM
from wheelproof.graph.explorer import explore

# -- the task's monitor


class Interrupted(TimerTask):
    """A task whose entry is read, by the first reader, while something else happens."""

    __slots__ = ("meanwhile",)

    @property
    def timer_task_entry(self):
        seen = TimerTask.timer_task_entry.__get__(self)
        happens, self.meanwhile = getattr(self, "meanwhile", None), None
        if happens is not None:
            happens()
        return seen

    @timer_task_entry.setter
    def timer_task_entry(self, entry):
        TimerTask.timer_task_entry.__set__(self, entry)


def entries_of_two_adds(monitor=None) -> list[bool]:
    """For each linked entry of a task that two threads have added whether it is cancelled.

    The second thread comes while the first one reads the old entry.
    """
    bucket, task = TimerTaskList(Atomic(0)), Interrupted(1)
    task.meanwhile, threads = None, []
    if monitor is not None:
        task.monitor = monitor

    def add():
        bucket.add(TimerTaskEntry(task, 1))

    def meanwhile():
        threads.extend(started(add))
        finished(threads[0], MOMENT_S if monitor is None else PATIENCE_S)

    task.meanwhile = meanwhile
    entry = TimerTaskEntry(task, 1)
    assert finished(threads[0])
    if not entry.cancelled():
        bucket.add(entry)
    linked = []
    bucket.flush(linked.append)
    return sorted(entry.cancelled() for entry in linked)


def test_with_its_monitor_the_setter_leaves_a_task_one_linked_entry():
    assert entries_of_two_adds() == [False]


def test_without_the_monitor_a_task_has_two_of_which_one_counts():
    assert entries_of_two_adds(NoMonitor()) == [False, True]


# -- who writes the entry's list


def writers(source: str, field: str = "list") -> set[str]:
    """The methods that assign to an attribute of this name, as ``Class.method``."""
    found = set()
    for part in ast.walk(ast.parse(source)):
        for method in part.body if isinstance(part, ast.ClassDef) else ():
            for node in ast.walk(method):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store)
                    and node.attr == field
                ):
                    found.add(f"{part.name}.{method.name}")
    return found


def test_after_its_construction_an_entrys_list_is_written_by_add_and_remove_alone():
    assert writers(inspect.getsource(timer_task_list)) == {
        "TimerTaskEntry.__init__",
        "TimerTaskList.add",
        "TimerTaskList.remove",
    }


def test_that_check_sees_another_writer():
    source = inspect.getsource(timer_task_list).replace(
        "                callback(head)", "                head.list = None"
    )
    assert "TimerTaskList.flush" in writers(source)


# -- cancel and a task that runs


class Long(TimerTask):
    """A task that begins, waits, and ends."""

    __slots__ = ("began", "goes_on", "ended")

    def __init__(self) -> None:
        super().__init__(0)
        self.began, self.goes_on, self.ended = threading.Event(), threading.Event(), False

    def run(self) -> None:
        self.began.set()
        self.goes_on.wait(PATIENCE_S)
        self.ended = True


class Obedient(Long):
    """A task that looks whether it was cancelled, which Kafka's timer does not do for it."""

    __slots__ = ()

    def run(self) -> None:
        self.began.set()
        self.goes_on.wait(PATIENCE_S)
        self.ended = self.timer_task_entry is not None


def runs_on(task: Long) -> bool:
    """Whether a task that is cancelled while it runs comes to its end."""
    timer = SystemTimer(clock=VirtualClock(0))
    timer.add(task)
    assert task.began.wait(PATIENCE_S)
    task.cancel()
    task.goes_on.set()
    timer.close()
    return task.ended


def test_cancel_does_not_stop_a_task_that_runs():
    assert runs_on(Long())


def test_that_check_sees_a_task_that_stops():
    assert not runs_on(Obedient())


# -- a cancelled entry that stays linked


def stays_linked(scenario: str, without: str = "") -> bool:
    """Whether the model of a scenario, or of a mutant in it, reaches a state in which a cancelled
    entry is linked.
    """
    graph = explore(MECHANISM.without(without).model(scenario))
    return not all(graph.model.holds("CancelledUnlinked", state) for state in graph.states)


def test_a_cancelled_entry_may_stay_linked():
    assert stays_linked("flush_cancel")


def test_where_no_thread_moves_an_entry_it_may_not():
    assert not stays_linked("remove_cancel")


ONE_ATTEMPT = "M5"


def test_where_threads_only_remove_an_entry_one_attempt_is_enough():
    assert not stays_linked("remove_cancel", ONE_ATTEMPT)
    assert not stays_linked("cancel_cancel", ONE_ATTEMPT)


def test_where_a_thread_moves_the_entry_one_attempt_may_miss_it():
    assert stays_linked("flush_cancel", ONE_ATTEMPT)
