"""Late reads at a follower are counted, and what settles them has to."""

from __future__ import annotations

from threading import Event
from types import SimpleNamespace

import pytest

from real.replay import __main__ as command
from real.replay import late
from wheelproof.errors import NothingChecked, ToolError


class Reading:
    """Stands for an ensemble whose reads are late, also after what is named in ``after``."""

    def __init__(self, late=0, after=()):
        self.late, self.after = late, after

    def of_value(self, after):
        return after in self.after if after else bool(self.late)

    def of_session(self, after):
        return False

    def elect(self):
        return bool(self.late)

    def close(self):
        """Nothing to close."""


def test_late_reads_are_counted_and_have_to_be_there():
    found = late.reads(Reading(late=1), 3)
    assert [str(each) for each in found[:3]] == [
        "a value that the leader has written: 3 of 3 late",
        "a value that the leader has written, after a sync: 0 of 3 late",
        "a value that the leader has written, after a refused transaction: 0 of 3 late",
    ]
    assert late.elections(Reading(late=1), 3) == 1
    with pytest.raises(NothingChecked, match="None of 6 reads was late"):
        late.reads(Reading(), 3)
    with pytest.raises(NothingChecked, match="In none of 3 elections"):
        late.elections(Reading(), 3)


@pytest.mark.parametrize("after", late.AFTER[1:])
def test_a_late_read_after_what_settles_it_is_a_finding(monkeypatch, capsys, after):
    monkeypatch.setattr(late, "Trials", lambda running: Reading(1, running))
    assert command.late_reads((), 2) is True
    assert command.late_reads((after,), 2) is False
    assert f"after {after}: 2 of 2 late" in capsys.readouterr().out


class Gate:
    """Stands for the way from the leader to a follower."""

    def __init__(self):
        self.flows = Event()
        self.hold, self.release = self.flows.clear, self.flows.set


class Waiting:
    """Stands for a client at that follower: it waits where ``waits`` says so."""

    def __init__(self, gate, waits, port):
        self.gate, self.waits = gate, waits
        self.settle(1)

    def settle(self, kind):
        if kind in self.waits and not self.gate.flows.wait(5):
            raise AssertionError("the follower has not caught up")

    def reconnect(self):
        self.settle(2)

    def close(self):
        """Nothing to close."""


@pytest.mark.parametrize(
    "waits, says",
    [
        ({1, 2}, ""),
        ({2}, "At a late server a new session does not wait"),
        ({1}, "At a late server another connection does not wait"),
    ],
)
def test_what_a_late_server_cannot_give_has_to_be_waited_for(monkeypatch, waits, says):
    gate = Gate()
    gate.release()
    monkeypatch.setattr(late, "HELD_S", 0.02)
    monkeypatch.setattr(late, "Client", lambda port: Waiting(gate, waits, port))
    servers = SimpleNamespace(ports=[1, 2], links={(1, 0): gate}, leader=lambda: 0)
    if says:
        with pytest.raises(ToolError, match=says):
            late.waits(servers)
    else:
        assert late.waits(servers) == ["a new session", "another connection"]
    assert gate.flows.is_set()
