"""A disk that fills while traces are recorded or checked: one sentence, and nothing by halves."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wheelproof.trace.judging.replay import reader_of
from wheelproof.trace.steps import format

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "wheelproof" / "trace" / "golden" / "flush_add_cancel.jsonl"

DISK = """size=1m room=$0 disk=$1 left=$2; shift 2
mount -t tmpfs -o size=$size none "$disk" || exit 99
for name in run.jsonl run.jsonl.gz run.parquet; do printf old >"$disk/$name"; done
cat /dev/zero >"$disk/filler" 2>/dev/null
truncate -s "-$room" "$disk/filler"
"$@"; code=$?
cp -a "$disk/." "$left"
exit $code"""
"""Runs a command beside a disk of 1 MB with so much room, and copies what the disk has then."""

RECORD = ("record", "timing_wheel", "cascade", "--output")
CHECK = ("check", "--output", "out", str(GOLDEN), "--engine")
WRITES = {
    "run.jsonl": (*RECORD, "run.jsonl"),
    "run.jsonl.gz": (*RECORD, "run.jsonl.gz"),
    "run.parquet": (*RECORD, "run.parquet"),
    "labels": (*RECORD, "run.jsonl", "--steps"),
    "memory": (*CHECK, "memory"),
    "spark": (*CHECK, "spark", "--master", "local[1]", "--memory", "1g"),
}
"""What is written to the disk -> the words of `wheelproof trace`, with its place on the disk."""

PAGE = 4096
MUCH = 1_000_000


@pytest.fixture
def run(tmp_path):
    """Run a command of WRITES with so much room; its end, and a copy of what is on the disk."""
    disk, left = tmp_path / "disk", tmp_path / "left"
    if shutil.which("unshare") is None:
        pytest.skip("this system has no unshare")

    def ended(what, room):
        disk.mkdir(exist_ok=True)
        left.mkdir()
        words = [
            str(disk / word) if word.startswith("run.") or word == "out" else word
            for word in WRITES[what]
        ]
        found = subprocess.run(
            [
                *("unshare", "--mount", "sh", "-c", DISK, str(room), str(disk), str(left)),
                *(sys.executable, "-m", "wheelproof", "trace", *words, "--subject", str(ROOT)),
            ],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            cwd=ROOT,
        )
        if found.returncode in (1, 99) and "unshare: " in found.stderr + found.stdout:
            pytest.skip("not run: this user may not mount a file system")
        (left / "filler").unlink()
        return found, left

    return ended


def files(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes() if file.is_file() else None
        for file in folder.rglob("*")
    }


OLD = dict.fromkeys(("run.jsonl", "run.jsonl.gz", "run.parquet"), b"old")


@pytest.mark.nightly
@pytest.mark.parametrize("room", [0, PAGE])
@pytest.mark.parametrize("what", [name for name in WRITES if name != "run.jsonl.gz"])
def test_a_full_disk_is_one_sentence_and_leaves_what_was_there(run, what, room):
    before = hashlib.sha256(GOLDEN.read_bytes()).hexdigest()
    ended, left = run(what, room)
    assert ended.returncode == 4, ended
    assert len(ended.stderr.splitlines()) == 1 and "No space left on device" in ended.stderr, ended
    assert files(left) == OLD
    assert hashlib.sha256(GOLDEN.read_bytes()).hexdigest() == before
    if what in ("memory", "spark"):
        assert "1 conforms of 1 runs" in ended.stdout, "the verdict is lost with the report"
        assert "trace-check.json" not in ended.stdout, "no report is where this names one"
    else:
        assert ended.stdout == ""


@pytest.mark.nightly
def test_a_full_disk_leaves_no_packed_file(run):
    ended, left = run("run.jsonl.gz", 0)
    assert ended.returncode == 4 and "No space left on device" in ended.stderr, ended
    assert files(left) == OLD


@pytest.mark.nightly
@pytest.mark.parametrize("what", WRITES)
def test_a_disk_with_room_has_the_whole_of_it(run, what):
    ended, left = run(what, MUCH)
    assert ended.returncode == 0, ended
    assert ended.stderr == ""
    match what:
        case "memory" | "spark":
            document = json.loads((left / "out" / "trace-check.json").read_text())
            assert document["events"] > 0 and document["runs"][0]["verdict"] == "conforms"
        case "labels":
            assert format.read(left / "run.jsonl").events
        case _:
            read = reader_of(left / what)
            assert [event for _, event in read] and read.footer is not None
