"""The executable model of ``spec/CoordinatorLoad.tla``: one method per label."""

from __future__ import annotations

from model.coordinator_load_properties import ABSENT, Properties
from model.pluscal import BLOCKED, DONE, Procedure, Process, Scalar, Scenario, Step

NONE = -1
"""No offset."""


class Model(Properties):
    """States of one scenario: its fields as in the TOML."""

    PROCEDURES = {
        "reply": Procedure("N1", ("recipient", "answer")),
        "reply_all": Procedure("D0", ("owner", "answers"), (("next", None),), (("owner", ABSENT),)),
        "begin_load": Procedure("A0", ("first",), (), (("first", 0),)),
        "unload": Procedure("B0", ("last",), (), (("last", 0),)),
        "complete": Procedure(
            "C0", ("ended", "loaded"), (), (("ended", ABSENT), ("loaded", False))
        ),
        "rise": Procedure("H1", ("target",), (("offset", NONE),), (("target", ABSENT),)),
        "serve": Procedure("V0", ("request",)),
        "put": Procedure("Q1", ("item",), (("event", ()), ("handles", False)), (("item", ()),)),
        "lead": Procedure("P1", ("since",), (), (("since", 0),)),
        "follow": Procedure("P2", ("until",), (), (("until", 0),)),
        "fetch": Procedure("F1", (), (("reached", NONE), ("hearer", ABSENT))),
        "write": Procedure("W0", ("own",)),
        "load": Procedure("M1", (), (("task", ABSENT), ("mark", NONE))),
    }
    HANDLERS = {"load": "begin_load", "unload": "unload", "complete": "complete", "rise": "rise"}

    gate, waiting, busy = Scalar("gate"), Scalar("waiting"), Scalar("busy")
    lock, loads, leads = Scalar("lock"), Scalar("loads"), Scalar("leads")
    highWatermark, listener = Scalar("highWatermark"), Scalar("listener")
    current = Scalar("current")

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        self.end = scenario["end"]
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.contexts = contexts = self.epochs("lead")
        steps = (step for program in self.program.values() for step in program)
        self.writes: list[str] = sorted({step[1] for step in steps if step[0] == "write"})
        self.scalar("gate", None)
        self.scalar("waiting", ())
        self.scalar("busy", False)
        self.scalar("lock", None)
        self.scalar("loads", ())
        self.scalar("leads", False)
        self.scalar("highWatermark", scenario["seen"])
        self.scalar("listener", ABSENT)
        self.scalar("current", ABSENT)
        self.epoch = self.function("epoch", dict.fromkeys(contexts, 0))
        self.state = self.function("state", dict.fromkeys(contexts, "initial"))
        self.applied = self.function("applied", dict.fromkeys(contexts, 0))
        self.committed = self.function("committed", dict.fromkeys(contexts, 0))
        self.heard = self.function("heard", dict.fromkeys(contexts, NONE))
        self.pending = self.function("pending", dict.fromkeys(contexts, NONE))
        self.deferred = self.function("deferred", dict.fromkeys(contexts, ()))
        self.result = self.function("result", dict.fromkeys(self.writes, None))
        self.replied = self.function("replied", dict.fromkeys(self.writes, False))
        self.begin()

    # -- Write.reply

    def N1(self, t: Process) -> None:
        self.result[t.recipient] = t.answer

    def N2(self, t: Process) -> None:
        self.replied[t.recipient] = True
        self.leave(t)

    # -- Context.reply

    def D0(self, t: Process) -> None:
        if not self.deferred[t.owner]:
            self.leave(t)

    def D1(self, t: Process) -> None:
        t.next, *rest = self.deferred[t.owner]
        self.deferred[t.owner] = tuple(rest)
        self.call(t, "reply", t.next, t.answers, back="D0")

    # -- the event of a leadership

    def A0(self, t: Process) -> None:
        if self.current != ABSENT:
            if self.epoch[self.current] < t.first:
                t.pc = "A2"
            else:
                self.leave(t)

    def A1(self, t: Process) -> None:
        self.current = t.first

    def A2(self, t: Process) -> None:
        self.epoch[self.current] = t.first
        if self.state[self.current] != "initial":
            self.leave(t)

    def A3(self, t: Process) -> None:
        self.state[self.current] = "loading"

    def A4(self, t: Process) -> None:
        self.listener = self.current

    def _lock(self) -> bool:
        if self.lock is not None:
            return False
        self.lock = self.me
        return True

    def S1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def S2(self, t: Process) -> None:
        self.loads += (self.current,)

    def S3(self, t: Process) -> None:
        self.lock = None
        self.leave(t)

    # -- the event of its end

    def B0(self, t: Process) -> None:
        if self.current == ABSENT or self.epoch[self.current] >= t.last:
            self.leave(t)

    def B1(self, t: Process) -> None:
        self.state[self.current] = "closed"

    def B2(self, t: Process) -> None:
        self.listener = ABSENT
        self.call(t, "reply_all", self.current, "refused", back="B3")

    def B3(self, t: Process) -> None:
        self.current = ABSENT
        self.leave(t)

    # -- the event of a load that has ended

    def C0(self, t: Process) -> None:
        if t.ended != self.current:
            self.leave(t)
        elif not t.loaded:
            t.pc = "C3"

    def C1(self, t: Process) -> None:
        self.state[t.ended] = "active"
        if self.heard[t.ended] <= self.committed[t.ended]:
            self.leave(t)

    def C2(self, t: Process) -> None:
        self.committed[t.ended] = self.heard[t.ended]
        self.leave(t)

    def C3(self, t: Process) -> None:
        self.state[t.ended] = "failed"

    def C4(self, t: Process) -> None:
        self.listener = ABSENT
        self.leave(t)

    # -- the event of a high watermark

    def H1(self, t: Process) -> None:
        t.offset, self.pending[t.target] = self.pending[t.target], NONE

    def H0(self, t: Process) -> None:
        if t.target != self.current:
            self.leave(t)
        elif self.state[t.target] == "active":
            t.pc = "H3"

    def H2(self, t: Process) -> None:
        self.heard[t.target] = t.offset
        self.leave(t)

    def H3(self, t: Process) -> None:
        self.committed[t.target] = t.offset
        if t.offset < self.applied[t.target]:
            self.leave(t)
        else:
            self.call(t, "reply_all", t.target, "answered")

    # -- the event of a write

    def V0(self, t: Process) -> None:
        context = self.current
        if context == ABSENT or self.state[context] != "active":
            self.call(t, "reply", t.request, "refused")
        elif self.committed[context] >= self.applied[context]:
            self.call(t, "reply", t.request, "answered")

    def V1(self, t: Process) -> None:
        self.deferred[self.current] += (t.request,)
        self.leave(t)

    # -- Events.put

    def _gate(self) -> bool:
        if self.gate is not None:
            return False
        self.gate = self.me
        return True

    def Q1(self, t: Process) -> Step:
        if not self._gate():
            return BLOCKED
        return None

    def Q2(self, t: Process) -> None:
        self.waiting += (t.item,)
        if self.busy:
            t.pc = "Q4"

    def Q3(self, t: Process) -> None:
        self.busy = t.handles = True

    def Q4(self, t: Process) -> None:
        self.gate = None
        if not t.handles:
            self.leave(t)

    def R1(self, t: Process) -> Step:
        if not self._gate():
            return BLOCKED
        if self.waiting:
            t.pc = "R3"
        return None

    def R2(self, t: Process) -> None:
        self.busy, t.event = False, ()
        t.pc = "R4"

    def R3(self, t: Process) -> None:
        t.event, *rest = self.waiting
        self.waiting = tuple(rest)

    def R4(self, t: Process) -> None:
        self.gate = None
        if not t.event:
            self.leave(t)
        else:
            kind, *arguments = t.event
            self.call(t, self.HANDLERS.get(kind, "serve"), *arguments, back="R1")

    # -- the log, and its leadership

    def P1(self, t: Process) -> None:
        self.leads = True
        self.call(t, "put", ("load", t.since))

    def P2(self, t: Process) -> None:
        self.leads = False
        self.call(t, "put", ("unload", t.until))

    def F1(self, t: Process) -> None:
        self.highWatermark += 1
        t.reached = self.highWatermark

    def F2(self, t: Process) -> None:
        if self.listener == ABSENT:
            self.leave(t)
        else:
            t.hearer = self.listener

    def F3(self, t: Process) -> None:
        before, self.pending[t.hearer] = self.pending[t.hearer], t.reached
        if before == NONE:
            self.call(t, "put", ("rise", t.hearer))
        else:
            self.leave(t)

    # -- a write

    def W0(self, t: Process) -> None:
        self.call(t, "put", ("write", t.own), back="W1")

    def W1(self, t: Process) -> None:
        if self.replied[t.own]:
            self.leave(t)

    def W2(self, t: Process) -> Step:
        if not self.replied[t.own]:
            return BLOCKED
        self.leave(t)
        return None

    # -- Loader.load

    def M1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if not self.loads:
            t.pc = "M3"
        return None

    def M2(self, t: Process) -> None:
        t.task, *rest = self.loads
        self.loads = tuple(rest)

    def M3(self, t: Process) -> None:
        self.lock = None
        if t.task == ABSENT:
            self.leave(t)

    def M4(self, t: Process) -> None:
        if not self.leads:
            self.call(t, "put", ("complete", t.task, False))

    def M5(self, t: Process) -> None:
        self.applied[t.task] = self.end

    def M6(self, t: Process) -> None:
        t.mark = self.highWatermark

    def M7(self, t: Process) -> None:
        self.committed[t.task] = t.mark
        self.call(t, "put", ("complete", t.task, True))

    # -- the threads

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn += 1
        name, *arguments = self.program[self.me][t.turn - 2]
        if name == "resign":
            self.call(t, "put", ("unload", *arguments), back="T0")
        else:
            self.call(t, name, *arguments, back="T0")

    def returned(self, process: Process) -> object:
        """A write returns its answer."""
        name, *arguments = self.program[self.me][process.turn - 2]
        return self.result[arguments[0]] if name == "write" else None
