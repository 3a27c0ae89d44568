"""No reader waits for another reader: the precondition of `ReadWriteLockAtomic`.

Production's lock lets a reader wait while a writer waits, and the module does not. So a deadlock
from that alone is in no run on the controlled lock. But every state of production's runs is in
these runs too: it is one in which only readers at the door can move, while a writer waits.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.found import mechanisms
from tests.nights import only
from tests.spec.stand_ins import programs
from wheelproof.python import ControlledImplementation
from wheelproof.python.search.states import explore_states

ROOT = Path(__file__).resolve().parents[2]

WAITING = """
from impl.runtime import Lock, ReadWriteLock

class Driver:
    __slots__ = ("lock", "other")

    def __init__(self):
        self.lock, self.other = ReadWriteLock(), Lock()

    def inside(self):
        with self.lock.read_lock:  # lock I1, unlock I4
            with self.other:  # lock I2, unlock I3
                pass

    def outside(self):
        with self.other:  # lock O1, unlock O4
            with self.lock.read_lock:  # lock O2, unlock O3
                pass

    def write(self):
        with self.lock.write_lock:  # lock W1, unlock W2
            pass
"""

HARNESS = """
from impl import driver

SUBJECT = ("impl.driver",)

class Harness:
    def __init__(self, scenario, impl=driver):
        self.driver = impl.Driver()
        self.names = {"driver": self.driver}

    def inside(self):
        self.driver.inside()

    def outside(self):
        self.driver.outside()

    def write(self):
        self.driver.write()

def shared(harness):
    return {}
"""


class Readers:
    """The property. ``queued``: states in which a writer waits for a reader inside."""

    def __init__(self):
        self.queued = 0

    def __call__(self, harness, run):
        def half(thread):
            return type(thread.awaits).__name__

        behind = [
            thread.awaits.of
            for thread in run.threads
            if half(thread) == "WriteLock" and thread.awaits.of.readers
        ]
        self.queued += bool(behind)
        moving = [thread for thread in run.threads if thread.enabled]
        return not moving or not all(
            half(thread) == "ReadLock" and any(thread.awaits.of is lock for lock in behind)
            for thread in moving
        )


def judged(implementation, scenario):
    readers = Readers()
    found = explore_states(implementation, scenario, {"ReadersGoOn": readers}, budget=300)
    return found, readers.queued


@pytest.fixture
def waiting(tmp_path):
    for part, text in (("impl", WAITING), ("harness", HARNESS)):
        (tmp_path / part).mkdir()
        (tmp_path / part / "driver.py").write_text(text, encoding="utf-8")
    implementation = ControlledImplementation.load(tmp_path, "driver")
    return lambda **threads: judged(implementation, {"threads": programs(**threads)})


def test_a_reader_that_waits_for_a_reader_is_found_by_name(waiting):
    found, _ = waiting(r="inside", s="outside", w="write")
    assert (found.outcome, found.property) == ("violated", "ReadersGoOn")
    assert {name for name, _ in found.schedule} == {"r", "s"}


@pytest.mark.parametrize(
    "threads",
    [{"r": "inside", "s": "outside"}, {"r": "inside", "w": "write"}],
    ids=["no writer", "no other reader"],
)
def test_it_needs_a_writer_and_another_reader(waiting, threads):
    found, queued = waiting(**threads)
    assert found.outcome == "kept" and (queued > 0) is ("w" in threads)


def users():
    """(mechanism, config) for each config by day of the mechanisms whose code takes the lock."""
    for name, mechanism in mechanisms().items():
        if name not in ("system_timer", "timing_wheel"):
            continue
        for config in mechanism.configs.values():
            plain = not (config.module or config.without or config.property)
            several = len(mechanism.scenarios[config.scenario]["threads"]) > 1
            if config.profile == "fast" and plain and several:
                yield pytest.param(mechanism, config.scenario, id=f"{name}.{config.name}")


@pytest.mark.parametrize(("mechanism", "scenario"), only(list(users()), "system_timer.one_bucket"))
def test_no_reader_waits_for_a_reader_in_what_uses_the_lock(mechanism, scenario):
    implementation = ControlledImplementation.load(ROOT, mechanism.name)
    of = mechanism.scenarios[scenario]
    found, queued = judged(implementation, of)
    assert found.outcome == "kept", (found.property, found.why, found.schedule)
    assert found.ends and (queued or "reaper" not in of["threads"])
