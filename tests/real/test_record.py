"""Recordings of released Kafka by the agent: what they show, and what is refused.

Those in ``recordings/`` are checked without Java. The others are made here, and skipped by name
where Java or a jar is absent. No test asserts how late a task is.
"""

import copy
import re
import shutil
import socket
from pathlib import Path

import pytest

from real.record import __main__ as command
from real.record import agent as recording
from real.record import broker, report
from real.record.rekeyed import page
from wheelproof.errors import ToolError
from wheelproof.jvm.jars import NotHere
from wheelproof.pipeline import in_process, law
from wheelproof.trace.format.jsonl import Reader

FOLDER = Path(__file__).parent / "recordings"
KINDS = (recording.AGENT / "Kind.java").read_text(encoding="utf-8")


def kinds_in(text):
    """The kinds of event in a piece of Kind.java."""
    return {name.lower() for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", text)}


ALL = kinds_in(KINDS.partition("{")[2].partition(";")[0])
BEFORE = kinds_in(KINDS.partition("EnumSet.of(")[2].partition(")")[0])
VERDICTS = {"load": "conforms", "sound": "conforms", "d1": "violates"}


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", VERDICTS)
def test_a_recording_has_its_verdict_event_by_event_and_in_bulk(name):
    file = FOLDER / f"{name}.jsonl.gz"
    verdict = law.of_file(file)
    assert verdict.verdict == VERDICTS[name], verdict.first
    document = in_process.check([file], {}).document()
    assert [run["verdict"] for run in document["runs"]] == [VERDICTS[name]]
    assert verdict.applied["KeyBeforeDeadline"] and verdict.applied["HandedOverRuns"]


def test_d1_is_named_with_all_that_led_to_it():
    verdict = law.of_file(FOLDER / "d1.jsonl.gz")
    assert {finding.property for finding in verdict.findings} == {
        "QueuedOnceWithItsKey",
        "KeyBeforeDeadline",
    }
    shown = report.read(FOLDER / "d1.jsonl.gz")
    (found,) = shown.occurrences
    (victim,) = found.victims
    assert found.poll["lc"] < victim.add.link["lc"] < found.first["lc"] < found.second["lc"]
    assert found.first["key_ms"] <= victim.deadline < found.second["key_ms"]
    printed = "\n".join(page(found, shown.header))
    for part in (
        "D1 in timer d1",
        "reads the clock",
        "out of the queue, and does not have the lock yet",
        f"the stalled add links entry {victim.entry}",
        "first write",
        "has the timer's write lock",
        "second write",
        f"Victim: entry {victim.entry}, {victim.late_ms()} ms late",
    ):
        assert part in printed


def test_a_name_that_is_a_number_is_none_of_a_timer():
    """A header may name a bucket by its number."""
    header = {"run_id": "x", "threads": {}, "names": {"1": "timer a", "2": 7}}
    first, *_ = report.Report(header).lines()
    assert first.endswith(" 1 timers")


@pytest.mark.parametrize("name", ["sound", "load"])
def test_no_d1_is_named_in_a_sound_recording(name):
    assert not report.read(FOLDER / f"{name}.jsonl.gz").occurrences


def events_of(name):
    reader = Reader(FOLDER / f"{name}.jsonl.gz")
    return reader.header, [event for _, event in reader]


def test_an_operation_completes_at_the_second_attempt_of_its_caller():
    _, events = events_of("load")
    watched = {event["op"] for event in events if event["k"] == "watch_add"}
    ended = {
        event["op"] for event in events if event["k"] == "try_watch_end" and event["res"] == "true"
    }
    assert watched & ended
    assert law.of_file(FOLDER / "load.jsonl.gz").applied["WatcherReachable"]


def planted(name, change):
    """The properties that are broken in a recording that was changed."""
    header, events = events_of(name)
    events = copy.deepcopy(events)
    change(events)
    verdict = law.verdict_on(header, events, None)
    return {finding.property for finding in verdict.findings if finding.event}


def test_an_unchanged_recording_breaks_nothing():
    assert planted("load", lambda events: None) == set()


def test_another_bucket_is_refused_by_name():
    def change(events):
        event = next(event for event in events if event["k"] == "wheel_place")
        event["bucket"] = (event["bucket"] + 1) % 20

    assert "SlotInRange" in planted("sound", change)


def test_a_key_that_changes_in_the_queue_is_refused_by_name():
    def change(events):
        event = next(event for event in events if event["k"] == "bucket_expiry_set")
        event["pre"]["key_ms"] = event["key_ms"] - 1

    assert planted("sound", change) == {"KeyObserved"}


def test_two_timers_have_two_clocks():
    """Without the column the clock of one timer is taken for that of the other."""

    def change(events):
        for event in events:
            event.pop("timer", None)

    assert {"LevelBegins", "OneOverflowWheel"} <= planted("load", change)


def test_the_coverage_names_what_was_not_seen():
    _, unseen = report.coverage(report.read(FOLDER / "sound.jsonl.gz").kinds)["delayed_operation"]
    assert any(name.startswith("force_cas") for name in unseen)
    assert not report.coverage(report.read(FOLDER / "load.jsonl.gz").kinds)["timing_wheel"][1]


# -- with Java


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


def built(folder, release=recording.NAMED):
    try:
        return recording.build(folder, release)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


def load(agent, file, *options, ms=200, rate=200):
    path = agent.compile(command.HERE / "Load.java")
    agent.record(file, path, ["Load", str(ms), "4", str(rate)], options)
    return file


def test_a_busy_run_conforms_with_each_lock_held(folder):
    agent = built(folder)
    file = load(agent, folder / "busy.jsonl", "verify")
    verdict = law.of_file(file)
    assert verdict.verdict == "conforms", verdict.first
    hashes = Reader(file).header["hashes"]
    assert set(hashes) == {agent.jar.name, "kafka-server-common-4.3.0.jar"}
    capture = Reader(file).header["capture"]
    assert set(capture["before"]) == BEFORE and set(capture["kinds"]) == ALL


def test_a_java_program_that_hangs_is_halted_with_the_place_of_its_threads(folder, tmp_path):
    agent = built(folder)
    source = tmp_path / "Hangs.java"
    source.write_text(
        "public final class Hangs {\n"
        "    public static void main(String[] arguments) throws Exception {\n"
        "        Thread.currentThread().join();\n    }\n}\n",
        encoding="utf-8",
    )
    path = agent.compile(source)
    with pytest.raises(ToolError, match="The program hangs") as caught:
        agent.record(tmp_path / "hangs.jsonl", path, ["Hangs"], ("patience=100",))
    assert "no event in 100 looks" in caught.value.message
    assert "at Hangs.main" in caught.value.message.replace("app//", "")


def test_what_does_not_fit_into_memory_is_counted_and_never_green(folder):
    file = load(built(folder), folder / "lost.jsonl", "memory=0", ms=1000, rate=2000)
    verdict = law.of_file(file)
    assert verdict.verdict == "incomplete"
    reader = Reader(file)
    drops = [event["count"] for _, event in reader if event["k"] == "drop"]
    assert drops == [reader.footer["dropped"]] and drops[0] > 0


@pytest.mark.nightly
def test_an_injected_delay_is_marked(folder):
    file = load(built(folder), folder / "fault.jsonl", "stall=10000:1")
    shown = report.read(file)
    assert shown.kinds["fault"] == shown.kinds["add_request"] > 0
    assert any("FAULT INJECTION" in line for line in shown.lines())


def test_a_release_with_other_sites_is_refused_by_name(folder):
    with pytest.raises(ToolError, match="The agent refuses these classes") as caught:
        load(built(folder, "4.0.0"), folder / "other.jsonl")
    assert "DelayedOperation." in caught.value.message and "must have" in caught.value.message


def test_a_lock_that_is_not_held_halts_the_program(folder, tmp_path, monkeypatch):
    agent = built(folder)
    shutil.copytree(recording.AGENT, tmp_path / "agent")
    hooks = tmp_path / "agent" / "LockHooks.java"
    text = hooks.read_text(encoding="utf-8")
    kept = "Log.own().give(Info.of(locked), token(locked));"
    assert text.count(kept) == 1
    hooks.write_text(text.replace(kept, ""), encoding="utf-8")
    monkeypatch.setattr(recording, "AGENT", tmp_path / "agent")
    with pytest.raises(ToolError, match="A recorded lock was not held"):
        load(recording.build(folder), folder / "unheld.jsonl", "verify")
    assert agent.jar.is_file()


@pytest.mark.nightly
def test_a_broker_is_one_run_of_many_timers(folder):
    agent = built(folder)
    try:
        broker.jars()
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    file = folder / "broker.jsonl.gz"
    broker.record(agent, file, 5)
    verdict = law.of_file(file)
    assert verdict.verdict == "conforms", verdict.first
    names = Reader(file).header["names"].values()
    assert sum(name.startswith("timer ") for name in names) > 10


@pytest.mark.nightly
def test_of_three_brokers_the_killed_one_leaves_a_recording_without_an_end(folder):
    agent = built(folder)
    try:
        broker.jars()
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    file = folder / "brokers.jsonl.gz"
    broker.record(agent, file, 10, nodes=3)
    for node in (1, 2):
        verdict = law.of_file(broker.file_of(file, node, 3))
        assert verdict.verdict == "conforms", verdict.first
    killed = broker.file_of(file, 3, 3)
    assert not killed.exists()
    assert killed.with_name(f"unfinished-{killed.name}").is_file()


def test_each_of_several_brokers_has_its_port_and_knows_the_controllers_of_all(tmp_path):
    lines = broker.properties(tmp_path, 2, 21, [31, 32, 33]).splitlines()
    assert "node.id=2" in lines
    assert "controller.quorum.voters=1@127.0.0.1:31,2@127.0.0.1:32,3@127.0.0.1:33" in lines
    assert "listeners=PLAINTEXT://127.0.0.1:21,CONTROLLER://127.0.0.1:32" in lines
    assert "offsets.topic.replication.factor=3" in lines


def test_one_broker_has_the_file_that_was_named_and_several_have_one_each(tmp_path):
    file = tmp_path / "brokers.jsonl.gz"
    assert broker.file_of(file, 1, 1) == file
    assert broker.file_of(file, 2, 3) == tmp_path / "brokers-2.jsonl.gz"


def test_ports_are_free_and_none_that_the_system_gives_away():
    """A port of any connection was taken at times before the server listened on it."""
    found = broker.free_ports(3)
    assert len(set(found)) == 3 and all(20_000 <= port < 32_768 for port in found)
    with socket.create_server(("127.0.0.1", 0)) as given:
        taken = given.getsockname()[1]
        assert broker.free_ports(1, [taken, found[0]]) == [found[0]]
        with pytest.raises(OSError, match="1 of 2 ports are free instead of 2"):
            broker.free_ports(2, [taken, found[0]])


def test_a_broker_that_ends_is_an_error_with_its_log(folder):
    agent = built(folder)
    log = folder / "broken.log"
    with (
        pytest.raises(ToolError, match="The broker ended with 1") as caught,
        broker.running(agent.classes.java, ["NoSuchClass"], log) as process,
    ):
        process.await_port(broker.free_ports(1)[0])
    assert str(log) in caught.value.message and "NoSuchClass" in caught.value.message
