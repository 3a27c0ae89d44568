"""A broker for tests of electors: its requests, one at a time."""

from __future__ import annotations

from impl.controller import CONTROLLER, Elector
from impl.controller_events import Connection, Events
from impl.zookeeper_requests import Delete


class Broker:
    """An elector with its connection. It makes so many requests for an event at most.

    ``places``: the places of its requests so far.
    """

    MOST = 50

    def __init__(self, name, zookeeper, kind=Elector):
        self.events = Events()
        self.connection = Connection(zookeeper, self.events)
        self.elector = kind(name)
        self.places = []

    def handle(self, event, before=None):
        """Handle an event; ``before``: place -> what happens before a request there."""
        handler, reply = self.elector.handle(event), None
        before = dict(before or {})
        try:
            for _ in range(self.MOST):
                wanted = handler.send(reply)
                self.places.append(wanted.place)
                before.pop(wanted.place, lambda: None)()
                reply = self.connection.ask(wanted.request)
        except StopIteration:
            return
        raise AssertionError(f"{event} is not handled by {self.MOST} requests")

    def handle_all(self):
        """Handle what waits, as the event thread does."""
        while self.events.waiting:
            self.handle(self.events.take())
            self.events.handled()


def remove(zookeeper):
    """Delete /controller by hand."""
    zookeeper.by_hand(lambda nodes: (Delete(CONTROLLER),))
