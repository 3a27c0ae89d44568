"""docs/install.md as a reader follows it, with each interpreter of the machine, in bare places."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import islice

import pytest

from tests import forked
from tests.distributions import PIP, ROOT, build, environment, run, source
from tests.docs.reading import commands
from tests.wheelproof.plain import interpreters

PAGE = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(source(tmp_path_factory.mktemp("wheel") / "tree"))


def installed(python, folder, wheel):
    """Install the wheel with what it needs; without an index the test is skipped, by name."""
    code, printed = run(folder, *PIP, "install", wheel, python=python)
    if code and run(folder, *PIP, "download", "--no-deps", "rich", python=python)[0]:
        pytest.skip("NOT RUN: no package index")
    assert code == 0, printed


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_the_page_works_in_a_bare_environment(wheel, tmp_path, version):
    """An empty folder, an empty home, and Java and Maven on PATH."""
    python = sys.executable if version == THIS else interpreters.needed(version, "venv")
    python = environment(tmp_path / "environment", python)
    empty, home = tmp_path / "empty", tmp_path / "home"
    empty.mkdir()
    home.mkdir()
    bare = {
        "HOME": str(home),
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
    first, *others = islice(commands(PAGE), 4)
    assert first == ["pip", "install", "wheelproof"]
    installed(python, tmp_path, wheel)

    def shell(folder, words):
        done = subprocess.run(
            words,
            cwd=folder,
            env=bare,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        return done.returncode, done.stdout

    ends = [shell(empty, words) for words in others]
    assert [code for code, _ in ends] == [5, 0, 0], ends
    assert "the tools are ready, and no project is here" in ends[0][1]
    assert re.search(r": ([1-9]\d*) of \1 checks in order", ends[2][1]), ends[2][1]
    code, printed = shell(empty, ["wheelproof", "doctor"])
    assert code == 0 and "ready to verify" in printed
    buffer = shutil.copytree(
        ROOT / "examples" / "bounded_buffer", tmp_path / "buffer", ignore=forgotten
    )
    code, printed = shell(buffer, shlex.split("wheelproof verify --layer bisimulation"))
    assert code == 0 and "1 of 1 checks in order" in printed, printed
    stock = ROOT / "examples" / "stock" / "test_stock.py"
    shutil.copy(stock, empty)
    code, printed = shell(empty, ["wheelproof", "explore", "test_stock.py::test_sound_stock"])
    assert code == 0 and "exhausted" in printed, printed


def forgotten(_folder, names):
    return {"build", "__pycache__"} & set(names)


# -- doctor, and what verify does next


def ended(folder, tmp_path, *words, **variables):
    """(exit code, output) of a command with an empty home and no network."""
    output = tmp_path / "output"
    bare = {name: text for name, text in os.environ.items() if not name.startswith("WHEELPROOF")}
    bare |= {"HOME": str(tmp_path / "home"), "WHEELPROOF_OFFLINE": "1", "NO_COLOR": "1"}
    bare |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": "", "COLUMNS": "200"}
    code = forked.run(words, folder, bare | variables, output)
    return code, output.read_text(encoding="utf-8")


@pytest.mark.daily(2)
@pytest.mark.parametrize("project", ["none", "sound", "wrong"])
@pytest.mark.parametrize("java", ["there", "absent"])
def test_doctor_ends_as_verify_does_next(tmp_path, project, java):
    folder = tmp_path / "project"
    if project == "none":
        folder.mkdir()
    else:
        shutil.copytree(ROOT / "examples" / "bounded_buffer", folder, ignore=forgotten)
    if project == "wrong":
        (folder / "spec" / "BoundedBuffer.toml").write_text("[wrong\n", encoding="utf-8")
    empty = {"JAVA_HOME": str(tmp_path), "PATH": str(tmp_path)} if java == "absent" else {}
    codes = [ended(folder, tmp_path, name, **empty)[0] for name in ("doctor", "verify")]
    expected = {"none": 5, "wrong": 2, "sound": 4}[project]
    assert codes == [expected, expected], "4 is that of TLC, which nothing may fetch"


def test_doctor_takes_a_jar_that_will_be_fetched_for_one_that_is_there(tmp_path):
    folder = shutil.copytree(
        ROOT / "examples" / "bounded_buffer", tmp_path / "project", ignore=forgotten
    )
    client = tmp_path / "bin" / "mvn"
    client.parent.mkdir()
    client.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    client.chmod(0o755)
    here = {"PATH": f"{client.parent}{os.pathsep}{os.environ['PATH']}", "WHEELPROOF_OFFLINE": ""}
    code, printed = ended(folder, tmp_path, "doctor", **here)
    assert code == 0 and "the first check fetches it, by Maven" in printed
    code, printed = ended(folder, tmp_path, "doctor")
    assert code == 4 and "not ready: TLC must be there" in printed
    assert "wheelproof doctor --fetch" in printed
