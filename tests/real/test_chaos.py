"""The command of chaos, and a minute of all together."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from real.chaos import __main__ as command
from real.chaos import pipeline, variants
from real.chaos.ensemble import NODES
from real.chaos.judge import Judge, Violation
from real.chaos.processes import ROOT
from real.chaos.recording import Evidence
from real.chaos.round import Outcome
from real.zookeeper import server
from wheelproof.jvm.jars import NotHere


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
        evidence = Evidence("/x", (), {}, (), ())
        return Outcome(evidence, judge, Counter({"leaders killed": 1}), Counter(), seconds)


@pytest.fixture(scope="module")
def controls(tmp_path_factory):
    """What each control is to break."""
    folder = tmp_path_factory.mktemp("controls")
    return {name: sorted(variants.without(name, folder).broken) for name in variants.CONTROLS}


@pytest.fixture
def rounds(monkeypatch, tmp_path, controls):
    """The command, without an ensemble; each control breaks what it is to break.

    ``rules``: what the pipeline finds in the place of that, by variant.
    """

    def run(*arguments, rules=(), **broken):
        def check(files, engine):
            assert engine in arguments or engine == "memory"
            names = [file.name.removesuffix(".jsonl.gz").replace("-", " ") for file in files]
            found = {each: (Rounds.broken | dict(rules)).get(each, []) for each in names}
            places = {each: {(name, 17) for name in found[each]} for each in names}
            return pipeline.Checked(1234, places, {})

        monkeypatch.setattr(pipeline, "check", check)
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
    assert out.splitlines()[-1] == (
        "as traces: 9 runs, 1,234 events, engine memory: 9 violations, the same ones"
    )
    assert err == "" and list((tmp_path / "build").iterdir()) == []


def test_the_traces_can_be_kept_and_another_engine_check_them(rounds, capsys, tmp_path):
    kept = tmp_path / "kept"
    arguments = ("--without", "NoFence", "--engine", "spark", "--traces", str(kept))
    assert rounds(*arguments) == 0
    assert [file.name for file in kept.iterdir()] == ["NoFence.jsonl.gz"]
    assert ", engine spark: 1 violations, the same ones" in capsys.readouterr().out


@pytest.mark.parametrize("rules", [{"NoFence": []}, {"as it is": ["Elects"]}])
def test_a_pipeline_that_finds_something_else_is_an_error(rules, rounds, capsys):
    assert rounds(rules=rules) == 4
    out, err = capsys.readouterr()
    (name,) = rules
    assert f"real.chaos: Judge and trace pipeline differ about {name}: " in err
    assert "as traces: " not in out


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
    assert rounds("--without", "NoFence", "--without", "NoFence", "--seed", "7") == 0
    first, second, _ = capsys.readouterr().out.splitlines()
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
        server.command(server.MAIN)
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
    assert len(lines) == 5 + len(faults) + len(variants.CONTROLS)
    assert lines[-1].startswith("as traces: 9 runs, ") and lines[-1].endswith(", the same ones")
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
    while len(processes(tmp_path)) < NODES + 2:  # the servers, and some candidates
        assert time.monotonic() < until and running.poll() is None
        time.sleep(0.1)
    running.send_signal(number)
    _, err = running.communicate(timeout=60)
    assert running.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert ("real.chaos: the logs are in " in err) is (number == signal.SIGTERM)
    while processes(tmp_path):
        assert time.monotonic() < until
        time.sleep(0.1)
