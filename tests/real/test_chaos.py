"""Chaos: the reader of ZooKeeper's log, the judge, the faults, and a minute of all together."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from impl import controller
from impl.controller import CONTROLLER, EPOCH, PARTITION
from impl.controller_events import REGISTER, Connection, Events
from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import Code, Connected, Create, Exists, Get, Multi, Put, Reply
from real.chaos import __main__ as command
from real.chaos import candidate, history, proxy, sessions, variants
from real.chaos.history import Change, Transaction, committed, transactions
from real.chaos.judge import BOUND, TICK, Acknowledged, Judge, Violation
from real.chaos.processes import ROOT
from real.chaos.round import Outcome, Round
from real.chaos.storm import Storm
from real.zookeeper import server, wire
from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.jvm.jars import NotHere

RECORDED = Path(__file__).parent / "recordings" / "zookeeper-3.9.4.log"

# -- the log


def test_a_log_of_a_real_server_is_read():
    read = list(transactions(RECORDED))
    (session,) = {each.session for each in read}
    assert [(each.zxid, each.kind) for each in read] == [
        (1, "open"),
        (2, "parts"),
        (3, "parts"),
        (4, "refused"),
        (5, "parts"),
        (6, "close"),
    ]
    assert read[1].parts == (
        Change("create", "/chaos"),
        Change("create", "/chaos/controller", "b1", ephemeral=True),
        Change("create", "/chaos/controller_epoch", "0"),
    )
    assert read[2].parts[1] == Change("put", "/chaos/controller_epoch", "1", 1)
    assert read[4].parts == (Change("delete", "/chaos/controller_epoch"),)
    assert session > 0
    assert list(transactions(RECORDED, after=4)) == read[4:]


def test_a_damaged_record_is_refused(tmp_path):
    content = bytearray(RECORDED.read_bytes())
    content[content.index(b"b1")] ^= 1
    (tmp_path / "log.1").write_bytes(content)
    with pytest.raises(ToolError, match="log.1: the record at .* is damaged."):
        list(transactions(tmp_path / "log.1"))
    (tmp_path / "log.1").write_bytes(b"x" + RECORDED.read_bytes()[1:])
    with pytest.raises(ToolError, match="is no log"):
        list(transactions(tmp_path / "log.1"))


def test_a_record_without_its_end_is_not_read(tmp_path):
    content = RECORDED.read_bytes().rstrip(b"\0")
    assert content.endswith(history.END)
    (tmp_path / "log.1").write_bytes(content[:-1] + bytes(40))
    assert [each.zxid for each in transactions(tmp_path / "log.1")] == [1, 2, 3, 4, 5]
    (tmp_path / "log.1").write_bytes(b"ZK")
    assert list(transactions(tmp_path / "log.1")) == []


def record(zxid, data, session=7):
    """A put of /a, as a server writes it."""
    put = wire.text("/a") + wire.text(data) + struct.pack(">i", zxid)
    content = history.BEGIN.pack(session, zxid, zxid, 0, wire.Operation.PUT) + put
    return history.RECORD.pack(zlib.adler32(content), len(content)) + content + history.END


def log(folder, *records):
    (folder / "version-2").mkdir(parents=True)
    header = history.HEADER.pack(history.MAGIC, 2, 0)
    (folder / "version-2" / "log.1").write_bytes(header + b"".join(records) + bytes(99))
    return folder


def test_what_one_server_of_three_has_written_is_not_committed(tmp_path):
    one, two, three = (record(number, "x") for number in (1, 2, 3))
    folders = [
        log(tmp_path / "1", one, two, three),
        log(tmp_path / "2", one, two),
        log(tmp_path / "3", one),
    ]
    assert [each.zxid for each in committed(folders)] == [1, 2]
    assert [each.zxid for each in committed(folders, after=1)] == [2]
    assert [each.zxid for each in committed(folders, until=1)] == [1]


def test_servers_that_disagree_are_no_history(tmp_path):
    folders = [log(tmp_path / "1", record(1, "x")), log(tmp_path / "2", record(1, "y"))]
    with pytest.raises(ToolError, match="Two servers disagree about 0x1"):
        committed(folders)


# -- the judge

HAND, ONE, TWO = 1, 11, 12
HOMES = {ONE: "b1", TWO: "b2"}


class History:
    """A history in the folder /x, whose transactions are numbered one after the other."""

    def __init__(self):
        self.made: list[Transaction] = []
        self.versions: Counter[str] = Counter()
        self.session(HAND)
        nodes = [(EPOCH, "0"), (TICK, ""), (f"{PARTITION}-0", "0 0 0"), (f"{PARTITION}-1", "0 0 0")]
        self.add(HAND, *(Change("create", path, data) for path, data in nodes))
        self.session(ONE)
        self.session(TWO)

    def add(self, session, *parts, kind="parts"):
        placed = tuple(part._replace(path=f"/x{part.path}") for part in parts)
        self.made.append(Transaction(len(self.made) + 1, session, kind, placed))

    def session(self, session):
        self.add(session, kind="open")

    def close(self, session):
        self.add(session, kind="close")

    def put(self, path, data):
        self.versions[path] += 1
        return Change("put", path, data, self.versions[path])

    def node(self, session, ephemeral=True):
        return Change("create", CONTROLLER, HOMES[session], ephemeral=ephemeral)

    def elect(self, session, epoch):
        self.add(session, self.node(session), self.put(EPOCH, str(epoch)))

    def write(self, session, data, partition=0):
        put = self.put(f"{PARTITION}-{partition}", data)
        self.add(session, Change("check", EPOCH), put)

    def delete(self, session=HAND):
        self.add(session, Change("delete", CONTROLLER))

    def ticks(self, many, calm="calm 1"):
        for _ in range(many):
            self.add(HAND, self.put(TICK, calm))

    def judged(self) -> Judge:
        return Judge("/x", {HAND}, HOMES).follow(self.made)

    def broken(self):
        return [each.property for each in self.judged().violations]


@pytest.fixture
def sound():
    """Two elections, with writes, a change of an ISR, and the whole of a calm."""
    made = History()
    made.elect(ONE, 1)
    made.write(ONE, "1 1 0")
    made.write(HAND, "1 1 1")
    made.write(ONE, "2 1 1")
    made.close(ONE)
    made.elect(TWO, 2)
    made.write(TWO, "3 2 1")
    return made


def test_a_sound_history_breaks_nothing(sound):
    sound.session(ONE)
    for _ in range(3):
        sound.ticks(BOUND - 1)
        sound.write(TWO, f"{sound.versions[f'{PARTITION}-0']} 2 1")
    sound.delete()
    sound.ticks(BOUND - 1)
    sound.elect(ONE, 3)
    judge = sound.judged()
    assert judge.violations == []
    assert judge.counts["elections"] == 3 and judge.counts["calms"] == 1
    assert judge.counts["writes"] == 6 and judge.counts["changes of an ISR"] == 1
    assert judge.counts["deleted by hand"] == 1


def stale(made):
    made.write(ONE, "4 1 1")


def by_another(made):
    made.write(ONE, "4 2 1")


def over_an_isr(made):
    made.write(TWO, "4 2 0")


def twice(made):
    made.write(TWO, "3 2 1")


def same_epoch(made):
    made.delete()
    made.elect(ONE, 2)


def leap(made):
    made.delete()
    made.elect(ONE, 4)


def raised_twice(made):
    made.add(TWO, made.put(EPOCH, "3"))


def raised_by_another(made):
    made.add(ONE, made.put(EPOCH, "3"))


def no_epoch(made):
    made.delete()
    made.add(ONE, made.node(ONE))
    made.delete()


def persistent(made):
    made.delete()
    made.add(ONE, made.node(ONE, ephemeral=False), made.put(EPOCH, "3"))


def orphan(made):
    made.session(ONE)
    made.ticks(BOUND)


def vacancy(made):
    made.session(ONE)
    made.close(TWO)
    made.session(TWO)
    made.ticks(BOUND)


def stuck(made):
    """A candidate has no session, and the others elect and work."""
    for epoch in (3, 4):
        made.ticks(BOUND // 2)
        made.delete()
        made.elect(TWO, epoch)
        made.write(TWO, f"{made.versions[f'{PARTITION}-0']} {epoch} 1")


def restless(made):
    """Two elections, and no work."""
    made.session(ONE)
    made.ticks(BOUND // 2)
    made.delete()
    made.elect(ONE, 3)
    made.ticks(BOUND // 2)


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        (stale, ["FencedWrites"]),
        (by_another, ["OneController"]),
        (over_an_isr, ["NoLostUpdate"]),
        (twice, ["NoLostUpdate"]),
        (same_epoch, ["EpochIncreases", "OneController"]),
        (leap, ["EpochIncreases"]),
        (raised_twice, ["EpochIncreases"]),
        (raised_by_another, ["EpochIncreases"]),
        (no_epoch, ["EpochIncreases"]),
        (persistent, ["TypeOK"]),
        (orphan, ["NoOrphan", "Elects"]),
        (vacancy, ["NoVacancy", "Elects"]),
        (stuck, ["NoDeadlock"]),
        (restless, ["Elects"]),
    ],
)
def test_a_planted_violation_is_refused_by_name(fault, names, sound):
    assert sound.broken() == []
    fault(sound)
    assert sound.broken() == names


def test_a_bound_begins_anew_with_each_calm(sound):
    sound.session(ONE)
    sound.ticks(BOUND - 1)
    sound.ticks(1, "")
    sound.ticks(BOUND - 1)
    assert sound.broken() == []
    sound.ticks(1)
    assert sound.broken() == ["NoOrphan", "Elects"]


def test_what_is_acknowledged_must_be_there(sound):
    write = sound.made[-1]
    parts = tuple((part.path, part.data) for part in write.parts)
    good = Acknowledged(write.zxid, TWO, parts)
    assert sound.judged().acknowledged(sound.made, [good]).violations == []
    for bad in (
        good._replace(zxid=99),
        good._replace(session=ONE),
        good._replace(parts=(parts[0], (parts[1][0], "3 2 2"))),
    ):
        (found,) = sound.judged().acknowledged(sound.made, [good, bad]).violations
        assert found == Violation("Acknowledged", bad.zxid, "it was acknowledged, and is not there")


def test_a_history_with_a_gap_is_an_error(sound):
    without = [each for each in sound.made if each.zxid != 6]
    with pytest.raises(ToolError, match="does not follow from"):
        Judge("/x", {HAND}, HOMES).follow(without)
    with pytest.raises(ToolError, match="The transaction 0x1 comes after"):
        sound.judged().follow(sound.made)


# -- the elector with many partitions


class Kept:
    """A journal that is kept in memory."""

    def __init__(self):
        self.facts = []

    def write(self, fact, **fields):
        self.facts.append(fact)


def test_the_elector_writes_each_partition():
    elector = candidate.Broker("b1")
    nodes = [ZNode(EPOCH, "0")]
    nodes += [ZNode(f"{PARTITION}-{each}", "0 0 0") for each in range(candidate.PARTITIONS)]
    memory = ZooKeeper(nodes)

    class Placed(Connection):
        def ask(self, request):
            here = f"{PARTITION}-{elector.turn}"
            return memory.ask(
                self.session,
                sessions.placed(request, lambda path: here if path == PARTITION else path),
            )

    events, kept = Events((REGISTER, "work", "work")), Kept()
    connection = Placed(memory, events)
    connection.drop_reply("after")
    events.close()
    candidate.EventThread(elector, events, connection, Never(), kept).serve()
    data = [node.data for node in memory.nodes if node.path.startswith(PARTITION)]
    assert sorted(data) == ["1 1 0"] * (candidate.PARTITIONS - 2) + ["2 1 0"] * 2
    assert kept.facts == [candidate.NOTED[controller.Place.CHECK_EPOCH]]


class Never(Random):
    """Draws no pause."""

    def random(self):
        return 1.0


def test_requests_get_the_paths_of_a_folder():
    placed = sessions.placed(Multi((Put("/a", "x", 3), Create("/b", ""))), "/x{}".format)
    assert placed == Multi((Put("/x/a", "x", 3), Create("/x/b", "")))
    assert sessions.placed(Exists("/a"), "/x{}".format) == Exists("/x/a")
    assert sessions.placed(Connected(), "/x{}".format) == Connected()


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
    with pytest.raises(UsageError, match="There is no decision 'Nothing'. Name one of these: Do"):
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
    return Storm(None, "/x", [], None, lambda name: None, Random(1))


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
    judge, faults = Judge("/x", ()), storm()
    judge.counts.update(elections=1, writes=1, acknowledged=1, calms=1)
    judge.counts[absent] = 0
    faults.done.update(done)
    if names:
        with pytest.raises(NothingChecked, match=f"as it is: there were no {names}. Give"):
            made.outcome(judge, faults, kinds)
    else:
        assert made.outcome(judge, faults, kinds).faults["a"] == 1


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


# -- the command


class Rounds:
    """Stands for rounds on an ensemble. ``broken``: what each variant breaks."""

    broken: dict[str, list[str]] = {}

    def __init__(self, ensemble, group, variant, seed, output):
        self.variant = variant

    def run(self, seconds, until_found):
        judge = Judge("/x", ())
        judge.counts.update(elections=2, writes=3, acknowledged=4, calms=1)
        judge.violations = [
            Violation(name, 17, "so it is") for name in self.broken.get(self.variant.name, [])
        ]
        return Outcome(judge, Counter({"leaders killed": 1}), Counter(), seconds)


@pytest.fixture(scope="module")
def controls(tmp_path_factory):
    """What each control is to break."""
    folder = tmp_path_factory.mktemp("controls")
    return {name: sorted(variants.without(name, folder).broken) for name in variants.CONTROLS}


@pytest.fixture
def rounds(monkeypatch, tmp_path, controls):
    """The command, without an ensemble; each control breaks what it is to break."""

    def run(*arguments, **broken):
        monkeypatch.setattr(Rounds, "broken", controls | broken)
        monkeypatch.setattr(command, "Round", Rounds)
        monkeypatch.setattr(command, "Ensemble", lambda *_: None)
        return command.main([*arguments, "--output", str(tmp_path / "build")])

    return run


def test_the_command_says_what_each_control_breaks(rounds, capsys, tmp_path):
    assert rounds() == 0
    out, err = capsys.readouterr()
    first, second, third, *_ = out.splitlines()
    assert first == "ZooKeeper 3.9.4, 3 nodes, 5 candidates, 12 partitions, seed 1"
    assert second == "the elector as it is, 30 s: 0 violations"
    assert third.startswith("  history: 0 transactions, 2 elections, 3 writes, ")
    for name in variants.CONTROLS:
        assert f"\nwithout {name}, 90 s, 2 elections: " in out
    assert "\nwithout NoFence, 90 s, 2 elections: FencedWrites: transaction 0x11: so it is" in out
    assert err == "" and list((tmp_path / "build").iterdir()) == []


def test_a_broken_elector_fails_and_its_logs_stay(rounds, capsys, tmp_path):
    assert rounds(**{"as it is": ["NoOrphan"]}) == 1
    out, err = capsys.readouterr()
    (folder,) = (tmp_path / "build").iterdir()
    assert "\n  NoOrphan: transaction 0x11: so it is\n" in out
    assert err == f"real.chaos: the logs are in {folder.resolve()}\n"


@pytest.mark.parametrize("broken", [[], ["NoOrphan"]])
def test_a_control_that_is_not_found_by_its_name_is_no_success(broken, rounds, capsys):
    assert rounds(NoFence=broken) == 5
    out, err = capsys.readouterr()
    assert "real.chaos: Chaos does not find NoFence. " in err
    assert ("elections: no violation" in out) is not broken


def test_the_named_controls_run_alone(rounds, capsys):
    assert rounds("--without", "NoFence", "--seed", "7") == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith(", seed 7") and second.startswith("without NoFence, ")
    assert rounds("--without", "Nothing") == 2


def test_a_run_that_does_not_end_is_an_error(rounds, monkeypatch, capsys):
    monkeypatch.setattr(command, "START_S", 0.2)
    monkeypatch.setattr(command, "PATIENCE", 0)
    monkeypatch.setattr(Rounds, "run", lambda *_: time.sleep(30))
    assert rounds("--without", "NoFence") == 4
    err = capsys.readouterr().err
    assert "real.chaos: The run has not ended within 0 s." in err and "the logs are in" in err


@pytest.mark.parametrize("seconds", ["0", "3601"])
def test_a_wrong_length_is_refused(seconds, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["--seconds", seconds])
    assert ended.value.code == 2
    assert "give a number from 1 to 3600" in capsys.readouterr().err


def test_without_jars_nothing_is_run(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path))
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    assert command.main(["--output", str(tmp_path)]) == 5
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("real.chaos: ")


@pytest.fixture
def ensemble():
    """Without Java or the jars nothing is run."""
    try:
        server.launcher()
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


@pytest.mark.nightly
def test_a_minute_of_chaos_breaks_nothing_and_each_control_is_found(ensemble, capsys, tmp_path):
    assert command.main(["--seconds", "60", "--output", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ZooKeeper 3.9.4, 3 nodes, 5 candidates, 12 partitions, seed 1"
    assert lines[1].startswith("the elector as it is, ") and lines[1].endswith(": 0 violations")
    faults = {line.split(maxsplit=2)[2] for line in lines if line.startswith("  faults: ")}
    assert faults >= {"leaders killed", "sessions stolen", "processes stopped", "nodes deleted"}
    assert len(lines) == 4 + len(faults) + len(variants.CONTROLS)
    assert list(tmp_path.iterdir()) == []


def processes(folder):
    """The processes whose command names a folder. The test's own one does not."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True, check=True
    )
    return [line for line in listed.stdout.splitlines() if f"{folder}/chaos-" in line]


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_a_command_that_is_killed(number, ensemble, tmp_path):
    running = subprocess.Popen(
        [sys.executable, "-m", "real.chaos", "--without", "NoFence", "--output", str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout.readline().startswith("ZooKeeper 3.9.4, 3 nodes, ")
    until = time.monotonic() + 60
    while len(processes(tmp_path)) < len(HOMES) + 3:  # three servers, and some candidates
        assert time.monotonic() < until and running.poll() is None
        time.sleep(0.1)
    running.send_signal(number)
    _, err = running.communicate(timeout=60)
    assert running.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert ("real.chaos: the logs are in " in err) is (number == signal.SIGTERM)
    while processes(tmp_path):
        assert time.monotonic() < until
        time.sleep(0.1)
