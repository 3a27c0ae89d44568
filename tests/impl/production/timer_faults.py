"""Faults in queue, executor, reaper, clocks and timer, each with the check that rejects it."""

from __future__ import annotations

from tests.impl.production import queue_checks
from tests.impl.production import timer_checks as checks
from tests.impl.production.planted import planted

DEADLINE = "                deadline = now + task.delay_ms\n"
ENTRY = "                entry = TimerTaskEntry(task, deadline)\n"
CLOCK = "                now = self.clock.hi_res_clock_ms()\n"
FIELDS = "        self.list = self.next = self.prev = None\n"
PUBLISHED = "        if timer_task is not None:\n            timer_task.set_timer_task_entry(self)"
WAITS = "wait=get_ident() != thread"
SUBMITS = "        self.executor.submit(run, entry)\n"
CLOSES = "        self.executor.close()"
JOINS = (
    "        if threading.get_ident() != self.thread.ident:\n"
    "            self.await_end(timeout_s)\n"
)
TAKES = (
    "        try:\n"
    "            taken = self._take()\n"
    "        finally:\n"
    "            self.gate.release()\n"
    "        return taken"
)

LOOKS = "        try:\n            found = self.wait_ms() <= 0\n"

FAULTS = {
    # the clocks
    "two advances at once may lose one": planted(
        checks.virtual_time_is_added_at_once,
        "self.time_ms.add_and_get(ms)",
        "self.time_ms.set(self.time_ms.get() + ms)",
    ),
    "virtual time goes back": planted(
        checks.virtual_time_does_not_go_back,
        'whole("the time that passes", ms, least=0)',
        'whole("the time that passes", ms, least=-1)',
    ),
    "the system clock is the wall clock": planted(
        checks.system_time_is_monotonic_and_in_milliseconds,
        "time.monotonic_ns()",
        "time.time_ns()",
    ),
    "the system clock is in microseconds": planted(
        checks.system_time_is_monotonic_and_in_milliseconds,
        "monotonic_ns() // 1_000_000",
        "monotonic_ns() // 1_000",
    ),
    "the system clock is rounded up": planted(
        checks.system_time_is_monotonic_and_in_milliseconds,
        "return time.monotonic_ns() // 1_000_000",
        "return -(-time.monotonic_ns() // 1_000_000)",
    ),
    # the delay queue
    "offer wakes no thread": planted(
        queue_checks.an_earlier_head_wakes_a_poller,
        "                self.gate.notify()",
        "                pass",
    ),
    "offer wakes when another element is first": planted(
        queue_checks.an_earlier_head_wakes_a_poller,
        "if self.heap[0] is element:",
        "if self.heap[0] is not element:",
    ),
    "offer wakes at the first element only": planted(
        queue_checks.an_earlier_head_wakes_a_poller,
        "if self.heap[0] is element:",
        "if len(self.heap) == 1:",
    ),
    "offer wakes for every element": planted(
        queue_checks.a_later_element_wakes_no_thread,
        "if self.heap[0] is element:",
        "if True:",
    ),
    "offer looks before it has sorted": planted(
        queue_checks.an_earlier_head_wakes_a_poller,
        "            self._up(len(self.heap) - 1, element)\n"
        "            if self.heap[0] is element:",
        "            first = self.heap[0] is element\n"
        "            self._up(len(self.heap) - 1, element)\n"
        "            if first:",
    ),
    "an empty queue is due at once": planted(
        queue_checks.an_empty_queue_is_waited_at,
        "            return FOREVER_MS",
        "            return 0",
    ),
    "poll does not wait": planted(
        queue_checks.an_empty_queue_is_waited_at,
        "acquire_when(self.wait_ms, timeout_ms)\n" + TAKES,
        "acquire_when(self.wait_ms, 0)\n" + TAKES,
    ),
    "poll waits without end": planted(
        queue_checks.a_poll_ends_with_its_time_and_nothing,
        "acquire_when(self.wait_ms, timeout_ms)\n" + TAKES,
        "acquire_when(self.wait_ms, FOREVER_MS)\n" + TAKES,
    ),
    "the wait for what is due does not wait": planted(
        queue_checks.what_is_due_is_waited_for_and_left,
        "acquire_when(self.wait_ms, timeout_ms)\n" + LOOKS,
        "acquire_when(self.wait_ms, 0)\n" + LOOKS,
    ),
    "the wait for what is due has no end": planted(
        queue_checks.what_is_due_is_waited_for_and_left,
        "acquire_when(self.wait_ms, timeout_ms)\n" + LOOKS,
        "acquire_when(self.wait_ms, FOREVER_MS)\n" + LOOKS,
    ),
    "the wait for what is due takes it": planted(
        queue_checks.what_is_due_is_waited_for_and_left,
        "found = self.wait_ms() <= 0",
        "found = self._take() is not None",
    ),
    "a look shows what is not due": planted(
        queue_checks.what_is_due_is_waited_for_and_left,
        "if heap and heap[0].get_delay() <= 0 else None",
        "if heap else None",
    ),
    "poll takes what is not due": planted(
        queue_checks.a_poll_ends_with_its_time_and_nothing,
        "        if not heap:\n            return None\n",
        "",
    ),
    "what is due is not taken": planted(
        queue_checks.pollers_take_each_element_once_and_when_it_is_due,
        "if delay > 0:",
        "if delay >= 0:",
    ),
    "an element is taken before it is due": planted(
        queue_checks.pollers_take_each_element_once_and_when_it_is_due,
        "return heap[0].get_delay()",
        "return heap[0].get_delay() - 1000",
    ),
    "poll keeps the gate where it finds nothing": planted(
        queue_checks.a_poll_ends_with_its_time_and_nothing,
        TAKES,
        "        taken = self._take()\n"
        "        if taken is not None:\n"
        "            self.gate.release()\n"
        "        return taken",
    ),
    "poll keeps the gate when an element raises": planted(
        queue_checks.an_element_that_raises_gives_the_gate_back,
        TAKES,
        "        taken = self._take()\n        self.gate.release()\n        return taken",
    ),
    "poll takes after it has left the gate": planted(
        queue_checks.each_operation_holds_the_gate,
        TAKES,
        "        self.gate.release()\n        return self._take()",
    ),
    "poll_now takes without the gate": planted(
        queue_checks.each_operation_holds_the_gate,
        "        with self.gate:\n            taken = self._take()\n        return taken",
        "        return self._take()",
    ),
    "offer looks without the gate": planted(
        queue_checks.each_operation_holds_the_gate,
        "        with self.gate:\n            self.heap.append(element)",
        "        self.heap.append(element)\n        with self.gate:",
    ),
    # entries and tasks
    "an entry is published before its fields are set": planted(
        checks.an_entry_is_whole_when_its_task_has_it,
        FIELDS + PUBLISHED,
        PUBLISHED + "\n" + FIELDS,
    ),
    "an entry is published before it has its monitor": planted(
        checks.an_entry_is_whole_when_its_task_has_it,
        "        self.monitor = Monitor()\n" + FIELDS + PUBLISHED,
        FIELDS + PUBLISHED + "\n        self.monitor = Monitor()\n",
    ),
    "an entry is published before it has its deadline": planted(
        checks.an_entry_is_whole_when_its_task_has_it,
        "        self.expiration_ms = expiration_ms\n",
        "",
        PUBLISHED,
        PUBLISHED + "\n        self.expiration_ms = expiration_ms",
    ),
    "a task without run() does nothing": planted(
        checks.a_task_says_what_is_due,
        "raise NotImplementedError("
        'f"{type(self).__name__} does not say what is due: override run()")',
        "pass",
    ),
    # the timer
    "an entry is made before its deadline is checked": planted(
        checks.a_refused_add_leaves_the_waiting_task,
        DEADLINE,
        DEADLINE + ENTRY,
    ),
    "a task is cancelled before its new deadline is checked": planted(
        checks.a_refused_add_leaves_the_waiting_task,
        DEADLINE,
        DEADLINE + "                task.cancel()\n",
    ),
    "add reads the clock before it has the lock": planted(
        checks.an_add_reads_the_clock_within_the_read_lock,
        "            with self.lock.read_lock:\n" + CLOCK,
        "            now = self.clock.hi_res_clock_ms()\n            with self.lock.read_lock:\n",
    ),
    "close waits for the executor under the write lock": planted(
        checks.a_running_task_that_adds_does_not_hold_close_up,
        CLOSES,
        "        with self.lock.write_lock:\n            self.executor.close()",
    ),
    "a refusal leaves a flush half done": planted(
        checks.a_refused_task_does_not_stop_the_flush,
        "self.expire(bucket, self.reinsert)",
        "self.expire(bucket, self.add_timer_task_entry)",
    ),
    "a refusal by another error leaves a flush half done": planted(
        checks.a_refused_task_does_not_stop_the_flush,
        "except Exception as error:",
        "except RuntimeError as error:",
    ),
    "a refusal in a flush is dropped in silence": planted(
        checks.a_refused_task_does_not_stop_the_flush,
        "self.executor.report(entry, error)",
        "pass",
    ),
    "a refusal is not logged": planted(
        checks.a_refused_task_does_not_stop_the_flush,
        "        _LOG.error(",
        "        str.format(",
    ),
    "an add that is refused says nothing": planted(
        checks.an_add_that_is_refused_raises,
        ENTRY + "                self.add_timer_task_entry(entry)",
        ENTRY + "                self.reinsert(entry)",
    ),
    "close leaves the executor open": planted(
        checks.close_waits_for_what_runs_and_may_be_called_twice,
        CLOSES,
        "        pass",
    ),
    # the executor
    "close does not wait": planted(
        checks.close_waits_for_what_runs_and_may_be_called_twice,
        WAITS,
        "wait=False",
    ),
    "close drops what was handed over": planted(
        checks.close_waits_for_what_runs_and_may_be_called_twice,
        WAITS,
        WAITS + ", cancel_futures=True",
    ),
    "close waits for the task that closes": planted(
        checks.a_task_may_close_its_timer,
        WAITS,
        "wait=True",
    ),
    "the executor's thread does not say that it is one": planted(
        checks.a_task_may_close_its_timer,
        "self.thread = me",
        "pass",
    ),
    "another's executor is shut down": planted(
        checks.anothers_executor_is_left_alone,
        "        if self.own:\n",
        "        if True:\n",
    ),
    "two tasks run at once": planted(
        checks.tasks_run_one_after_the_other,
        "            if self.thread is None:\n                self.start()",
        "            self.start()",
    ),
    "what a task raises is kept in a future": planted(
        checks.what_a_task_raises_is_logged_and_harms_no_thread,
        SUBMITS,
        "        self.executor.submit(entry.timer_task.run)\n",
    ),
    "what a task raises is dropped": planted(
        checks.what_a_task_raises_is_logged_and_harms_no_thread,
        '        _LOG.exception("the task that was due at %d ms raised", entry.expiration_ms)',
        "        pass",
    ),
    # the reaper
    "the reaper polls once": planted(
        checks.a_reaper_polls_until_it_is_closed,
        "while not self.stopping.is_set():",
        "if not self.stopping.is_set():",
    ),
    "the reaper never looks whether it is closed": planted(
        checks.a_reaper_polls_until_it_is_closed,
        "while not self.stopping.is_set():",
        "while True:",
    ),
    "close does not tell the reaper": planted(
        checks.a_reaper_polls_until_it_is_closed,
        "        self.stopping.set()\n",
        "",
    ),
    "close waits for the reaper before it tells it": planted(
        checks.a_reaper_polls_until_it_is_closed,
        "        self.stopping.set()\n" + JOINS,
        JOINS + "        self.stopping.set()\n",
    ),
    "the reaper does not wait": planted(
        checks.a_reaper_polls_until_it_is_closed,
        "self.timer.advance_clock(POLL_MS)",
        "self.timer.advance_clock(0)",
    ),
    "the reaper keeps the process from ending": planted(
        checks.a_reaper_polls_until_it_is_closed,
        "target=self._live, name=name, daemon=True)",
        "target=self._live, name=name)",
    ),
    "the reaper's timer is left open": planted(
        checks.a_reaper_polls_until_it_is_closed,
        "            self.await_end(timeout_s)\n        self.timer.close()\n",
        "            self.await_end(timeout_s)\n",
    ),
    "the timer is closed under its reaper": planted(
        checks.a_reaper_is_through_when_its_timer_is_closed,
        "        self.stopping.set()\n",
        "        self.stopping.set()\n        self.timer.close()\n        return\n",
    ),
    "close does not wait for the reaper": planted(
        checks.a_reaper_is_through_when_its_timer_is_closed,
        JOINS,
        "",
    ),
    "the reaper waits for itself": planted(
        checks.what_the_reaper_runs_may_close_it,
        "if threading.get_ident() != self.thread.ident:",
        "if True:",
    ),
}
