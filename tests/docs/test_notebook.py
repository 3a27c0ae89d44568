"""The notebook of a recording runs as it stands, and draws what the recording holds."""

from __future__ import annotations

import ast
import gzip
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs/recording.ipynb"
RECORDING = ROOT / "tests/real/recordings/load.jsonl.gz"

nbformat = pytest.importorskip("nbformat", reason="the extra `docs` is not installed")
nbclient = pytest.importorskip("nbclient", reason="the extra `docs` is not installed")
pytest.importorskip("matplotlib", reason="the extra `docs` is not installed")
pytest.importorskip("pyarrow", reason="the extra `data` is not installed")


def executed(change=("", ""), more=()):
    """The notebook with its outputs, after one text of its code is replaced."""
    notebook = nbformat.read(NOTEBOOK, 4)
    for cell in notebook.cells:
        cell.source = cell.source.replace(*change) if change[0] else cell.source
    notebook.cells += [nbformat.v4.new_code_cell(text) for text in more]
    place = {"metadata": {"path": str(NOTEBOOK.parent)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=place).execute()
    return notebook


def outputs(notebook, kind):
    return [
        output["data"][kind]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if kind in output.get("data", {})
    ]


def counted():
    """The recording's events, its late tasks, and the adds that took the timer's lock."""
    with gzip.open(RECORDING, "rt", encoding="utf-8") as lines:
        _, *events, footer = map(json.loads, lines)
    late = [event["now_ms"] - event["exp_ms"] for event in events if event["k"] == "task_run"]
    adds = {event["span"] for event in events if event["k"] == "add_begin"}
    waits = [
        event for event in events if event["k"] == "rw_acquire" and event.get("parent") in adds
    ]
    return footer["footer"]["events"], sorted(late), len(waits)


def test_the_notebook_draws_what_the_recording_holds():
    more = ("sorted(ms for _, ms in late), len(waits), max(row[3] for row in occupancy)",)
    notebook = executed(more=more)
    events, late, waits = counted()
    printed = outputs(notebook, "text/plain")
    assert printed[0].startswith(f"[({events}, ")
    assert ast.literal_eval(printed[-1]) == (late, waits, 5)
    assert len(outputs(notebook, "image/png")) == 3


def test_a_query_that_names_no_column_ends_it():
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="expires_ms"):
        executed(("exp_ms", "expires_ms"))


def test_no_output_is_stored():
    cells = nbformat.read(NOTEBOOK, 4).cells
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]
