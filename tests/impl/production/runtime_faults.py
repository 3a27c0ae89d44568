"""Faults in the production runtime, each with the check that must reject it."""

from __future__ import annotations

from tests.impl.production import gate_checks
from tests.impl.production import runtime_checks as checks
from tests.impl.production.planted import planted

UNLIKE = (
    "if current is not expected and not (\n"
    "                type(current) is type(expected) is int and current == expected\n"
    "            ):"
)
FAULTS = {
    "set takes no lock": planted(
        checks.atomic_operations_hold_the_lock,
        "        with self._lock:\n            self._value = value\n",
        "        self._value = value\n",
    ),
    "get_and_set takes no lock": planted(
        checks.atomic_operations_hold_the_lock,
        "with self._lock:\n            old = ",
        "if True:\n            old = ",
    ),
    "compare_and_set takes no lock": planted(
        checks.atomic_operations_hold_the_lock,
        "with self._lock:\n            current",
        "if True:\n            current",
    ),
    "compare_and_set compares before it takes the lock": planted(
        checks.atomic_operations_hold_the_lock,
        "        with self._lock:\n            current = self._value\n",
        "        current = self._value\n        with self._lock:\n",
    ),
    "add_and_get takes no lock": planted(
        checks.atomic_operations_hold_the_lock,
        "with self._lock:\n            total = ",
        "if True:\n            total = ",
    ),
    "add_and_get reads before it takes the lock": planted(
        checks.atomic_operations_hold_the_lock,
        "        with self._lock:\n            total = self._value + delta\n",
        "        total = self._value + delta\n        with self._lock:\n",
    ),
    "add_and_get reads its result after it has given the lock back": planted(
        checks.atomic_operations_hold_the_lock,
        "            return total\n",
        "        return self._value\n",
    ),
    "get_and_set returns the new value": planted(
        checks.atomic_operations_return_what_they_say,
        "            return old\n",
        "            return self._value\n",
    ),
    "add_and_get returns the old value": planted(
        checks.atomic_operations_return_what_they_say,
        "            return total\n",
        "            return total - delta\n",
    ),
    "compare_and_set fails and says that it has not": planted(
        checks.atomic_operations_return_what_they_say,
        "                return False\n            self._value = value",
        "                return True\n            self._value = value",
    ),
    "compare_and_set takes equal objects for one": planted(
        checks.atomic_operations_return_what_they_say,
        UNLIKE,
        "if current != expected:",
    ),
    "compare_and_set tells equal numbers apart": planted(
        checks.atomic_operations_return_what_they_say,
        UNLIKE,
        "if current is not expected:",
    ),
    "compare_and_set takes True for 1": planted(
        checks.atomic_operations_return_what_they_say,
        "type(current) is type(expected) is int and current == expected",
        "current == expected",
    ),
    "a reader enters beside a writer": planted(
        checks.each_keeps_out_whom_it_should,
        "while of.writer is not None or of.waiting:",
        "while of.waiting:",
    ),
    "a reader passes a writer that waits": planted(
        checks.a_waiting_writer_goes_before_later_readers,
        "while of.writer is not None or of.waiting:",
        "while of.writer is not None:",
    ),
    "a reader looks once for writers that wait": planted(
        checks.who_is_woken_looks_again,
        "while of.writer is not None or of.waiting:\n                of.changed.wait()",
        "if of.waiting:\n"
        "                of.changed.wait()\n"
        "            while of.writer is not None:\n"
        "                of.changed.wait()",
    ),
    "a writer looks once": planted(
        checks.who_is_woken_looks_again,
        "while of.writer is not None or of.readers:",
        "if of.writer is not None or of.readers:",
    ),
    "a writer enters beside readers": planted(
        checks.each_keeps_out_whom_it_should,
        "while of.writer is not None or of.readers:",
        "while of.writer is not None:",
    ),
    "a writer enters beside a writer": planted(
        checks.each_keeps_out_whom_it_should,
        "while of.writer is not None or of.readers:",
        "while of.readers:",
    ),
    "a writer does not say that it waits": planted(
        checks.a_waiting_writer_goes_before_later_readers,
        "of.waiting = of.waiting + 1",
        "of.waiting = of.waiting",
        "of.waiting = of.waiting - 1",
        "of.waiting = of.waiting",
    ),
    "the last reader wakes one": planted(
        checks.a_waiting_writer_goes_before_later_readers,
        "if not of.readers:\n                of.changed.notify_all()",
        "if not of.readers:\n                of.changed.notify()",
    ),
    "the last reader wakes no thread": planted(
        checks.a_waiting_writer_goes_before_later_readers,
        "if not of.readers:\n                of.changed.notify_all()",
        "pass",
    ),
    "a leaving writer wakes one": planted(
        checks.a_leaving_writer_wakes_all_readers,
        "of.writer = None\n            of.changed.notify_all()",
        "of.writer = None\n            of.changed.notify()",
    ),
    "a leaving writer wakes no thread": planted(
        checks.each_keeps_out_whom_it_should,
        "of.writer = None\n            of.changed.notify_all()",
        "of.writer = None",
    ),
    "an interrupted writer is waited for": planted(
        checks.an_interrupted_writer_waits_no_longer,
        "            finally:\n                of.waiting = of.waiting - 1",
        "                of.waiting = of.waiting - 1\n            finally:\n                pass",
    ),
    "an interrupted writer wakes no thread": planted(
        checks.an_interrupted_writer_lets_in_the_readers_behind_it,
        "                if of.writer != me:\n",
        "                if False:\n",
    ),
    "a reader that writes is not refused": planted(
        checks.a_second_hold_is_refused,
        "if self.writer == me or me in self.readers:",
        "if self.writer == me:",
    ),
    "a writer that reads is not refused": planted(
        checks.a_second_hold_is_refused,
        "if self.writer == me or me in self.readers:",
        "if me in self.readers:",
    ),
    "a leaving reader is still counted": planted(
        checks.each_keeps_out_whom_it_should,
        "of.readers = of.readers - {get_ident()}",
        "pass",
    ),
    "all readers leave with the first": planted(
        checks.each_reader_counts,
        "of.readers = of.readers - {get_ident()}",
        "of.readers = frozenset()",
    ),
    "notify keeps the leader": planted(
        gate_checks.an_earlier_thing_wakes_one_who_leads,
        "        self.leader = None\n        self.due.notify()",
        "        self.due.notify()",
    ),
    "notify wakes no thread": planted(
        gate_checks.an_earlier_thing_wakes_one_who_leads,
        "        self.leader = None\n        self.due.notify()",
        "        self.leader = None",
    ),
    "everybody leads": planted(
        gate_checks.one_leads_and_the_others_sleep_for_their_own_time,
        "if self.leader is not None or left < wait:",
        "if left < wait:",
    ),
    "no thread leads": planted(
        gate_checks.one_leads_and_the_others_sleep_for_their_own_time,
        "if self.leader is not None or left < wait:",
        "if True:",
    ),
    "one whose time ends sooner leads": planted(
        gate_checks.a_wait_ends_with_its_time,
        "if self.leader is not None or left < wait:",
        "if self.leader is not None:",
    ),
    "followers have no time of their own": planted(
        gate_checks.one_leads_and_the_others_sleep_for_their_own_time,
        "self.due.wait(min(left, TIMEOUT_MAX))",
        "self.due.wait()",
    ),
    "followers wait for one second less": planted(
        gate_checks.one_leads_and_the_others_sleep_for_their_own_time,
        "min(left, TIMEOUT_MAX)",
        "min(left - 1, TIMEOUT_MAX)",
    ),
    "the leader keeps the lead": planted(
        gate_checks.who_leaves_has_another_lead,
        "if self.leader == me:  # else a notification has taken the lead away\n"
        "                        self.leader = None",
        "pass",
    ),
    "the leader takes another's lead away": planted(
        gate_checks.an_earlier_leader_leaves_the_lead_alone,
        "if self.leader == me:  # else a notification has taken the lead away\n"
        "                        self.leader = None",
        "self.leader = None",
    ),
    "a leaving thread wakes no thread": planted(
        gate_checks.who_leaves_has_another_lead,
        "        if self.leader is None:\n            self.due.notify()\n",
        "",
    ),
    "a leaving thread wakes another only if one leads": planted(
        gate_checks.who_leaves_has_another_lead,
        "        if self.leader is None:\n            self.due",
        "        if self.leader is not None:\n            self.due",
    ),
    "an interrupt wakes no thread": planted(
        gate_checks.an_interrupted_leader_gives_the_lead_and_the_lock_away,
        "            if not taken:\n                self.release()",
        "            if not taken:\n                self.due.release()",
    ),
    "an interrupt keeps the lock": planted(
        gate_checks.an_interrupted_leader_gives_the_lead_and_the_lock_away,
        "            if not taken:\n                self.release()",
        "            pass",
    ),
    "only an error gives the lock back, not an interrupt": planted(
        gate_checks.an_interrupted_leader_gives_the_lead_and_the_lock_away,
        "        finally:\n            if not taken:\n                self.release()",
        "        except Exception:\n            self.release()\n            raise",
    ),
    "the lead is given back only when the wait ends well": planted(
        gate_checks.an_interrupted_leader_gives_the_lead_and_the_lock_away,
        "                finally:\n                    if self.leader == me:",
        "                except ZeroDivisionError:\n"
        "                    pass\n"
        "                else:\n"
        "                    if self.leader == me:",
    ),
    "what is due now is waited for": planted(
        gate_checks.what_is_due_now_is_not_waited_for,
        "wait_ms() / 1000) > 0",
        "wait_ms() / 1000) >= 0",
    ),
    "a time that is over is waited for": planted(
        gate_checks.a_wait_ends_with_its_time,
        "if left <= 0:",
        "if left <= -60:",
    ),
    "milliseconds are taken for seconds": planted(
        gate_checks.one_leads_and_the_others_sleep_for_their_own_time,
        "wait_ms() / 1000",
        "wait_ms()",
    ),
    "the time to wait is taken for seconds": planted(
        gate_checks.a_wait_ends_with_its_time,
        "start + timeout_ms / 1000",
        "start + timeout_ms",
    ),
    "a wait without end is passed on": planted(
        gate_checks.without_end_is_as_long_as_can_be,
        "self.due.wait(min(wait, TIMEOUT_MAX))",
        "self.due.wait(wait)",
    ),
    "a gate is left with its lock": planted(
        gate_checks.a_gate_excludes,
        "    def __exit__(self, *exception: object) -> None:\n        self.due.release()",
        "    def __exit__(self, *exception: object) -> None:\n        pass",
    ),
    "a wait without a time keeps the lock": planted(
        gate_checks.a_wait_that_cannot_be_reported_gives_the_lock_back,
        "        self.due.acquire()\n        try:\n            while",
        "        self.due.acquire()\n        wait_ms()\n        try:\n            while",
    ),
}
