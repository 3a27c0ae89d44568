"""How files are given to the processes of a run side by side."""

import signal
from collections import OrderedDict

import pytest
from xdist.plugin import pytest_xdist_auto_num_workers as for_cores

from tests.conftest import APART, LONGEST, SHARING, ByFile, heed_interrupts
from tests.wheelproof.conftest import ROOT


class Node:
    """A process that only takes down which tests it is sent."""

    def __init__(self):
        self.sent = []

    def send_runtest_some(self, indices):
        self.sent.append(list(indices))


def given(files: dict[str, int]) -> list[str]:
    """The order in which one process is given files with so many tests each."""
    scheduler, node = object.__new__(ByFile), Node()  # made by pytest it would start processes
    names = [f"{file}::test_{number}" for file, count in files.items() for number in range(count)]
    scheduler.registered_collections, scheduler.assigned_work = {node: names}, {}
    scheduler.workqueue = OrderedDict(
        (file, {name: False for name in names if name.startswith(f"{file}::")})
        for file in sorted(files, key=lambda file: -files[file])
    )
    while scheduler.workqueue:
        scheduler._assign_work_unit(node)
    return [names[indices[0]].partition("::")[0] for indices in node.sent]


def test_the_longest_are_given_first_and_the_others_by_their_number():
    files = {"tests/a.py": 3, "tests/b.py": 9, LONGEST[2]: 1, LONGEST[1]: 2}
    assert given(files) == [LONGEST[1], LONGEST[2], "tests/b.py", "tests/a.py"]


def test_the_longest_are_files_and_folders_that_there_are():
    for scope in LONGEST:
        assert (ROOT / scope).exists() and (scope.endswith(".py") or scope in SHARING), scope
        assert scope in SHARING or not scope.startswith(SHARING), "its folder is given out whole"


def test_what_is_shared_is_shared_by_several_files():
    files = [file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py")]
    for shared in SHARING:
        assert sum(file.startswith(shared) for file in files) > 1, shared
    scope = object.__new__(ByFile)._split_scope
    jdk = [scope(f"tests/claims/test_jdk{end}.py::test_it") for end in ("", "_stand_ins")]
    assert jdk == ["tests/claims/test_jdk"] * 2
    assert scope("tests/claims/test_cost.py::test_it") == "tests/claims/test_cost.py"


def test_the_cases_of_a_long_file_that_share_nothing_are_given_out_one_by_one():
    scope = object.__new__(ByFile)._split_scope
    for file in APART:
        assert (ROOT / file).is_file() and file not in LONGEST
        assert [scope(f"{file}::test_it[{case}]") for case in (0, 1)] == [
            f"{file}::test_it[0]", f"{file}::test_it[1]",
        ]  # fmt: skip


@pytest.mark.parametrize(("chosen", "more"), [("auto", 1), ("logical", 0)])
def test_auto_is_one_process_more_than_there_are_cores(pytestconfig, monkeypatch, chosen, more):
    monkeypatch.setattr(pytestconfig.option, "numprocesses", chosen)
    found = pytestconfig.hook.pytest_xdist_auto_num_workers(config=pytestconfig)
    assert found == for_cores(pytestconfig) + more


@pytest.mark.parametrize(
    ("former", "then"),
    [
        (signal.SIG_IGN, signal.default_int_handler),
        (signal.default_int_handler, signal.default_int_handler),
        (signal.SIG_DFL, signal.SIG_DFL),
    ],
)
def test_what_a_background_job_starts_can_be_interrupted(former, then):
    before = signal.signal(signal.SIGINT, former)
    try:
        heed_interrupts()
        assert signal.getsignal(signal.SIGINT) is then
    finally:
        signal.signal(signal.SIGINT, before)
