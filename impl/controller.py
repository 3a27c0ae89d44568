"""Who is the controller of a Kafka cluster, as one broker decides it with ZooKeeper.

Kafka: ``KafkaController`` and ``KafkaZkClient``, since 2.1.0; ``impl/early_controller.py`` is what
came before. The controller has created the
ephemeral node ``/controller``, and raised ``/controller_epoch`` in the same transaction. It checks
that node's version in each transaction that writes for a partition.

A handler of an event is a generator. It yields one request to ZooKeeper at a time, with the place
in the protocol that asks, and is sent the reply. It reads no clock and has no connection: the
thread in ``impl/controller_thread.py`` performs the requests, and gives the places their labels.
"""

from __future__ import annotations

from collections.abc import Generator
from enum import Enum
from typing import NamedTuple, TypeAlias

from impl.zookeeper_requests import (
    Check,
    Code,
    Connected,
    Create,
    Delete,
    Exists,
    Get,
    Multi,
    Put,
    Reply,
    Request,
)

CONTROLLER, EPOCH, PARTITION = "/controller", "/controller_epoch", "/partition"


class Place(Enum):
    """Where in the protocol a request is made."""

    WATCH_CONTROLLER = "watch /controller"
    LOOK_FOR_CONTROLLER = "look who the controller is"
    READ_EPOCH = "read the epoch before an election"
    CREATE_EPOCH = "create the epoch's node before the first election"
    CREATE_EPOCH_AGAIN = "wait for a connection after that"
    ELECT = "create /controller and raise the epoch"
    LOOK_FOR_ONESELF = "look whether the election is won although it was refused"
    CHECK_EPOCH = "look whether the epoch is that of this election"
    ELECT_AGAIN = "wait for a connection after an election"
    READ_PARTITION = "read the partition after an election"
    WRITE_PARTITION = "write the partition"
    READ_AGAIN = "read the partition after a refused write"
    WRITE_AGAIN = "wait for a connection after a write"
    LOOK_BEFORE_MOVE = "look whether there is an office to give up"
    DELETE_CONTROLLER = "delete /controller"
    DELETE_AGAIN = "wait for a connection after the deletion"


class Epoch(NamedTuple):
    """The epoch of a controller, and the version of its node."""

    value: int = 0
    version: int = 0


class PartitionState(NamedTuple):
    """A partition's node: leader epoch, epoch of the controller that elected the leader, ISR.

    ``isr`` counts the changes of the ISR.
    """

    leader_epoch: int = 0
    controller_epoch: int = 0
    isr: int = 0
    version: int = 0

    def led_in(self, epoch: Epoch) -> PartitionState:
        """The state after an election by the controller of this epoch."""
        return PartitionState(self.leader_epoch + 1, epoch.value, self.isr, self.version + 1)

    def encoded(self) -> str:
        return f"{self.leader_epoch} {self.controller_epoch} {self.isr}"


def holder_of(reply: Reply) -> str | None:
    """The broker that /controller names. None if there is no node, or one that names no broker.

    So Kafka takes a node that it cannot parse for none. A name has letters and digits alone.
    """
    return reply.data if reply.ok and reply.data.isalnum() else None


def decoded(reply: Reply) -> PartitionState:
    """The state that a reply has."""
    leader_epoch, controller_epoch, isr = map(int, reply.data.split())
    return PartitionState(leader_epoch, controller_epoch, isr, reply.version)


class ControllerMoved(Exception):
    """Another broker is the controller, or none is. Kafka: ``ControllerMovedException``."""


class Unreadable(ControllerMoved):
    """An election was refused by a node that names no broker. It helps nothing to try again."""


class SessionExpired(Exception):
    """A request was made in a session that has expired, which ends its handler."""


class Ask(NamedTuple):
    """What a handler yields."""

    place: Enum
    request: Request


Asking: TypeAlias = "Generator[Ask, Reply, Reply]"
Handler: TypeAlias = "Generator[Ask, Reply, None]"


class Elector:
    """One broker's part: what it believes, and the handlers of its events.

    ``acting``: it takes itself for the controller; ``own``: the epoch in which it was elected;
    ``known``: the partition, as it last read or wrote it.
    """

    __slots__ = ("me", "acting", "own", "known")

    def __init__(self, me: str) -> None:
        self.me = me
        self.acting = False
        self.own = Epoch()
        self.known = PartitionState()

    def handle(self, event: str) -> Handler:
        """Handle an event: register, change, reelect, expire, shutdown, move or work.

        Raises :class:`SessionExpired`.
        """
        if event in ("expire", "shutdown"):
            self.acting = False
        elif event == "move":
            yield from self.trigger_controller_move()
        elif event != "work":
            yield from self.reelect()
        elif self.acting:
            yield from self.work()

    # -- the office

    def reelect(self) -> Handler:
        """Look who is the controller, and try to become it if there is none."""
        while True:
            vacant = yield from self.maybe_resign()
            if not vacant:
                return
            try:
                yield from self.elect()
            except Unreadable:
                return
            except ControllerMoved:
                self.acting = False
            else:
                return

    def maybe_resign(self) -> Generator[Ask, Reply, bool]:
        """Resign if another broker is the controller, or none. Returns whether none is named.

        The watch comes before the look, so that no change is missed.
        """
        yield from answer(Place.WATCH_CONTROLLER, Exists(CONTROLLER))
        seen = yield from answer(Place.LOOK_FOR_CONTROLLER, Get(CONTROLLER))
        holder = holder_of(seen)
        self.acting = self.acting and holder == self.me
        return holder is None

    def elect(self) -> Handler:
        """Become the controller. Raises ControllerMoved if another broker was faster."""
        read = yield from self.read_epoch()
        value = int(read.data) + 1
        create = Create(CONTROLLER, self.me, ephemeral=True)
        raise_epoch = Put(EPOCH, str(value), read.version)
        reply = yield from answer(Place.ELECT, Multi((create, raise_epoch)), Place.ELECT_AGAIN)
        if not reply.ok:
            reply = yield from self.check_won(value)
        self.acting, self.own = True, Epoch(value, reply.version)
        yield from self.fail_over()

    def read_epoch(self) -> Asking:
        """The epoch's node. The first election of a cluster creates it with 0.

        Where another broker was faster with that, or a reply was lost, it is read again. Kafka:
        ``maybeCreateControllerEpochZNode``.
        """
        while True:
            read = yield from answer(Place.READ_EPOCH, Get(EPOCH))
            if read.ok:
                return read
            create = Multi((Create(EPOCH, "0"),))
            made = yield from answer(Place.CREATE_EPOCH, create, Place.CREATE_EPOCH_AGAIN)
            if made.ok:
                return made._replace(data="0")

    def check_won(self, value: int) -> Asking:
        """The epoch's node, if a reply was lost and the election is won. Else ControllerMoved."""
        found = yield from answer(Place.LOOK_FOR_ONESELF, Get(CONTROLLER))
        if found.ok and holder_of(found) is None:
            raise Unreadable
        if holder_of(found) != self.me:
            raise ControllerMoved
        epoch = yield from answer(Place.CHECK_EPOCH, Get(EPOCH))
        if int(epoch.data) != value:
            raise ControllerMoved
        return epoch

    def trigger_controller_move(self) -> Handler:
        """Give the office up: resign, then delete the node if the epoch is still one's own."""
        seen = yield from answer(Place.LOOK_BEFORE_MOVE, Get(CONTROLLER))
        held = self.acting and holder_of(seen) == self.me
        self.acting = False
        if held:
            check = Check(EPOCH, self.own.version)
            delete = Multi((check, Delete(CONTROLLER)))
            yield from answer(Place.DELETE_CONTROLLER, delete, Place.DELETE_AGAIN)

    # -- the work

    def fail_over(self) -> Handler:
        """Read what the controller has to know, and do what was left undone."""
        read = yield from answer(Place.READ_PARTITION, Get(PARTITION))
        self.known = decoded(read)
        yield from self.write()

    def work(self) -> Handler:
        """Write the partition. Another controller's fence makes this one resign."""
        try:
            yield from self.write()
        except ControllerMoved:
            self.acting = False
            yield from self.reelect()

    def write(self) -> Handler:
        """Elect the partition's leader anew, over the state that is known.

        Raises ControllerMoved if there was another controller.
        """
        while True:
            new = self.known.led_in(self.own)
            fence = Check(EPOCH, self.own.version)
            put = Put(PARTITION, new.encoded(), self.known.version)
            reply = yield from answer(Place.WRITE_PARTITION, Multi((fence, put)), Place.WRITE_AGAIN)
            if reply.ok:
                self.known = new._replace(version=reply.version)
                return
            if reply.failed == 0:
                raise ControllerMoved
            read = yield from answer(Place.READ_AGAIN, Get(PARTITION))
            found = decoded(read)
            if found.controller_epoch > self.own.value:
                raise ControllerMoved
            self.known = found
            if found == new:
                return


def answer(place: Enum, request: Request, again: Enum | None = None) -> Asking:
    """The reply to a request, which is made again if its reply is lost.

    ``again``: the place that waits for a connection before that. A lost read needs none, since it
    has changed nothing. Raises SessionExpired.
    """
    while True:
        reply = yield Ask(place, request)
        if reply.code is Code.CONNECTION_LOSS:
            if again is None:
                continue
            reply = yield Ask(again, Connected())
            if reply.ok:
                continue
        if reply.code is Code.SESSION_EXPIRED:
            raise SessionExpired
        return reply
