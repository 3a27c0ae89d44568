"""The distribution of the primitives: what is in it, where it works, and what takes its place."""

import email
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import wheelproof
from tests.distributions import NO_NETWORK, PIP, build, run, runtime, unpacked
from wheelproof import isolated
from wheelproof.errors import UsageError
from wheelproof.python import ControlledImplementation
from wheelproof.stress.loading import ProductionImplementation

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "runtime"
PACKAGE = FOLDER / "wheelproof_runtime"
SOURCES = {
    "__init__.py": "impl/runtime.py",
    "atomic.py": "impl/atomic.py",
    "choices.py": "model/choices.py",
    "condition.py": "impl/condition.py",
    "gate.py": "impl/gate.py",
    "pluscal.py": "model/pluscal.py",
    "read_write_lock.py": "impl/read_write_lock.py",
    "threads.py": "impl/threads.py",
}
ONE_SHOT = ROOT / "examples" / "one_shot"
IN_PRODUCTION = """
import queue, sys, threading
import wheelproof_runtime as runtime
from wheelproof_runtime import pluscal
assert runtime.Lock is threading.Lock and runtime.Monitor is threading.RLock
assert runtime.Queue is queue.Queue and issubclass(runtime.Condition, threading.Condition)
assert runtime.Atomic(1).add_and_get(2) == 3 and pluscal.Machine.__name__ == "Machine"
assert all(hasattr(runtime, name) for name in runtime.__all__)
library = set(sys.stdlib_module_names) | {"wheelproof_runtime", "__main__"}
print(sorted({name.partition(".")[0] for name in sys.modules} - library))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return runtime(tmp_path_factory.mktemp("built") / "runtime")


def test_each_module_is_a_link_to_the_one_that_is_verified():
    assert {file.name for file in PACKAGE.glob("*.py")} == set(SOURCES)
    for name, source in SOURCES.items():
        assert os.readlink(PACKAGE / name) == f"../../{source}"


def test_its_wheel_has_the_verified_modules_and_depends_on_nothing(wheel):
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert found == {f"wheelproof_runtime/{name}" for name in (*SOURCES, "py.typed")}
        for name, source in SOURCES.items():
            assert archive.read(f"wheelproof_runtime/{name}") == (ROOT / source).read_bytes()
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        declared = email.message_from_bytes(archive.read(metadata))
    assert (
        declared.get_all("Requires-Dist") is None and declared["License-Expression"] == "Apache-2.0"
    )


@pytest.mark.nightly
def test_its_source_distribution_has_files_in_the_place_of_links(wheel, tmp_path):
    folder = Path(shutil.copytree(ROOT, tmp_path / "clone", ignore=not_of_it, symlinks=True))
    again = build(unpacked(build(folder / "runtime", "sdist"), tmp_path / "unpacked"))
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(again) as other:
        for name in archive.namelist():
            assert name.endswith("RECORD") or archive.read(name) == other.read(name)


def not_of_it(folder, names):
    """All but the runtime, and what its links lead to."""
    kept = {"runtime", "impl", "model", "LICENSE"}
    made = {"__pycache__", "build", "wheelproof_runtime.egg-info"}
    return [name for name in names if (Path(folder) == ROOT and name not in kept) or name in made]


def test_it_works_in_an_empty_folder_with_the_standard_library_alone(wheel, tmp_path):
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    code, printed = run(empty, *PIP, "install", *NO_NETWORK, "--target", installed, wheel)
    assert code == 0, printed
    program = f"import sys\nsys.path.insert(0, {str(installed)!r})\n{IN_PRODUCTION}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        cwd=empty,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_it_has_the_version_of_the_tool_and_no_requirement():
    def project(folder):
        return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project(ROOT)["version"] == project(FOLDER)["version"] == wheelproof.__version__
    assert project(FOLDER)["dependencies"] == []
    assert not any("runtime" in each for each in project(ROOT)["dependencies"])


# -- in a project


def modules():
    return {name: sys.modules[name] for name in sys.modules if name.startswith("wheelproof_run")}


def test_under_control_the_names_are_the_schedulers_and_the_package_stays_as_it_was():
    import wheelproof_runtime

    before = modules()
    loaded = ControlledImplementation.load(ONE_SHOT, "one_shot")._loaded
    inner = loaded.modules["impl.one_shot"]
    assert inner.Lock is loaded.runtime.Lock is not wheelproof_runtime.Lock
    assert modules() == before and sys.modules["wheelproof_runtime"] is wheelproof_runtime


def test_on_real_threads_its_primitives_are_observed_and_the_package_stays_as_it_was():
    import wheelproof_runtime

    lock, atomic = wheelproof_runtime.Lock, wheelproof_runtime.Atomic
    implementation = ProductionImplementation(ONE_SHOT, "one_shot", fault="Lock excludes no thread")
    harness = implementation.set_up({"threads": {}})
    assert type(harness.shot.lock) in implementation._built
    assert wheelproof_runtime.Lock is lock and wheelproof_runtime.Atomic is atomic


@pytest.fixture
def absent(monkeypatch):
    monkeypatch.setattr(isolated, "distribution", lambda: None)


def test_where_it_is_absent_the_code_is_still_explored(absent):
    assert ControlledImplementation.load(ONE_SHOT, "one_shot").labels


def test_where_it_is_absent_real_threads_are_refused_by_its_name(absent):
    with pytest.raises(UsageError, match="No module named 'wheelproof_runtime' in the installed"):
        ProductionImplementation(ONE_SHOT, "one_shot")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("import Lock,", "import Phaser, Lock,", "cannot import name 'Phaser'"),
        ("wheelproof_runtime import", "wheelproof_runtimes import", "No module named"),
        ("import annotations", "import annotations\nimport threading", "threading is out of the"),
    ],
)
def test_another_import_than_its_own_is_refused(old, new, message):
    text = (ONE_SHOT / "impl" / "one_shot.py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    with pytest.raises(UsageError, match=message):
        ControlledImplementation.load(
            ONE_SHOT, "one_shot", texts={"impl.one_shot": text.replace(old, new)}
        )


def test_a_module_of_the_project_goes_before_it(tmp_path):
    project = Path(shutil.copytree(ONE_SHOT, tmp_path / "one_shot"))
    assert isolated.runtime_of(project) == "wheelproof_runtime"
    (project / "impl" / "threads.py").write_text("from threading import Lock\n", encoding="utf-8")
    assert isolated.runtime_of(project) == "impl.threads"
