"""Who is the controller, as a broker of Kafka up to 2.0 decided it with ZooKeeper.

Kafka: ``KafkaController`` and ``KafkaZkClient`` of 2.0. The node ``/controller`` is created in one
request, and ``/controller_epoch`` is read and raised in two more. A broker whose epoch is refused
gives its office up: it deletes the node, whose ever it is. No write checks the epoch (KAFKA-6082,
fixed in 2.1.0).

What comes before an election is as in ``impl/controller.py``.
"""

from __future__ import annotations

from collections.abc import Generator
from enum import Enum

from impl.controller import (
    CONTROLLER,
    EPOCH,
    PARTITION,
    Ask,
    Elector,
    Epoch,
    Handler,
    answer,
    decoded,
)
from impl.zookeeper_requests import Create, Delete, Get, Multi, Put, Reply


class EarlyPlace(Enum):
    """Where in this protocol a request is made."""

    CREATE = "create /controller"
    CREATE_AGAIN = "wait for a connection after the creation"
    LOOK_AT_OWNER = "look whose node it is that is there"
    READ_EPOCH = "read the epoch after the creation"
    RAISE_EPOCH = "raise the epoch"
    RAISE_AGAIN = "wait for a connection after the epoch"
    READ_PARTITION = "read the partition before a write"
    WRITE_PARTITION = "write the partition"
    READ_AGAIN = "read the partition after a refused write"
    WRITE_AGAIN = "wait for a connection after a write"
    DELETE = "delete /controller, whose ever it is"
    DELETE_AGAIN = "wait for a connection after the deletion"


class EarlyElector(Elector):
    """One broker's part. It takes itself for the controller before it has an epoch."""

    __slots__ = ()

    def elect(self) -> Handler:
        """Become the controller, if no other broker is faster."""
        created = yield from self.create()
        if not created:
            return
        self.acting = True
        read = yield from answer(EarlyPlace.READ_EPOCH, Get(EPOCH))
        self.own = Epoch(int(read.data), read.version)
        value = self.own.value + 1
        put = Put(EPOCH, str(value), self.own.version)
        reply = yield from answer(EarlyPlace.RAISE_EPOCH, Multi((put,)), EarlyPlace.RAISE_AGAIN)
        if reply.ok:
            self.own = Epoch(value, reply.version)
            yield from self.write()
        else:
            yield from self.trigger_controller_move()

    def create(self) -> Generator[Ask, Reply, bool]:
        """Create the node. Returns whether this session has done so, also by a lost request.

        Kafka: ``CheckedEphemeral``.
        """
        create = Multi((Create(CONTROLLER, self.me, ephemeral=True),))
        while True:
            reply = yield from answer(EarlyPlace.CREATE, create, EarlyPlace.CREATE_AGAIN)
            if reply.ok:
                return True
            found = yield from answer(EarlyPlace.LOOK_AT_OWNER, Get(CONTROLLER))
            if found.ok:
                return found.mine

    def trigger_controller_move(self) -> Handler:
        """Give the office up: resign, then delete the node, without a look at it."""
        if self.acting:
            self.acting = False
            delete = Multi((Delete(CONTROLLER),))
            yield from answer(EarlyPlace.DELETE, delete, EarlyPlace.DELETE_AGAIN)

    def write(self) -> Handler:
        """Elect the partition's leader anew.

        Where the partition has a newer controller's epoch, nothing is written, and the broker still
        takes itself for the controller.
        """
        read = yield from answer(EarlyPlace.READ_PARTITION, Get(PARTITION))
        found = decoded(read)
        while found.controller_epoch <= self.own.value:
            self.known = found
            new = found.led_in(self.own)
            put = Put(PARTITION, new.encoded(), found.version)
            write = Multi((put,))
            reply = yield from answer(EarlyPlace.WRITE_PARTITION, write, EarlyPlace.WRITE_AGAIN)
            if reply.ok:
                self.known = new
                return
            read = yield from answer(EarlyPlace.READ_AGAIN, Get(PARTITION))
            found = decoded(read)
            if found == new:
                self.known = new
                return
