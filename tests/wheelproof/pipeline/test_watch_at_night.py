"""A watch on Spark: killed at any moment, interrupted, and with lines that are no events."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import killed_watch
import planted
import pytest

from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from wheelproof.pipeline import in_process
from wheelproof.trace.format import jsonl

pytestmark = pytest.mark.nightly

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
GOLDEN = HERE.parent / "trace" / "golden"
SEEDS = 20
FAULTS = 12


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Sound recordings, recordings of mutants, planted faults, and one with corrupt lines."""
    folder = tmp_path_factory.mktemp("recordings")
    for file in GOLDEN.glob("*.jsonl"):
        shutil.copy(file, folder)
    conforming = Simulator(19, 10).run()
    faults = list(planted.faults(conforming).values())
    for head, events, footer in random.Random(1).sample(faults, FAULTS):
        jsonl.write(folder / f"{head['run_id']}.jsonl", head, events, footer)
    jsonl.write(folder / "sound.jsonl", header("sound"), conforming)
    return folder


def grow(recordings, folder, at, seed, share):
    """Add a part of what is left of each recording. ``at``: bytes of each that are there."""
    draw = random.Random(seed)
    for file in sorted(recordings.iterdir()):
        text, begun = file.read_bytes(), at.get(file.name, 0)
        end = min(len(text), begun + int(len(text) * share * draw.uniform(0, 2)))
        with (folder / file.name).open("ab") as growing:
            growing.write(text[begun:end])
        at[file.name] = end


def watched(folder, output, moment, batch):
    script = [sys.executable, HERE / "killed_watch.py", folder, output, moment, str(batch)]
    return subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=600)


def violations(output):
    """The ids of the lines, and the violations without them."""
    lines = [json.loads(line) for line in (output / "violations.jsonl").open()]
    return [line.pop("id") for line in lines], lines


def test_a_watch_that_is_killed_says_what_a_check_says(recordings, tmp_path):
    folder, output, at = tmp_path / "growing", tmp_path / "watch", {}
    folder.mkdir()
    for seed in range(SEEDS):
        grow(recordings, folder, at, seed, 1 / SEEDS)
        moment = killed_watch.MOMENTS[seed % len(killed_watch.MOMENTS)]
        ended = watched(folder, output, moment, seed % 2)
        assert ended.returncode == (4 if moment == "java" else -9) or moment == "any", (
            moment,
            ended.stderr,
        )
    grow(recordings, folder, at, SEEDS, 20)
    ended = watched(folder, output, "never", 0)
    assert ended.returncode == 1, ended.stderr
    assert not [*output.glob("wheelproof-*")]  # of those that were killed, too
    batch = in_process.check([folder])
    ids, rows = violations(output)
    assert len({*ids}) == len(ids) > FAULTS
    assert rows == batch.violations
    report = json.loads((output / "trace-check.json").read_text())
    assert report["violations"] == batch.violations
    assert report["events"] == batch.events
    assert [run["verdict"] for run in report["runs"]] == [run["verdict"] for run in batch.runs]


def test_a_micro_batch_that_is_taken_twice_is_noticed(recordings, tmp_path):
    """The control: without the number of the last micro-batch a kill doubles violations."""
    output = tmp_path / "watch"
    assert watched(recordings, output, "ended", 0).returncode == -9
    ended = watched(recordings, output, "twice", 0)
    assert ended.returncode == 1, ended.stderr
    batch = in_process.check([recordings])
    assert json.loads((output / "trace-check.json").read_text())["events"] > batch.events
    assert len(violations(output)[1]) > len(batch.violations)


def test_ctrl_c_ends_after_the_micro_batch_and_a_later_watch_goes_on(recordings, tmp_path):
    folder, output, at = tmp_path / "growing", tmp_path / "watch", {}
    folder.mkdir()
    grow(recordings, folder, at, 1, 0.4)
    command = [sys.executable, "-m", "wheelproof", "trace", "watch", folder, "--output", output]
    watch = subprocess.Popen(
        [*map(str, command), "--memory", "1g"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    while not (output / "trace-check.json").is_file():
        assert watch.poll() is None
        time.sleep(0.2)
    watch.send_signal(signal.SIGINT)
    printed, _ = watch.communicate(timeout=120)
    assert watch.returncode == 130
    assert "judged: " in printed and " to line " in printed
    grow(recordings, folder, at, 2, 20)
    assert watched(folder, output, "never", 0).returncode == 1
    assert violations(output)[1] == in_process.check([folder]).violations


def test_corrupt_lines_go_to_quarantine(tmp_path):
    folder, output = tmp_path / "growing", tmp_path / "watch"
    folder.mkdir()
    lines = (GOLDEN / "readd.jsonl").read_bytes().splitlines(keepends=True)
    lines[5:5] = [b"{ no json\n", lines[5].replace(b'"k":"', b'"k":"un'), b"\n", b"\xff\xfe\n"]
    (folder / "bad.jsonl").write_bytes(b"".join(lines))
    ended = watched(folder, output, "never", 0)
    assert ended.returncode == 3, ended.stderr
    report = json.loads((output / "trace-check.json").read_text())
    assert report["quarantined"] == 4
    assert [row["row"] for row in report["quarantine"]] == [6, 7, 8, 9]
    assert report["runs"][0]["verdict"] == "incomplete"
    assert (output / "violations.jsonl").read_text() == ""
