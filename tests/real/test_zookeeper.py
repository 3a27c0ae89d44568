"""A real ZooKeeper and the one in memory do the same, and a fault of the latter is found."""

from __future__ import annotations

import socket

import pytest

from impl.controller import CONTROLLER, EPOCH, PARTITION, Elector, PartitionState, SessionExpired
from impl.zookeeper import ZooKeeper
from impl.zookeeper_requests import (
    Check,
    Code,
    Connected,
    Create,
    Delete,
    Exists,
    Get,
    Multi,
    Put,
    Reply,
)
from real.zookeeper import __main__ as command
from real.zookeeper import compared, server, wire
from real.zookeeper.client import SESSION_MS, Client
from real.zookeeper.faults import FAULTS, DeletionUnseen, NotAtomic
from wheelproof.errors import ToolError
from wheelproof.jvm.jars import NotHere

FEW = compared.steps(300, seed=1)


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """A server for the whole module; without its jars nothing is run."""
    running = server.running(tmp_path_factory.mktemp("zookeeper"))
    try:
        found = running.__enter__()
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    yield found
    running.__exit__(None, None, None)


@pytest.fixture
def client(port):
    """A session, before which there is no node of these tests."""
    opened = Client(port)
    for path in (*compared.PATHS, CONTROLLER, EPOCH, PARTITION):
        opened.ask(Multi((Delete(path),)))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def real(port):
    """What a real ZooKeeper does in FEW."""
    performer = compared.Real(port)
    found = compared.outcomes(performer, FEW)
    performer.close()
    return found


@pytest.mark.nightly
def test_the_one_in_memory_does_what_a_real_one_does(real):
    assert compared.differences(FEW, real) == []
    replies = {each.reply.code for each in real}
    assert replies == set(Code)
    assert {change for each in real for _, (_, change) in each.events} == {
        "created",
        "changed",
        "deleted",
    }


@pytest.mark.parametrize("fault", [NotAtomic, DeletionUnseen])
def test_a_fault_is_found(fault, real):
    found = compared.differences(FEW, real, fault)
    assert found and "ZooKeeper 3.9.4" in str(found[0])


def test_a_transaction_names_the_part_that_failed(client):
    parts = (Create("/a", "one"), Put("/a", "two", 0), Check("/a", 0), Delete("/a"))
    assert client.ask(Multi(parts)) == Reply(Code.BAD_VERSION, failed=2)
    assert client.ask(Get("/a")).code is Code.NO_NODE
    assert client.ask(Multi(parts[:2])) == Reply(Code.OK, version=1)
    assert client.ask(Multi((Check("/a", 1),))) == Reply(Code.OK, version=1)
    assert client.ask(Multi(())) == Reply(Code.OK)


@pytest.mark.parametrize(("when", "there"), [("before", False), ("after", True)])
def test_a_lost_reply_leaves_the_session_and_its_watches(when, there, client):
    client.ask(Exists("/b"))
    client.drop_reply(when)
    assert client.ask(Multi((Create("/a", "one", ephemeral=True),))).code is Code.CONNECTION_LOSS
    assert client.ask(Connected()).ok and client.ask(Get("/a")).ok is there
    client.ask(Multi((Create("/b", "two"),)))
    client.ping()
    assert client.events() == [("/b", "created")]


def test_a_session_outlives_a_process_that_is_halted(client, port):
    assert client.timeout_ms == SESSION_MS
    brief = Client(port, timeout_ms=1)
    assert brief.timeout_ms == 200
    brief.close()


def test_an_expired_session_cannot_be_taken_over(client, port):
    other = Client(port)
    other.expire()
    assert other.ask(Get("/a")).code is Code.SESSION_EXPIRED
    with pytest.raises(ToolError, match="does not know the session"):
        Client(port, other.session, other.password)


class Broker:
    """An elector, in a session of a real ZooKeeper."""

    def __init__(self, name, port):
        self.client, self.elector = Client(port), Elector(name)

    def handle(self, event):
        handler, reply = self.elector.handle(event), None
        try:
            while True:
                reply = self.client.ask(handler.send(reply).request)
        except StopIteration:
            return

    def seen(self):
        self.client.ping()
        return self.client.events()


@pytest.fixture
def brokers(client, port):
    start = (Create(EPOCH, "0"), Create(PARTITION, PartitionState().encoded()))
    assert client.ask(Multi(start)).ok
    both = [Broker(name, port) for name in ("b1", "b2")]
    yield both
    for each in both:
        each.client.close()


@pytest.mark.parametrize("cut", ["", "before", "after"])
def test_electors_elect_when_a_session_expires(cut, brokers):
    one, two = brokers
    one.client.drop_reply(cut)
    one.handle("register")
    two.handle("register")
    assert (one.elector.acting, two.elector.acting) == (True, False)
    assert one.elector.own.value == 1
    one.client.expire()
    assert two.seen() == [(CONTROLLER, "deleted")]
    two.client.drop_reply(cut)
    two.handle("reelect")
    assert two.elector.acting and two.elector.own.value == 2
    assert two.elector.known == PartitionState(2, 2, 0, 2)
    with pytest.raises(SessionExpired):
        one.handle("work")


def test_a_controller_of_the_past_writes_nothing(brokers, client):
    one, two = brokers
    one.handle("register")
    client.ask(Multi((Delete(CONTROLLER),)))
    two.handle("register")
    assert one.elector.acting and two.elector.acting
    before = client.ask(Get(PARTITION))
    one.handle("work")
    assert not one.elector.acting and two.elector.acting
    assert client.ask(Get(PARTITION)) == before
    assert client.ask(Get(CONTROLLER)).data == "b2"


def test_operations_are_the_same_for_a_seed():
    assert compared.steps(300, 1) == FEW != compared.steps(300, 2)
    kinds = {each.kind for each in FEW}
    assert kinds == {"open", "close", "expire", "before", "after", "ask"}


def performed_by(kind):
    """Stands for a real ZooKeeper."""
    return lambda made, output: compared.outcomes(compared.InMemory(kind), made)


def test_the_command_says_how_many_differ(monkeypatch, capsys):
    monkeypatch.setattr(command, "by_zookeeper", performed_by(NotAtomic))
    assert command.main(["--operations", "300"]) == 1
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("ZooKeeper 3.9.4: 300 operations, ")
    assert first.endswith(" differ") and not first.endswith(" 0 differ")
    assert ": ZooKeeper 3.9.4 (" in second and ", in memory (" in second


def test_a_fault_that_no_operation_finds_is_no_success(monkeypatch, capsys):
    monkeypatch.setattr(command, "by_zookeeper", performed_by(ZooKeeper))
    assert command.main(["--operations", "300"]) == 0
    assert command.main(["--operations", "3"]) == 5
    assert "The operations do not find VersionStays, " in capsys.readouterr().err


@pytest.mark.parametrize("many", ["0", "100001"])
def test_a_wrong_number_of_operations_is_refused(many, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["--operations", many])
    assert ended.value.code == 2
    assert "give a number from 1 to 100000" in capsys.readouterr().err


def test_without_jars_nothing_is_run(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path))
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    assert command.main(["--output", str(tmp_path)]) == 5
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("real.zookeeper: ")


def test_without_java_nothing_is_run(monkeypatch, tmp_path):
    def absent(*_):
        raise ToolError("ZooKeeper needs Java")

    monkeypatch.setattr(server.java, "locate", absent)
    with pytest.raises(NotHere, match="needs Java"), server.running(tmp_path):
        pass


def test_a_server_that_fails_names_its_log(monkeypatch, port, tmp_path):
    monkeypatch.setattr(server, "jars", list)
    log = tmp_path / "zookeeper.log"
    with pytest.raises(ToolError) as failed, server.running(tmp_path):
        pass
    assert f"ZooKeeper ended with 1. Its log is {log}:" in str(failed.value)
    assert "ZooKeeperServerMain" in str(failed.value)


def test_a_server_without_a_port_logs_why(monkeypatch, port, tmp_path):
    monkeypatch.setattr(server, "free_ports", lambda count: [port] * count)
    monkeypatch.setattr(server, "serves", lambda port: False)
    with pytest.raises(ToolError, match="Address already in use"), server.running(tmp_path):
        pass


@pytest.mark.nightly
def test_a_server_that_ends_meanwhile_names_its_log(port, tmp_path):
    with pytest.raises(ToolError, match="ZooKeeper does not answer"), server.running(tmp_path):
        raise ConnectionError


def test_an_unknown_error_is_no_reply():
    with pytest.raises(ToolError, match="ZooKeeper answers with the error -4."):
        wire.code(-4)


@pytest.mark.nightly
def test_a_server_ends_with_its_block(port, tmp_path):
    with pytest.raises(KeyError), server.running(tmp_path) as another:
        raise KeyError
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", another)) != 0


@pytest.mark.nightly
def test_a_long_run_agrees_and_finds_every_fault(port, capsys, tmp_path):
    assert command.main(["--output", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ZooKeeper 3.9.4: 2,000 operations, ")
    assert lines[0].endswith(": 0 differ")
    assert len(lines) == 1 + len(FAULTS)
