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


def worker(config, number, count, *arguments):
    """The configuration of one of several processes."""
    given = {"workerid": f"gw{number}", "workercount": count}
    return SimpleNamespace(workerinput=given, args=[str(each) for each in arguments])


def test_the_shares_are_the_test_files_each_once(folder, pytestconfig, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    shares = [rewriting.share(worker(pytestconfig, number, 3, folder)) for number in range(3)]
    together = [file for share in shares for file in share]
    assert sorted(together) == sorted(folder.rglob("test_*.py")) and len(set(together)) == 4
    named = f"{folder / 'test_b.py'}::test_it"
    assert rewriting.share(worker(pytestconfig, 0, 1, named)) == [folder / "test_b.py"]


def test_a_process_alone_has_no_share(folder, monkeypatch):
    alone = SimpleNamespace(args=[str(folder)])
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    assert rewriting.share(alone) == []
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert rewriting.share(worker(None, 0, 1, folder)) == [], "nothing would be kept"


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
