"""The five protocols in production, one thread at a time, and rejected faults under control."""

import sys
import threading
from types import MemberDescriptorType

import pytest

from harness.delayed_operation import Harness
from impl import delayed_operation as impl
from impl.delayed_operation import (
    Blocking,
    CheckedTry,
    DelayedOperation,
    LockedTry,
    TryOnce,
    TryPending,
)
from tests.impl.packages import imported
from tests.impl.real_threads import finished, started
from tests.model.delayed_operation import MECHANISM, ROOT, STEM
from wheelproof.explore import ControlledImplementation

CLASSES = (TryOnce, TryPending, LockedTry, CheckedTry, Blocking)


class Work:
    """An operation that waits for a flag and records its calls; mixed into a protocol's class."""

    def __init__(self, *arguments):
        super().__init__(self, *arguments)
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
    sample = cls(None)
    assert not hasattr(sample, "__dict__")
    for name in (*cls.__slots__, *DelayedOperation.__slots__):
        assert type(getattr(cls, name)) is MemberDescriptorType and hasattr(sample, name)
    with pytest.raises(AttributeError):
        sample.another = 1


def test_only_who_leaves_notes_has_a_place_for_one():
    assert [hasattr(cls(None), "try_complete_pending") for cls in CLASSES] == [
        cls is TryPending for cls in CLASSES
    ]


@pytest.mark.parametrize("cls", CLASSES)
def test_the_lock_is_the_standard_librarys_and_each_operations_own(cls):
    assert type(cls(None).lock) is type(threading.RLock()) and cls(None).lock is not cls(None).lock


def test_loading_under_control_leaves_production_alone():
    before = {cls: dict(vars(cls)) for cls in CLASSES}
    subject = ControlledImplementation.load(ROOT, STEM)
    subject.begin(MECHANISM.scenarios["two_completers"]).end()
    assert before == {cls: dict(vars(cls)) for cls in CLASSES}
    assert sys.modules[TryOnce.__module__] is impl and impl.Monitor is threading.RLock


def test_production_imports_the_standard_library_only():
    assert imported(f"import impl.{STEM}") == "impl"
    assert imported(f"import model.{STEM}") == "model"
    assert imported(f"import harness.{STEM}, mutants.{STEM}") == "harness impl mutants"
    assert imported(f"import impl.{STEM}, wheelproof.errors") == "impl wheelproof", (
        "the probe sees what is there"
    )


# -- what the operations do


def test_an_attempt_before_the_condition_does_nothing(operation):
    assert operation.maybe_try_complete() is False
    assert operation.seen == ["try"] and not operation.completed.get() and free(operation.lock)


def test_it_completes_once_and_tells_who_did_it(operation):
    operation.ready = True
    assert operation.maybe_try_complete() is True
    assert operation.seen == ["try", "cancel", "complete"] and operation.completed.get()
    assert operation.maybe_try_complete() is False
    assert operation.force_complete() is False
    assert operation.seen.count("complete") == operation.seen.count("cancel") == 1 and free(
        operation.lock
    )


def test_only_the_protocols_that_check_do_not_try_a_completed_operation(operation):
    operation.ready = True
    operation.maybe_try_complete()
    operation.maybe_try_complete()
    assert operation.seen.count("try") == (1 if isinstance(operation, CheckedTry) else 2)


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
    operation.maybe_try_complete()
    operation.run()
    assert "expire" not in operation.seen and operation.seen.count("complete") == 1


@pytest.mark.parametrize("how", ["maybe_try_complete", "run"])
def test_an_exception_in_on_complete_frees_the_lock_and_leaves_the_operation_completed(
    operation, how
):
    operation.ready = operation.fails = True
    with pytest.raises(RuntimeError, match="from on_complete"):
        getattr(operation, how)()
    assert operation.completed.get() and "expire" not in operation.seen and free(operation.lock)
    assert operation.maybe_try_complete() is False and operation.force_complete() is False
    assert operation.seen.count("complete") == 1


def test_an_exception_in_try_complete_frees_the_lock(operation, monkeypatch):
    monkeypatch.setattr(type(operation), "try_complete", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        operation.maybe_try_complete()
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
    operation.maybe_try_complete()
    assert held == [True] and free(lock)


@pytest.mark.parametrize("cls", (TryOnce, TryPending))
def test_who_does_not_get_the_lock_does_not_wait(cls):
    operation = worked(cls)
    operation.ready = True
    with operation.lock:
        assert elsewhere(operation.maybe_try_complete) is False
    assert operation.seen == []
    if cls is TryPending:
        assert operation.try_complete_pending.get() is True, "the note is left"
    assert operation.maybe_try_complete() is True


def test_the_first_to_leave_a_note_tries_again_and_the_second_returns():
    operation = worked(TryPending)
    tries = []

    class Lock:
        """Is never had."""

        def acquire(self, blocking):
            tries.append(blocking)
            return False

    operation.lock = Lock()
    assert operation.maybe_try_complete() is False and len(tries) == 2
    assert operation.maybe_try_complete() is False and len(tries) == 3 and not any(tries)


def test_the_holder_tries_again_for_a_note(monkeypatch):
    operation = worked(TryPending)

    def try_complete(self):
        self.seen.append("try")
        if len(self.seen) == 1:
            elsewhere(self.maybe_try_complete)
            self.ready = True
            return False
        return self.ready and self.force_complete()

    monkeypatch.setattr(type(operation), "try_complete", try_complete)
    assert operation.maybe_try_complete() is True
    assert operation.seen == ["try", "try", "cancel", "complete"]


def test_blocking_completes_under_its_lock_and_the_others_do_not():
    for cls in CLASSES:
        operation, held = worked(cls), []
        operation.on_complete = lambda: held.append(not free(operation.lock))
        operation.force_complete()
        assert held == [cls is Blocking] and free(operation.lock)


@pytest.mark.parametrize("name", ["try_complete", "on_complete", "on_expiration"])
def test_what_a_subclass_has_to_say(name):
    with pytest.raises(NotImplementedError):
        getattr(TryOnce(None), name)()


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
