"""Processes of a run share the work of rewriting its test files."""

import importlib.util
from types import SimpleNamespace

import pytest

from tests import rewriting

TEST = "def test_it():\n    number = 1\n    assert number == 1\n"


@pytest.fixture
def folder(tmp_path):
    for name in ("test_a.py", "test_b.py", "test_c.py", "sub/test_d.py", "helper.py"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(TEST, encoding="utf-8")
    return tmp_path


def worker(number, count):
    """The configuration of one of several processes."""
    return SimpleNamespace(workerinput={"workerid": f"gw{number}", "workercount": count})


def test_the_shares_are_the_test_files_each_once(folder, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    found = rewriting.files([str(folder)])
    shares = [rewriting.share(worker(number, 3), found) for number in range(3)]
    together = [file for share in shares for file in share]
    assert sorted(together) == sorted(folder.rglob("test_*.py")) and len(set(together)) == 4
    assert rewriting.files([f"{folder / 'test_b.py'}::test_it"]) == [folder / "test_b.py"]


def test_a_process_alone_has_no_share(folder, monkeypatch):
    found = rewriting.files([str(folder)])
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    assert rewriting.share(SimpleNamespace(), found) == []
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert rewriting.share(worker(0, 1), found) == [], "nothing would be kept"


def test_what_is_rewritten_is_what_pytest_takes(folder, pytestconfig, monkeypatch):
    file = folder / "test_a.py"
    assert rewriting.rewrite(pytestconfig, [file]) == [file]
    assert rewriting.rewrite(pytestconfig, [file]) == [], "it is there"
    file.write_text(TEST.replace("== 1\n", "== 2\n"), encoding="utf-8")
    assert rewriting.rewrite(pytestconfig, [file]) == [file], "it was stale"

    def again(*_):
        raise AssertionError("pytest rewrites it once more")

    monkeypatch.setattr(rewriting.of_pytest, "_rewrite_test", again)
    hook = pytestconfig.pluginmanager.rewrite_hook
    spec = importlib.util.spec_from_file_location("test_a", file, loader=hook)
    module = importlib.util.module_from_spec(spec)
    hook.exec_module(module)
    with pytest.raises(AssertionError, match="1 == 2"):
        module.test_it()
    other = importlib.util.spec_from_file_location("test_b", folder / "test_b.py", loader=hook)
    with pytest.raises(AssertionError, match="once more"):
        hook.exec_module(importlib.util.module_from_spec(other))
