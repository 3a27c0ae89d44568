"""What waits for a broker's event thread, and the broker's session with ZooKeeper.

Kafka: ``ControllerEventManager`` and ``ZooKeeperClient``. The queue has one event thread. What
reads and writes it otherwise is ZooKeeper's watches and the thread of the connection.
"""

from __future__ import annotations

from collections.abc import Sequence

from impl.arguments import able
from impl.runtime import Condition, Lock, Plain
from impl.zookeeper import ZooKeeper
from impl.zookeeper_requests import Code, Reply, Request

EXPIRE, REGISTER, SHUTDOWN = "expire", "register", "shutdown"
GRACEFULLY, ABRUPTLY = "gracefully", "abruptly"
"""How a broker ends."""


class Events:
    """The events of one broker, first in first out.

    ``busy``: the event thread handles one. ``closed``: no event comes any more. ``leaving``: how
    the broker is to end, "" if it is not.
    """

    __slots__ = ("changed", "waiting", "busy", "closed", "leaving")

    waiting: Plain[tuple[str, ...]]
    busy: Plain[bool]
    closed: Plain[bool]
    leaving: Plain[str]

    def __init__(self, waiting: Sequence[str] = ()) -> None:
        self.changed = Condition()
        self.waiting = tuple(waiting)
        self.busy = False
        self.closed = False
        self.leaving = ""

    def append(self, event: str) -> None:
        with self.changed:
            self.waiting = (*self.waiting, event)
            self.changed.notify_all()

    def watched(self, path: str, change: str) -> None:
        """What a watch calls: ``/controller`` is new, or gone."""
        self.append("reelect" if change == "deleted" else "change")

    def replace_all(self, event: str) -> bool:
        """Forget what waits, and have this event in its place. Kafka: ``clearAndPut``.

        False, and nothing is done, if the broker is to end.
        """
        with self.changed:
            if self.leaving:
                return False
            self.waiting = (event,)
            self.changed.notify_all()
            return True

    def leave(self, how: str) -> None:
        """The broker is to end: it takes one event more, or none if it ends abruptly.

        Kafka: ``ControllerEventManager.close``, or the end of the process.
        """
        with self.changed:
            self.leaving = how
            self.waiting = (SHUTDOWN,) if how == GRACEFULLY else ()
            self.changed.notify_all()

    def leaves(self) -> str:
        """How the broker is to end, "" if it is not."""
        with self.changed:
            return self.leaving

    def take(self) -> str | None:
        """Wait for an event, and take it. None: no event is to be taken any more.

        Then the queue is empty and closed, or the broker has ended abruptly.
        """
        with self.changed:
            while not self.waiting and not self.closed and self.leaving != ABRUPTLY:
                self.changed.wait()
            if not self.waiting or self.leaving == ABRUPTLY:
                return None
            event = self.waiting[0]
            self.waiting, self.busy = self.waiting[1:], True
            self.changed.notify_all()
            return event

    def handled(self) -> None:
        """The event thread has handled what it took."""
        with self.changed:
            self.busy = False
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def await_taken(self, event: str) -> None:
        """Wait until the event is handled, or being handled."""
        with self.changed:
            while event in self.waiting:
                self.changed.wait()

    def quiet(self) -> bool:
        """No event waits, and none is being handled."""
        with self.changed:
            return not self.waiting and not self.busy


def close_all(queues: Sequence[Events]) -> None:
    """Close the queues of all brokers."""
    for events in queues:
        events.close()


class Connection:
    """A broker's connection: requests in its present session, and another one when that expires.

    ``lock``: no session is opened while the last one is closed.
    """

    __slots__ = ("lock", "zookeeper", "events", "session")

    session: Plain[int]

    def __init__(self, zookeeper: ZooKeeper, events: Events) -> None:
        able("zookeeper", zookeeper, ZooKeeper)
        able("events", events, Events)
        self.lock = Lock()
        self.zookeeper, self.events = zookeeper, events
        self.session = zookeeper.open(events)

    def ask(self, request: Request) -> Reply:
        """Make a request. A broker that has ended abruptly makes none, and its handler ends."""
        if self.events.leaves() == ABRUPTLY:
            return Reply(Code.SESSION_EXPIRED)
        return self.zookeeper.ask(self.session, request)

    def lives(self) -> bool:
        return self.zookeeper.lives(self.session)

    def expire(self) -> None:
        """End the session, as ZooKeeper does with one of which it hears nothing."""
        self.zookeeper.end(self.session)

    def drop_reply(self, when: str) -> None:
        """Lose the reply to the next transaction: see :meth:`ZooKeeper.drop_reply`."""
        self.zookeeper.drop_reply(self.session, when)

    def fall_behind(self) -> None:
        """See :meth:`ZooKeeper.fall_behind`."""
        self.zookeeper.fall_behind(self.events)

    def catch_up(self) -> None:
        self.zookeeper.catch_up(self.events)

    def tell_of_expiry(self) -> bool:
        """The session has ended: nothing else is worth handling. False if the broker is to end."""
        return self.events.replace_all(EXPIRE)

    def open_session(self) -> None:
        """Open a session when the event thread knows that the old one has expired.

        Kafka: ``beforeInitializingSession`` waits for that, so that no handler of the old session
        goes on in the new one. A broker that is to end opens none.
        """
        self.events.await_taken(EXPIRE)
        with self.lock:
            if self.events.leaves():
                return
            self.session = self.zookeeper.open(self.events)
        self.events.append(REGISTER)

    def close(self) -> None:
        """End the session. A broker that ends gracefully does so at last."""
        with self.lock:
            if self.lives():
                self.zookeeper.end(self.session)
        self.events.handled()
