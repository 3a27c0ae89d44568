"""Programs under a recorder, and parts whose locks are made anew in each test."""

import threading

from tests.wheelproof.plain.lock_order import turns
from wheelproof.plain.lock_order import findings, wrappers


def analysed(*parts):
    """The findings of programs, each of which is a test."""
    analysis = findings.Analysis()
    with wrappers.installed(analysis.recorder):
        for part in parts:
            analysis.recorder.test = f"test_{part.__name__}"
            part()
            analysis.recorder.ends_test()
    result = analysis.end()
    result.compare_tests()
    return result


def forwards():
    pair = Pair()
    with pair.first, pair.second:
        pass


def backwards():
    pair = Pair()
    with pair.second, pair.first:
        pass


class Pair:
    def __init__(self):
        self.first = threading.Lock()
        self.second = threading.Lock()


def both_at_once():
    turns.run(forwards, backwards)


def gated(part):
    """A gate of one class, made anew in each test, around a part."""

    def test():
        with Gate().lock:
            part()

    test.__name__ = f"gated_{part.__name__}"
    return test


class Gate:
    def __init__(self):
        self.lock = threading.Lock()
