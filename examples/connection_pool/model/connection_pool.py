"""The model of spec/ConnectionPool.tla: one method per label, in the order of the labels."""

from wheelproof_runtime.pluscal import BLOCKED, DONE, Machine, Scalar


class Model(Machine):
    WITNESSES = ("NoneFree",)

    free, closed, owner = Scalar("free"), Scalar("closed"), Scalar("owner")

    def __init__(self, scenario):
        self.program = scenario["threads"]
        own = {"turn": 1, "got": None, "known": frozenset()}
        super().__init__(self.program, own, start="T0")
        self.scalar("free", frozenset(scenario["connections"]))
        self.scalar("closed", frozenset())
        self.scalar("owner", None)
        self.begin()

    def returned(self, t):
        return t.got

    def operation(self, t):
        return self.program[self.me][t.turn - 2]

    def lock(self):
        if self.owner is not None:
            return BLOCKED
        self.owner = self.me

    def T0(self, t):
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn, t.got = t.turn + 1, None
        t.pc = "B1" if self.operation(t)[0] == "use" else "C1"

    def B1(self, t):
        return self.lock()

    def B2(self, t):
        t.known = self.free
        if not t.known:
            t.pc = "B5"

    def B3(self, t):
        t.got = self.choose(sorted(t.known))
        t.known = frozenset()

    def B4(self, t):
        self.free -= {t.got}

    def B5(self, t):
        self.owner = None
        t.pc = "T0" if t.got is None else "G1"

    def G1(self, t):
        return self.lock()

    def G2(self, t):
        self.free |= {t.got}

    def G3(self, t):
        self.owner = None
        t.pc = "T0"

    def C1(self, t):
        return self.lock()

    def C2(self, t):
        if self.operation(t)[1] not in self.free:
            t.pc = "C5"

    def C3(self, t):
        self.free -= {self.operation(t)[1]}

    def C4(self, t):
        self.closed |= {self.operation(t)[1]}

    def C5(self, t):
        self.owner = None
        t.pc = "T0"

    def borrowed(self, *places):
        return [t.got for t in self.processes if t.pc in places and t.got is not None]

    def BorrowsOpen(self):
        return self.closed.isdisjoint(self.borrowed("B4", "B5", "G1", "G2"))

    def BorrowsAlone(self):
        borrowed = self.borrowed("B5", "G1", "G2")
        return len(set(borrowed)) == len(borrowed)

    def NoneFree(self):
        """A witness: a thread may find no connection."""
        return not self.free
