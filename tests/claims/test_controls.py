"""For each test that decides a claim and plants nothing itself: a change of the implementation that
this test must reject.
"""

from __future__ import annotations

import logging
import sys

import pytest

import impl.timer_task_list
import tests.impl.timing
from impl.timer_task_list import TimerTask
from tests.claims.planting import Changes, module_of, planted

LISTS, OPERATIONS = "impl/test_timer_task_list.py", "impl/test_delayed_operation.py"
WHEEL, TIMER, TIMER_DEFECTS, QUEUE, QUEUE_COST = (
    "impl/test_timing_wheel.py",
    "impl/test_system_timer.py",
    "impl/test_system_timer_defects.py",
    "impl/test_delay_queue.py",
    "impl/test_delay_queue_cost.py",
)
BASELINES, LEADER = "impl/test_baselines.py", "impl/test_partition_leader.py"

FORCED = """        if not self.completed.compare_and_set(False, True):  # cas X1
            return False
        self.cancel()
        self.on_complete()
"""
RUN = "        if self.force_complete():\n            self.on_expiration()\n"
SUBMITTED = "        if not entry.cancelled():  # read K1\n"

BY_ISR = (
    (
        "    for replica in assignment:\n"
        "        if replica in live_replicas and replica in isr:\n"
        "            return Elected(replica, tuple(member",
        "    for replica in isr:\n"
        "        if replica in live_replicas:\n"
        "            return Elected(replica, tuple(member",
    ),
)

# (file, test): the module of impl, and the change
PLANTED: dict[tuple[str, str], tuple[str, Changes]] = {
    (LISTS, "test_a_new_list_is_its_own_ring"): (
        "timer_task_list",
        (("self.root.next = self.root.prev = self.root", "self.root.next = self.root"),),
    ),
    (LISTS, "test_add_links_at_the_tail"): (
        "timer_task_list",
        (
            ("tail = self.root.prev", "head = self.root.next"),
            ("entry.next = self.root  # write A4", "entry.next = head"),
            ("entry.prev = tail  # write A5", "entry.prev = self.root"),
            ("tail.next = entry  # write A7", "self.root.next = entry"),
            ("self.root.prev = entry  # write A8", "head.prev = entry"),
        ),
    ),
    (LISTS, "test_add_takes_the_entry_out_of_its_list_first"): (
        "timer_task_list",
        (
            (
                "            entry.remove()\n            with self.monitor:  # lock A1",
                "            entry.list = None\n            with self.monitor:  # lock A1",
            ),
        ),
    ),
    (LISTS, "test_remove_unlinks_and_clears"): (
        "timer_task_list",
        (("entry.next = None  # write U6", "pass"),),
    ),
    (LISTS, "test_cancel_unlinks_and_tells_for_ever"): (
        "timer_task_list",
        (
            (
                "            if entry is not None:\n                entry.remove()",
                "            if entry is not None:\n                pass",
            ),
        ),
    ),
    (LISTS, "test_a_new_entry_takes_its_predecessor_out"): (
        "timer_task_list",
        (("                old.remove()", "                pass"),),
    ),
    (LISTS, "test_flush_hands_over_head_first_and_out_of_the_list"): (
        "timer_task_list",
        (
            (
                "                self.remove(head)\n                callback(head)",
                "                callback(head)\n                self.remove(head)",
            ),
        ),
    ),
    (LISTS, "test_flush_holds_the_monitor_while_it_calls_back"): (
        "timer_task_list",
        (("with self.monitor:  # lock F1, unlock F4", "if True:"),),
    ),
    (OPERATIONS, "test_an_attempt_before_the_condition_does_nothing"): (
        "delayed_operation",
        (
            (
                "                    done = self.try_complete()\n",
                "                    done = self.force_complete()\n",
            ),
        ),
    ),
    (OPERATIONS, "test_it_completes_once_and_tells_who_did_it"): (
        "delayed_operation",
        ((FORCED, FORCED.replace("            return False\n", "            pass\n")),),
    ),
    (OPERATIONS, "test_run_completes_and_expires"): (
        "delayed_operation",
        ((RUN, "        self.force_complete()\n"),),
    ),
    (OPERATIONS, "test_run_after_completion_does_not_expire"): (
        "delayed_operation",
        ((RUN, "        self.force_complete()\n        self.on_expiration()\n"),),
    ),
    (OPERATIONS, "test_the_timer_is_cancelled_before_on_complete"): (
        "delayed_operation",
        (
            (
                FORCED,
                FORCED.replace("        self.cancel()\n", "") + "        self.cancel()\n",
            ),
        ),
    ),
    (OPERATIONS, "test_a_supplied_lock_is_used"): (
        "delayed_operation",
        (
            (
                "super().__init__(delay_ms, lock)\n        self.completed",
                "super().__init__(delay_ms)\n        self.completed",
            ),
        ),
    ),
    (OPERATIONS, "test_who_does_not_get_the_lock_does_not_wait"): (
        "delayed_operation",
        (
            (
                "# try O1\n            return False",
                "# try O1\n            return self.try_complete()",
            ),
        ),
    ),
    (OPERATIONS, "test_the_first_to_leave_a_note_tries_again_and_the_second_returns"): (
        "delayed_operation",
        (
            (
                "retry = not self.try_complete_pending.get_and_set(True)",
                "retry = self.try_complete_pending.get_and_set(True)",
            ),
        ),
    ),
    (OPERATIONS, "test_the_holder_tries_again_for_a_note"): (
        "delayed_operation",
        (("retry = self.try_complete_pending.get()", "retry = False"),),
    ),
    (OPERATIONS, "test_what_a_subclass_has_to_say"): (
        "delayed_operation",
        (
            (
                'whether this completed it."""\n        raise NotImplementedError',
                'whether this completed it."""\n        return False',
            ),
        ),
    ),
    (LEADER, "test_the_assignment_decides_and_not_the_isr"): ("partition_leader", BY_ISR),
    (LEADER, "test_an_offline_election_drops_dead_replicas_from_the_isr"): (
        "partition_leader",
        BY_ISR,
    ),
    (WHEEL, "test_defaults_are_kafkas"): (
        "system_timer",
        (("wheel_size: int = 20", "wheel_size: int = 512"),),
    ),
    (WHEEL, "test_due_tasks_run_on_one_thread_of_the_timers_own"): (
        "task_executor",
        (("        self.executor.submit(run, entry)", "        run(entry)"),),
    ),
    (WHEEL, "test_a_task_is_put_into_the_wheel_by_the_thread_that_adds_it"): (
        "system_timer",
        (
            (
                "                self.add_timer_task_entry(entry)\n            done",
                "                from threading import Thread\n"
                "                Thread(target=self.add_timer_task_entry, args=(entry,)).start()\n"
                "            done",
            ),
        ),
    ),
    (WHEEL, "test_of_two_threads_that_set_a_key_one_queues_the_bucket"): (
        "timing_wheel",
        (
            (
                "return self.expiration.get_and_set(expiration_ms) != expiration_ms",
                "return self.expiration.get_and_set(expiration_ms) is not None",
            ),
        ),
    ),
    (WHEEL, "test_a_key_is_swapped_whatever_it_was"): (
        "timing_wheel",
        (
            (
                "return self.expiration.get_and_set(expiration_ms) != expiration_ms",
                "return self.expiration.compare_and_set(NOT_QUEUED, expiration_ms)",
            ),
        ),
    ),
    (TIMER, "test_a_task_that_is_due_already_runs_at_once"): (
        "system_timer",
        ((SUBMITTED, "        if False:\n"),),
    ),
    (TIMER, "test_one_leap_hands_over_in_the_order_of_deadlines"): (
        "system_timer",
        (
            (
                "            bucket = self.queue.poll_now()  # update R4",
                "            bucket = None",
            ),
        ),
    ),
    (
        TIMER_DEFECTS,
        "test_D3_a_cancelled_entry_may_stay_linked_until_its_bucket_expires_and_is_dropped_then",
    ): (
        "timing_wheel",
        (
            (
                "            bucket.add(entry)  # update W2\n",
                "            bucket.add(entry)\n            if entry.cancelled():\n"
                "                entry.remove()\n",
            ),
        ),
    ),
    (QUEUE, "test_a_buckets_delay_is_what_is_left_and_never_negative"): (
        "timing_wheel",
        (
            (
                "return max(self.expiration.get() - self.clock.hi_res_clock_ms(), 0)",
                "return self.expiration.get() - self.clock.hi_res_clock_ms()",
            ),
        ),
    ),
    (QUEUE_COST, "test_steps_of_the_wheel_do_not_depend_on_how_many_are_pending"): (
        "timing_wheel",
        (
            (
                "            bucket.add(entry)  # update W2\n",
                "            bucket.add(entry)\n            node = bucket.root.next\n"
                "            while node is not entry:\n                node = node.next\n",
            ),
        ),
    ),
    (QUEUE_COST, "test_looking_at_the_first_element_costs_the_same_and_taking_it_does_not"): (
        "delay_queue",
        (
            (
                "return heap[0].get_delay()  # read Q1",
                "return min(\n            one.get_delay() for one in heap)",
            ),
        ),
    ),
    (
        "impl/test_clock.py",
        "test_whether_a_delay_depends_on_the_system_clock_is_up_to_the_element",
    ): (
        "baselines",
        (("return self.due_ms - self.clock()", "return self.due_ms - wall_clock_ms()"),),
    ),
    (BASELINES, "test_a_task_that_raises_does_not_stop_kafkas"): (
        "task_executor",
        (
            (
                "    except Exception:\n        _LOG.exception(",
                "    except Exception as error:\n"
                "        raise AssertionError('it stops') from error\n"
                "        (",
            ),
        ),
    ),
    (BASELINES, "test_a_periodic_action_runs_until_it_is_cancelled"): (
        "baselines",
        (("            if task.period_ms:", "            if False:"),),
    ),
}


class Caught(logging.Handler):
    """What is logged, as pytest's ``caplog`` has it."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        logging.getLogger().addHandler(self)

    def undo(self) -> None:
        logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage()


def arguments(module, test) -> list[tuple]:
    """The arguments that pytest would call a test with: those of its marks, or of the fixture that
    it takes.
    """
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    if marks:
        values = [value.values if hasattr(value, "values") else value for value in marks[0].args[1]]
        one = (
            "," not in marks[0].args[0]
            if isinstance(marks[0].args[0], str)
            else len(marks[0].args[0]) == 1
        )
        values = [value if isinstance(value, tuple) and not one else (value,) for value in values]
    else:
        values = [()]
    names = test.__code__.co_varnames[: test.__code__.co_argcount]
    fixtures = {
        "harness": lambda: [module.Bucketed()],
        "operation": lambda: [module.worked(cls) for cls in module.CLASSES],
    }
    if names and names[0] in fixtures:
        return [(subject, *value) for value in values for subject in fixtures[names[0]]()]
    for name, make in (("monkeypatch", pytest.MonkeyPatch), ("caplog", Caught)):
        if name in names:
            return [(*value, make()) for value in values]
    return values


def run(file: str, name: str) -> None:
    """Run one test of a file with all its arguments, as pytest would."""
    module = module_of(file)
    test = getattr(module, name)
    for values in arguments(module, test):
        try:
            test(*values)
        finally:
            for value in values:
                if isinstance(value, (pytest.MonkeyPatch, Caught)):
                    value.undo()


NAMES = [pytest.param(*key, id=f"{key[0]}::{key[1]}") for key in PLANTED]


@pytest.mark.parametrize(("file", "name"), NAMES)
def test_a_planted_change_is_rejected(file, name):
    module, changes = PLANTED[file, name]
    with planted(module, *changes), pytest.raises((AssertionError, pytest.fail.Exception)):
        run(file, name)


def test_nothing_is_left_of_a_planted_change():
    before = TimerTask.cancel, sys.modules["impl.timer_task_list"], sys.modules["tests.impl"]
    with planted("timer_task_list", ("entry.next = None  # write U6", "pass")):
        module_of(LISTS)
        assert sys.modules["impl.timer_task_list"].TimerTask is not TimerTask
    after = TimerTask.cancel, sys.modules["impl.timer_task_list"], sys.modules["tests.impl"]
    assert before == after and impl.timer_task_list.TimerTask is TimerTask
    assert tests.impl is sys.modules["tests.impl"]


def test_a_text_that_is_not_there_is_an_error():
    with (
        pytest.raises(AssertionError, match="'no such text' is there 0 times"),
        planted("timer_task_list", ("no such text", "")),
    ):
        pass
    assert sys.modules["impl.timer_task_list"].TimerTask is TimerTask


def test_without_a_change_they_pass():
    """So that a rejection comes from the change and not from how the test is called here."""
    with planted("clock"):
        for file, name in PLANTED:
            run(file, name)
