"""The model of spec/OneShot.tla: one method per label, in the order of the labels."""

from wheelproof_runtime.pluscal import BLOCKED, DONE, Machine, Procedure, Scalar


class Model(Machine):
    PROCEDURES = {"run": Procedure("O1", ())}
    WITNESSES = ("ComesTooLate",)

    done, runs, owner = Scalar("done"), Scalar("runs"), Scalar("owner")

    def __init__(self, scenario):
        self.program = scenario["threads"]
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.scalar("done", False)
        self.scalar("runs", 0)
        self.scalar("owner", None)
        self.begin()

    def O1(self, t):
        if self.done:
            self.leave(t)

    def O2(self, t):
        if self.owner is not None:
            return BLOCKED
        self.owner = self.me

    def O3(self, t):
        if self.done:
            t.pc = "O6"

    def O4(self, t):
        self.runs += 1

    def O5(self, t):
        self.done = True

    def O6(self, t):
        self.owner = None
        self.leave(t)

    def T0(self, t):
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, "run", back="T0")

    def RunsOnce(self):
        return self.runs <= 1

    def RanBeforeReturn(self):
        return all(t.pc != DONE or self.runs > 0 for t in self.processes)

    def Termination(self):
        """What must come true in every fair run."""
        return all(t.pc == DONE for t in self.processes)

    def ComesTooLate(self):
        """A witness: a thread enters the lock when the action has run."""
        return any(t.pc == "O3" and self.done for t in self.processes)
