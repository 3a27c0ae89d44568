"""Blocks on executors: the same result for every division, and a row for every ending."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.nights import only
from tests.wheelproof.campaign import folders
from wheelproof.campaign import manifest as manifests
from wheelproof.verdict import Verdict


@pytest.fixture(scope="module")
def whole(project, shipped, tmp_path_factory):
    """The sum of a campaign in one block."""
    output = tmp_path_factory.mktemp("whole")
    subject, manifest = folders.begun(project, output, size=100)
    folders.run_all(output, manifest, shipped)
    return folders.sum_of(output, manifest, subject)


def test_a_campaign_of_one_block_is_green_and_its_fault_is_rejected(whole):
    assert whole.complete and whole.exit_code == 0
    assert (whole.units, whole.rows, whole.controls, whole.rejected) == (13, 12, 1, 1)
    assert whole.verdicts == {Verdict.EXHAUSTIVE: 12}


@pytest.mark.parametrize("size", only([1, 5], 5))
def test_every_division_and_order_has_the_same_sum(whole, project, shipped, tmp_path, size):
    subject, manifest = folders.begun(project, tmp_path, size=size)
    order = list(range(manifest.blocks))
    random.Random(size).shuffle(order)
    folders.run_all(tmp_path, manifest, shipped, order + order[:1])
    assert folders.sum_of(tmp_path, manifest, subject).digest == whole.digest


def test_other_programs_have_another_sum(whole, project, shipped, tmp_path):
    subject, manifest = folders.begun(project, tmp_path, seeds=(1, 13))
    folders.run_all(tmp_path, manifest, shipped)
    assert folders.sum_of(tmp_path, manifest, subject).digest != whole.digest


def test_a_campaign_that_is_not_finished_shows_nothing(project, shipped, tmp_path):
    subject, manifest = folders.begun(project, tmp_path)
    folders.run_all(tmp_path, manifest, shipped, [1])
    part = folders.sum_of(tmp_path, manifest, subject)
    assert (part.done, part.complete, part.exit_code) == (5, False, 3)


def test_a_failure_is_shrunk_where_it_was_found(project, shipped, tmp_path):
    subject, manifest = folders.begun(project, tmp_path, "oracles:Losing", size=100)
    folders.run_all(tmp_path, manifest, shipped)
    total = folders.sum_of(tmp_path, manifest, subject)
    assert total.exit_code == 1 and total.failures
    for row in total.wrong:
        assert row.figures["numbers"] == 2 and "IndexError" not in row.why
        assert row.property == "order"


def test_a_budget_is_never_green(project, shipped, tmp_path):
    subject, manifest = folders.begun(project, tmp_path, "oracles:Unsure", size=100)
    folders.run_all(tmp_path, manifest, shipped)
    total = folders.sum_of(tmp_path, manifest, subject)
    assert total.verdicts[Verdict.INCONCLUSIVE] == len(total.wrong) > 0
    assert total.exit_code == 3


def test_a_checker_that_judges_nothing_leaves_the_campaign_vacuous(project, shipped, tmp_path):
    subject, manifest = folders.begun(project, tmp_path, "oracles:Blind", size=100)
    folders.run_all(tmp_path, manifest, shipped)
    total = folders.sum_of(tmp_path, manifest, subject)
    assert (total.controls, total.rejected, total.exit_code) == (1, 0, 5)
    assert "the planted fault was not found" in total.wrong[0].why


def test_a_unit_that_ends_its_process_loops_or_raises_has_a_row(project, shipped, tmp_path):
    subject, manifest = folders.begun(
        project, tmp_path, "oracles:Breaking", (0, 7), size=100, limit=8.0
    )
    folders.run_all(tmp_path, manifest, shipped)
    total = folders.sum_of(tmp_path, manifest, subject)
    reasons = {row.name: (row.verdict, row.why) for row in total.wrong}
    assert reasons.keys() >= {"seed 2", "seed 4", "seed 5"}
    assert reasons["seed 2"][0] is Verdict.ERROR
    assert "its process ended with 7, 2 times" in reasons["seed 2"][1]
    assert reasons["seed 4"][0] is Verdict.INCONCLUSIVE and "8 s were" in reasons["seed 4"][1]
    assert reasons["seed 5"][0] is Verdict.ERROR and "ZeroDivisionError" in reasons["seed 5"][1]
    assert total.exit_code == 4 and total.complete


def test_a_unit_that_is_late_ends_the_processes_that_it_has_started(project, shipped, tmp_path):
    _, manifest = folders.begun(project, tmp_path / "c", "oracles:Starting", (0, 1), 100, 3.0)
    mark = tmp_path / "pid"
    folders.run_all(tmp_path / "c", manifest, shipped, STARTED=str(mark))
    assert ended(int(mark.read_text()))


def test_a_process_that_is_killed_once_changes_nothing(project, shipped, tmp_path):
    subject, manifest = folders.begun(project, tmp_path / "c", "oracles:Fragile", size=100)
    mark = tmp_path / "killed"
    folders.run_all(tmp_path / "c", manifest, shipped, FRAGILE=str(mark))
    assert mark.exists()
    total = folders.sum_of(tmp_path / "c", manifest, subject)
    assert total.complete and total.exit_code == 0


def waited(condition, seconds=120.0):
    until = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < until, "it has not come"
        time.sleep(0.05)
    return value


def children(pid):
    """The processes that a process has started."""
    return [
        int(text)
        for file in Path(f"/proc/{pid}/task").glob("*/children")
        for text in file.read_text().split()
    ]


def ended(pid):
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return status == "Z"


@pytest.mark.parametrize("way", ["the executor has gone", "the supervisor is killed"])
def test_the_process_of_units_ends_with_those_above_it(project, shipped, tmp_path, way):
    if not Path("/proc/self/task").is_dir():
        pytest.skip("not run: this system has no /proc")
    _, manifest = folders.begun(project, tmp_path, "oracles:Slow", (0, 40), size=100)
    control = manifest.of_block(0)[0]
    with folders.executor(tmp_path, 0, shipped, SLOW="30") as (process, writing):
        worker = waited(lambda: children(process.pid))[0]
        waited(lambda: (Path(f"/proc/{worker}/fdinfo/0")).exists() and asynchronous(worker))
        if way == "the executor has gone":
            os.close(writing)
        else:
            os.kill(process.pid, signal.SIGKILL)
        waited(lambda: ended(worker), 60)
        process.wait(60)
    assert control.startswith("control: ") and not manifests.finished(tmp_path, manifest)


def asynchronous(pid):
    """Whether the end of its standard input ends a process (O_ASYNC)."""
    text = Path(f"/proc/{pid}/fdinfo/0").read_text()
    flags = next(line for line in text.splitlines() if line.startswith("flags:"))
    return int(flags.split()[1], 8) & os.O_ASYNC
