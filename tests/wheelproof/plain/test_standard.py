"""The standard library: its pure modules are looked into, but for those that are listed."""

import sys

import pytest

from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.universe import EXCEPTIONS, is_looked_into

CANCELLED = """
import asyncio

def program():
    loop, errors = asyncio.new_event_loop(), []
    loop.set_exception_handler(lambda loop, context: errors.append(context))
    handle = loop.call_soon_threadsafe(int)
    loop.call_soon(loop.stop)
    run(loop.run_forever, handle.cancel)
    loop.close()
    assert not errors
"""
"""A callback is cleared between the test of the loop and its call: gh-128340."""

STARTED_TWICE = """
import contextlib, logging.handlers, queue

def program():
    listener = logging.handlers.QueueListener(queue.Queue())

    def start():
        with contextlib.suppress(RuntimeError):
            listener.start()

    run(start, start)
    listener.stop()
"""
"""Two starts make two monitors, of which stop ends one: gh-132106."""

CLEARED = """
import linecache

def program():
    linecache.cache["a"] = (1, 2, [], "a")
    run(linecache.clearcache, linecache.checkcache)
"""
"""gh-133253."""

DRAWN = """
import random

def program():
    numbers = random.Random(0)
    run(numbers.random, lambda: numbers.seed(1), lambda: numbers.shuffle([1, 2]))
"""

LOGGED = """
import logging

class Handler(logging.Handler):
    inside = 0

    def emit(self, record):
        Handler.inside += 1
        assert Handler.inside == 1
        Handler.inside -= 1

def program():
    handler = Handler()
    record = logging.makeLogRecord({})
    run(lambda: handler.handle(record), lambda: handler.handle(record))
"""

OLD = sys.version_info < (3, 12)
"""An interpreter without the corrections of these races."""


@pytest.mark.daily(5)
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CANCELLED, FailureKind.ASSERTION if OLD else None),
        (STARTED_TWICE, FailureKind.LOST_WAKE_UP if OLD else None),
        (CLEARED, FailureKind.EXCEPTION if OLD else None),
        (DRAWN, None),
        (LOGGED, None),
    ],
)
def test_pure_modules_of_the_standard_library_are_looked_into(written, text, kind):
    found = written.explored(text)
    if kind is None and not OLD:
        assert found.answer in (Answer.EXHAUSTED, Answer.BUG), found.reason
    elif kind is None:
        assert found.answer is Answer.EXHAUSTED, found.reason
    else:
        assert found.answer is Answer.BUG and found.failure.kind is kind, found.reason


def test_every_exception_has_a_reason_and_each_is_a_module():
    for reason, (_, names) in EXCEPTIONS.items():
        assert " " in reason and names
        for name in names:
            real = name.partition(".")[0] in sys.stdlib_module_names
            assert not (real and is_looked_into(name, ())), name
            assert is_looked_into(name, (name,)), name
    for name in ("subprocess", "asyncio.events", "linecache", "logging.handlers", "socket"):
        assert is_looked_into(name, ()), name
