"""SystemTimer as the mechanism under test, and one planted change for each step of its model."""

from __future__ import annotations

from tests.model.artefacts import Artefacts

ARTEFACTS = Artefacts("system_timer")
STEM, MECHANISM = ARTEFACTS.stem, ARTEFACTS.mechanism

# label -> (what is there, what is put in its place[, scenario])
CHANGES = {
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
