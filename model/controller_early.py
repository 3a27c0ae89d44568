"""The model of ``spec/Controller.tla``: the elector up to 2.0.

The other steps are in :mod:`model.controller`.
"""

from __future__ import annotations

from collections.abc import Mapping

from model.controller_nodes import VACANT, Epoch, Node, Tree, written
from model.controller_properties import NONE, Properties
from model.pluscal import Process


class EarlySteps(Properties):
    """States of the model, with the steps of this elector."""

    elector: Mapping[str, str]

    # -- parts of steps

    @property
    def seen(self) -> Tree:
        """What the server of the broker that moves has of the nodes."""
        late = self.late[self.me]
        return late[0] if late else Tree(self.node, self.epoch, self.part)

    def _put_node(self, new: Node, event: str) -> None:
        """/controller is new: who watches it gets an event, once; who is late will get it."""
        self.node = new
        for broker in self.brokers:
            if not self.late[broker]:
                self._tell(broker, event)
            elif self.late[broker][0].missed == NONE:
                self.late[broker] = (self.late[broker][0]._replace(missed=event),)

    def _tell(self, broker: str, event: str) -> None:
        """Give a broker an event of /controller if it watches the node."""
        if broker in self.watching:
            self.queue[broker] += (event,)
            self.watching -= {broker}

    def _catch_up(self, broker: str) -> None:
        """A broker's server applies all that there is, and delivers what it has missed."""
        for tree in self.late[broker]:
            if tree.missed != NONE:
                self._tell(broker, tree.missed)
        self.late[broker] = ()

    def _end_session(self, broker: str) -> None:
        """A session ends, its watches first, and its node goes."""
        self.live -= {broker}
        self.watching -= {broker}
        self.cut[broker] = NONE
        if self.node.session == self.session[broker]:
            self._put_node(VACANT, "reelect")

    def _hear(self) -> None:
        """A reply to a transaction will come: the server of the broker that moves catches up."""
        if self.cut[self.me] == NONE:
            self._catch_up(self.me)

    def _loses(self, t: Process, label: str) -> bool:
        """Whether the reply is lost: the label's step waits for a connection."""
        if self.cut[self.me] == NONE:
            return False
        self.cut[self.me] = NONE
        t.pc = label
        return True

    def _ended(self, t: Process) -> bool:
        """Whether the request is one in an expired session, which ends the procedure."""
        if not self.gone(self.me):
            return False
        self.leave(t)
        return True

    def handle_early(self, t: Process, event: str) -> None:
        """Begin to handle work or move."""
        if not self.acts[self.me]:
            t.pc = "A2"
        elif event == "work":
            self.call(t, "write_early", back="A2")
        else:
            self.acts[self.me] = False
            self.call(t, "give_up_early", back="A2")

    # -- elect_early

    def E1(self, t: Process) -> None:
        if self._ended(t):
            return
        self._hear()
        if self.node == VACANT and self.cut[self.me] != "before":
            self._put_node(Node(self.me, self.session[self.me]), "change")
            if not self._loses(t, "E2"):
                self.acts[self.me] = True
                t.pc = "E4"
        elif not self._loses(t, "E2"):
            t.pc = "E3"

    def E2(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "E1"

    def E3(self, t: Process) -> None:
        if self._ended(t):
            return
        if self.seen.node == VACANT:
            t.pc = "E1"
        elif self.seen.node.session != self.session[self.me]:
            self.leave(t)
        else:
            self.acts[self.me] = True

    def E4(self, t: Process) -> None:
        if not self._ended(t):
            self.own[self.me] = self.seen.epoch

    def E5(self, t: Process) -> None:
        if self._ended(t):
            return
        self._hear()
        value, version = self.own[self.me]
        if self.epoch.version == version and self.cut[self.me] != "before":
            self.epoch = Epoch(value + 1, version + 1)
            self.elections += 1
            if not self._loses(t, "E6"):
                self.own[self.me] = self.epoch
                self.call(t, "write_early")
        elif not self._loses(t, "E6"):
            self.acts[self.me] = False
            self.call(t, "give_up_early")

    def E6(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "E5"

    # -- write_early

    def X1(self, t: Process) -> None:
        if self._ended(t):
            return
        part = self.seen.part
        if part.by > self.own[self.me].value:
            self.leave(t)
        else:
            self.known[self.me] = part

    def X2(self, t: Process) -> None:
        if self._ended(t):
            return
        self._hear()
        own, known = self.own[self.me], self.known[self.me]
        if self.part.version == known.version and self.cut[self.me] != "before":
            self.part = written(known, own)
            self.stale |= self.epoch.value != own.value
            if not self._loses(t, "X4"):
                self.known[self.me] = self.part
                self.leave(t)
        else:
            self._loses(t, "X4")

    def X3(self, t: Process) -> None:
        if self._ended(t):
            return
        own, known, part = self.own[self.me], self.known[self.me], self.seen.part
        if part.by > own.value:
            self.leave(t)
            return
        self.known[self.me] = part
        if part == written(known, own):
            self.leave(t)
        else:
            t.pc = "X2"

    def X4(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "X2"

    # -- give_up_early

    def D1(self, t: Process) -> None:
        if self._ended(t):
            return
        self._hear()
        if self.node != VACANT and self.cut[self.me] != "before":
            self.robbed |= self.node.session != self.session[self.me]
            self._put_node(VACANT, "reelect")
        if not self._loses(t, "D2"):
            self.leave(t)

    def D2(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "D1"
