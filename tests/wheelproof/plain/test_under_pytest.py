"""Tests that are explored: by their ``with`` block, a fixture, a marker, or the command."""

import os
import signal
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import forked
from tests.examples.pages import wheelproof
from wheelproof.plain.under_pytest import real_lock

ROOT = Path(__file__).resolve().parents[3]

POOL = """
import threading

class Pool:
    def __init__(self, size):
        self.free, self.lock = list(range(size)), threading.Lock()

    def get(self):
        if self.free:
            with self.lock:
                return self.free.pop()
        return None

class Safe(Pool):
    def get(self):
        with self.lock:
            return self.free.pop() if self.free else None
"""

CONFTEST = """
import pytest
from pool import Pool, Safe

@pytest.fixture
def safe():
    pool = Safe(1)
    yield pool
    assert pool.free == []  # of each execution

@pytest.fixture
def racy():
    return Pool(1)

@pytest.fixture(scope="module")
def shared():
    return Safe(1)

@pytest.fixture(scope="session")
def seen():
    return []
"""

TESTS = """
import asyncio, subprocess, sys, threading
import pytest
import wheelproof
from pool import Pool, Safe

def use(pool):
    got = []
    threads = [threading.Thread(target=lambda: got.append(pool.get())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got, key=str) == [0, None]

def test_block():
    with wheelproof.explore():
        use(Pool(1))

def test_block_of_sound_code(safe):
    with wheelproof.explore():
        use(safe)

def test_block_with_bound():
    with wheelproof.explore(bound=0):
        use(Safe(1))

def test_two_blocks():
    with wheelproof.explore(bound=0):
        use(Safe(1))
    with wheelproof.explore(bound=1):
        use(Safe(1))

def test_fixture(explore, safe):
    use(safe)

def test_fixture_with_options(explore):
    with explore(executions=3):
        use(Safe(1))

def test_fixture_of_racy_code(explore, racy):
    use(racy)

@pytest.mark.explore(bound=0)
def test_marker(safe):
    use(safe)

@pytest.mark.explore(bonud=0)
def test_marker_with_a_slip():
    use(Safe(1))

@pytest.mark.explore
@pytest.mark.parametrize("kind", [Pool, Safe])
def test_parameter(kind):
    use(kind(1))

@pytest.mark.explore
def test_fixture_of_wider_scope(shared):
    use(shared)

@pytest.mark.explore
def test_state_of_wider_scope(seen):
    seen.append(1)
    use(Safe(1))
    assert seen == [1]

class TestMethods:
    def setup_method(self):
        self.pool = Safe(1)

    @pytest.fixture
    def of_class(self):
        return Pool(1)

    def test_method(self, explore):
        use(self.pool)

    def test_fixture_of_class(self, explore, of_class):
        use(of_class)

@pytest.mark.explore
def test_patched(monkeypatch, tmp_path):
    monkeypatch.setattr("pool.Pool.get", Safe.get)
    (tmp_path / "file").write_text("new in each execution")
    assert len(list(tmp_path.iterdir())) == 1
    use(Pool(1))

@pytest.mark.explore
async def test_asynchronous():
    pass

@pytest.mark.explore
def test_event_loop():
    async def nothing():
        pass
    asyncio.run(nothing())

@pytest.mark.explore
def test_subprocess():
    subprocess.run([sys.executable, "-c", ""])

@pytest.mark.explore
def test_skipped():
    pytest.skip("not here")

@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_expected_to_fail():
    with wheelproof.explore():
        use(Pool(1))

def test_called():
    wheelproof.explore(program)

def program():
    use(Pool(1))

def test_alone(explore):
    pass

def test_not_explored(racy):
    assert racy.get() == 0 and racy.get() is None
"""

PASSED = {
    "test_block_of_sound_code",
    "test_block_with_bound",
    "test_fixture",
    "test_marker",
    "test_parameter[Safe]",
    "test_state_of_wider_scope",
    "test_method",
    "test_patched",
    "test_not_explored",
}

FAILED = {
    "test_block": "bug: IndexError",
    "test_two_blocks": "A block of the test says",
    "test_fixture_with_options": "budget: ",
    "test_fixture_of_racy_code": "bug: IndexError",
    "test_marker_with_a_slip": "the marker explore takes into, bound, executions, seed by name",
    "test_parameter[Pool]": "bug: IndexError",
    "test_fixture_of_wider_scope": "the fixture shared of scope module holds",
    "test_fixture_of_class": "bug: IndexError",
    "test_asynchronous": "test_pool.py::test_asynchronous is asynchronous",
    "test_event_loop": "starts an event loop of asyncio",
    "test_subprocess": "starts a subprocess",
    "test_called": "bug: IndexError",
    "test_alone": "vacuous: ",
}
"""Test -> what its failure says."""


def written(folder):
    for name, text in {"pool": POOL, "conftest": CONFTEST, "test_pool": TESTS}.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return folder


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Test -> (outcome, text), of one run of pytest over all of them."""
    folder = written(tmp_path_factory.mktemp("subject"))
    results = folder / "results.xml"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    with tempfile.TemporaryDirectory() as elsewhere:
        printed = Path(elsewhere) / "printed"
        arguments = ("-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={results}")
        forked.run_pytest(arguments, folder, environment, printed, 300)
        assert results.is_file(), printed.read_text()
    found = {}
    for case in ElementTree.parse(results).iter("testcase"):
        part = next((part for part in case if part.tag in ("failure", "error", "skipped")), None)
        if part is None:
            found[case.get("name")] = "passed", ""
        else:
            found[case.get("name")] = part.tag, f"{part.get('message')}\n{part.text}"
    return found


@pytest.mark.nightly
def test_tests_pass_where_all_orders_do(outcomes):
    assert {name for name, (outcome, _) in outcomes.items() if outcome == "passed"} == PASSED


@pytest.mark.parametrize("name", FAILED)
def test_what_is_no_pass_fails_the_test_and_says_why(outcomes, name):
    outcome, text = outcomes[name]
    assert outcome == "failure" and FAILED[name] in text


def test_tests_can_be_skipped_and_expected_to_fail(outcomes):
    names = {name for name, (outcome, _) in outcomes.items() if outcome == "skipped"}
    assert names == {"test_skipped", "test_expected_to_fail"}


def test_a_failure_shows_no_traceback_of_the_tool(outcomes):
    assert "under_pytest.py" not in outcomes["test_block"][1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = written(tmp_path_factory.mktemp("commands"))
    (folder / "broken.py").write_text("import nowhere\n")
    (folder / "slow.py").write_text(
        "import os, signal\nfrom test_pool import use, Safe\n"
        f"def interrupted():\n    os.kill(os.getpid(), signal.{signal.SIGINT.name})\n"
        "    use(Safe(1))\n"
    )
    return folder


@pytest.mark.daily(16)
@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["test_pool.py::test_not_explored"], 5, "vacuous"),
        (["test_pool.py::test_block"], 1, "bug: IndexError"),
        (["test_pool.py::program"], 1, "bug: IndexError"),
        (["test_pool.py::test_fixture"], 0, "exhausted: "),
        (["test_pool.py::test_fixture", "--bound", "0"], 0, "bounded: "),
        (["test_pool.py::test_fixture", "--executions", "3"], 3, "budget: "),
        (["test_pool.py::test_parameter"], 1, "exhausted: "),
        (["test_pool.py::test_skipped"], 5, "Skipped: not here"),
        (["test_pool.py::test_asynchronous"], 2, "is asynchronous"),
        (["test_pool.py::use"], 2, "fixture 'pool' not found"),
        (["test_pool.py::nowhere"], 2, "cannot collect test_pool.py::nowhere"),
        (["broken.py::program"], 2, "No module named 'nowhere'"),
        (["nowhere.py::program"], 2, "no file nowhere.py"),
        (["test_pool.py"], 2, "names no test"),
        (["test_pool.py::program", "--into", "a b"], 2, "no name of a module"),
        (["slow.py::interrupted"], 130, "interrupted after 1 executions"),
    ],
)
def test_the_command_prints_the_answer_and_ends_with_its_code(folder, arguments, code, text):
    ended, printed = wheelproof(folder, "explore", *arguments)
    assert (ended, text in printed) == (code, True), printed


def test_real_locks_are_found_in_what_a_value_reaches():
    from threading import Condition, Thread

    class Slotted:
        __slots__ = ("inner",)

    slotted = Slotted()
    slotted.inner = {"deep": [Condition()]}
    assert real_lock(slotted) is not None and real_lock((Thread(),)) is not None
    slotted.inner = slotted
    assert real_lock(slotted) is None and real_lock({"deep": [1, "two"]}) is None
