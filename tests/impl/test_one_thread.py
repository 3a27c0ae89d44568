"""OneThread in production: when its thread starts, what ends it, and the end of the program."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from impl.one_thread import OneThread
from tests.impl.real_threads import PATIENCE_S, until

ROOT = Path(__file__).resolve().parents[2]


def nothing() -> None:
    pass


def test_its_thread_starts_with_the_first_call_and_ends_with_the_last():
    one, ran = OneThread("first", nothing), []
    assert one.thread is None
    for number in range(100):
        one.submit(ran.append, number)
    thread = one.thread
    one.shutdown()
    thread.join(PATIENCE_S)
    assert ran == list(range(100)) and (thread.name, thread.daemon) == ("first", True)
    assert not thread.is_alive() and one.ended


def test_one_that_was_given_no_call_has_nothing_to_wait_for():
    one = OneThread("idle", nothing)
    one.shutdown()
    with pytest.raises(RuntimeError, match="'idle' takes no call after shutdown"):
        one.submit(nothing)
    assert one.thread is None


@pytest.mark.parametrize(
    "error", [SystemExit, KeyboardInterrupt, type("Own", (BaseException,), {})]
)
def test_what_ends_its_thread_is_reported_and_another_goes_on(error, monkeypatch):
    reported, ran, begun = [], [], []
    monkeypatch.setattr(threading, "excepthook", lambda what: reported.append(what.exc_type))

    def ending() -> None:
        raise error

    one = OneThread("ends", lambda: begun.append(threading.get_ident()))
    one.submit(ending)
    one.submit(ran.append, True)
    one.shutdown()
    assert ran == [True] and len(begun) == 2
    assert until(lambda: reported == [error])


def test_an_error_of_the_first_call_of_a_thread_is_no_reason_to_hang():
    one, ran = OneThread("ends", nothing), []
    one.submit(ran.append, 1)
    one.shutdown(wait=False)
    one.shutdown()
    one.shutdown()
    assert ran == [1]


PROGRAM = """
import time
from impl.one_thread import OneThread
one = OneThread("at the end", lambda: None)
one.submit(time.sleep, 0.05)
one.submit(print, "ran")
"""


def test_the_end_of_the_program_waits_for_what_it_was_given():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr, done.returncode) == ("ran\n", "", 0)
