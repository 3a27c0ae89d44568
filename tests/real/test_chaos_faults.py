"""What chaos runs: electors with many partitions, and faults."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import pytest

from impl import controller
from impl.controller import CONTROLLER, EPOCH, PARTITION
from impl.controller_events import REGISTER, Connection, Events
from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import Code, Connected, Create, Exists, Get, Multi, Put, Reply
from real.chaos import candidate, proxy, sessions, variants
from real.chaos.processes import ROOT
from real.chaos.recording import Evidence
from real.chaos.round import Round
from real.chaos.storm import Storm
from real.zookeeper import wire
from wheelproof.errors import NothingChecked, UsageError


class Kept:
    """A journal that is kept in memory."""

    def __init__(self):
        self.facts = []

    def write(self, fact, **fields):
        self.facts.append(fact)


def test_the_elector_writes_each_partition(monkeypatch):
    elector = candidate.Broker("b1")
    nodes = [ZNode(EPOCH, "0")]
    nodes += [ZNode(f"{PARTITION}-{each}", "0 0 0") for each in range(candidate.PARTITIONS)]
    memory = ZooKeeper(nodes)

    class Placed(Connection):
        def ask(self, request):
            here = f"{PARTITION}-{elector.turn}"
            return memory.ask(
                self.session,
                sessions.place_request(request, lambda path: here if path == PARTITION else path),
            )

    events, kept = Events((REGISTER, "work", "work")), Kept()
    connection = Placed(memory, events)
    connection.drop_reply("after")
    events.close()
    monkeypatch.setattr(candidate, "STALL_S", 0.01)
    serving = candidate.EventThread(elector, events, connection, Never(), kept)
    serving.stall(candidate.STALL, None)
    serving.serve()
    data = [node.data for node in memory.nodes if node.path.startswith(PARTITION)]
    assert sorted(data) == ["1 1 0"] * (candidate.PARTITIONS - 2) + ["2 1 0"] * 2
    assert kept.facts == [candidate.NOTED[controller.Place.CHECK_EPOCH], candidate.STALLED]
    assert not serving.stalls


class Never(Random):
    """Draws no pause."""

    def random(self):
        return 1.0


def test_requests_get_the_paths_of_a_folder():
    placed = sessions.place_request(Multi((Put("/a", "x", 3), Create("/b", ""))), "/x{}".format)
    assert placed == Multi((Put("/x/a", "x", 3), Create("/x/b", "")))
    assert sessions.place_request(Exists("/a"), "/x{}".format) == Exists("/x/a")
    assert sessions.place_request(Connected(), "/x{}".format) == Connected()


class Replies:
    """A client that has these replies, one after the other."""

    zxid = 5

    def __init__(self, *codes):
        self.codes, self.seen = list(codes), [(CONTROLLER, "deleted")]

    def ask(self, request):
        return Reply(self.codes.pop(0))


def test_a_session_waits_for_a_connection_and_knows_its_end():
    events = Events()
    lost = Code.CONNECTION_LOSS
    client = Replies(lost, lost, Code.OK, lost, Code.SESSION_EXPIRED)
    session = sessions.Session(client, events)
    assert session.ask(Connected()) == (Reply(Code.OK), 5)
    assert events.waiting == ("reelect",)
    assert session.ask(Get("/a"))[0].code is lost
    assert not session.ended
    assert session.ask(Connected())[0].code is Code.SESSION_EXPIRED
    assert session.ended and session.ask(Get("/a"))[0].code is Code.SESSION_EXPIRED


# -- decisions


def test_a_decision_is_taken_away_from_a_copy(tmp_path):
    made = variants.without("NoFence", tmp_path)
    changed = (made.folder / "impl" / "controller.py").read_text(encoding="utf-8")
    own = (ROOT / "impl" / "controller.py").read_text(encoding="utf-8")
    assert made.broken == {"FencedWrites"}
    assert "Multi((fence, put))" in own and "Multi((fence, put))" not in changed
    with pytest.raises(UsageError, match="There is no decision 'Nothing'. Name one of these: Be"):
        variants.without("Nothing", tmp_path)
    assert set(variants.CONTROLS) < set(variants.names())


# -- faults


def sent(*parts):
    return wire.buffer(struct.pack(">ii", 3, wire.Operation.MULTI) + wire.transaction(parts))


@pytest.mark.parametrize(
    ("message", "elects"),
    [
        (sent(Create(CONTROLLER, "b1", True)), True),
        (sent(Put(f"/x{EPOCH}", "1")), True),
        (sent(Put("/x/partition-1", "1")), False),
        (sent(), None),
        (wire.buffer(struct.pack(">ii", 3, wire.Operation.PING)), None),
    ],
)
def test_a_proxy_knows_an_election(message, elects):
    assert proxy.election(message) is elects


class Echo:
    """A server that answers each message with itself, and counts them."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.received = self.listener.getsockname()[1], []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
                with peer:
                    while got := proxy.message(peer):
                        self.received.append(got)
                        peer.sendall(got)
            except ConnectionError:
                continue
            except OSError:
                return


@pytest.mark.parametrize(
    ("drawn", "calm", "received", "answered", "cuts"),
    [
        (0.1, False, 1, False, {"before an election": 1}),
        (0.2, False, 2, False, {"after an election": 1}),
        (0.5, False, 2, True, {}),
        (0.1, True, 2, True, {}),
    ],
)
def test_a_proxy_cuts_before_and_after(drawn, calm, received, answered, cuts):
    class Drawn(Random):
        def random(self):
            return drawn

    echo = Echo()
    between = proxy.Proxy([echo.port], Drawn(), calm)
    first, election = wire.buffer(b"connect"), sent(Create(CONTROLLER, "b1", True))
    with socket.create_connection(("127.0.0.1", between.port), 10) as client:
        client.sendall(first)
        assert proxy.message(client) == first
        client.sendall(election)
        if answered:
            assert proxy.message(client) == election
        else:
            with pytest.raises(OSError):
                proxy.message(client)
    between.close()
    echo.listener.close()
    assert len(echo.received) == received
    assert between.cuts == cuts


def storm():
    """A storm that has nothing to blow at."""
    return Storm(None, "/x", [], None, lambda name: [], Random(1))


def test_each_kind_of_fault_comes_before_one_comes_again():
    made, failing = storm(), iter([False, True, True])
    made.kinds = {"a": lambda: True, "b": lambda: True, "c": lambda: next(failing)}
    for _ in range(4):
        made.fault()
    assert made.done == {"a": 1, "b": 1, "c": 1}
    for _ in range(3):
        made.fault()
    assert made.done == {"a": 2, "b": 2, "c": 2}


@pytest.mark.parametrize(
    ("absent", "done", "kinds", "names"),
    [
        ("", {"a": 1}, ("a",), ""),
        ("elections", {"a": 1}, (), "elections"),
        ("acknowledged", {"a": 1}, (), "acknowledged"),
        ("calms", {"a": 1}, (), "calms"),
        ("", {}, (), "faults"),
        ("", {"a": 1}, ("a", "b"), "b"),
    ],
)
def test_a_round_in_which_nothing_happened_is_an_error(absent, done, kinds, names, tmp_path):
    made = Round(None, None, variants.AS_IT_IS, 1, tmp_path)
    made.candidates = []
    evidence = Evidence("/x", (), {}, (), ())
    judge, faults = evidence.judged(), storm()
    judge.counts.update(elections=1, writes=1, acknowledged=1, calms=1)
    judge.counts[absent] = 0
    faults.done.update(done)
    if names:
        with pytest.raises(NothingChecked, match=f"as it is: there were no {names}. Give"):
            made.outcome(evidence, judge, faults, kinds)
    else:
        assert made.outcome(evidence, judge, faults, kinds).faults["a"] == 1


KEPT = """
import subprocess, sys
from pathlib import Path
from real.chaos.processes import group
with group() as made:
    log = Path(sys.argv[1])
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    child = made.start(command, log.parent, log)
    if "stray" in sys.argv:
        child = subprocess.Popen(command, process_group=0, stdout=subprocess.DEVNULL)
    print(child.pid, flush=True)
    sys.stdin.read()
"""


def gone(pid, many=500):
    """Whether a process ends within some seconds. One that has ended may wait for its parent."""
    for _ in range(many):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text() if Path("/proc").is_dir() else ""
            if ") Z " in state:
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


def group_of(tmp_path, *more):
    """A process with a group, and the id of the process in it."""
    parent = subprocess.Popen(
        [sys.executable, "-c", KEPT, str(tmp_path / "log"), *more],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    child = int(parent.stdout.readline())
    os.kill(child, 0)
    return parent, child


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGKILL, -signal.SIGKILL),
        (signal.SIGTERM, -signal.SIGINT),  # as Ctrl-C
        (None, 0),
    ],
)
def test_a_group_ends_with_the_process_that_made_it(number, code, tmp_path):
    parent, child = group_of(tmp_path)
    if number is None:
        parent.stdin.close()
    else:
        parent.send_signal(number)
    assert parent.wait(60) == code
    parent.stdout.close()
    assert gone(child)


def test_a_process_outside_the_group_stays(tmp_path):
    parent, child = group_of(tmp_path, "stray")
    parent.kill()
    parent.wait(60)
    parent.stdout.close()
    assert not gone(child, 20)
    os.kill(child, signal.SIGKILL)
