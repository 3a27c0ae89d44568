"""What a run writes cannot be written, or is there already from another run."""

import errno
import os
import resource
import signal

import pytest

from tests.nights import only
from wheelproof.verdict import RESULTS_FILE, read_results


def small_files(size):
    """Limit the size of files in a child before it starts: a write fails as on a full disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("size", only([0, 200], 0))
def test_a_file_that_cannot_be_written_whole(verify, size):
    ended = verify("bisimulation", preexec_fn=small_files(size))
    ended.fails(4, "cannot be written", os.strerror(errno.EFBIG))
    verify.leaves_nothing()


def test_a_report_that_cannot_be_written_although_the_results_can(verify):
    ended = verify("bisimulation", preexec_fn=small_files(4_000))
    assert (
        ended.code == 4
        and len(ended.lines) == 1
        and "review.html cannot be written" in ended.lines[0]
    ), ended
    assert (
        "every verdict as expected" not in ended.out
        and not (verify.output / "review.html").exists()
    )
    assert ended.results.complete  # and true: what was checked was in order
    ended.is_tidy()


@pytest.mark.nightly
def test_a_limit_that_is_not_reached_is_green(verify):
    verify("bisimulation", preexec_fn=small_files(1_000_000)).is_green()


@pytest.mark.skipif(
    not os.path.exists("/dev/full"),
    reason="this system has no /dev/full, the file that is always full",
)
def test_a_report_without_a_reader(verify):
    with open("/dev/full", "w") as full:
        ended = verify("bisimulation", stdout=full)
    assert ended.code == 4, ended


def test_an_output_folder_that_is_a_file(verify):
    verify.output.write_text("not a folder")
    ended = verify("bisimulation")
    assert (
        ended.code == 4 and len(ended.lines) == 1 and "output cannot be written" in ended.lines[0]
    ), ended


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_an_output_folder_that_may_not_be_written(verify):
    verify.output.mkdir(mode=0o500)
    verify("bisimulation").fails(4, "cannot be written", "Choose another folder with --output")


def test_an_older_runs_results_are_never_this_runs(verify, small):
    verify("bisimulation").is_green()
    old = verify.output / RESULTS_FILE
    before, text = read_results(old), old.read_text()
    small.change(
        "model/timer_task_list.py",
        'self.scalar("taskCounter", linked)',
        'self.scalar("taskCounter", linked + 1)',
    )
    verify("bisimulation").fails(1, "bisimulation / two_adders")
    assert read_results(old).run != before.run
    old.write_text(text)
    verify("bisimulation", preexec_fn=small_files(0)).fails(4, "cannot be written")
    assert not old.exists()  # the run could not even say that it began
