"""SystemTimer as the mechanism under test, and one planted change for each step of its twin."""
from __future__ import annotations

from tests.model.floors import Floors

FLOORS = Floors("system_timer")
STEM, MECHANISM = FLOORS.stem, FLOORS.mechanism

# label -> (what is there, what is put in its place[, scenario])
CHANGES = {
    "T0": ("t.turn > len(program)", "t.turn >= len(program)"),
    "T1": ('"T0"', "DONE"),
    "W0": ("+= 1", "+= 0", "one_adder"),
    "W1": ("deadline < limit if", "deadline <= limit if"),
    "W2": ("+= 1", "+= 2"),
    "W3": ('t.pc = "W4"', 't.pc = "K1"'),
    "W4": ("offered(self.queue, t.bucket, self.key)", "(t.bucket,)", "one_adder"),
    "K1": ('t.pc = "K2"', "self.leave(t)"),
    "K2": ("self.submitted[t.ke] += 1", "self.submitted[t.ke] += 2"),
    "A1": ("self.readers |= {self.me}", "pass"),
    "A2": ('"A3"', '"A4"'),
    "A3": ("+= 1", "+= 2"),
    "A4": ("self.adding -= 1", "self.adding -= 2"),
    "X1": ("self.revoked[entry] = True", "pass", "cancel_one"),
    "B1": ("True", "False", "closing"),
    "R1": ('"R2"', '"R3"'),
    "R2": ('"R3" if', '"R4" if'),
    "R3": ("offered(self.queue, t.polled, self.key)", "self.queue"),
    "R4": ('t.pc = "R5"', 't.pc = "R6"'),
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
