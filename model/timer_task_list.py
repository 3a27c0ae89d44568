"""The model of ``spec/TimerTaskList.tla``: threads add to, remove from and flush a ring."""

from __future__ import annotations

from itertools import pairwise

from model.pluscal import BLOCKED, DONE, FREE, Procedure, Process, Scalar, Scenario, Step
from model.timer_task_list_properties import Properties


class Model(Properties):
    """States of one scenario, with the fields of the TOML."""

    PROCEDURES = {
        "unlink": Procedure("U1", ("ul", "ue")),
        "remove": Procedure("R1", ("re",)),
        "add": Procedure("A0", ("al", "ae"), (("done", False), ("tail", None))),
        "addTimerTaskEntry": Procedure("K1", ("kl", "ke")),
        "flush": Procedure("F1", ("fl", "fd"), (("head", None),)),
        "setTimerTaskEntry": Procedure("S1", ("st", "se")),
        "cancel": Procedure("C1", ("ct",)),
    }
    AUXILIARY = frozenset({"revoked", "slipped", "owed"})

    task_counter = Scalar("taskCounter")
    slipped = Scalar("slipped")

    def __init__(self, scenario: Scenario) -> None:
        self.program, self.task_of = scenario["threads"], scenario["task_of"]
        super().__init__(self.program, {"turn": 1}, start="T0")

        self.lists, self.entries = tuple(scenario["lists"]), tuple(self.task_of)
        self.tasks = tuple(dict.fromkeys(self.task_of.values()))
        self.entries_of = {
            task: [e for e in self.entries if self.task_of[e] == task] for task in self.tasks
        }
        nodes = self.lists + self.entries
        after, before, where = (
            dict.fromkeys(nodes),
            dict.fromkeys(nodes),
            dict.fromkeys(self.entries),
        )
        for name in self.lists:
            ring = (name, *scenario["ring"].get(name, ()), name)
            for left, right in pairwise(ring):
                after[left], before[right] = right, left
            where |= dict.fromkeys(ring[1:-1], name)
        pointer = dict.fromkeys(self.tasks) | {
            self.task_of[entry]: entry for entry in scenario["current"]
        }
        linked = sum(name is not None for name in where.values())

        self.next = self.function("next", after)
        self.prev = self.function("prev", before)
        self.list = self.function("list", where)
        self.list_monitor = self.function("listMonitor", dict.fromkeys(self.lists, FREE))
        self.entry_monitor = self.function("entryMonitor", dict.fromkeys(self.entries, FREE))
        self.task_monitor = self.function("taskMonitor", dict.fromkeys(self.tasks, FREE))
        self.timer_task_entry = self.function("timerTaskEntry", pointer)
        self.scalar("taskCounter", linked)
        self.revoked = self.function("revoked", dict.fromkeys(self.entries, False))
        self.scalar("slipped", frozenset())
        self.owed = self.function(
            "owed",
            {
                task: len([entry for entry in self.entries_of[task] if where[entry]])
                for task in self.tasks
            },
        )
        self.begin()

    # -- TimerTaskList.remove

    def U1(self, t: Process) -> Step:
        if not self.acquire(self.list_monitor, t.ul):
            return BLOCKED

    def U2(self, t: Process) -> Step:
        if not self.acquire(self.entry_monitor, t.ue):
            return BLOCKED

    def U3(self, t: Process) -> None:
        if self.list[t.ue] != t.ul:
            t.pc = "U10"

    def U4(self, t: Process) -> None:
        self.prev[self.next[t.ue]] = self.prev[t.ue]

    def U5(self, t: Process) -> None:
        self.next[self.prev[t.ue]] = self.next[t.ue]

    def U6(self, t: Process) -> None:
        self.next[t.ue] = None

    def U7(self, t: Process) -> None:
        self.prev[t.ue] = None

    def U8(self, t: Process) -> None:
        self.list[t.ue] = None

    def U9(self, t: Process) -> None:
        self.task_counter -= 1

    def U10(self, t: Process) -> None:
        self.release(self.entry_monitor, t.ue)

    def U11(self, t: Process) -> None:
        self.release(self.list_monitor, t.ul)
        self.leave(t)

    # -- TimerTaskEntry.remove

    def R1(self, t: Process) -> None:
        where = self.list[t.re]
        if where is None:
            self.leave(t)
        else:
            self.call(t, "unlink", where, t.re, back="R1")

    # -- TimerTaskList.add

    def A0(self, t: Process) -> None:
        if t.done:
            t.pc = "A12"
        else:
            self.call(t, "remove", t.ae, back="A1")

    def A1(self, t: Process) -> Step:
        if not self.acquire(self.list_monitor, t.al):
            return BLOCKED

    def A2(self, t: Process) -> Step:
        if not self.acquire(self.entry_monitor, t.ae):
            return BLOCKED

    def A3(self, t: Process) -> None:
        if self.list[t.ae] is None:
            t.tail = self.prev[t.al]
        else:
            t.pc = "A10"

    def A4(self, t: Process) -> None:
        self.next[t.ae] = t.al

    def A5(self, t: Process) -> None:
        self.prev[t.ae] = t.tail

    def A6(self, t: Process) -> None:
        self.list[t.ae] = t.al

    def A7(self, t: Process) -> None:
        self.next[t.tail] = t.ae

    def A8(self, t: Process) -> None:
        self.prev[t.al] = t.ae

    def A9(self, t: Process) -> None:
        self.task_counter += 1
        t.done = True
        if all(frame.procedure != "flush" for frame in t.stack):
            self.owed[self.task_of[t.ae]] += 1

    def A10(self, t: Process) -> None:
        self.release(self.entry_monitor, t.ae)

    def A11(self, t: Process) -> None:
        self.release(self.list_monitor, t.al)
        t.pc = "A0"

    def A12(self, t: Process) -> None:
        self.leave(t)

    # -- SystemTimer.addTimerTaskEntry: into bucket kl, or to the executor when kl is None

    def K1(self, t: Process) -> None:
        if self.timer_task_entry[self.task_of[t.ke]] != t.ke:
            self.leave(t)
            return
        if self.revoked[t.ke]:
            self.slipped |= {t.ke}
        if t.kl is None:
            t.pc = "K2"
        else:
            self.call(t, "add", t.kl, t.ke)

    def K2(self, t: Process) -> None:
        self.owed[self.task_of[t.ke]] -= 1
        self.leave(t)

    # -- TimerTaskList.flush: every entry to bucket fd, or to the executor when fd is None

    def F1(self, t: Process) -> Step:
        if not self.acquire(self.list_monitor, t.fl):
            return BLOCKED

    def F2(self, t: Process) -> None:
        first = self.next[t.fl]
        if first == t.fl:
            t.pc = "F4"
        else:
            t.head = first
            self.call(t, "unlink", t.fl, t.head, back="F3")

    def F3(self, t: Process) -> None:
        self.call(t, "addTimerTaskEntry", t.fd, t.head, back="F2")

    def F4(self, t: Process) -> None:
        self.release(self.list_monitor, t.fl)
        self.leave(t)

    # -- TimerTask.setTimerTaskEntry

    def S1(self, t: Process) -> Step:
        if not self.acquire(self.task_monitor, t.st):
            return BLOCKED

    def S2(self, t: Process) -> None:
        old = self.timer_task_entry[t.st]
        if old is not None and old != t.se:
            self.call(t, "remove", old, back="S3")

    def S3(self, t: Process) -> None:
        self.timer_task_entry[t.st] = t.se
        self.revoked[t.se] = False

    def S4(self, t: Process) -> None:
        self.release(self.task_monitor, t.st)
        self.leave(t)

    # -- TimerTask.cancel

    def C1(self, t: Process) -> Step:
        if not self.acquire(self.task_monitor, t.ct):
            return BLOCKED

    def C2(self, t: Process) -> None:
        entry = self.timer_task_entry[t.ct]
        if entry is not None:
            self.call(t, "remove", entry, back="C3")

    def C3(self, t: Process) -> None:
        self.timer_task_entry[t.ct] = None

    def C4(self, t: Process) -> None:
        self.release(self.task_monitor, t.ct)
        for entry in self.entries_of[t.ct]:
            self.revoked[entry] = True
        self.leave(t)

    # -- a thread runs its program

    def T0(self, t: Process) -> None:
        program = self.program[self.me]
        if t.turn > len(program):
            t.pc = DONE
            return
        operation, *arguments = program[t.turn - 1]
        t.turn += 1
        if operation == "schedule":
            entry = arguments[1]
            self.call(t, "setTimerTaskEntry", self.task_of[entry], entry, back="T1")
        elif operation == "expire":
            self.call(t, "flush", arguments[0], None, back="T0")
        else:
            self.call(t, operation, *arguments, back="T0")

    def T1(self, t: Process) -> None:
        _, bucket, entry = self.program[self.me][t.turn - 2]
        self.call(t, "addTimerTaskEntry", bucket, entry, back="T0")
