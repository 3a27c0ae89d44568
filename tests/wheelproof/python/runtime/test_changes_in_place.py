"""A step that changes in place what a plain field holds: one step, and a write for the race
detector."""

import pytest

from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    RuleBroken,
    random_schedules,
)

SOURCE = """
from __future__ import annotations
from impl.threads import Lock, Plain

class Log:
    __slots__ = ("lock", "lines")
    lines: Plain[list[int]]

    def __init__(self):
        self.lock, self.lines = Lock(), []

    def note(self):
        with self.lock:  # lock N1, unlock N3
            self.lines.append(len(self.lines))  # change N2

    def last(self):
        with self.lock:  # lock L1, unlock L3
            lines = self.lines  # read L2
        return None
"""
HARNESS = """
from impl import log
SUBJECT = ("impl.log",)

class Harness:
    def __init__(self, scenario, impl=log):
        self.log = impl.Log()
        self.names = {"log": self.log}

    def note(self):
        self.log.note()

    def last(self):
        self.log.last()

def shared(harness):
    return {"lines": (tuple(harness.log.lines),)}
"""
SCENARIO = {"threads": {"a": [["note"]], "b": [["note"]], "c": [["last"]]}}
UNLOCKED = ("        with self.lock:  # lock N1, unlock N3\n    ", "")


@pytest.fixture
def log(tmp_path):
    """Load the implementation, with some of its texts replaced."""

    def make(*changes):
        text = SOURCE
        for old, new in changes:
            assert text.count(old) == 1
            text = text.replace(old, new)
        for folder, content in (("impl", text), ("harness", HARNESS)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "log.py").write_text(content, encoding="utf-8")
        return ControlledImplementation.load(tmp_path, "log")

    return make


def races(implementation):
    detector = RaceDetector()
    random_schedules(implementation, SCENARIO, schedules=50, race=detector)
    return detector.found


def test_the_change_is_one_step(log):
    run = log().begin({"threads": {"a": [["note"]]}})
    labels = []
    while able := run.enabled():
        labels.append((able[0], run.threads[0].kind, run.shared()["lines"][0]))
        run.step(0)
    assert labels == [("N1", "lock", ()), ("N2", "change", ()), ("N3", "unlock", (0,))]
    assert run.done


def test_a_change_is_a_write_that_the_lock_has_to_order(log):
    assert not races(log())
    assert races(log(UNLOCKED))


def test_a_read_beside_a_change_is_a_race(log):
    bare = ("        with self.lock:  # lock L1, unlock L3\n    ", "")
    assert races(log(bare))
    readers = {"threads": {"b": [["last"]], "c": [["last"]]}}
    detector = RaceDetector()
    random_schedules(log(bare), readers, schedules=50, race=detector)
    assert not detector.found


def test_a_change_without_a_plain_field_is_refused(log):
    other = ("self.lines.append(len(self.lines))  # change N2", "len(())  # change N2")
    run = log(other).begin({"threads": {"a": [["note"]]}})
    run.step(0)
    assert run.threads[0].label == "N3", "nothing was met on the line, so there is no such step"


def test_a_plain_write_is_no_change(log):
    write = ("self.lines.append(len(self.lines))  # change N2", "self.lines = [1]  # change N2")
    run = log(write).begin({"threads": {"a": [["note"]]}})
    with pytest.raises(RuleBroken, match="its label has the operation's kind"):
        run.step(0)


READER = {"threads": {"a": [["note"]], "c": [["last"]]}}
UNLOCKED_READ = (
    "        with self.lock:  # lock L1, unlock L3\n            lines = self.lines  # read L2\n",
    "        lines = self.lines  # read L2\n        with self.lock:  # lock L1, unlock L3\n"
    "            pass\n",
)
COPIED = ("lines = self.lines  # read L2", "lines = list(self.lines)  # read L2")


def prints(implementation, *schedules):
    """The fingerprint after each schedule, taken after every step, with the same numbers."""
    intern, found = {}, []
    for schedule in schedules:
        run = implementation.begin(READER, intern=intern)
        for index in schedule:
            run.step(index)
            last = run.fingerprint()
        found.append(last)
        run.end()
    return found


def test_a_local_that_another_thread_changes_is_the_same_in_either_order(log):
    """Thread c holds the list of the field while a changes it."""
    note, read = [0, 0, 0], [1]
    first, then = prints(log(UNLOCKED_READ), [*note, *read], [*read, *note])
    assert first == then


def test_a_copy_of_a_list_is_another_state_than_a_second_name_of_it(log):
    note, read = [0, 0, 0], [1]
    first, then = prints(log(UNLOCKED_READ, COPIED), [*note, *read], [*read, *note])
    assert first != then, "the copy was made before the change, or after it"
    texts = {}
    for change in ((), (COPIED,)):
        run = log(UNLOCKED_READ, *change).begin(READER, intern=(pieces := {}))
        run.step(1)
        number = run.fingerprint()[2]
        texts[change] = next(piece for piece, each in pieces.items() if each == number)
        run.end()
    assert ("same", 0) in texts[()] and ("list",) in texts[(COPIED,)]


def test_a_list_that_holds_itself_has_a_fingerprint(log):
    own = (
        "self.lines.append(len(self.lines))  # change N2",
        "self.lines.append(self.lines)  # change N2",
    )
    run = log(own).begin(READER, intern=(pieces := {}))
    for _ in range(3):
        run.step(0)
    run.fingerprint()
    run.end()
    assert any(("list", ("same", 0)) in piece for piece in pieces)
