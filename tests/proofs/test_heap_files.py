"""A project with a changed file: which theorems about heaps are not proved any more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wheelproof.checks import verify
from wheelproof.events import VerifyOptions

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("proofs", "spec", "model", "impl", "mutants", "harness")
PROVED, FALSE, WITHOUT = "proved", "violated", "inconclusive"
WHOLE = [
    (
        "spec/SystemTimer.tla",
        "Up(Swap(s, i, p), p, k)",
        "Up(Swap(s, i, p), 1, k)",
        {"Heap.Up": FALSE, "Heap.Down": PROVED, "Heap.Offer": WITHOUT, "Heap.Poll": PROVED},
    ),
    (
        "spec/DelayQueue.tla",
        "THEN 2 * i + 1 ELSE 2 * i",
        "THEN 2 * i ELSE 2 * i",
        {"DelayQueue.Up": PROVED, "DelayQueue.Down": FALSE, "DelayQueue.Rest": WITHOUT},
    ),
    (
        "spec/PartedTimer.tla",
        "[i \\in 1..(Len(s) - 1) |->",
        "[i \\in 1..(Len(s) - 2) |->",
        {"PartedTimer.Offer": PROVED, "PartedTimer.Poll": FALSE, "PartedTimer.Queue": WITHOUT},
    ),
    (
        "impl/delay_queue.py",
        "element.compare_to(heap[below]) <= 0",
        "element.compare_to(heap[below]) >= 0",
        {"HeapCode.up": PROVED, "HeapCode.down": FALSE, "HeapCode.take": WITHOUT},
    ),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("file", "old", "new", "expected"), WHOLE)
def test_a_changed_file_of_a_project_unproves_its_theorems(tmp_path, file, old, new, expected):
    """Those about the changed definition, and those that rest on them."""
    for folder in COPIED:
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    text = (ROOT / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    options = VerifyOptions(
        (),
        frozenset({"proof"}),
        "nightly",
        tmp_path,
        tmp_path / "build",
        1,
        theorems=tuple(expected),
        seeds=1,
    )
    rows = {row.name: row for row in verify.run(options)}
    why = {name: row.why for name, row in rows.items()}
    assert {name: rows[name].verdict for name in expected} == expected, why
    assert all(rows[name].ok == (verdict == PROVED) for name, verdict in expected.items())
