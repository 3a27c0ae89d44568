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
        "serve": Procedure("A1", ()),
        "close": Procedure("S1", ()),
        "elect": Procedure("C1", (), (("seen", NO_EPOCH),)),
        "write": Procedure("W1", ()),
        "give_up": Procedure("M1", ()),
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

    def _may_elect(self, read: Epoch) -> bool:
        """Whether ZooKeeper performs an election by an epoch that was read."""
        return bool(self.node == VACANT and self.epoch.version == read.version)

    def _may_write(self) -> bool:
        """Whether ZooKeeper performs a write of the broker that moves."""
        same = self.part.version == self.known[self.me].version
        return bool(self.epoch.version == self.own[self.me].version and same)

    def _may_delete(self) -> bool:
        """Whether ZooKeeper performs the deletion of /controller."""
        return bool(self.epoch.version == self.own[self.me].version and self.node != VACANT)

    def _won(self, epoch: Epoch) -> None:
        self.acts[self.me], self.own[self.me] = True, epoch

    def _moved(self, t: Process) -> None:
        """Another broker is the controller, or none is."""
        self.acts[self.me] = False
        self.call(t, "elect")

    # -- serve

    def A1(self, t: Process) -> Step:
        me = self.me
        if self.leaves[me] == "abruptly" or (self.over and not self.queue[me]):
            self.leave(t)
            return None
        if not self.queue[me]:
            return BLOCKED
        self.busy |= {me}
        event, *rest = self.queue[me]
        self.queue[me] = tuple(rest)
        early = self.elector[me] == "EarlyElector"
        if event == "expire":
            self.acts[me] = False
        elif event == "shutdown":
            self.acts[me] = False
            self.call(t, "close")
        elif event == "work" and self.acts[me]:
            self.call(t, "write_early" if early else "write", back="A2")
        elif event == "move" and self.acts[me] and early:
            self.acts[me] = False
            self.call(t, "give_up_early", back="A2")
        elif event == "move" and not early:
            self.call(t, "give_up", back="A2")
        elif event not in ("move", "work"):
            self.call(t, "elect", back="A2")
        return None

    def A2(self, t: Process) -> None:
        self.busy -= {self.me}
        t.pc = "A1"

    # -- close

    def S1(self, t: Process) -> None:
        self._end_session(self.me)
        self.busy -= {self.me}
        self.leave(t)

    # -- elect

    def C1(self, t: Process) -> None:
        if not self._ended(t):
            self.watching |= {self.me}

    def C2(self, t: Process) -> None:
        if self._ended(t):
            return
        node = self.seen.node
        self.acts[self.me] = self.acts[self.me] and node.id == self.me
        if not nameless(node):
            self.leave(t)
        elif self.elector[self.me] == "EarlyElector":
            self.call(t, "elect_early")

    def C3(self, t: Process) -> None:
        if self._ended(t):
            return
        t.seen = self.seen.epoch
        t.pc = "B1" if t.seen == NO_EPOCH_NODE else "C4"

    def B1(self, t: Process) -> None:
        if self._ended(t):
            return
        if lost := self._lost(t, "B2"):
            if lost == "after" and self.epoch == NO_EPOCH_NODE:
                self.epoch = NO_EPOCH
            return
        if self.epoch != NO_EPOCH_NODE:
            t.pc = "C3"
        else:
            self.epoch = t.seen = NO_EPOCH
            t.pc = "C4"

    def B2(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "B1"

    def C4(self, t: Process) -> None:
        if self._ended(t):
            return
        if lost := self._lost(t, "C7"):
            if lost == "after" and self._may_elect(t.seen):
                self._put_node(self.mine, "change")
                self._raise_epoch(t.seen)
            return
        if self._may_elect(t.seen):
            self._put_node(self.mine, "change")
            self._raise_epoch(t.seen)
            self._won(self.epoch)
            t.pc = "F1"
        else:
            t.pc = "C5"

    def C7(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "C4"

    def C5(self, t: Process) -> None:
        if self._ended(t):
            return
        if self.seen.node.id == UNREADABLE:
            self.leave(t)
        elif self.seen.node.id != self.me:
            t.pc = "C1"

    def C6(self, t: Process) -> None:
        if self._ended(t):
            return
        if self.seen.epoch.value != t.seen.value + 1:
            t.pc = "C1"
        else:
            self._won(self.seen.epoch)

    def F1(self, t: Process) -> None:
        if not self._ended(t):
            self.known[self.me] = self.seen.part
            self.call(t, "write")

    # -- write

    def W1(self, t: Process) -> None:
        if self._ended(t):
            return
        if lost := self._lost(t, "W3"):
            if lost == "after" and self._may_write():
                self._write_part()
            return
        if self._may_write():
            self._write_part()
            self.known[self.me] = self.part
            self.leave(t)
        elif self.epoch.version != self.own[self.me].version:
            self._moved(t)
        else:
            t.pc = "W2"

    def W3(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "W1"

    def W2(self, t: Process) -> None:
        if self._ended(t):
            return
        own, known, part = self.own[self.me], self.known[self.me], self.seen.part
        if part.by > own.value:
            self._moved(t)
            return
        self.known[self.me] = part
        if part == written(known, own):
            self.leave(t)
        else:
            t.pc = "W1"

    # -- give_up

    def M1(self, t: Process) -> None:
        if self._ended(t):
            return
        held = self.acts[self.me] and self.seen.node.id == self.me
        self.acts[self.me] = False
        if not held:
            self.leave(t)

    def M2(self, t: Process) -> None:
        if self._ended(t):
            return
        if lost := self._lost(t, "M3"):
            if lost == "after" and self._may_delete():
                self._delete_node()
            return
        if self._may_delete():
            self._delete_node()
        self.leave(t)

    def M3(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "M2"

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
            self._raise_epoch(self.epoch)
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
