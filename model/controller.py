"""The executable model of ``spec/Controller.tla``: one method per label."""

from __future__ import annotations

from model.controller_early import EarlySteps
from model.controller_nodes import (
    NO_EPOCH,
    NO_EPOCH_NODE,
    NO_STATE,
    VACANT,
    Epoch,
    Node,
    Tree,
    nameless,
    written,
)
from model.controller_properties import NEVER, NONE, UNREADABLE
from model.pluscal import (
    BLOCKED,
    DONE,
    Procedure,
    Process,
    Scalar,
    Scenario,
    Step,
    Values,
    as_record,
)


class Model(EarlySteps):
    """States of one scenario: its fields as in the TOML."""

    PROCEDURES = {
        "serve": Procedure("A1", (), (("seen", NO_EPOCH),)),
        "elect_early": Procedure("E1", ()),
        "write_early": Procedure("X1", ()),
        "give_up_early": Procedure("D1", ()),
        "connect": Procedure("Y1", ("of",)),
        "expire": Procedure("N1", ("victim",)),
        "leave": Procedure("L1", ("leaver", "how")),
        "remove": Procedure("N2", ()),
        "overwrite": Procedure("N8", ("id",)),
        "lag": Procedure("N9", ("slow",)),
        "hear": Procedure("N0", ("again",)),
        "lose": Procedure("N3", ("whose", "when")),
        "notify": Procedure("N4", ("whom", "what")),
        "shrink": Procedure("N5", ()),
        "visit": Procedure("N7", ()),
        "rest": Procedure("N6", ()),
    }
    AUXILIARY = frozenset({"elections", "stale", "robbed", "overwritten"})

    node, epoch, part, live, sessions, watching, busy, over = (
        Scalar("node"),
        Scalar("epoch"),
        Scalar("part"),
        Scalar("live"),
        Scalar("sessions"),
        Scalar("watching"),
        Scalar("busy"),
        Scalar("over"),
    )
    elections, stale, robbed, overwritten = (
        Scalar("elections"),
        Scalar("stale"),
        Scalar("robbed"),
        Scalar("overwritten"),
    )

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        first, session = scenario["first"], scenario["session"]
        self.elector = scenario["elector"]
        self.brokers = tuple(session)
        vacant = first in (NONE, NEVER)
        epoch = NO_EPOCH_NODE if first == NEVER else NO_EPOCH if vacant else Epoch(1, 1)
        everyone = frozenset(self.brokers)
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.scalar("node", VACANT if vacant else Node(first, session[first]))
        self.scalar("epoch", epoch)
        self.scalar("part", NO_STATE)
        self.scalar("live", everyone)
        self.session = self.function("session", session)
        self.scalar("sessions", len(self.brokers))
        self.scalar("watching", frozenset() if vacant else everyone)
        self.cut = self.function("cut", dict.fromkeys(self.brokers, NONE))
        self.late = self.function("late", dict.fromkeys(self.brokers, ()))
        self.queue = self.function(
            "queue", dict.fromkeys(self.brokers, ("register",) if vacant else ())
        )
        self.scalar("busy", frozenset())
        self.acts = self.function("acts", {b: b == first for b in self.brokers})
        self.own = self.function(
            "own", {b: epoch if b == first else NO_EPOCH for b in self.brokers}
        )
        self.known = self.function("known", dict.fromkeys(self.brokers, NO_STATE))
        self.leaves = self.function("leaves", dict.fromkeys(self.brokers, NONE))
        self.scalar("over", False)
        self.scalar("elections", epoch.value)
        self.scalar("stale", False)
        self.scalar("robbed", False)
        self.scalar("overwritten", False)
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        return as_record(super().tla(variable, piece))

    # -- parts of steps

    def _expired(self, t: Process) -> bool:
        """Whether the request is one in an expired session, which ends the handler."""
        if not self.gone(self.me):
            return False
        t.pc = "A2"
        return True

    def _won(self, epoch: Epoch) -> None:
        self.acts[self.me], self.own[self.me] = True, epoch

    def _moved(self, t: Process) -> None:
        self.acts[self.me] = False
        t.pc = "C1"

    # -- serve

    def A1(self, t: Process) -> Step:
        me = self.me
        dead = self.leaves[me] == "abruptly"
        if dead or not self.queue[me]:
            if not dead and not self.over:
                return BLOCKED
            self.leave(t)
            return None
        self.busy |= {me}
        event, *rest = self.queue[me]
        self.queue[me] = tuple(rest)
        if event == "expire":
            self.acts[me] = False
            t.pc = "A2"
        elif event == "shutdown":
            self.acts[me] = False
            t.pc = "S1"
        elif event in ("work", "move") and self.elector[me] == "EarlyElector":
            self.handle_early(t, event)
        elif event == "move":
            t.pc = "M1"
        elif event == "work":
            t.pc = "W1" if self.acts[me] else "A2"
        return None

    def C1(self, t: Process) -> None:
        if not self._expired(t):
            self.watching |= {self.me}

    def C2(self, t: Process) -> None:
        if self._expired(t):
            return
        node = self.seen.node
        self.acts[self.me] = self.acts[self.me] and node.id == self.me
        if not nameless(node):
            t.pc = "A2"
        elif self.elector[self.me] == "EarlyElector":
            self.call(t, "elect_early", back="A2")

    def C3(self, t: Process) -> None:
        if not self._expired(t):
            t.seen = self.seen.epoch
            if t.seen == NO_EPOCH_NODE:
                t.pc = "B1"

    def C4(self, t: Process) -> None:
        if self._expired(t):
            return
        self._hear()
        me, seen = self.me, t.seen
        free = self.node == VACANT and self.epoch.version == seen.version
        if free and self.cut[me] != "before":
            self._put_node(Node(me, self.session[me]), "change")
            self.epoch = Epoch(seen.value + 1, self.epoch.version + 1)
            self.elections += 1
            if not self._loses(t, "C7"):
                self._won(self.epoch)
                t.pc = "F1"
        else:
            self._loses(t, "C7")

    def C5(self, t: Process) -> None:
        if self._expired(t):
            return
        if self.seen.node.id == UNREADABLE:
            t.pc = "A2"
        elif self.seen.node.id != self.me:
            t.pc = "C1"

    def C6(self, t: Process) -> None:
        if self._expired(t):
            return
        if self.seen.epoch.value != t.seen.value + 1:
            t.pc = "C1"
        else:
            self._won(self.seen.epoch)

    def F1(self, t: Process) -> None:
        if not self._expired(t):
            self.known[self.me] = self.seen.part

    def W1(self, t: Process) -> None:
        if self._expired(t):
            return
        self._hear()
        own, known = self.own[self.me], self.known[self.me]
        fenced, same = self.epoch.version != own.version, self.part.version == known.version
        if not fenced and same and self.cut[self.me] != "before":
            version = self.part.version
            self.part = written(known, own)._replace(version=version + 1)
            self.stale |= self.epoch.value != own.value
            self.overwritten |= version != known.version
            if not self._loses(t, "W3"):
                self.known[self.me] = self.part
                t.pc = "A2"
        elif not self._loses(t, "W3") and fenced:
            self._moved(t)

    def W2(self, t: Process) -> None:
        if self._expired(t):
            return
        own, known, part = self.own[self.me], self.known[self.me], self.seen.part
        if part.by > own.value:
            self._moved(t)
        else:
            self.known[self.me] = part
            t.pc = "A2" if part == written(known, own) else "W1"

    def M1(self, t: Process) -> None:
        if self._expired(t):
            return
        if not self.acts[self.me] or self.seen.node.id != self.me:
            t.pc = "A2"
        self.acts[self.me] = False

    def M2(self, t: Process) -> None:
        if self._expired(t):
            return
        self._hear()
        same = self.epoch.version == self.own[self.me].version
        if same and self.node != VACANT and self.cut[self.me] != "before":
            self.robbed |= self.node.session != self.session[self.me]
            self._put_node(VACANT, "reelect")
        if not self._loses(t, "M3"):
            t.pc = "A2"

    def B1(self, t: Process) -> None:
        if self._expired(t):
            return
        self._hear()
        if self.epoch == NO_EPOCH_NODE and self.cut[self.me] != "before":
            self.epoch = NO_EPOCH
            if not self._loses(t, "B2"):
                t.seen, t.pc = NO_EPOCH, "C4"
        elif not self._loses(t, "B2"):
            t.pc = "C3"

    def B2(self, t: Process) -> None:
        if not self._expired(t):
            t.pc = "B1"

    def C7(self, t: Process) -> None:
        if not self._expired(t):
            t.pc = "C4"

    def W3(self, t: Process) -> None:
        if not self._expired(t):
            t.pc = "W1"

    def M3(self, t: Process) -> None:
        if not self._expired(t):
            t.pc = "M2"

    def A2(self, t: Process) -> None:
        self.busy -= {self.me}
        t.seen = NO_EPOCH
        t.pc = "A1"

    def S1(self, t: Process) -> None:
        self._end_session(self.me)
        self.busy -= {self.me}
        self.leave(t)

    # -- connect

    def Y1(self, t: Process) -> Step:
        if t.of in self.live:
            return BLOCKED
        if self.leaves[t.of] == NONE:
            self.queue[t.of] = ("expire",)
        else:
            self.leave(t)
        return None

    def Y2(self, t: Process) -> Step:
        if "expire" in self.queue[t.of]:
            return BLOCKED
        if self.leaves[t.of] == NONE:
            self.sessions += 1
            self.session[t.of] = self.sessions
            self.live |= {t.of}
            self.queue[t.of] += ("register",)
        self.leave(t)
        return None

    # -- ZooKeeper, and what changes it

    def N1(self, t: Process) -> None:
        self._end_session(t.victim)
        self.leave(t)

    def L1(self, t: Process) -> None:
        self.leaves[t.leaver] = t.how
        self.queue[t.leaver] = ("shutdown",) if t.how == "gracefully" else ()
        self.leave(t)

    def N2(self, t: Process) -> None:
        if self.node != VACANT:
            self._put_node(VACANT, "reelect")
        self.leave(t)

    def N8(self, t: Process) -> None:
        if self.node != VACANT:
            self._put_node(self.node._replace(id=t.id), "change")
        self.leave(t)

    def N9(self, t: Process) -> None:
        if not self.late[t.slow]:
            self.late[t.slow] = (Tree(self.node, self.epoch, self.part),)
        self.leave(t)

    def N0(self, t: Process) -> None:
        self._catch_up(t.again)
        self.leave(t)

    def N3(self, t: Process) -> None:
        if t.whose in self.live:
            self.cut[t.whose] = t.when
        self.leave(t)

    def N4(self, t: Process) -> None:
        self.queue[t.whom] += (t.what,)
        self.leave(t)

    def N5(self, t: Process) -> None:
        self.part = self.part._replace(isr=self.part.isr + 1, version=self.part.version + 1)
        self.leave(t)

    def N7(self, t: Process) -> None:
        if self.node == VACANT:
            self.epoch = Epoch(self.epoch.value + 1, self.epoch.version + 1)
            self.elections += 1
            self.part = written(self.part, self.epoch)
            self._put_node(VACANT, "change")
        self.leave(t)

    def N6(self, t: Process) -> Step:
        if self.busy or not all(self.left(b) or self.rests(b) for b in self.brokers):
            return BLOCKED
        self.over = True
        self.leave(t)
        return None

    # -- the process

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, *self.program[self.me][t.turn - 2], back="T0")
