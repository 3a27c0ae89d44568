"""One change for each step of each model, by label."""

from __future__ import annotations

from typing import NamedTuple

from tests.model import delayed_operation, overflow_wheel, system_timer, timer, timing_wheel
from tests.model.artefacts import Artefacts


class Table(NamedTuple):
    """A mechanism's changes.

    ``scenario``: for changes that name none. ``fast``: changes for every run of the suite; all are
    for the night.
    """

    of: Artefacts
    scenario: str
    fast: tuple[str, ...]
    changes: dict[str, tuple[str, ...]]


# label -> (old text, new text[, scenario[, the decision without which the step is taken]])
LISTS = {
    "U1": ("self.list_monitor, t.ul", "self.list_monitor, self.lists[0]", "two_entries_crossed"),
    "U2": ("self.entry_monitor, t.ue", "self.entry_monitor, self.entries[-1]"),
    "U3": ('t.pc = "U10"', 't.pc = "U9"'),
    "U4": ("= self.prev[t.ue]", "= t.ul", "two_entries_crossed"),
    "U5": ("= self.next[t.ue]", "= t.ul", "two_entries_crossed"),
    "U6": ("self.next[t.ue] = None", "self.next[t.ue] = t.ul"),
    "U7": ("self.prev[t.ue] = None", "self.prev[t.ue] = t.ul"),
    "U8": ("self.list[t.ue] = None", 'self.list[t.ue], t.pc = None, "U10"'),
    "U9": ("-= 1", "-= 2"),
    "U10": ("self.release(self.entry_monitor, t.ue)", "pass"),
    "U11": ("self.list_monitor, t.ul", "self.list_monitor, self.lists[0]", "two_entries_crossed"),
    "R1": ("where is None", "where is None or t.stack[0].pc == 'A1'", "two_entries_crossed"),
    "A0": ("if t.done", "if not t.done"),
    "A1": ("self.list_monitor, t.al", "self.list_monitor, self.lists[0]", "two_adders"),
    "A2": ("self.entry_monitor, t.ae", "self.entry_monitor, self.entries[0]"),
    "A3": ("is None", "!= t.al", "two_adders"),
    "A4": ("= t.al", "= t.tail", "two_entries_crossed"),
    "A5": ("= t.tail", "= t.al", "two_entries_crossed"),
    "A6": ("= t.al", "= self.lists[-1]", "two_adders"),
    "A7": ("self.next[t.tail]", "self.next[t.al]", "two_entries_crossed"),
    "A8": ("= t.ae", "= t.tail"),
    "A9": ('!= "flush"', '== "flush"'),
    "A10": ("self.release(self.entry_monitor, t.ae)", "pass", "two_adders"),
    "A11": ('t.pc = "A0"', 't.pc = "A12"', "two_adders"),
    "A12": ("self.leave(t)", "t.pc = DONE"),
    "K1": ("!= t.ke", "is None"),
    "K2": ("-= 1", "-= 2"),
    "F1": (
        "not self.acquire(self.list_monitor, t.fl)",
        "self.list_monitor[t.fl].owner not in (None, self.me)",
    ),
    "F2": ("first == t.fl", "first == t.fl or self.revoked[first]"),
    "F3": ("t.fd, t.head", "t.fl, t.head"),
    "F4": ("self.release(self.list_monitor, t.fl)", "pass"),
    "S1": (
        "not self.acquire(self.task_monitor, t.st)",
        "self.task_monitor[t.st].owner not in (None, self.me)",
    ),
    "S2": ("old != t.se", "old == t.se"),
    "S3": ("= False", "= True"),
    "S4": ("self.release(self.task_monitor, t.st)", "pass"),
    "C1": (
        "not self.acquire(self.task_monitor, t.ct)",
        "self.task_monitor[t.ct].owner not in (None, self.me)",
    ),
    "C2": ("entry is not None", "entry is not None and self.list[entry] is not None"),
    "C3": ("self.timer_task_entry[t.ct] = None", "pass"),
    "C4": ("= True", "= entry == self.timer_task_entry[t.ct]"),
    "T0": ("t.turn > len(program)", "t.turn >= len(program)"),
    "T1": ("bucket, entry, back", "None, entry, back"),
}

OPERATIONS = {
    "T0": ("t.turn > len(self.program[self.me])", "t.turn >= len(self.program[self.me])"),
    "T1": ("self.raised[self.me] or ", "", "raising"),
    "E1": ("= True", "= self.completed[operation]"),
    "E2": ("= True", "= self.completed[operation]", "callers_lock"),
    "E3": ("= True", "= False", "two_partitions"),
    "G1": ("not self.acquire(self.outer, self.held(t))", "self.outer[OUTER].owner", "callers_lock"),
    "G2": ("self.release(self.outer, self.held(t))", "pass", "callers_lock"),
    "G3": ("not self.acquire(self.outer, self.held(t))", "self.outer['g'].owner", "two_partitions"),
    "G4": ("self.release(self.outer, self.held(t))", "pass", "two_partitions"),
    "H1": (
        "not self.take(self.now(t)[-1])",
        "self.lock[self.now(t)[-1]].owner not in (None, self.me)",
        "blocking_holder",
    ),
    "H2": ("self.give(self.now(t)[-1])", "pass", "blocking_holder"),
    "V1": ("+= 1", "+= 2"),
    "Y1": ("self.needs[t.yo]", "self.needs[t.yo][:1]"),
    "Y2": ("+= 1", "+= 0"),
    "D1": ("not in self.locking", "in self.locking", "callers_lock"),
    "D2": (
        "not self.acquire(self.outer, self.outer_lock(t.co))",
        "self.outer[OUTER].owner not in (None, self.me)",
        "callers_lock",
    ),
    "D3": ("self.release(self.outer, self.outer_lock(t.co))", "pass", "callers_lock"),
    "D4": ("self.completes[t.co][0])", "t.co)", "completes_another"),
    "X1": ("= self.me", "= self.threads[0]"),
    "X2": ("= self.me", "= self.threads[0]", "two_completers", "P1"),
    "X3": ("= False", "= self.pending[t.xo]"),
    "X4": ("= True", "= self.pending[t.xo]"),
    "L1": ("if self.completed[t.lo]", "if False", "blocking"),
    "L2": (
        "not self.take(t.lo)",
        "self.lock[t.lo].owner not in (None, self.me)",
        "blocking",
    ),
    "L3": ("if self.completed[t.lo]", "if False", "blocking"),
    "L4": ("= self.me", "= self.threads[0]", "blocking"),
    "L5": ("= False", "= True", "blocking"),
    "L6": ("self.won[self.me] = True", "self.leave(t)", "blocking"),
    "L7": ("self.give(t.lo)", "pass", "blocking_raising"),
    "O1": ("self.admits(t.oo)", "True", "try_once"),
    "O2": ("self.give(t.oo)", "pass", "try_once"),
    "S1": (
        "not self.take(t.so)",
        "self.lock[t.so].owner not in (None, self.me)",
        "locked_try_events",
    ),
    "S2": ("self.give(t.so)", "pass", "locked_try_events"),
    "P1": ("if self.admits(t.po)", "if self.admits(t.po) or self.completed[t.po]"),
    "P2": ("= False", "= self.completed[t.po]"),
    "P3": ("if self.raised[self.me]", "if False", "raising"),
    "P4": ("= self.pending[t.po]", "= not self.pending[t.po]"),
    "P5": ("self.pending[t.po] = True", "self.pending[t.po] = not t.retry", "two_completers"),
    "P6": ("not self.completed[t.po]", "self.completed[t.po]"),
    "B1": (
        "not self.take(t.bo)",
        "self.lock[t.bo].owner not in (None, self.me)",
        "blocking",
    ),
    "B2": ("if not self.completed[t.bo]", "if self.completed[t.bo]", "blocking"),
    "B3": ("self.give(t.bo)", "pass", "blocking"),
}

OVERFLOW = {
    "T0": ("t.turn > len(self.program[self.me])", "t.turn >= len(self.program[self.me])"),
    "O1": ("self.look(WHEEL)", "self.overflow_wheel", "two"),
    "O2": ('"wheel"', '"entry"', "two"),
    "O3": ('"O5"', '"O6"', "two"),
    "B1": ("self.made - 1", "self.made - 2", "two"),
    "B2": ("START", "None", "two"),
    "O4": ("self.store(WHEEL, t.new)", "self.overflow_wheel = t.new", "two"),
    "O5": ('self.unlock("wheel")', 'self.release(self.monitor, "wheel")', "two"),
    "O6": ("self.look(WHEEL)", "self.wheels[-1]", "two"),
    "N1": ("self.look(TIME, self.wheel[self.me])", "self.current_time[self.wheel[self.me]]", "two"),
    "N2": ("            self.wheel[self.me],\n", "            None,\n", "two"),
    "U1": ("return BLOCKED", "return BLOCKED\n        t.pc = 'U3'"),
    "U2": ("return BLOCKED", "return BLOCKED\n        t.pc = 'U10'"),
    "U3": ('!= "l"', '== "l"'),
    "U4": ("pass", 't.pc = "U6"'),
    "U5": ("pass", 't.pc = "U7"'),
    "U6": ("pass", 't.pc = "U8"'),
    "U7": ("pass", 't.pc = "U10"'),
    "U8": ("self.store(LIST, None)", 'self.list, t.pc = None, "U10"'),
    "U9": ("-= 1", "-= 2"),
    "U10": ('self.unlock("entry")', "pass"),
    "U11": ('self.unlock("bucket")', "pass"),
    "R1": ('back="R1"', 'back="C3"'),
    "A0": ("if t.done", "if not t.done"),
    "A1": ("return BLOCKED", "return BLOCKED\n        t.pc = 'A3'"),
    "A2": ("return BLOCKED", "return BLOCKED\n        t.pc = 'A4'"),
    "A3": ("is not None", "is None"),
    "A4": ("pass", 't.pc = "A6"'),
    "A5": ("pass", 't.pc = "A7"'),
    "A6": ('"l"', "None"),
    "A7": ("pass", 't.pc = "A9"'),
    "A8": ("pass", 't.pc = "A7"'),
    "A9": ("+= 1", "+= 2"),
    "A10": ('self.unlock("entry")', "pass"),
    "A11": ("= t.done", "= False"),
    "A12": ("self.leave(t)", "t.pc = DONE"),
    "C1": ("if self.settled", "if not self.settled"),
    "C2": ('back="C3"', 'back="C4"'),
    "C3": ("POINTER, None", 'POINTER, "e"'),
    "C4": ("self.revoked = True", "self.revoked = self.settled"),
    "K1": ("or self.revoked", "or self.settled"),
    "K2": ("+= 1", "+= 2"),
    "W1": ("self.buffer[first : first + 1]", "()", "two"),
    "W2": ('"W1"', "DONE", "two"),
}

WHEELS = {
    "T0": ("t.turn > len(program)", "t.turn >= len(program)"),
    "T1": ('"T0"', "DONE"),
    "L1": ("|= {self.me}", "-= {self.me}"),
    "L2": ("-= 1", "-= 2"),
    "W1": ("self.slot(t.ke, t.level)", "self.slot(t.ke, 1)"),
    "W5": ("self.trim(self.current[t.level], above)", "self.current[t.level]"),
    "W2": ("pass", 't.pc = "A11"'),
    "A1": ("+= (t.ke,)", "= (t.ke,)", "withdrawn"),
    "A11": ("self.release(self.monitor, t.bucket)", "pass"),
    "W3": ("self.key[t.bucket] = key", "self.key[t.bucket] = self.deadline[t.ke]"),
    "W4": ("offered(self.queue, t.bucket, self.key)", "(t.bucket,)"),
    "K2": ("< self.deadline[t.he]", "<= self.deadline[t.he]"),
    "P1": ("t.polled = 0", "pass"),
    "R2": ("= self.me", "= self.threads[0]"),
    "R4": ("self.queue[0]", "self.queue[-1]"),
    "R5": ("self.tick[1]", "self.tick[1] + 1"),
    "V4": ("self.current[t.up]", "self.current[1]"),
    "V5": ("self.current[t.up + 1]", "self.current[t.up]"),
    "R6": ("t.expiration, t.up = 0, 1", "t.expiration = 0"),
    "V1": ("self.acquire(self.monitor, t.fb)", "True"),
    "F2": ("entries[1:]", "entries[:-1]", "withdrawn"),
    "V2": ("= -1", "= 0"),
    "V3": ("self.release(self.monitor, t.fb)", "pass"),
    "Q1": ("t.taken, True", "t.taken, False", "withdrawn"),
}

TIMER = {
    "T0": ("t.turn > len(program)", "t.turn >= len(program)"),
    "T1": ('"T0"', "DONE"),
    "W0": ("+= 1", "+= 0", "one_adder"),
    "W1": ('t.pc = "K1"', 't.pc = "K2"'),
    "W2": ("+= 1", "+= 2"),
    "W3": ("self.key[t.bucket] = key\n", "self.key[t.bucket] = key + 1\n"),
    "W4": ("offered(self.queue, t.bucket, self.key)", "(t.bucket,)", "one_adder"),
    "K1": ("self.cancelled", "not self.cancelled"),
    "K2": ("self.submitted[t.ke] += 1", "self.submitted[t.ke] += 2"),
    "A1": ("self.readers |= {self.me}", "pass"),
    "A2": ("pass", 't.pc = "A4"'),
    "A3": ("+= 1", "+= 2"),
    "A4": ("self.adding -= 1", "self.adding -= 2"),
    "X1": ("self.revoked[entry] = True", "pass", "cancel_one"),
    "B1": ("True", "False", "closing"),
    "R1": ("self.poll(t)", "t.polled = self.queue[0]"),
    "R2": ("self.kafka", "not self.kafka"),
    "R3": ("offered(self.queue, t.polled, self.key)", "self.queue"),
    "R4": ("self.poll(t)", 't.pc = "R6"'),
    "R5": ("self.key[t.polled]", "self.now", "one_adder"),
    "R6": ("self.writer = None", "pass"),
    "R7": ("t.expiration >=", "t.expiration >", "one_adder"),
    "F3": ('"F2"', '"V2"', "one_bucket"),
    "F2": ("entries[1:]", "entries[:-1]", "one_bucket"),
    "V1": ("self.flushing = t.polled", "pass", "one_bucket"),
    "V3": ("self.flushing = 0", "pass", "one_bucket"),
    "V2": ("= -1", "= 0"),
    "C1": ("+= 1", "+= 2"),
    "E1": ("t.task = self.waiting[0]", "t.task = self.waiting[-1]", "executor"),
    "E2": ("+= (t.task,)", "+= ()", "executor"),
}

TABLES = {
    timer.NAME: Table(timer.ARTEFACTS, "expire_readd", (), LISTS),
    overflow_wheel.NAME: Table(overflow_wheel.ARTEFACTS, "cancelled", ("W1",), OVERFLOW),
    timing_wheel.NAME: Table(timing_wheel.ARTEFACTS, "a_turn", ("V5",), WHEELS),
    system_timer.NAME: Table(system_timer.ARTEFACTS, "one_adder", ("R7",), TIMER),
    delayed_operation.NAME: Table(
        delayed_operation.ARTEFACTS, "two_completers_expirer", ("O1",), OPERATIONS
    ),
}
