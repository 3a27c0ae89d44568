"""The end of the workers of a run: each gets a signal, and is killed where it does not end."""

from types import SimpleNamespace

import pytest

from wheelproof.checks import workers


class Process:
    """A process that ends by a signal, or only when it is killed."""

    def __init__(self, pid=1, ended=False, stubborn=False):
        self.pid, self.ended, self.stubborn = pid, ended, stubborn
        self.signals = []

    def is_alive(self):
        return not self.ended

    def terminate(self):
        self.signals.append("TERM")
        self.ended = not self.stubborn

    def kill(self):
        self.signals.append("KILL")
        self.ended = True

    def join(self, seconds):
        assert seconds >= 0


@pytest.mark.parametrize(
    ("process", "signals"),
    [
        (Process(), ["TERM"]),
        (Process(stubborn=True), ["TERM", "KILL"]),
        (Process(ended=True), []),
        (Process(pid=None, ended=True), []),
    ],
)
def test_a_worker_that_does_not_end_is_killed(process, signals):
    other = Process(stubborn=True)
    workers._end(SimpleNamespace(_processes={1: process, 2: other}), 0.0)
    assert process.signals == signals and other.signals == ["TERM", "KILL"]
    workers._end(SimpleNamespace(_processes=None), 0.0)
