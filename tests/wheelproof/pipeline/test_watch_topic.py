"""A watch of a topic of a real broker: killed, beside a broker that is killed, and after it."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from wheelproof.pipeline import in_process

pytest.importorskip("confluent_kafka", reason="the extra `kafka` is not installed")

import confluent_kafka

from real.live.transport import transport
from wheelproof.jvm.jars import NotHere
from wheelproof.trace.publishing import Publisher
from wheelproof.trace.topics import Address

pytestmark = pytest.mark.nightly

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
GOLDEN = HERE.parent / "trace" / "golden"
NAMES = ("mutant_M2", "mutant_M8", "mutant_FlushWithoutMonitor", "mutant_M19", "readd")
KILLS = ("begun", "kept", "ended")
PATIENCE = 600
COMMAND = [sys.executable, "-m", "wheelproof", "trace"]


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    try:
        with transport(tmp_path_factory.mktemp("build")) as made:
            yield made
    except NotHere as error:
        pytest.skip(f"not run: {error}")


@pytest.fixture
def files(tmp_path):
    """Recordings of the implementation and of mutants, one of Kafka, and one with corrupt lines."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name in NAMES:
        shutil.copy(GOLDEN / f"{name}.jsonl", folder)
    shutil.copy(HERE.parent / "trace" / "kafka" / "late.jsonl.gz", folder)
    lines = (GOLDEN / "two_adders.jsonl").read_bytes().splitlines(keepends=True)
    lines[5:5] = [b"{ no json\n"]
    (folder / "corrupt.jsonl").write_bytes(b"".join(lines))
    return folder


def publish(*words):
    ended = subprocess.run(
        [*COMMAND, "publish", *map(str, words)], cwd=ROOT, capture_output=True, text=True
    )
    return ended.returncode, ended.stdout + ended.stderr


def killed(address, output, moment, batch=0):
    script = [sys.executable, HERE / "killed_watch.py", str(address), output, moment, str(batch)]
    return subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)


def named(violations):
    """Violations by the run, without the names of files, in one order."""
    rows = [{key: row[key] for key in row if key not in ("file", "id")} for row in violations]
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def differences(output, folder):
    """What a check of the files says otherwise than the report of a watch."""
    batch = reference(folder)
    report = json.loads((output / "trace-check.json").read_text())
    lines = [json.loads(line) for line in (output / "violations.jsonl").open()]
    assert len({line["id"] for line in lines}) == len(lines)
    verdicts = [{run["run"]: run["verdict"] for run in runs} for runs in (report["runs"], batch[1])]
    return [
        name
        for name, here, there in (
            ("violations", named(report["violations"]), named(batch[0])),
            ("lines", named(lines), named(batch[0])),
            ("verdicts", *verdicts),
            ("events", report["events"], batch[2]),
        )
        if here != there
    ]


def reference(folder):
    """Violations, runs and events of a check without the line that is no event, whose run is
    incomplete."""
    clean = folder.parent / "clean"
    shutil.copytree(folder, clean, dirs_exist_ok=True)
    file = clean / "corrupt.jsonl"
    file.write_bytes(file.read_bytes().replace(b"{ no json\n", b""))
    report = in_process.check([clean])
    incomplete = next(run for run in report.runs if run["path"] == str(file))
    runs = [dict(run, verdict="incomplete") if run is incomplete else run for run in report.runs]
    return report.violations, runs, report.events


def numbers(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/watch.json", timeout=10) as answer:
            return json.load(answer)
    except OSError:
        return {"events": 0, "lag": {"left": None}}


def test_a_topic_says_what_a_check_says_after_kills(node, files, tmp_path):
    """A publisher and watches are killed, then a watch goes on beside a broker that is killed."""
    address = Address(node.servers, "recordings")
    found = Address(node.servers, "found")
    Publisher(found).check(1)
    assert publish(files / "readd.jsonl", address)[0] == 2  # the topic is absent
    some = [files / f"{name}.jsonl" for name in NAMES[:3]]
    assert publish(*some, address, "--create", 2)[0] == 0
    output = tmp_path / "watch"
    for moment in KILLS:
        ended = killed(address, output, moment)
        assert ended.returncode == -9, (moment, ended.stderr)
    assert publish(some[1], address)[0] == 0  # once more, as by a publisher that starts anew
    watch = subprocess.Popen(
        [
            *(*COMMAND, "watch", str(address), "--output", str(output), "--memory", "1g"),
            *("--metrics", "0", "--json-lines", "--violations", str(found)),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        port = int(re.search(r"127\.0\.0\.1:(\d+)/", watch.stderr.readline())[1])
        await_events(watch, port, lambda events: events > 0)
        node.kill()
        time.sleep(20)
        node.start()
        growing = tmp_path / "mutant_M19.jsonl"
        follower = subprocess.Popen(
            [*COMMAND, "publish", "--follow", str(growing), str(address)], cwd=ROOT
        )
        text = (files / growing.name).read_bytes()
        for start in range(0, len(text), 1000):
            with growing.open("ab") as file:
                file.write(text[start : start + 1000])
            time.sleep(0.1)
        assert follower.wait(PATIENCE) == 0
        rest = ("readd.jsonl", "late.jsonl.gz", "corrupt.jsonl")
        assert publish(*[files / name for name in rest], address)[0] == 0
        expected = reference(files)[2]
        await_events(watch, port, lambda events: events >= expected)
        watch.send_signal(signal.SIGINT)
        printed, _ = watch.communicate(timeout=PATIENCE)
    finally:
        watch.kill()
    assert watch.returncode == 130
    assert differences(output, files) == []
    report = json.loads((output / "trace-check.json").read_text())
    assert [(row["file"], row["row"]) for row in report["quarantine"]] == [
        (next(run["path"] for run in report["runs"] if run["verdict"] == "incomplete"), 6)
    ]
    lines = [json.loads(line) for line in printed.splitlines()]
    reported = {line["id"]: line for line in sent(found)}
    assert {line["id"] for line in lines} <= reported.keys()
    every = [json.loads(line) for line in (output / "violations.jsonl").open()]
    assert named(lines) != [] and named(reported.values()) == named(
        [line for line in every if line["id"] in reported]
    )
    controls(address, output, files, tmp_path)


def await_events(watch, port, enough):
    """Wait until a watch has judged enough events, and has none left."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert watch.poll() is None
        state = numbers(port)
        if enough(state["events"]) and state["lag"]["left"] == 0:
            return
        time.sleep(1)
    raise AssertionError(f"not after {PATIENCE} s: {state}")


def sent(address):
    """The violations in a topic."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": address.servers,
            "group.id": "test",
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([confluent_kafka.TopicPartition(address.topic, 0, 0)])
    while (message := consumer.poll(30)) is not None and message.error() is None:
        line = json.loads(message.value())
        assert message.key().decode() == line["id"]
        yield line
    consumer.close()


def controls(address, output, files, tmp_path):
    """A watch without Spark's offsets is refused, and one that forgets its lines counts twice."""
    forgetful = tmp_path / "forgetful"
    shutil.copytree(output, forgetful)
    shutil.rmtree(forgetful / "checkpoint")
    ended = killed(address, forgetful, "never")
    assert ended.returncode == 2 and "not of one watch" in ended.stderr
    twice = tmp_path / "twice"
    assert killed(address, twice, "ended").returncode == -9
    assert killed(address, twice, "twice").returncode == 1
    assert "events" in differences(twice, files)


def test_a_broker_and_a_topic_that_are_absent_are_named(node, tmp_path):
    ended = killed(Address(node.servers, "none"), tmp_path / "one", "never")
    assert ended.returncode == 2 and "has no topic none" in ended.stderr
    node.stop()
    try:
        ended = killed(Address(node.servers, "none"), tmp_path / "two", "never")
    finally:
        node.start()
    assert ended.returncode == 4 and "No broker of Kafka answers" in ended.stderr
