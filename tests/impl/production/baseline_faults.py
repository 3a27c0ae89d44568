"""Faults in the JDK's timer and queue, each with the check that must reject it."""

from __future__ import annotations

from tests.impl.production import baseline_checks as checks
from tests.impl.production.planted import planted

SIFTS = "                self._down(index, last)\n"
RISES = "                if self.heap[index] is last:\n                    self._up(index, last)\n"
AGAIN = "                task.due_ms = self.clock() + task.period_ms\n"
DROPS = "            self.dead = True\n            self.heap.heap.clear()\n"
ENDS = "                return\n            with timer.changed:"
JOINS = (
    "        self.timer.cancel()\n"
    "        if threading.current_thread() is not self.thread:\n"
    "            self.thread.join()"
)

FAULTS = {
    # elements and the queue
    "a JDK element is due at its delay": planted(
        checks.an_element_is_due_its_delay_after_it_is_made,
        "name, clock() + delay_ms, clock",
        "name, delay_ms, clock",
    ),
    "a JDK element's delay stands still": planted(
        checks.an_element_is_due_its_delay_after_it_is_made,
        "return self.due_ms - self.clock()",
        "return self.due_ms",
    ),
    "the later JDK element is first": planted(
        checks.elements_are_ordered_by_the_time_when_they_are_due,
        "(self.due_ms > other.due_ms) - (self.due_ms < other.due_ms)",
        "(self.due_ms < other.due_ms) - (self.due_ms > other.due_ms)",
    ),
    "JDK elements of one time are in an order": planted(
        checks.elements_are_ordered_by_the_time_when_they_are_due,
        "(self.due_ms > other.due_ms) - (self.due_ms < other.due_ms)",
        "(self.due_ms >= other.due_ms) - (self.due_ms < other.due_ms)",
    ),
    "the JDK's remove takes an element of the same time": planted(
        checks.the_element_itself_is_taken_out,
        "if queued is element:",
        "if queued.compare_to(element) == 0:",
    ),
    "the JDK's remove says that it removed what is not there": planted(
        checks.the_element_itself_is_taken_out,
        "            else:\n                return False\n            last",
        "            else:\n                return True\n            last",
    ),
    "the JDK's remove takes the last element": planted(
        checks.what_is_left_after_a_removal_is_in_order,
        "            if last is not element:\n" + SIFTS + RISES,
        "",
    ),
    "the JDK's remove puts the last element into the gap": planted(
        checks.what_is_left_after_a_removal_is_in_order,
        SIFTS,
        "                self.heap[index] = last\n",
    ),
    "the JDK's remove lets no element rise": planted(
        checks.what_is_left_after_a_removal_is_in_order,
        RISES,
        "",
    ),
    "the JDK's remove looks without the gate": planted(
        checks.the_gate_is_held_while_the_heap_is_looked_through,
        "        with self.gate:\n            for index, queued in enumerate(self.heap):",
        "        if True:\n            for index, queued in enumerate(self.heap):",
    ),
    "the JDK's take gives up after a while": planted(
        checks.a_take_waits_on_when_one_wait_is_over,
        "while (element := self.poll(A_WHILE_MS)) is None:\n            pass",
        "element = self.poll(A_WHILE_MS)\n        pass",
    ),
    # the timer
    "the JDK's timer runs one action of those due": planted(
        checks.actions_run_in_order_and_one_after_the_other,
        "        while self.step():\n            steps += 1",
        "        if self.step():\n            steps += 1",
    ),
    "a JDK action comes again a period after its time": planted(
        checks.an_action_comes_again_a_period_after_its_start,
        AGAIN,
        "                task.due_ms = task.due_ms + task.period_ms\n",
    ),
    "a JDK action comes again whatever its period": planted(
        checks.an_action_comes_again_a_period_after_its_start,
        "            if task.period_ms:\n",
        "            if True:\n",
    ),
    "a JDK action does not come again": planted(
        checks.an_action_comes_again_a_period_after_its_start,
        "                self.heap.offer(task)\n        try:",
        "        try:",
    ),
    "a cancelled JDK action runs": planted(
        checks.a_cancelled_action_does_not_run,
        "            if task.cancelled:\n",
        "            if False:\n",
    ),
    "a JDK action's cancel does nothing": planted(
        checks.a_cancelled_action_does_not_run,
        "        self.cancelled = True",
        "        pass",
    ),
    "the JDK's timer stops at a cancelled action": planted(
        checks.a_cancelled_action_does_not_run,
        "            if task.cancelled:\n                return True",
        "            if task.cancelled:\n                return False",
    ),
    "the JDK's timer keeps to itself what an action raised": planted(
        checks.what_an_action_raises_kills_the_timer,
        "            self.cancel()\n            raise\n",
        "            self.cancel()\n",
    ),
    "the JDK's timer survives what an action raises": planted(
        checks.what_an_action_raises_kills_the_timer,
        "            self.cancel()\n            raise\n",
        "            raise\n",
    ),
    "a dead JDK timer takes an action": planted(
        checks.a_cancelled_timer_drops_what_waits,
        "            if self.dead:\n                raise",
        "            if False:\n                raise",
    ),
    "a cancelled JDK timer keeps what waits": planted(
        checks.a_cancelled_timer_drops_what_waits,
        DROPS,
        "            self.dead = True\n",
    ),
    "a cancelled JDK timer lives": planted(
        checks.a_cancelled_timer_drops_what_waits,
        DROPS,
        "            self.heap.heap.clear()\n",
    ),
    "a negative delay is taken by the JDK's timer": planted(
        checks.a_negative_time_is_refused,
        'whole("delay_ms", delay_ms, least=0)',
        'whole("delay_ms", delay_ms)',
    ),
    "a negative period is taken by the JDK's timer": planted(
        checks.a_negative_time_is_refused,
        'whole("period_ms", period_ms, least=0)',
        'whole("period_ms", period_ms)',
    ),
    "the JDK's purge keeps the cancelled": planted(
        checks.a_purge_drops_the_cancelled_and_nothing_else,
        "if not task.cancelled]",
        "if task.cancelled]",
    ),
    "the JDK's purge counts what it keeps": planted(
        checks.a_purge_drops_the_cancelled_and_nothing_else,
        "dropped = len(self.heap) - len(kept)",
        "dropped = len(kept)",
    ),
    "the JDK's purge leaves the heap out of order": planted(
        checks.a_purge_drops_the_cancelled_and_nothing_else,
        "                self.heap.offer(task)\n            return dropped",
        "                self.heap.heap.append(task)\n            return dropped",
    ),
    "the wall clock is monotonic": planted(
        checks.the_wall_clock_is_in_milliseconds,
        "time.time_ns()",
        "time.monotonic_ns()",
    ),
    "the wall clock is in microseconds": planted(
        checks.the_wall_clock_is_in_milliseconds,
        "return time.time_ns() // 1_000_000",
        "return time.time_ns() // 1_000",
    ),
    # its thread
    "an earlier JDK action wakes no thread": planted(
        checks.the_thread_sleeps_until_the_first_action_is_due,
        "            self.heap.offer(task)\n            self.changed.notify()\n",
        "            self.heap.offer(task)\n",
    ),
    "the JDK's thread sleeps without end": planted(
        checks.the_thread_sleeps_until_the_first_action_is_due,
        "None if wait >= FOREVER_MS else min(wait / 1000, threading.TIMEOUT_MAX)",
        "None",
    ),
    "the JDK's thread sleeps in milliseconds": planted(
        checks.the_thread_sleeps_until_the_first_action_is_due,
        "min(wait / 1000, threading.TIMEOUT_MAX)",
        "min(wait, threading.TIMEOUT_MAX)",
    ),
    "a cancelled JDK timer wakes no thread": planted(
        checks.the_thread_ends_with_its_timer,
        DROPS + "            self.changed.notify()",
        DROPS,
    ),
    "the JDK's thread outlives its timer": planted(
        checks.the_thread_ends_with_its_timer,
        "        while not timer.dead:\n",
        "        while True:\n",
        "if not timer.dead and (wait",
        "if (wait",
    ),
    "the JDK's close does not wait": planted(
        checks.close_waits_for_the_action_that_runs,
        JOINS,
        "        self.timer.cancel()",
    ),
    "the JDK's close does not cancel": planted(
        checks.close_waits_for_the_action_that_runs,
        JOINS,
        JOINS.replace("        self.timer.cancel()\n", ""),
    ),
    "the JDK's close waits for its own thread": planted(
        checks.an_action_may_close_its_own_timer,
        JOINS,
        "        self.timer.cancel()\n        self.thread.join()",
    ),
    "the JDK's thread outlives what an action raises": planted(
        checks.an_action_that_raises_ends_the_thread_and_is_logged,
        ENDS,
        "                timer.dead = False\n" + ENDS.replace("                return\n", ""),
    ),
    "the JDK's thread ends in silence": planted(
        checks.an_action_that_raises_ends_the_thread_and_is_logged,
        "                _LOG.exception(\n"
        '                    "an action raised: '
        "the timer's thread ends, and what waits never runs\"\n"
        "                )\n",
        "",
    ),
}
