"""One broker: the project's elector, event thread, queue and connection, on a real ensemble.

``python -m real.chaos.candidate NAME PORT FOLDER JOURNAL SEED``. The first package
``impl`` of the path runs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from enum import Enum
from pathlib import Path
from queue import SimpleQueue
from random import Random
from types import FrameType

from impl import controller
from impl.controller import PARTITION, Ask, Elector, Handler, PartitionState, Place
from impl.controller_events import REGISTER, Connection, Events
from impl.controller_thread import ControllerThread
from impl.zookeeper_requests import Code, Connected, Reply
from real.chaos.sessions import Journal, Remote

PARTITIONS = 12
BEAT_S = 0.03
"""A broker shows so often that it lives, and has something to do for each partition."""

MOVE = signal.SIGUSR1
"""The signal to give its office up."""

PAUSES: dict[Enum, float] = {Place.ELECT: 0.2}
ANY_PAUSE, PAUSE_S = 0.02, 0.3
"""The chance that the event thread stands still before a request, as for a collection, and for how
long at most."""

STALL, GO_ON = signal.SIGUSR2, signal.SIGHUP
"""The signals to stand still before the next write, and to go on."""
STALL_S, STEP_S, STALLED = 1.5, 0.005, "stalled"

NOTED = {
    Place.CHECK_EPOCH: "won although it was refused",
    Place.READ_AGAIN: "read again after a refused write",
}


class Broker(Elector):
    """An elector with many partitions. Each handler is about one of them, ``turn``."""

    __slots__ = ("states", "turn")

    def __init__(self, me: str) -> None:
        self.states, self.turn = [PartitionState()] * PARTITIONS, 0
        super().__init__(me)

    @property
    def known(self) -> PartitionState:
        return self.states[self.turn]

    @known.setter
    def known(self, state: PartitionState) -> None:
        self.states[self.turn] = state

    def fail_over(self) -> Handler:
        for self.turn in range(PARTITIONS):
            yield from super().fail_over()

    def work(self) -> Handler:
        self.turn = (self.turn + 1) % PARTITIONS
        yield from super().work()


class EventThread(ControllerThread):
    """The event thread, which sometimes stands still before a request."""

    __slots__ = ("drawn", "journal", "stalls")

    def __init__(
        self, elector: Elector, events: Events, connection: Connection, random: Random, to: Journal
    ) -> None:
        super().__init__(elector, events, connection)
        self.drawn, self.journal, self.stalls = random, to, False

    def perform(self, ask: Ask) -> Reply:
        if self.stalls and ask.place is Place.WRITE_PARTITION:
            self.journal.write(STALLED)
            until = time.monotonic() + STALL_S
            while self.stalls and time.monotonic() < until:
                time.sleep(STEP_S)
            self.stalls = False
        elif self.drawn.random() < PAUSES.get(ask.place, ANY_PAUSE):
            self.journal.write("pause")
            time.sleep(self.drawn.uniform(0, PAUSE_S))
        reply = super().perform(ask)
        if ask.place in NOTED and reply.ok:
            self.journal.write(NOTED[ask.place])
        return reply

    def stall(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.stalls = number == STALL


def beat(connection: Connection, remote: Remote, events: Events, to: Journal) -> None:
    """The connection's thread: keep the session, and open another one when it has expired."""
    while True:
        session = remote.known[connection.session]
        while (reply := session.ask(Connected())[0]).code is not Code.SESSION_EXPIRED:
            if reply.ok:
                to.write("beat")
            time.sleep(BEAT_S)
            if events.quiet():
                for _ in range(PARTITIONS):
                    events.append("work")
        connection.tell_of_expiry()
        connection.open_session()


def pass_on(moves: SimpleQueue[str], events: Events) -> None:
    """Append the moves of signals: a handler must not wait for a lock."""
    while True:
        events.append(moves.get())


def main(arguments: list[str]) -> None:
    """Run until the process is killed; a thread that fails ends it."""
    name, port, folder, journal, seed = arguments
    to = Journal(Path(journal))
    elector = Broker(name)

    def place(path: str) -> str:
        return f"{folder}{path}-{elector.turn}" if path == PARTITION else f"{folder}{path}"

    def on_failure(hook: threading.ExceptHookArgs) -> None:
        traceback.print_exception(hook.exc_value)
        os._exit(1)

    threading.excepthook = on_failure
    to.write("runs", source=controller.__file__)
    events, remote = Events((REGISTER,)), Remote(int(port), place, to)
    moves: SimpleQueue[str] = SimpleQueue()
    signal.signal(MOVE, lambda number, frame: moves.put("move"))
    for number in (STALL, GO_ON):
        signal.signal(number, signal.SIG_IGN)
    connection = Connection(remote, events)
    serving = EventThread(elector, events, connection, Random(f"{seed} {name} pauses"), to)
    for number in (STALL, GO_ON):
        signal.signal(number, serving.stall)
    threading.Thread(target=serving.serve).start()
    threading.Thread(target=pass_on, args=(moves, events)).start()
    beat(connection, remote, events, to)


if __name__ == "__main__":
    main(sys.argv[1:])
