"""What a controller has of its session with ZooKeeper: requests in it, and a new one.

Kafka: ``ZooKeeperClient`` with its initialization lock, and the handler of its expiries. Labels are
those of ``spec/EventQueue.tla``.
"""

from __future__ import annotations

from collections.abc import Callable

from impl.arguments import able
from impl.event_queue import EventManager, QueuedEvent
from impl.runtime import Plain, ReadWriteLock


class SessionClient:
    """One session at a time. Many requests are made in it, or one thread replaces it.

    ``session``: its number, from 1 on.
    """

    __slots__ = ("events", "lock", "session")

    session: Plain[int]

    def __init__(self, events: EventManager) -> None:
        able("events", events, EventManager)
        self.events = events
        self.lock = ReadWriteLock()
        self.session = 1

    def request(self, ask: Callable[[int], None]) -> None:
        """Call ``ask`` with the present session, which stays until it returns."""
        with self.lock.read_lock:  # lock H1, unlock H3
            ask(self.session)

    def renew(self, expiry: QueuedEvent) -> None:
        """Open a session in the place of one that has expired.

        No handler of an event that was put before makes a request in the new session. The events
        are waited for without the lock: the event thread may be about to make a request.
        """
        self.events.expire(expiry)
        with self.lock.write_lock:  # lock I1, unlock I3
            self.session = self.session + 1  # write I2
