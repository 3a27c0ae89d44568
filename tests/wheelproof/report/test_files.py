"""The files of a run: traces lie below the output folder, and older files do not stay."""

import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from wheelproof import project
from wheelproof.errors import UsageError
from wheelproof.events import Check
from wheelproof.report import files
from wheelproof.verdict import Results, read_results


def test_traces_are_read_below_the_output_folder_and_a_damaged_one_is_left_out(
    good, trace, tmp_path
):
    assert files.traces(good, tmp_path) == {}
    trace.write(tmp_path / "counterexamples" / "M1.json")
    assert files.traces(good, tmp_path) == {"counterexamples/M1.json": trace}
    (tmp_path / "counterexamples" / "M1.json").write_text("{}")
    assert files.traces(good, tmp_path) == {}


def test_publishing_twice_gives_the_same_bytes(good, trace, tmp_path, subject_folder):
    output = tmp_path / "build"
    trace.write(output / "counterexamples" / "M1.json")
    mechanisms = project.find(subject_folder)
    places = files.publish(output, good, mechanisms, subject_folder)
    first = {name: (output / name).read_bytes() for name in (files.RESULTS_FILE, *files.MADE)}
    shown = {files.RESULTS_FILE, files.JUNIT_FILE, files.REVIEW_FILE, files.PAGE_FILE}
    assert sorted(places.values()) == sorted(str(output / name) for name in shown)
    files.publish(output, read_results(output / "results.json"), mechanisms, subject_folder)
    assert {name: (output / name).read_bytes() for name in first} == first
    assert f"wheelproof replay {output}/counterexamples/M1.json" in first["review.html"].decode()


def test_a_run_that_begins_removes_what_an_older_one_reported(good, tmp_path, subject_folder):
    files.publish(tmp_path, good, {}, subject_folder)
    page = (tmp_path / files.PAGE_FILE).read_bytes()
    files.begin(tmp_path, Results.begin({}))
    left = sorted(file.name for file in tmp_path.iterdir() if file.is_file())
    assert left == ["results.json", files.PAGE_FILE]
    assert not read_results(tmp_path / "results.json").complete
    assert (tmp_path / files.PAGE_FILE).read_bytes() == page


KILLED = """
import os, signal, sys
from pathlib import Path
from wheelproof import documents, files as whole
from wheelproof.report import files
from wheelproof.verdict import read_results

def stop(handle=None):
    os.kill(os.getpid(), signal.SIGKILL)

def half(path, content):
    path.write_bytes(content[:len(content) // 2])
    stop()

folder, place = Path(sys.argv[1]), sys.argv[2]
results = read_results(folder / "results.json")
files.begin(folder, results)
written = documents.write_text

def write_text(path, text):
    if path.name == files.PAGE_FILE:
        whole.os.fsync = stop
        if place == "in place":
            whole.replace = half
    written(path, text)

documents.write_text = write_text
files.publish(folder, results, {}, folder)
"""


@pytest.mark.parametrize("place", ["beside", "in place"])
def test_a_run_killed_while_it_writes_the_page_leaves_the_old_one(
    good, tmp_path, subject_folder, place
):
    files.publish(tmp_path, good, {}, subject_folder)
    page = (tmp_path / files.PAGE_FILE).read_bytes()
    command = [sys.executable, "-c", KILLED, str(tmp_path), place]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    left = (tmp_path / files.PAGE_FILE).read_bytes()
    assert (left == page) is (place == "beside"), "in place: the control"


def test_a_partial_run_leaves_the_report_of_everything_alone(good, tmp_path, subject_folder):
    assert files.folder(tmp_path, "layer tlc") == tmp_path, "there is nothing to keep yet"
    files.publish(tmp_path, good, {}, subject_folder)
    assert files.folder(tmp_path, "") == tmp_path
    beside = files.folder(tmp_path, "layer tlc")
    assert beside == tmp_path / "partial"
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
    partial = replace(good, rows=good.rows[:1], only="layer graph")
    files.begin(beside, partial)
    files.publish(tmp_path, partial, {}, subject_folder, beside)
    assert {file: file.read_bytes() for file in before} == before
    for name in ("review.md", "review.html"):
        assert "limited to: layer graph" in (beside / name).read_text()
    files.publish(tmp_path, partial, {}, subject_folder)
    assert files.folder(tmp_path, "layer tlc") == tmp_path, "a partial report gives way"


def test_a_second_run_in_the_same_folder_is_refused(tmp_path):
    with files.alone(tmp_path):
        with pytest.raises(UsageError, match="Another run writes to"), files.alone(tmp_path):
            pass
        with files.alone(tmp_path / "other"):
            pass
    with files.alone(tmp_path):
        pass


def test_old_counterexamples_of_the_same_checks_go(trace, tmp_path):
    names = ["thing.mutant.M1", "thing.jvm.two@4.0", "other.mutant.M1"]
    for name in names:
        trace.write(tmp_path / "counterexamples" / f"{name}.json")

    def left():
        return sorted(file.stem for file in (tmp_path / "counterexamples").iterdir())

    files.remove_traces(tmp_path, lambda *check: check == ("thing", "jvm", "two@4.0"))
    assert left() == ["other.mutant.M1", "thing.mutant.M1"]
    files.remove_traces(tmp_path, lambda *check: True)
    assert left() == []


def test_the_times_of_an_earlier_run_are_those_of_its_rows(good, tmp_path, subject_folder):
    assert files.seconds(tmp_path, lambda *check: True) == {}
    files.publish(tmp_path, good, {}, subject_folder)
    assert files.seconds(tmp_path, lambda *check: check[1] != "mutant") == {
        Check("thing", "graph", "two"): 1.25,
        Check("thing", "tlc", "two"): 2,
    }


def test_a_run_that_was_broken_off_tells_no_times(good, tmp_path, subject_folder):
    files.publish(tmp_path, replace(good, complete=False), {}, subject_folder)
    assert files.seconds(tmp_path, lambda *check: True) == {}


def test_earlier_runs_are_those_of_both_folders_in_the_order_of_their_dates(good, tmp_path):
    assert files.earlier(tmp_path) == []
    part = replace(good, rows=good.rows[:1], started="2026-01-03T00:00:00+00:00")
    part.write(tmp_path / files.PARTIAL / files.RESULTS_FILE)
    assert files.earlier(tmp_path) == [part]
    good.write(tmp_path / files.RESULTS_FILE)
    assert files.earlier(tmp_path) == [good, part]
    replace(good, started="2026-01-04T00:00:00+00:00").write(tmp_path / files.RESULTS_FILE)
    assert [run.started[:10] for run in files.earlier(tmp_path)] == ["2026-01-03", "2026-01-04"]
    replace(good, rows=()).write(tmp_path / files.RESULTS_FILE)
    assert files.earlier(tmp_path) == [part], "a run without a row is none"
