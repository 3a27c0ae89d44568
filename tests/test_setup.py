"""tools/setup in a scratch tree, with scripts in place of Python and uv."""

import ast
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECTS = ("pyproject.toml", "runtime/pyproject.toml")
LOCKS = (
    "requirements.lock",
    "requirements-java.lock",
    "requirements-fetch.lock",
    "requirements-data.lock",
    "requirements-kafka.lock",
    "requirements-dev.lock",
    "requirements-docs.lock",
)

# Stands for a Python of the version in $0.version (as tools/setup's one-liner judges it) and for
# the venv made from it. Its calls go to the log; an exit code in a file of the state
# folder makes that part fail.
PYTHON = """#!/bin/sh
echo "$(basename "$0") $*" >> "$STATE/log"
code() { cat "$STATE/$1" 2>/dev/null || echo 0; }
case "$*" in
    --version) echo 'Python 3.x' ;;
    "-c import ensurepip"*) exit "$(code ensurepip)" ;;
    "-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    "-m wheelproof.tlc java") exit "$(code java)" ;;
    "-m wheelproof.tlc jar") exit "$(code jar)" ;;
    "-m wheelproof.pipeline java") exit "$(code spark)" ;;
    *"-r requirements.lock"*) exit "$(code install)" ;;
esac
"""
UV = """#!/bin/sh
echo "uv $*" >> "$STATE/log"
mkdir -p .venv/bin; cp "$STATE/python" .venv/bin/python
"""


class Tree:
    """A scratch copy of the files of tools/setup, and a PATH with the shell's tools only."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin, self.state = folder / "tree", folder / "bin", folder / "state"
        for made in (self.root / "tools", self.bin, self.state):
            made.mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "setup", self.root / "tools")
        (self.root / "runtime").mkdir()
        for name in (*PROJECTS, *LOCKS):
            shutil.copy(ROOT / name, self.root / name)
        for tool in ("sh", "basename", "cat", "cmp", "cp", "dirname", "mkdir", "mv", "rm"):
            (self.bin / tool).symlink_to(shutil.which(tool))

    def executable(self, name: str, body: str) -> Path:
        path = self.bin / name
        path.write_text(body)
        path.chmod(0o755)
        return path

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        log = self.state / "log"
        log.write_text("")
        ended = subprocess.run(
            [self.root / "tools" / "setup", *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
            env={
                "PATH": str(self.bin),
                "STATE": str(self.state),
                "HOME": os.devnull,
                **environment,
            },
        )
        self.calls = log.read_text().splitlines()
        return ended

    def installed(self) -> list[str]:
        """The lock files that pip was called to install, each of them with its hashes."""
        calls = [line for line in self.calls if "-m pip install" in line and "-r " in line]
        assert all("--require-hashes" in line for line in calls)
        return [name for line in calls for name in re.findall(r"-r (\S+)", line)]

    @property
    def stamp(self) -> Path:
        return self.root / ".venv" / "wheelproof.stamp"


@pytest.fixture
def tree(tmp_path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture
def ready(tree) -> Tree:
    tree.executable("python3.12", PYTHON)
    assert tree.run().returncode == 0
    return tree


def test_every_python_that_is_promised_is_looked_for_the_newest_first():
    with (ROOT / "pyproject.toml").open("rb") as file:
        classifiers = tomllib.load(file)["project"]["classifiers"]
    promised = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", each) for each in classifiers
    ]
    named = [f"python{found[1]}" for found in promised if found]
    script = (ROOT / "tools" / "setup").read_text()
    looked = re.search(r"for candidate in (.*); do", script)[1].split()
    assert looked == [*reversed(named), "python3", "python"]
    assert named == [f"python3.{minor}" for minor in range(11, 15)]


def test_python_3_14_goes_before_an_older_one(tree):
    tree.executable("python3.14", PYTHON)
    tree.executable("python3.13", PYTHON)
    assert tree.run().returncode == 0
    assert "python3.14 -m venv --clear .venv" in tree.calls


def test_the_newest_python_that_runs_is_chosen(tree):
    tree.executable("python3.13", "#!/bin/sh\necho 'no such version' >&2\nexit 127\n")
    tree.executable("python3.12", PYTHON)
    tree.executable("python3.11", PYTHON)
    assert tree.run().returncode == 0
    assert "python3.12 -m venv --clear .venv" in tree.calls
    assert not any(line.startswith("python3.11") for line in tree.calls)


def test_python_names_the_interpreter(tree):
    tree.executable("python3.12", PYTHON)
    other = tree.executable("mine", PYTHON)
    assert tree.run(PYTHON=str(other)).returncode == 0
    assert "mine -m venv --clear .venv" in tree.calls


def test_a_named_python_that_will_not_do_is_refused_and_not_replaced(tree):
    tree.executable("python3.12", PYTHON)
    old = tree.executable("old", "#!/bin/sh\nexit 1\n")
    ended = tree.run(PYTHON=str(old))
    assert ended.returncode == 4
    assert "is not a Python of version 3.11 or newer" in ended.stderr
    assert not (tree.root / ".venv").exists()


def test_without_a_python_one_sentence_is_printed(tree):
    tree.executable("python3", "#!/bin/sh\nexit 1\n")
    ended = tree.run()
    assert ended.returncode == 4
    assert ended.stderr.splitlines() == [
        "setup: no Python of version 3.11 or newer is on PATH: install one, or name it with "
        "PYTHON=/path/to/python."
    ]


def test_without_ensurepip_uv_makes_the_venv_or_the_missing_package_is_named(tree):
    (tree.state / "ensurepip").write_text("1")
    python = tree.executable("python3", PYTHON)
    ended = tree.run()
    assert ended.returncode == 4
    assert "python3-venv" in ended.stderr
    assert not (tree.root / ".venv").exists()
    shutil.copy(python, tree.state / "python")
    tree.executable("uv", UV)
    assert tree.run().returncode == 0
    assert any(line.startswith("uv venv") and f"--python {python}" in line for line in tree.calls)
    assert tree.stamp.exists()


def test_a_second_run_installs_nothing(ready):
    assert ready.installed() == ["requirements.lock"]
    assert ready.run().returncode == 0
    assert ready.installed() == []
    assert not any("pip" in line or "venv" in line for line in ready.calls)


@pytest.mark.parametrize("name", [*PROJECTS, *LOCKS])
def test_a_changed_input_is_installed_into_the_same_venv(ready, name):
    with (ready.root / name).open("a") as file:
        file.write("# changed\n")
    assert ready.run().returncode == 0
    assert ready.installed() == ["requirements.lock"]
    assert not any("-m venv" in line for line in ready.calls)


def test_a_moved_tree_is_installed_again(ready):
    ready.root = ready.root.rename(ready.root.with_name("elsewhere"))
    assert ready.run().returncode == 0
    assert ready.installed() == ["requirements.lock"]


def test_a_broken_venv_is_made_again(ready):
    (ready.root / ".venv" / "bin" / "python").unlink()
    assert ready.run().returncode == 0
    assert "python3.12 -m venv --clear .venv" in ready.calls


def test_a_failed_installation_leaves_no_stamp_and_is_done_again_from_the_start(ready):
    (ready.root / "requirements.lock").write_text("changed\n")
    (ready.state / "install").write_text("1")
    assert ready.run().returncode != 0
    assert not ready.stamp.exists()
    (ready.state / "install").unlink()
    assert ready.run().returncode == 0
    assert "python3.12 -m venv --clear .venv" in ready.calls
    assert ready.installed() == ["requirements.lock"]
    assert ready.stamp.exists()


@pytest.mark.parametrize(("what", "extra"), [("java", "java"), ("jar", "fetch")])
def test_what_the_tool_does_not_find_is_installed_once(ready, what, extra):
    lock = f"requirements-{extra}.lock"
    (ready.state / what).write_text("4")
    assert ready.run().returncode == 0
    assert ready.installed() == [lock]
    assert ready.run().returncode == 0
    assert ready.installed() == []
    # From then on it is part of the installation, and follows its lock.
    (ready.root / lock).write_text("changed\n")
    assert ready.run().returncode == 0
    assert ready.installed() == ["requirements.lock", lock]


@pytest.mark.parametrize("extra", ["data", "kafka", "dev", "docs"])
def test_an_extra_is_installed_once_and_only_where_it_is_named(ready, extra):
    lock = f"requirements-{extra}.lock"
    assert ready.run(extra).returncode == 0
    assert ready.installed() == [lock]
    assert ready.run(extra).returncode == 0
    assert ready.installed() == []
    (ready.root / lock).write_text("changed\n")
    assert ready.run().returncode == 0
    assert ready.installed() == ["requirements.lock", lock]


def test_extras_that_are_named_at_first_are_resolved_with_the_rest(tree):
    tree.executable("python3.12", PYTHON)
    locks = ["requirements.lock", "requirements-data.lock", "requirements-dev.lock"]
    assert tree.run("data", "dev").returncode == 0
    assert tree.installed() == locks
    assert len([line for line in tree.calls if "-r " in line]) == 1
    assert tree.run("data", "dev").returncode == 0
    assert tree.installed() == []
    with (tree.root / locks[2]).open("a") as file:
        file.write("# changed\n")
    assert tree.run().returncode == 0
    assert tree.installed() == locks


def test_extras_that_are_named_later_are_installed_alone(ready):
    assert ready.run("dev").returncode == 0
    assert ready.run("dev", "data").returncode == 0
    assert ready.installed() == ["requirements-data.lock"]


def test_an_interrupted_installation_has_no_extra(tree):
    tree.executable("python3.12", PYTHON)
    (tree.state / "install").write_text("1")
    assert tree.run("data").returncode != 0
    (tree.state / "install").unlink()
    assert tree.run().returncode == 0
    assert tree.installed() == ["requirements.lock"]


def test_locks_that_share_a_package_pin_one_version_of_it():
    pinned: dict[str, dict[str, str]] = {}
    for lock in LOCKS:
        text = (ROOT / lock).read_text()
        for package, version in re.findall(r"^([a-z0-9-]+)==(\S+) ", text, re.MULTILINE):
            pinned.setdefault(package, {})[lock] = version
    shared = {package: by for package, by in pinned.items() if len(by) > 1}
    assert {"jinja2", "markupsafe", "packaging"} <= set(shared)
    unlike = {package: by for package, by in shared.items() if len(set(by.values())) > 1}
    assert not unlike


def test_spark_gets_a_java_of_its_own_where_the_one_of_tlc_is_too_old(ready):
    (ready.state / "spark").write_text("4")
    assert ready.run().returncode == 0
    assert ready.installed() == []
    assert ready.run("data").returncode == 0
    assert ready.installed() == ["requirements-data.lock", "requirements-java.lock"]


@pytest.mark.parametrize("named", [["date"], ["data", "date"]])
def test_an_unknown_extra_is_refused(ready, named):
    ended = ready.run(*named)
    assert ended.returncode == 4
    assert "there is no extra 'date'" in ended.stderr
    assert ready.calls == []


def test_a_tool_that_crashes_is_not_taken_for_a_missing_java(ready):
    (ready.state / "java").write_text("1")
    assert ready.run().returncode == 0
    assert ready.installed() == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_every_package_by_hash_and_names_no_address(name):
    text = (ROOT / name).read_text()
    assert "://" not in text
    assert not re.search(
        r"^\s*(-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host)\b",
        text,
        re.MULTILINE,
    )
    requirements = [
        line for line in text.replace("\\\n", " ").splitlines() if not line.startswith("#")
    ]
    assert requirements
    assert all(
        re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line) for line in requirements
    )


def test_every_declared_dependency_is_locked():
    with (ROOT / "pyproject.toml").open("rb") as file:
        table = tomllib.load(file)
    extras = table["project"]["optional-dependencies"]
    declared = [
        table["project"]["dependencies"]
        + table["build-system"]["requires"]
        + [each for name in ("proofs", "test") for each in extras[name]],
        extras["java"],
        extras["fetch"],
    ]
    declared += [extras[name] for name in ("data", "kafka", "dev", "docs")]
    for lock, requirements in zip(LOCKS, declared, strict=True):
        locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / lock).read_text(), re.MULTILINE))
        named = {re.match(r"[a-z0-9-]+", requirement)[0] for requirement in requirements}
        assert named <= locked


def test_every_source_compiles_on_the_oldest_python_that_is_promised():
    """A module that no test imports would else be found broken by its first user."""
    folders = ["wheelproof", "proofs", "impl", "model", "harness", "traces", "real", "benchmarks"]
    for file in (file for folder in folders for file in (ROOT / folder).rglob("*.py")):
        ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 11))
    with pytest.raises(SyntaxError):
        ast.parse("type X = int", feature_version=(3, 11))
