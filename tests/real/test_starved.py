"""Runs on a starved machine: what ends a run, and recordings of it. No test asserts a time."""

import subprocess
import sys
import time

import pytest

from real import patience
from real.d1 import __main__ as d1
from real.record import agent as recording
from real.record import starved
from tests.real.recorded_kafka import LOAD
from tests.real.test_record import built
from wheelproof.errors import Inconclusive, ToolError

SECOND = 1_000_000_000


class Machine:
    """A clock, and what the threads of a process have waited for a processor."""

    def __init__(self):
        self.now, self.waited = 0.0, {"1": 0}

    def patience(self, seconds):
        return patience.Patience(
            seconds, 7, clock=lambda: self.now, waited=lambda _: {**self.waited}
        )

    def passes(self, seconds, starved=0.0):
        self.now += seconds
        self.waited["1"] += int(starved * SECOND)


def test_time_in_which_a_thread_waits_for_a_processor_does_not_count():
    machine = Machine()
    limit = machine.patience(3)
    for _ in range(1000):
        machine.passes(0.1, starved=0.1)
        assert not limit.used_up()


def test_time_in_which_no_thread_waits_for_one_counts():
    machine = Machine()
    limit = machine.patience(3)
    looks = 0
    while not limit.used_up():
        machine.passes(0.1)
        looks += 1
    assert 30 <= looks <= 31


def test_a_thread_that_ends_gives_no_time_back():
    machine = Machine()
    machine.waited = {"1": 0, "2": 50 * SECOND}
    limit = machine.patience(0.5)
    limit.used_up()
    del machine.waited["2"]
    machine.passes(1)
    assert limit.used_up()


def test_a_new_thread_counts_from_its_beginning():
    machine = Machine()
    limit = machine.patience(0.5)
    machine.waited["2"] = SECOND
    machine.passes(1)
    assert not limit.used_up()


def test_who_looks_late_counts_a_look_alone():
    machine = Machine()
    limit = machine.patience(3)
    machine.passes(3600)
    assert not limit.used_up() and limit.left == 3 - patience.LONGEST_S


def test_the_machine_says_what_a_process_has_waited():
    """Where it does, as Linux."""
    assert all(value >= 0 for value in patience.waited_ns(1).values())
    assert patience.waited_ns(2**22 + 1) == {}


def test_a_program_that_hangs_is_ended_and_named():
    sleeper = [sys.executable, "-c", "import time; time.sleep(100_000)"]
    begun = time.monotonic()
    with pytest.raises(ToolError, match=r"hangs: it was given 0.3 s in which it waited for no"):
        patience.run(sleeper, 0.3)
    assert time.monotonic() - begun < 100_000


def test_a_program_that_ends_is_no_hang_whatever_it_prints():
    text = "x" * 200_000
    ended = patience.run(
        [sys.executable, "-c", f"import sys; sys.stderr.write('x' * {len(text)}); sys.exit(7)"], 600
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "", text)


# -- a machine that is too slow, a program that hangs


class Ended:
    """Classes whose Java ends at once."""

    def __init__(self, code, stated):
        self.ended = subprocess.CompletedProcess([], code, "", stated)

    def compile(self, *_):
        return recording.HERE

    def run(self, *_, **__):
        return self.ended


def test_a_machine_too_slow_for_d1_is_inconclusive_and_no_defect(tmp_path, monkeypatch, capsys):
    slow = Ended(3, "The machine is too slow: in 20 runs no add came in time.")
    agent = recording.Agent(tmp_path / "agent.jar", slow, ())
    with pytest.raises(Inconclusive, match="D1: The machine is too slow") as caught:
        agent.record(tmp_path / "x.jsonl", (), ["D1", "400"])
    assert caught.value.exit_code == 3
    slow.path = ()
    monkeypatch.setattr(d1, "of_release", lambda *_: slow)
    assert d1.main([]) == 3
    assert "The machine is too slow" in capsys.readouterr().err


def test_what_the_agent_says_is_shown_from_its_first_word_on(tmp_path):
    stated = (
        "SLF4J: no\n" * 30 + "wheelproof agent: no event in 50 looks; its threads are at\nmain\n"
    )
    agent = recording.Agent(tmp_path / "agent.jar", Ended(96, stated), ())
    with pytest.raises(ToolError, match="The program hangs: wheelproof agent: no event") as caught:
        agent.record(tmp_path / "x.jsonl", (), ["Load"])
    assert "SLF4J" not in caught.value.message and caught.value.exit_code == 4


# -- the command


@pytest.fixture
def recorded(monkeypatch, tmp_path):
    """The command on a recording that is at hand; a list to which a test adds what it says."""
    says = []

    def cpu_of(agent, file, ms, count):
        if says and count:
            stated = says.pop(0)
            if isinstance(stated, Exception):
                raise stated
            return stated
        return 1.0

    monkeypatch.setattr(starved, "cpu_of", cpu_of)
    monkeypatch.setattr(starved, "blind_engines", lambda *_: [])
    monkeypatch.setattr(starved, "Reader", lambda file: [None] * 5)
    monkeypatch.setattr(starved, "build", lambda folder: None)
    monkeypatch.setattr(starved, "alarms", lambda file, prefix: {})
    monkeypatch.setattr("pathlib.Path.unlink", lambda *_, **__: None)
    return says


def ran(tmp_path, *arguments):
    return starved.main(["--runs", "3", "--output", str(tmp_path), *arguments])


def test_runs_without_an_alarm_are_in_order(recorded, tmp_path, capsys):
    assert ran(tmp_path) == 0
    assert "3 recordings, 15 events, 0 alarms, 0 did not end" in capsys.readouterr().out


def test_a_run_of_more_cpu_time_is_a_finding(recorded, tmp_path, capsys):
    recorded += [1.0, 2.5, 1.0]
    assert ran(tmp_path) == 1
    assert "greatest 2.50, bound 2; above it 1" in capsys.readouterr().out


def test_a_run_that_does_not_end_is_named_and_the_others_go_on(recorded, tmp_path, capsys):
    recorded += [1.0, ToolError("java hangs"), 1.0]
    assert ran(tmp_path) == 4
    printed = capsys.readouterr().out
    assert "run 2: java hangs" in printed and "2 recordings" in printed


def test_an_alarm_is_a_finding_by_the_name_of_the_engine(recorded, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(starved, "alarms", lambda file, prefix: {"in bulk": "violates"})
    assert ran(tmp_path) == 1
    assert "ALARM in bulk: violates" in capsys.readouterr().out


def test_judges_that_see_nothing_end_the_command(recorded, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(starved, "blind_engines", lambda *_: ["in bulk"])
    assert ran(tmp_path) == 4
    assert "without an unlink is not refused in bulk" in capsys.readouterr().err


def test_the_planted_recording_is_refused_by_every_engine(tmp_path):
    assert starved.blind_engines(LOAD, tmp_path, 20_000) == []
    assert starved.alarms(tmp_path / "planted.jsonl", 20_000).keys() == set(starved.ENGINES)


def test_busy_processes_end_with_their_block():
    with starved.busy(2):
        pass
    with pytest.raises(KeyError), starved.busy(1):
        raise KeyError


@pytest.mark.nightly
def test_recordings_on_a_starved_machine_are_sound_and_each_run_ends(tmp_path):
    agent = built(tmp_path)
    *_, (_, outcome) = starved.starve(agent, tmp_path, 10, 6, 500, 3_000)
    assert (outcome.alarms, outcome.hung, len(outcome.cpu_s)) == (0, 0, 10)
