"""The five protocols in production, one thread at a time, and rejected faults under control."""

import sys
import threading
from types import MemberDescriptorType

import pytest

from harness.delayed_operation import Harness
from impl import delayed_operation as impl
from impl.clock import VirtualClock
from impl.delayed_operation import (
    CheckedTry,
    DelayedOperation,
    LockedTry,
    TryOnce,
    TryPending,
)
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask
from tests.impl.packages import imported
from tests.impl.real_threads import MOMENT_S, finished, started
from tests.impl.timing import Inline
from tests.model.delayed_operation import MECHANISM, NAME, ROOT
from wheelproof.python import ControlledImplementation

CLASSES = (TryOnce, TryPending, LockedTry, CheckedTry, DelayedOperation)


class Work:
    """An operation that waits for a flag and records its calls; mixed into a protocol's class."""

    def __init__(self, *arguments):
        super().__init__(5, *arguments)
        self.ready, self.fails, self.seen = False, False, []

    def cancel(self):
        self.seen.append("cancel")

    def try_complete(self):
        self.seen.append("try")
        return self.ready and self.force_complete()

    def on_complete(self):
        self.seen.append("complete")
        assert self.completed.get()
        if self.fails:
            raise RuntimeError("from on_complete")

    def on_expiration(self):
        self.seen.append("expire")


class Kept(Work):
    """The same, whose cancel is the timer's."""

    def cancel(self):
        super(Work, self).cancel()


def worked(cls, *arguments):
    return type(cls.__name__, (Work, cls), {})(*arguments)


@pytest.fixture(params=CLASSES, ids=lambda cls: cls.__name__)
def operation(request):
    return worked(request.param)


def elsewhere(function):
    """What a function returns in a thread of its own."""
    answers = []
    (thread,) = started(lambda: answers.append(function()))
    assert finished(thread), "it waits"
    (answer,) = answers
    return answer


def free(lock):
    """Whether another thread can have the lock."""

    def attempt():
        had = lock.acquire(blocking=False)
        if had:
            lock.release()
        return had

    return elsewhere(attempt)


# -- production costs nothing


@pytest.mark.parametrize("cls", CLASSES)
def test_fields_are_slots(cls):
    sample = cls(5)
    assert not hasattr(sample, "__dict__")
    for name in (*cls.__slots__, *DelayedOperation.__slots__):
        assert type(getattr(cls, name)) is MemberDescriptorType and hasattr(sample, name)
    with pytest.raises(AttributeError):
        sample.another = 1


def test_only_who_leaves_notes_has_a_place_for_one():
    assert [hasattr(cls(5), "try_complete_pending") for cls in CLASSES] == [
        cls is TryPending for cls in CLASSES
    ]


@pytest.mark.parametrize("cls", CLASSES)
def test_the_lock_is_the_standard_librarys_and_each_operations_own(cls):
    assert type(cls(5).lock) is type(threading.RLock()) and cls(5).lock is not cls(5).lock


def test_loading_under_control_leaves_production_alone():
    before = {cls: dict(vars(cls)) for cls in CLASSES}
    subject = ControlledImplementation.load(ROOT, NAME)
    subject.begin(MECHANISM.scenarios["two_completers"]).end()
    assert before == {cls: dict(vars(cls)) for cls in CLASSES}
    assert sys.modules[TryOnce.__module__] is impl and impl.Monitor is threading.RLock


def test_production_imports_the_standard_library_only():
    assert imported(f"import impl.{NAME}") == "impl"
    assert imported(f"import model.{NAME}") == "model"
    assert imported(f"import harness.{NAME}, mutants.{NAME}") == "harness impl mutants"
    assert imported(f"import impl.{NAME}, wheelproof.errors") == "impl wheelproof", (
        "the probe sees what is there"
    )


# -- what the operations do


def test_an_attempt_before_the_condition_does_nothing(operation):
    assert operation.safe_try_complete() is False
    assert operation.seen == ["try"] and not operation.completed.get() and free(operation.lock)


def test_it_completes_once_and_tells_who_did_it(operation):
    operation.ready = True
    assert operation.safe_try_complete() is True
    assert operation.seen == ["try", "cancel", "complete"] and operation.completed.get()
    assert operation.safe_try_complete() is False
    assert operation.force_complete() is False
    assert operation.seen.count("complete") == operation.seen.count("cancel") == 1 and free(
        operation.lock
    )


@pytest.mark.parametrize("cls", CLASSES)
def test_only_the_protocols_that_check_do_not_try_a_completed_operation(cls):
    operation = worked(cls)
    operation.ready = True
    operation.safe_try_complete()
    operation.safe_try_complete()
    assert operation.seen.count("try") == (1 if cls in (CheckedTry, DelayedOperation) else 2)


def test_the_timer_is_cancelled_before_on_complete(operation):
    assert operation.force_complete() is True
    assert operation.seen == ["cancel", "complete"]


def test_run_completes_and_expires(operation):
    operation.run()
    assert operation.seen == ["cancel", "complete", "expire"]
    operation.run()
    assert operation.seen == ["cancel", "complete", "expire"]


def test_run_after_completion_does_not_expire(operation):
    operation.ready = True
    operation.safe_try_complete()
    operation.run()
    assert "expire" not in operation.seen and operation.seen.count("complete") == 1


@pytest.mark.parametrize("how", ["safe_try_complete", "run"])
def test_an_exception_in_on_complete_frees_the_lock_and_leaves_the_operation_completed(
    operation, how
):
    operation.ready = operation.fails = True
    with pytest.raises(RuntimeError, match="from on_complete"):
        getattr(operation, how)()
    assert operation.completed.get() and "expire" not in operation.seen and free(operation.lock)
    assert operation.safe_try_complete() is False and operation.force_complete() is False
    assert operation.seen.count("complete") == 1


def test_an_exception_in_try_complete_frees_the_lock(operation, monkeypatch):
    monkeypatch.setattr(type(operation), "try_complete", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        operation.safe_try_complete()
    assert free(operation.lock) and not operation.completed.get()


@pytest.mark.parametrize("cls", CLASSES)
def test_a_supplied_lock_is_used(cls, monkeypatch):
    lock = threading.RLock()
    operation = worked(cls, lock)
    assert operation.lock is lock
    held = []
    monkeypatch.setattr(
        type(operation), "try_complete", lambda self: bool(held.append(not free(lock)))
    )
    operation.safe_try_complete()
    assert held == [True] and free(lock)


@pytest.mark.parametrize("cls", (TryOnce, TryPending))
def test_who_does_not_get_the_lock_does_not_wait(cls):
    operation = worked(cls)
    operation.ready = True
    with operation.lock:
        assert elsewhere(operation.safe_try_complete) is False
    assert operation.seen == []
    if cls is TryPending:
        assert operation.try_complete_pending.get() is True, "the note is left"
    assert operation.safe_try_complete() is True


def test_the_first_to_leave_a_note_tries_again_and_the_second_returns():
    operation = worked(TryPending)
    tries = []

    class Lock:
        """Is never had."""

        def acquire(self, blocking):
            tries.append(blocking)
            return False

    operation.lock = Lock()
    assert operation.safe_try_complete() is False and len(tries) == 2
    assert operation.safe_try_complete() is False and len(tries) == 3 and not any(tries)


def test_the_holder_tries_again_for_a_note(monkeypatch):
    operation = worked(TryPending)

    def try_complete(self):
        self.seen.append("try")
        if len(self.seen) == 1:
            elsewhere(self.safe_try_complete)
            self.ready = True
            return False
        return self.ready and self.force_complete()

    monkeypatch.setattr(type(operation), "try_complete", try_complete)
    assert operation.safe_try_complete() is True
    assert operation.seen == ["try", "try", "cancel", "complete"]


def test_blocking_completes_under_its_lock_and_the_others_do_not():
    for cls in CLASSES:
        operation, held = worked(cls), []
        operation.on_complete = lambda: held.append(not free(operation.lock))
        operation.force_complete()
        assert held == [cls is DelayedOperation] and free(operation.lock)


# -- what the purgatory and the timer call


def test_a_direct_subclass_is_of_the_present_generation():
    assert impl.Blocking is DelayedOperation
    operation = worked(DelayedOperation)
    with operation.lock:
        assert elsewhere(operation.is_completed) is False
        (waiting,) = started(operation.force_complete)
        assert not finished(waiting, MOMENT_S) and not operation.is_completed(), (
            "it waits for the lock"
        )
    assert finished(waiting) and operation.is_completed()


@pytest.mark.parametrize("cls", CLASSES)
def test_an_operation_is_the_timers_task(cls):
    clock = VirtualClock()
    with SystemTimer(Inline(), clock=clock) as timer:
        due, cancelled = (type(cls.__name__, (Kept, cls), {})() for _ in range(2))
        assert isinstance(due, TimerTask) and due.delay_ms == 5
        timer.add(due)
        timer.add(cancelled)
        cancelled.cancel()
        assert timer.size() == 1 and not cancelled.is_completed()
        clock.advance(6)
        while timer.advance_clock(0):
            pass
    assert due.seen == ["complete", "expire"] and cancelled.seen == []


@pytest.mark.parametrize("cls", CLASSES)
def test_what_fails_at_first_is_acted_upon_and_tried_again(cls):
    for ready, after, seen, won in (
        (False, False, ["try", "act", "try"], False),
        (False, True, ["try", "act", "try", "cancel", "complete"], True),
        (True, True, ["try", "cancel", "complete"], True),
    ):
        operation = worked(cls)
        operation.ready = ready

        def act(given, argument, after=after):
            given.seen.append(argument)
            given.ready = after

        assert operation.safe_try_complete_or_else(act, "act") is won
        assert operation.seen == seen and free(operation.lock)


def test_who_enters_an_operation_holds_its_lock_since_it_blocks():
    for cls in CLASSES:
        operation, held = worked(cls), []
        operation.safe_try_complete_or_else(
            lambda given, into=held: into.append(not free(given.lock))
        )
        assert held == [cls not in (TryOnce, TryPending)]


@pytest.mark.parametrize("name", ["try_complete", "on_complete", "on_expiration"])
def test_what_a_subclass_has_to_say(name):
    with pytest.raises(NotImplementedError):
        getattr(TryOnce(5), name)()


@pytest.mark.parametrize("name", ["two_completers", "try_once_raising", "blocking_raising"])
def test_a_harness_of_production_classes_runs_a_scenario_by_one_thread_after_the_other(name):
    scenario = MECHANISM.scenarios[name]
    harness = Harness(scenario)
    for program in scenario["threads"].values():
        for operation, *arguments in program:
            getattr(harness, operation)(*arguments)
    assert (
        harness.operations["o"].completions.get() == 1
        and harness.operations["o"].expirations.get() == 0
    )
