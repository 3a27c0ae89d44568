"""The events of a broker's controller: one thread handles them, and each is handled once.

Kafka: ``ControllerEventManager``. Labels are those of ``spec/EventQueue.tla``.
"""

from __future__ import annotations

import logging  # production only
import threading  # production only
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from impl.arguments import able, function
from impl.blocking_queue import BlockingQueue
from impl.runtime import Atomic, Event, Monitor, Volatile

_LOG = logging.getLogger(__name__)  # production only


@runtime_checkable
class Handler(Protocol):
    """What is done with an event. What it raises is reported to the manager."""

    def process(self) -> None:
        """Handle the event. The event thread calls this: it must not close its manager, and must
        not wait for another event."""

    def preempt(self) -> None:
        """Answer the threads that wait for the event: it will not be processed.

        A thread that clears the queue calls this. Other threads that put wait for it, so it must
        not wait for them.
        """


class QueuedEvent:
    """An event for the event thread. It is put once, and then processed or preempted, once.

    ``started``: that has begun.
    """

    __slots__ = ("handler", "spent", "started")

    def __init__(self, handler: Handler) -> None:
        able("handler", handler, Handler)
        self.handler = handler
        self.spent = Atomic(False)
        self.started = Event()

    def process(self) -> None:
        """Process the event, unless it is spent. Raises what the handler raises."""
        spent = self.spent.get_and_set(True)  # swap X1
        if not spent:
            self.started.set()  # write X2
            self.handler.process()

    def preempt(self) -> None:
        """Preempt the event, unless it is spent. Raises what the handler raises."""
        spent = self.spent.get_and_set(True)  # swap Z1
        if not spent:
            self.started.set()  # write Z2
            self.handler.preempt()

    def await_started(self) -> None:
        """Wait until the event is handled, or being handled."""
        self.started.wait()  # wait W1, wake W2


def log(what: str) -> None:
    """Log the exception that is being handled."""
    _LOG.exception("%s raised", what)


class EventManager:
    """Handles events one after the other, on the thread that calls :meth:`work`.

    ``running``: no close has begun. ``ended``: the event thread handles no event any more.
    """

    __slots__ = ("report", "queue", "put_lock", "running", "ended")

    running: Volatile[bool]

    def __init__(self, report: Callable[[str], None] = log) -> None:
        """``report`` is called while an exception of a handler is handled, and says whose it is."""
        function("report", report)
        self.report = report
        self.queue: BlockingQueue[QueuedEvent | None] = BlockingQueue()
        self.put_lock = Monitor()
        self.running = True
        self.ended = Event()

    def start(self) -> None:
        """Start the event thread, a daemon."""
        threading.Thread(target=self.work, name="controller-events", daemon=True).start()

    def work(self) -> None:
        """Handle events until a close has begun. Reports what their handlers raise."""
        while self.running:  # read E1
            event = self.queue.take()
            if event is not None:
                try:
                    event.process()
                except Exception:
                    self.report("the handler of an event")
        self.ended.set()  # write E2

    def put(self, event: QueuedEvent) -> None:
        """Have an event handled behind all that wait. Once a close has begun, it is preempted."""
        with self.put_lock:  # lock P1, unlock P3
            running = self.running  # read P2
            if running:
                self.queue.put(event)
            else:
                self.preempt(event)

    def clear_and_put(self, event: QueuedEvent) -> None:
        """Preempt all events that wait, and have this one handled in their place.

        Once a close has begun, it is preempted itself.
        """
        with self.put_lock:  # lock L1, unlock L3
            running = self.running  # read L2
            if running:
                self.replace(event)
            else:
                self.preempt(event)

    def expire(self, event: QueuedEvent) -> None:
        """:meth:`clear_and_put`, and wait until no handler of an earlier event is under way.

        Such a handler has ended when this event is processed. If the event is preempted, a close
        has begun, and the handler has ended when the event thread has.
        """
        self.clear_and_put(event)
        event.await_started()
        running = self.running  # read W3
        if not running:
            self.ended.wait()  # wait W4, wake W5

    def replace(self, event: QueuedEvent | None) -> None:
        """Preempt what waits, and put ``event``. Called with ``put_lock`` held."""
        drained = self.queue.drain()
        self.preempt_all(drained)
        self.queue.put(event)

    def preempt_all(self, events: tuple[QueuedEvent | None, ...]) -> None:
        """Preempt events, in their order. None is what a close has put."""
        for index in range(len(events)):
            event = events[index]
            if event is not None:
                self.preempt(event)

    def preempt(self, event: QueuedEvent) -> None:
        """Preempt an event. Reports what its handler raises."""
        try:
            event.preempt()
        except Exception:
            self.report("the handler of a preempted event")

    def close(self) -> None:
        """Preempt all events that wait, and wait until the event thread has ended.

        May be called twice, but not by the event thread.
        """
        self.running = False  # write C1
        with self.put_lock:  # lock C2, unlock C3
            self.replace(None)  # wakes the event thread
        self.ended.wait()  # wait C4, wake C5


class LookingManager(EventManager):
    """Clears the queue in another order: preempts what it sees there, and then removes all.

    The event thread may take an event in between. That no event is handled twice rests on the
    flag ``spent`` alone.
    """

    __slots__ = ()

    def replace(self, event: QueuedEvent | None) -> None:
        seen = self.queue.look()
        self.preempt_all(seen)
        self.queue.clear()
        self.queue.put(event)
