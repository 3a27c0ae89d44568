"""The model of spec/Latch.tla: one method per label, in the order of the labels."""

from model.pluscal import BLOCKED, DONE, Machine, Procedure, Scalar


class Model(Machine):
    PROCEDURES = {
        "countDown": Procedure("C1", (), (("left", 0),)),
        "isOpen": Procedure("A1", ()),
    }
    WITNESSES = ("LooksTooEarly",)
    AUXILIARY = LOCAL = frozenset({"saw"})  # in Java it is on the thread's stack

    count, opened, owner = Scalar("count"), Scalar("opened"), Scalar("owner")

    def __init__(self, scenario):
        self.program, self.guard = scenario["threads"], scenario["guard"]
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.scalar("count", scenario["count"])
        self.scalar("opened", False)
        self.scalar("owner", None)
        self.saw = self.function("saw", dict.fromkeys(self.threads, False))
        self.begin()

    def C1(self, t):
        if self.guard != "none":
            if self.owner is not None:
                return BLOCKED
            self.owner = self.me

    def C2(self, t):
        t.left = self.count
        if t.left == 0:
            t.pc = "C5"

    def C3(self, t):
        self.count = t.left - 1
        if t.left > 1:
            t.pc = "C5"

    def C4(self, t):
        self.opened = True

    def C5(self, t):
        if self.guard == "monitor":
            self.owner = None
        self.leave(t)

    def A1(self, t):
        self.saw[self.me] = self.opened
        self.leave(t)

    def T0(self, t):
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            ((name, *_),) = self.program[self.me][t.turn - 1 : t.turn]
            t.turn += 1
            self.call(t, "countDown" if name == "count_down" else "isOpen", back="T0")

    def returned(self, t):
        """What the operation that has just ended returns."""
        name, *_ = self.program[self.me][t.turn - 2]
        return self.saw[self.me] if name == "is_open" else None

    def counts(self, thread):
        return any(name == "count_down" for name, *_ in self.program[thread])

    def OpenMeansNoneLeft(self):
        return not self.opened or self.count == 0

    def OpensInTheEnd(self):
        processes = zip(self.threads, self.processes)
        ended = all(t.pc == DONE for thread, t in processes if self.counts(thread))
        return self.opened or not ended

    def Termination(self):
        """What must come true in every fair run."""
        return all(t.pc == DONE for t in self.processes)

    def LooksTooEarly(self):
        """A witness: a thread has looked while the latch was closed, and another one counted."""
        return any(t.pc == DONE for t in self.processes) and not self.opened
