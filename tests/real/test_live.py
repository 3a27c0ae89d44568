"""A broker, a recorded load, the stream and its page, brought up and ended by one command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the extra `data` is not installed: make setup-data")
pytest.importorskip("confluent_kafka", reason="the extra `kafka` is not installed")

from real.record.broker import free_ports

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
PATIENCE = 900
ABSENT = 5


@pytest.fixture
def free_port():
    (port,) = free_ports(1)
    return port


def started(tmp_path, port, *options):
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "real.live", "--port", str(port), "--output", str(tmp_path)),
            *("--each", "5", "--adds", "20", *options),
        ],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def left(tmp_path):
    """Processes and folders of a run that has ended."""
    name = str(tmp_path / "scratch")
    processes = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if name.encode() in (entry / "cmdline").read_bytes():
                processes.append(entry.name)
        except OSError:
            pass
    return processes, [*(tmp_path / "scratch").glob("wheelproof-*-*")]


def answer(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as response:
            return response.read()
    except OSError:
        return b"{}"


def test_all_of_it_comes_up_and_ends(tmp_path, free_port):
    """D1 is shown as it comes, load conforms, and Ctrl-C leaves the report alone."""
    live = started(tmp_path, free_port)
    try:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and live.poll() is None:
            numbers = json.loads(answer(free_port, "watch.json"))
            if numbers.get("verdicts", {}).get("conforms") and numbers["rules"]:
                break
            time.sleep(1)
        if live.poll() == ABSENT:
            pytest.skip(f"not run: {live.stderr.read()}")
        assert b"<h1>Watch</h1>" in answer(free_port, "")
        assert b"wheelproof_watch_lateness_milliseconds_count" in answer(free_port, "metrics")
        assert left(tmp_path)[0] and left(tmp_path)[1]  # so that the search for them can fail
        live.send_signal(signal.SIGINT)
        printed, errors = live.communicate(timeout=PATIENCE)
    finally:
        live.kill()
    assert live.returncode == 130, errors
    assert left(tmp_path) == ([], [])
    assert "QueuedOnceWithItsKey" in printed
    report = json.loads((tmp_path / "live" / "trace-check.json").read_text(encoding="utf-8"))
    verdicts = {run["run"]: run["verdict"] for run in report["runs"] if run["events"]}
    assert verdicts["load-1"] == "conforms"
    assert verdicts["d1-1"] == "violates"
    ids = [json.loads(line)["id"] for line in (tmp_path / "live" / "violations.jsonl").open()]
    assert len({*ids}) == len(ids) > 0
