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

    @property
    def mine(self) -> Node:
        """The node /controller, as the broker that moves creates it."""
        return Node(self.me, self.session[self.me])

    def _put_node(self, new: Node, event: str) -> None:
        """/controller is new: who watches it gets an event, once; who is late will get it."""
        self.node = new
        for broker in self.brokers:
            if not self.late[broker]:
                self._tell(broker, event)
            elif self.late[broker][0].missed == NONE:
                self.late[broker] = (self.late[broker][0]._replace(missed=event),)

    def _delete_node(self) -> None:
        self.robbed |= self.node.session != self.session[self.me]
        self._put_node(VACANT, "reelect")

    def _raise_epoch(self, read: Epoch) -> None:
        self.epoch = Epoch(read.value + 1, self.epoch.version + 1)
        self.elections += 1

    def _write_part(self) -> None:
        own, known, version = self.own[self.me], self.known[self.me], self.part.version
        self.part = written(known, own)._replace(version=version + 1)
        self.stale |= self.epoch.value != own.value
        self.overwritten |= version != known.version

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

    def _lost(self, t: Process, label: str) -> str:
        """How the reply to a transaction is lost, "" if it comes.

        After a lost one the label's step waits for a connection. Before another one comes, the
        broker's server catches up.
        """
        lost = self.cut[self.me]
        if lost == NONE:
            self._catch_up(self.me)
            return ""
        self.cut[self.me] = NONE
        t.pc = label
        return lost

    def _ended(self, t: Process) -> bool:
        """Whether the request is one in an expired session, which ends the handler."""
        if not self.gone(self.me):
            return False
        self.leave(t)
        return True

    # -- elect_early

    def E1(self, t: Process) -> None:
        if self._ended(t):
            return
        if lost := self._lost(t, "E2"):
            if lost == "after" and self.node == VACANT:
                self._put_node(self.mine, "change")
            return
        if self.node == VACANT:
            self._put_node(self.mine, "change")
            self.acts[self.me] = True
            t.pc = "E4"
        else:
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
        own = self.own[self.me]
        if lost := self._lost(t, "E6"):
            if lost == "after" and self.epoch.version == own.version:
                self._raise_epoch(own)
            return
        if self.epoch.version == own.version:
            self._raise_epoch(own)
            self.own[self.me] = self.epoch
            self.call(t, "write_early")
        else:
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
        if lost := self._lost(t, "X4"):
            if lost == "after" and self.part.version == self.known[self.me].version:
                self._write_part()
            return
        if self.part.version == self.known[self.me].version:
            self._write_part()
            self.known[self.me] = self.part
            self.leave(t)
        else:
            t.pc = "X3"

    def X4(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "X2"

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

    # -- give_up_early

    def D1(self, t: Process) -> None:
        if self._ended(t):
            return
        if lost := self._lost(t, "D2"):
            if lost == "after" and self.node != VACANT:
                self._delete_node()
            return
        if self.node != VACANT:
            self._delete_node()
        self.leave(t)

    def D2(self, t: Process) -> None:
        if not self._ended(t):
            t.pc = "D1"
