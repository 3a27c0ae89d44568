"""The event thread of a broker's controller: it performs what the handlers ask of ZooKeeper.

Each place that asks has a label, that of ``spec/Controller.tla``. A request is one step.
"""

from __future__ import annotations

from impl.arguments import able
from impl.controller import Ask, Elector, Handler, Place, SessionExpired
from impl.controller_events import SHUTDOWN, Connection, Events
from impl.early_controller import EarlyPlace
from impl.zookeeper_requests import Reply


class ControllerThread:
    """Handles a broker's events, one after the other."""

    __slots__ = ("elector", "events", "connection")

    def __init__(self, elector: Elector, events: Events, connection: Connection) -> None:
        able("elector", elector, Elector)
        able("events", events, Events)
        able("connection", connection, Connection)
        self.elector, self.events, self.connection = elector, events, connection

    def serve(self) -> None:
        """Handle events until the queue is closed and empty, or the broker ends."""
        while True:
            event = self.events.take()  # change A1
            if event is None:
                return
            self.run(self.elector.handle(event))
            if event == SHUTDOWN:
                self.connection.close()  # write S1
                return
            self.events.handled()  # write A2

    def run(self, handler: Handler) -> None:
        """Let a handler come to its end. One that asks in an expired session ends there."""
        try:
            wanted = next(handler)
            while True:
                reply = self.perform(wanted)
                wanted = handler.send(reply)
        except (StopIteration, SessionExpired):
            return

    def perform(self, wanted: Ask) -> Reply:
        """Make a request, each place in a step of its own."""
        place, request, made = wanted.place, wanted.request, self.connection.ask
        if place is Place.WATCH_CONTROLLER:
            reply = made(request)  # write C1
        elif place is Place.LOOK_FOR_CONTROLLER:
            reply = made(request)  # read C2
        elif place is Place.READ_EPOCH:
            reply = made(request)  # read C3
        elif place is Place.CREATE_EPOCH:
            reply = made(request)  # cas B1
        elif place is Place.CREATE_EPOCH_AGAIN:
            reply = made(request)  # read B2
        elif place is Place.ELECT:
            reply = made(request)  # cas C4
        elif place is Place.LOOK_FOR_ONESELF:
            reply = made(request)  # read C5
        elif place is Place.CHECK_EPOCH:
            reply = made(request)  # read C6
        elif place is Place.ELECT_AGAIN:
            reply = made(request)  # read C7
        elif place is Place.READ_PARTITION:
            reply = made(request)  # read F1
        elif place is Place.WRITE_PARTITION:
            reply = made(request)  # cas W1
        elif place is Place.READ_AGAIN:
            reply = made(request)  # read W2
        elif place is Place.WRITE_AGAIN:
            reply = made(request)  # read W3
        elif place is Place.LOOK_BEFORE_MOVE:
            reply = made(request)  # read M1
        elif place is Place.DELETE_CONTROLLER:
            reply = made(request)  # cas M2
        else:
            reply = made(request)  # read M3
        return reply


class EarlyControllerThread(ControllerThread):
    """The same, for the handlers of an elector up to 2.0."""

    __slots__ = ()

    def perform(self, wanted: Ask) -> Reply:
        """Make a request, each place in a step of its own."""
        place, request, made = wanted.place, wanted.request, self.connection.ask
        if place is EarlyPlace.CREATE:
            reply = made(request)  # cas E1
        elif place is EarlyPlace.CREATE_AGAIN:
            reply = made(request)  # read E2
        elif place is EarlyPlace.LOOK_AT_OWNER:
            reply = made(request)  # read E3
        elif place is EarlyPlace.READ_EPOCH:
            reply = made(request)  # read E4
        elif place is EarlyPlace.RAISE_EPOCH:
            reply = made(request)  # cas E5
        elif place is EarlyPlace.RAISE_AGAIN:
            reply = made(request)  # read E6
        elif place is EarlyPlace.READ_PARTITION:
            reply = made(request)  # read X1
        elif place is EarlyPlace.WRITE_PARTITION:
            reply = made(request)  # cas X2
        elif place is EarlyPlace.READ_AGAIN:
            reply = made(request)  # read X3
        elif place is EarlyPlace.WRITE_AGAIN:
            reply = made(request)  # read X4
        elif place is EarlyPlace.DELETE:
            reply = made(request)  # cas D1
        elif place is EarlyPlace.DELETE_AGAIN:
            reply = made(request)  # read D2
        else:
            reply = super().perform(wanted)
        return reply
