"""The controller's events on real threads: order, answers, the wait at an expiry, the close."""

from __future__ import annotations

import logging
import threading
import time

import pytest

from impl.event_queue import EventManager, LookingManager, QueuedEvent
from impl.session_client import SessionClient

PATIENCE_S = 20
both_orders = pytest.mark.parametrize("manager", [EventManager, LookingManager])


class Notes:
    """A handler that notes what is done with its event, and does what it is given."""

    def __init__(self, log, name, body=lambda: None, at_preempt=lambda: None) -> None:
        self.log, self.name, self.body, self.at_preempt = log, name, body, at_preempt

    def process(self) -> None:
        self.log.append(("processed", self.name))
        self.body()

    def preempt(self) -> None:
        self.log.append(("preempted", self.name))
        self.at_preempt()


def queued(log, name, *bodies) -> QueuedEvent:
    return QueuedEvent(Notes(log, name, *bodies))


def raising() -> None:
    raise ValueError("on purpose")


class Held:
    """A handler's body that stands still until it is let go."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.go.wait(PATIENCE_S)


def started(manager: type = EventManager) -> EventManager:
    events = manager()
    events.start()
    return events


def in_background(call, *arguments) -> threading.Thread:
    thread = threading.Thread(target=call, args=arguments, daemon=True)
    thread.start()
    return thread


def until(holds) -> None:
    """Let other threads move until something holds."""
    for _ in range(PATIENCE_S * 1000):
        if holds():
            return
        time.sleep(0.001)
    raise AssertionError("it never held")


def ended(thread: threading.Thread) -> bool:
    thread.join(PATIENCE_S)
    return not thread.is_alive()


@both_orders
def test_events_are_processed_in_their_order_on_one_thread(manager):
    events, log, threads = started(manager), [], set()
    last = [queued(log, n, lambda: threads.add(threading.get_ident())) for n in range(5)]
    for event in last:
        events.put(event)
    last[-1].await_started()
    events.close()
    assert log == [("processed", n) for n in range(5)]
    assert len(threads) == 1 and threading.get_ident() not in threads


@both_orders
def test_what_waits_is_preempted_when_the_queue_is_cleared(manager):
    events, log, held = started(manager), [], Held()
    events.put(queued(log, "a", held))
    assert held.begun.wait(PATIENCE_S)
    events.put(queued(log, "b"))
    events.put(queued(log, "c"))
    expiry = queued(log, "x")
    events.clear_and_put(expiry)
    assert log == [("processed", "a"), ("preempted", "b"), ("preempted", "c")]
    held.go.set()
    expiry.await_started()
    events.close()
    assert log[3:] == [("processed", "x")]


@both_orders
def test_an_exception_of_a_handler_is_logged_and_the_next_event_is_handled(manager, caplog):
    events, log, held = started(manager), [], Held()
    events.put(queued(log, "a", raising))
    events.put(queued(log, "b", held))
    assert held.begun.wait(PATIENCE_S)
    events.put(queued(log, "c", raising, raising))
    events.put(queued(log, "d"))
    with caplog.at_level(logging.ERROR):
        closer = in_background(events.close)
        until(lambda: len(log) == 4)
        held.go.set()
        assert ended(closer)
    assert log == [(how, n) for how, n in zip(["processed"] * 2 + ["preempted"] * 2, "abcd")]
    assert "the handler of a preempted event raised" in caplog.messages


def test_what_a_handler_raises_is_given_to_the_report_of_the_manager():
    reports, log = [], []
    events = EventManager(reports.append)
    events.start()
    event = queued(log, "a", raising)
    events.put(event)
    event.await_started()
    events.close()
    assert reports == ["the handler of an event"]


def test_an_event_is_handled_once():
    log = []
    one, other = queued(log, "one"), queued(log, "other")
    one.process()
    one.preempt()
    other.preempt()
    other.process()
    assert log == [("processed", "one"), ("preempted", "other")]


@both_orders
def test_an_event_that_comes_after_the_close_is_preempted_at_once(manager):
    events, log = started(manager), []
    events.close()
    late, expiry = queued(log, "a"), queued(log, "x")
    events.put(late)
    events.expire(expiry)
    assert log == [("preempted", "a"), ("preempted", "x")]
    late.await_started()
    assert not events.queue.look() or events.queue.look() == (None,)


@both_orders
def test_close_may_be_called_twice_and_waits_for_the_handler_under_way(manager):
    events, log, held = started(manager), [], Held()
    events.put(queued(log, "a", held))
    assert held.begun.wait(PATIENCE_S)
    closers = [in_background(events.close) for _ in range(2)]
    closers[0].join(0.05)
    assert all(closer.is_alive() for closer in closers)
    held.go.set()
    assert all(map(ended, closers))
    assert log == [("processed", "a")]


@both_orders
def test_a_session_is_opened_when_the_handler_of_the_old_one_has_ended(manager):
    events = started(manager)
    client, sessions, held, log = SessionClient(events), [], Held(), []

    def two_requests() -> None:
        client.request(sessions.append)
        held()
        client.request(sessions.append)

    events.put(queued(log, "a", two_requests))
    assert held.begun.wait(PATIENCE_S)
    renewal = in_background(client.renew, queued(log, "x"))
    renewal.join(0.05)
    assert renewal.is_alive() and client.session == 1
    held.go.set()
    assert ended(renewal)
    client.request(sessions.append)
    events.close()
    assert sessions == [1, 1, 2]


@both_orders
def test_an_expiry_that_a_close_preempts_opens_its_session_after_the_handlers(manager):
    events = started(manager)
    client, sessions, held, log = SessionClient(events), [], Held(), []

    def late_request() -> None:
        held()
        client.request(sessions.append)

    events.put(queued(log, "a", late_request))
    assert held.begun.wait(PATIENCE_S)
    renewal = in_background(client.renew, queued(log, "x"))
    closer = in_background(events.close)
    until(lambda: ("preempted", "x") in log)
    renewal.join(0.05)
    assert renewal.is_alive() and client.session == 1
    held.go.set()
    assert ended(renewal) and ended(closer)
    assert sessions == [1] and client.session == 2
