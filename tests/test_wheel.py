"""The built wheel works from an empty folder, without the checkout in reach."""

import email
import re
import runpy
import subprocess
import zipfile
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.distributions import (
    NO_NETWORK,
    PIP,
    ROOT,
    build,
    environment,
    run,
    runtime,
    source,
    unpacked,
)
from wheelproof.tlc import mc

MADE = {".pyc", ".pyo"}
BUNDLED = "wheelproof_bundled"
ADDRESS = "https://example.org/wheelproof/blob/v0"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the sources: a build writes beside them."""
    return source(tmp_path_factory.mktemp("wheel") / "tree")


@pytest.fixture(scope="module")
def wheel(tree):
    return build(tree)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """The wheel of the runtime's own distribution."""
    return runtime(tmp_path_factory.mktemp("other") / "runtime")


def contents(wheel):
    """The files of a wheel that are installed as they are."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name
        }


def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_it_has_every_file_of_the_package_the_runtime_apart_and_nothing_else(wheel):
    package = ROOT / "wheelproof"
    expected = {
        file.relative_to(ROOT).as_posix(): file.read_bytes()
        for file in package.rglob("*")
        if file.is_file() and file.suffix not in MADE and not file.name.startswith(".")
    }
    for file in (ROOT / "runtime" / "wheelproof_runtime").iterdir():
        if file.is_file():
            expected[f"{BUNDLED}/wheelproof_runtime/{file.name}"] = file.read_bytes()
    expected[f"{BUNDLED}.pth"] = f"{BUNDLED}\n".encode()
    assert contents(wheel) == expected


def test_both_distributions_share_no_file_but_have_the_same_runtime(wheel, other):
    mine, its = contents(wheel), contents(other)
    assert not mine.keys() & its.keys()
    assert its == {
        name.removeprefix(f"{BUNDLED}/"): content
        for name, content in mine.items()
        if name.startswith(f"{BUNDLED}/")
    }


@pytest.mark.nightly
def test_the_source_distribution_makes_the_same_wheel(tree, wheel, tmp_path):
    archive = build(tree, "sdist", WHEELPROOF_REPOSITORY=ADDRESS)
    again = build(unpacked(archive, tmp_path))
    assert contents(again) == contents(wheel)
    assert f"({ADDRESS}/docs/explore.md)" in metadata(again).get_payload()
    assert metadata(again)["Project-URL"] == f"Repository, {ADDRESS}"


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_the_page_of_an_index_has_no_link_that_leads_nowhere(address):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(ROOT / "setup.py"))["page"](text, address)
    tokens = [
        [
            child
            for token in MarkdownIt("commonmark").enable("table").parse(page)
            for child in token.children or ()
        ]
        for page in (text, made)
    ]
    before, after = (
        [str(each.attrs["href"]) for each in found if each.type == "link_open"] for found in tokens
    )
    assert len(before) > 15
    whole = [link if "://" in link else f"{ADDRESS}/{link}" for link in before]
    assert after == (whole if address else [link for link in before if "://" in link])
    words = ["".join(each.content for each in found).split() for found in tokens]
    assert words[0] == words[1], "a word was lost"


def test_the_description_is_complete(wheel):
    known = metadata(wheel)
    assert known["Description-Content-Type"] == "text/markdown"
    assert known["License-Expression"] == "Apache-2.0" and known["License-File"] == "LICENSE"
    assert known["Requires-Python"] == ">=3.11" and "Typing :: Typed" in str(known)
    assert "wheelproof/py.typed" in contents(wheel)
    core = [each for each in known.get_all("Requires-Dist") if "extra ==" not in each]
    assert not [each for each in core if re.match("z3|cvc5|pyspark|hypothesis|wheelproof", each)]


def test_the_library_of_specifications_is_in_it(wheel):
    folder = "wheelproof/tlc/library/"
    modules = {Path(name).name for name in contents(wheel) if name.startswith(folder)}
    assert modules == {file.name for file in mc.LIBRARY.iterdir()}
    shared = modules & {file.name for file in (ROOT / "spec").glob("*.tla")}
    assert "Conditions.tla" in shared
    for name in shared:
        assert (mc.LIBRARY / name).read_bytes() == (ROOT / "spec" / name).read_bytes()


@pytest.mark.nightly
def test_the_command_builds_both_distributions_of_the_last_commit(wheel, tmp_path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    (clone / "tools" / "setup").write_text("#!/bin/sh\n", encoding="utf-8")
    (clone / ".venv").symlink_to(ROOT / ".venv")
    done = subprocess.run(
        ["tools/dist", ADDRESS], cwd=clone, check=True, stdout=subprocess.PIPE, text=True
    )
    names = done.stdout.split()
    assert [re.sub(r"-\d.*?(?=-py3|\.tar)", "", name) for name in names] == [
        "wheelproof-py3-none-any.whl",
        "wheelproof.tar.gz",
        "wheelproof_runtime-py3-none-any.whl",
        "wheelproof_runtime.tar.gz",
    ]
    mine, its = (clone / "dist" / name for name in names if name.endswith(".whl"))
    assert contents(mine).keys() == contents(wheel).keys() and len(contents(its)) == 9
    assert f"({ADDRESS}/docs/explore.md)" in metadata(mine).get_payload()


@pytest.mark.nightly
def test_either_distribution_is_removed_without_the_other(wheel, other, tmp_path):
    """The shipped one goes first, and is back when the tool's copy is gone."""
    python = environment(tmp_path / "environment")

    def place():
        code, printed = run(
            tmp_path, "-c", "import wheelproof_runtime as r; print(r.__file__)", python=python
        )
        return "absent" if code else "bundled" if BUNDLED in printed else "its own"

    def pip(*words):
        code, printed = run(tmp_path, *PIP, *words, python=python)
        assert code == 0, printed
        return place()

    assert pip("install", *NO_NETWORK, wheel) == "bundled"
    assert pip("install", *NO_NETWORK, other) == "its own"
    assert pip("uninstall", "-y", "wheelproof-runtime") == "bundled"
    assert pip("install", *NO_NETWORK, other) == "its own"
    assert pip("uninstall", "-y", "wheelproof") == "its own"
    assert pip("uninstall", "-y", "wheelproof-runtime") == "absent"


POOL = """
import threading

class Pool:
    def __init__(self, size):
        self.size, self.used = size, 0
        self.free = threading.Condition()

    def take(self):
        with self.free:
            if self.used == self.size:
                self.free.wait()
            self.used += 1

    def give(self):
        with self.free:
            self.used -= 1
            self.free.notify()
"""
TEST = """
import threading
from pool import Pool

def test_pool():
    pool, most = Pool(1), []

    def work():
        pool.take()
        most.append(pool.used)
        pool.give()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
"""


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("loop", "code", "answer"),
    [("if", 1, "bug: AssertionError"), ("while", 0, "exhausted: ")],
)
def test_an_existing_test_is_explored_by_the_wheel_alone(wheel, tmp_path, loop, code, answer):
    """A waiter that does not look again goes on beside a third thread."""
    installed, folder = tmp_path / "installed", tmp_path / "project"
    folder.mkdir()
    (folder / "pool.py").write_text(POOL.replace("if self.used", f"{loop} self.used"))
    (folder / "test_pool.py").write_text(TEST)
    assert run(folder, *PIP, "install", *NO_NETWORK, "--target", installed, wheel)[0] == 0
    here = {"PYTHONPATH": str(installed)}
    assert run(folder, "-m", "pytest", "-q", **here)[0] == 0, "no run of pytest shows it"
    explored = run(folder, "-m", "wheelproof", "explore", "test_pool.py::test_pool", **here)
    assert explored[0] == code and answer in explored[1], explored[1]
    assert loop == "while" or "2 preemptions, the fewest" in explored[1]


@pytest.mark.nightly
def test_a_subject_that_it_starts_is_verified_from_any_folder_on_the_path(wheel, tmp_path):
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    code, printed = run(empty, *PIP, "install", *NO_NETWORK, "--target", installed, wheel)
    assert code == 0, printed
    here = {"PYTHONPATH": str(installed)}
    code, printed = run(empty, "-c", "import wheelproof; print(wheelproof.__file__)", **here)
    assert Path(printed.strip()).is_relative_to(installed), "not the checkout's"
    code, printed = run(empty, "-m", "wheelproof", "init", "my_lock", **here)
    assert code == 0, printed
    code, printed = run(empty, "-m", "wheelproof", "verify", "--jobs", "1", **here)
    assert code == 0, printed
    assert re.search(r": ([1-9]\d*) of \1 checks in order", printed), printed
    assert (empty / "spec" / "plan.json").is_file(), "no row was compared with a plan"
    assert str(ROOT) not in (empty / "build" / "results.json").read_text(encoding="utf-8")
