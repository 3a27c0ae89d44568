"""Faults in production modules that the controlled runtime replaces: a named check rejects each.

A check takes the modules of one copy of the implementation. It passes on the implementation as it
is, and fails on the copy with the fault by an assertion. Another exception is no rejection.
"""

from __future__ import annotations

import atexit
import importlib

import pytest

from tests.impl.production import baseline_faults, runtime_faults, timer_faults
from tests.impl.production.loading import Waits, changed, loaded
from tests.impl.real_threads import PATIENCE_S
from tests.model.artefacts import ROOT
from tests.nights import only
from wheelproof import isolated

FAULTS = runtime_faults.FAULTS | timer_faults.FAULTS | baseline_faults.FAULTS
CHECKS = {planted.check.__name__: planted.check for planted in FAULTS.values()}

BY_DAY = (
    "the leader keeps the lead",
    "the last reader wakes no thread",
    "get_and_set takes no lock",
    "close waits for the executor under the write lock",
    "an entry is made before its deadline is checked",
    "an entry is published before its fields are set",
)
"""The faults of which each named danger has one."""

SHORT_S = 1.0
"""How long a check waits at first for an event that a planted fault prevents, in seconds."""


def enough(check) -> float:
    """Seconds within which the implementation as it is passes: on a busy machine more than at
    first."""
    seconds = SHORT_S
    while True:
        try:
            check(loaded(), Waits(seconds))
        except (AssertionError, TimeoutError):
            if seconds >= PATIENCE_S:
                raise
            seconds *= 4
        else:
            return seconds


@pytest.mark.parametrize("name", CHECKS)
def test_the_implementation_keeps_its_promise(name):
    CHECKS[name](loaded(), Waits(PATIENCE_S))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_text_is_a_module(fault):
    """Where a text has moved since, the night alone would report that its fault is none."""
    for module, text in changed(FAULTS[fault].changes).items():
        compile(text, module, "exec")


@pytest.mark.parametrize("fault", only(FAULTS, *BY_DAY))
def test_a_planted_fault_is_rejected(fault):
    planted = FAULTS[fault]
    seconds = enough(planted.check)
    with pytest.raises(AssertionError) as rejected:
        planted.check(loaded(changed(planted.changes)), Waits(seconds, seconds))
    assert rejected.traceback[-1].path.parent.name == "production", "an assertion of another test"


def test_a_check_that_is_slow_has_more_time_and_one_that_always_fails_does_not_pass():
    given = []

    def slow(impl, waits):
        given.append(waits.within_s)
        assert waits.within_s > 10

    def never(impl, waits):
        given.append(waits.within_s)
        raise AssertionError("it never comes")

    assert enough(slow) == 16 and given == [1, 4, 16]
    with pytest.raises(AssertionError, match="never comes"):
        enough(never)
    assert given[3:] == [1, 4, 16, 64]


def registered(monkeypatch, load):
    """How many functions a thread of these modules has the end of the process call."""
    found = []
    monkeypatch.setattr(atexit, "register", found.append)
    one = load().OneThread("one", lambda: None)
    one.submit(list)
    one.shutdown()
    return len(found)


def test_the_end_of_the_process_waits_for_no_call_that_a_fault_keeps(monkeypatch):
    """A process of the suite that ran planted faults did not end by itself."""

    def as_it_is():
        with isolated.apart(isolated.Finder(ROOT, {})):
            return importlib.import_module("impl.one_thread")

    assert registered(monkeypatch, as_it_is) == 1
    assert registered(monkeypatch, lambda: loaded().one_thread) == 0
