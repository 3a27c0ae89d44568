"""A step that changes in place what a plain field holds: one step, and a write for the race
detector."""

import pytest

from wheelproof.explore import RaceDetector, RuleBroken, Subject, walk

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
MAPPING = """
from impl import log
SUBJECT = ("impl.log",)

class World:
    def __init__(self, scenario, impl=log):
        self.log = impl.Log()
        self.names = {"log": self.log}

    def note(self):
        self.log.note()

    def last(self):
        self.log.last()

def shared(world):
    return {"lines": (tuple(world.log.lines),)}
"""
SCENARIO = {"threads": {"a": [["note"]], "b": [["note"]], "c": [["last"]]}}
UNLOCKED = ("        with self.lock:  # lock N1, unlock N3\n    ", "")


@pytest.fixture
def log(tmp_path):
    """Makes the subject, with texts of its implementation replaced."""

    def make(*changes):
        text = SOURCE
        for old, new in changes:
            assert text.count(old) == 1
            text = text.replace(old, new)
        for folder, content in (("impl", text), ("mapping", MAPPING)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "log.py").write_text(content, encoding="utf-8")
        return Subject.load(tmp_path, "log")

    return make


def races(subject):
    detector = RaceDetector()
    walk(subject, SCENARIO, walks=50, race=detector)
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
    walk(log(bare), readers, walks=50, race=detector)
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
