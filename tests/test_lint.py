"""Negative controls of `make lint`: every check rejects a file planted in a copy of the tree."""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from tools import sizes

ROOT = Path(__file__).parents[1]
CHECKED = (
    "wheelproof",
    "impl",
    "model",
    "harness",
    "proofs",
    "traces",
    "demo",
    "benchmarks",
    "real",
    "runtime",
)


def lint(tree: Path, *names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "tools" / "lint", *names],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
    )


def tools_in(tree: Path) -> Path:
    """The tree with what `tools/lint` needs beside the files that it checks."""
    assert (ROOT / ".venv" / "bin" / "mypy").exists(), "run `tools/setup dev` first"
    (tree / "tools").mkdir()
    for tool in ("lint", "sizes.py", "names.py", "names.toml"):
        shutil.copy(ROOT / "tools" / tool, tree / "tools")
    shutil.copy(ROOT / "pyproject.toml", tree)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    return tree


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    """The files that the checks read, with the installed tools and the type checker's cache."""
    tree = tools_in(tmp_path_factory.mktemp("lint"))
    for folder in CHECKED:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", tree / ".mypy_cache")
    return tree


@pytest.fixture(scope="module")
def few(tmp_path_factory) -> Path:
    """The packages with few modules: to check all of them takes long."""
    tree = tools_in(tmp_path_factory.mktemp("few"))
    for name in (*[f"{folder}/__init__.py" for folder in CHECKED], *TYPED):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()
        if (ROOT / name).exists() and name != "wheelproof/__init__.py":  # it names other modules
            shutil.copy(ROOT / name, tree / name)
    return tree


TYPED = (
    "wheelproof/errors.py",
    "wheelproof/protocols.py",
    "wheelproof/toml.py",
    "wheelproof/trace/__init__.py",
    "wheelproof/trace/format/__init__.py",
    "wheelproof/trace/format/event.py",
    "impl/atomic.py",
    "impl/condition.py",
    "impl/threads.py",
)
"""Modules that import nothing but each other."""


def function(lines: int) -> str:
    """A function of so many lines, in a class and an ``if``, with a decorator above it."""
    body = "            x = 1\n" * (lines - 1)
    return f"class A:\n    if True:\n        @staticmethod\n        def long():\n{body}"


PLANTED = {
    "unformatted": ("format", "wheelproof/planted.py", "x = {  'a':1 }\n", "planted.py"),
    "unused import": ("style", "wheelproof/planted.py", "import os\n", "F401"),
    "long line": ("style", "wheelproof/planted.py", f'"""{"x " * 50}"""\n', "E501"),
    "wide line of Java": (
        "sizes",
        "wheelproof/jvm/java/Planted.java",
        f"class Planted {{ }} // {'x' * 100}\n",
        "wheelproof/jvm/java/Planted.java:1: 121 columns, 100 is the limit",
    ),
    "long module": (
        "sizes",
        "harness/planted.py",
        '"""Planted."""\n' * 601,
        "harness/planted.py: 601 lines, 600 is the limit",
    ),
    "long function": (
        "sizes",
        "harness/planted.py",
        function(81),
        "harness/planted.py:4: A.long has 81 lines, 80 is the limit: split it by subject",
    ),
    "bare name": (
        "names",
        "wheelproof/planted/planted.py",
        "def f(rows):\n    found = [*rows]\n    return found\n",
        "wheelproof/planted: 1 bare names, 0 allowed (found 1): use a noun",
    ),
    "untyped": ("types", "wheelproof/planted.py", "def f(x):\n    return x\n", "no-untyped-def"),
    "column that no event has": (
        "types",
        "wheelproof/planted.py",
        "from wheelproof.trace.format.event import Event\n\n\n"
        'def f(event: Event) -> object:\n    return event["entri"]\n',
        "typeddict-item",
    ),
    "a value of any type": (
        "types",
        "wheelproof/planted.py",
        "from typing import Any\n\n\ndef f(state: tuple[Any, ...]) -> None:\n    pass\n",
        "explicit-any",
    ),
    "a model without a member": (
        "types",
        "wheelproof/planted.py",
        "from wheelproof.protocols import Model\n\n\n"
        "class Half:\n    AUXILIARY = frozenset[str]()\n\n\n"
        "def f() -> Model:\n    return Half()\n",
        "return-value",
    ),
    "wrong type": ("types", "wheelproof/planted.py", 'x: int = "one"\n', "assignment"),
    "the tool imports an implementation": (
        "imports",
        "wheelproof/planted.py",
        "import impl.atomic\n",
        "wheelproof is not allowed to import impl",
    ),
    "an implementation imports a model": (
        "imports",
        "impl/planted.py",
        "def f():\n    from model import atomic\n",
        "impl is not allowed to import model",
    ),
    "an engine imports a command": (
        "imports",
        "wheelproof/graph/planted.py",
        "from wheelproof.commands import options\n",
        "wheelproof.graph.planted -> wheelproof.commands.options",
    ),
    "packages of one line import each other": (
        "imports",
        "wheelproof/report/planted.py",
        "import wheelproof.starter\n",
        "wheelproof.report.planted -> wheelproof.starter",
    ),
    "a package that is in no line": (
        "imports",
        "wheelproof/planted.py",
        '"""Planted."""\n',
        "planted",
    ),
    "a harness imports the tool": (
        "imports",
        "harness/planted.py",
        "from wheelproof import errors\n",
        "harness is not allowed to import wheelproof",
    ),
}


@pytest.mark.daily(6)
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_file_is_rejected_by_its_check(copied, few, fault):
    check, place, text, reason = PLANTED[fault]
    tree = few if check in ("types", "sizes") else copied
    planted = tree / place
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(text)
    try:
        ended = lint(tree, check)
    finally:
        planted.unlink()
    assert ended.returncode == 1
    assert f"lint: {check}: not clean" in ended.stderr
    assert reason in ended.stdout


def test_the_copy_without_a_planted_file_is_accepted(copied, few):
    ended = lint(copied, "format", "style", "imports")
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    ended = lint(few, "types", "sizes")
    assert (ended.returncode, ended.stdout) == (0, "")


def without_any(modules: Iterable[str]) -> list[str]:
    """Those modules, of which ``.*`` stands for all in a package, that have no `Any`.

    A callable of any arguments is such a type to mypy.
    """
    found = []
    for name in modules:
        place = name.replace(".", "/").replace("/*", "/**/*")
        files = [*ROOT.glob(f"{place}.py"), *ROOT.glob(f"{place}/__init__.py")]
        if not any(re.search(r"\bAny\b|Callable\[\.\.\.", file.read_text()) for file in files):
            found.append(name)
    return found


def test_modules_that_may_have_any_type_have_it():
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    (exempt,) = (table["module"] for table in tables if "disallow_any_explicit" in table)
    assert without_any(exempt) == []
    idle = ["wheelproof.protocols", "wheelproof.graph.*"]
    assert without_any([*exempt, *idle]) == idle


@pytest.mark.nightly
def test_all_types_of_the_copy_are_accepted(copied):
    """`make lint`, which goes before the tests in continuous integration, does so each time."""
    ended = lint(copied)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout


def test_all_checks_run_even_where_one_finds_something(copied):
    planted = copied / "wheelproof" / "planted.py"
    planted.write_text("import  impl.atomic\n")
    try:
        ended = lint(copied, "format", "style", "imports")
    finally:
        planted.unlink()
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        "lint: format: not clean",
        "lint: style: not clean",
        "lint: imports: not clean",
    ]


def test_an_unknown_check_is_refused(copied):
    assert lint(copied, "typos").returncode == 2


def test_continuous_integration_lints_before_it_tests():
    steps = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if "make" in line]
    linted, tested = (
        next(i for i, line in enumerate(steps) if line.endswith(f" make {target}"))
        for target in ("lint", "test")
    )
    assert linted < tested


def test_nothing_is_too_long():
    assert list(sizes.faults(ROOT)) == []


TRANSLATED = "\\* BEGIN TRANSLATION (chksum)\n{}\n\\* END TRANSLATION\n{}"


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("tests/test_a.py", "x\n" * 601, "tests/test_a.py: 601 lines, 600 is the limit"),
        ("A.java", "\n" + "x" * 101, "A.java:2: 101 columns, 100 is the limit"),
        ("tools/lint", "x" * 101, "tools/lint:1: 101 columns"),
        ("a.py", "\u00fc" * 100 + "\n", None),
        ("a.py", "x\n" * 600, None),
        ("tables.toml", "x" * 200, None),
        ("spec/A.toml", "x" * 101, "spec/A.toml:1: 101 columns"),
        ("spec/A.toml", "x\n" * 601, "spec/A.toml: 601 lines"),
        (".ci/run", "x" * 101, ".ci/run:1: 101 columns"),
        ("spec/A.tla", TRANSLATED.format("", "x" * 101), "spec/A.tla:4: 101 columns"),
        ("spec/A.tla", TRANSLATED.format("x" * 101, ""), None),
        ("spec/A.tla", TRANSLATED.format("x\n" * 600, "x\n" * 600), None),
        ("spec/A.tla", TRANSLATED.format("x\n" * 600, "x\n" * 601), "spec/A.tla: 601 lines"),
        ("build/a.py", "x\n" * 601, None),
        (".venv/a.py", "x\n" * 601, None),
        ("a.py", function(81), "a.py:4: A.long has 81 lines, 80 is the limit"),
        ("a.py", "async def long():\n" + "    x = 1\n" * 80, "a.py:1: long has 81 lines"),
        ("a.py", function(80), None),
        ("a.py", function(80) + "\n" * 9, None),
        ("a.py", "def f(:\n" * 81, "a.py:1: this is not Python"),
        ("a.sh", function(81), None),
    ],
)
def test_planted_sizes_are_refused(tmp_path, name, text, fault):
    planted = tmp_path / name
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(text, encoding="utf-8")
    found = list(sizes.faults(tmp_path))
    assert not found if fault is None else found[0].startswith(fault)


def bytes_in(tree: Path) -> list[str]:
    """The tracked files of a tree that are no text, but for recordings."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, capture_output=True, check=True)
    names = [name.decode() for name in listed.stdout.split(b"\0") if name]
    return [
        name
        for name in names
        if not name.endswith(".jsonl.gz") and "/recordings/" not in name
        if (tree / name).is_file() and b"\0" in (tree / name).read_bytes()
    ]


@pytest.mark.parametrize("name", ["wheel-1-py3-none-any.whl", "A.class", "library.jar"])
def test_recordings_alone_are_tracked_as_bytes(tmp_path, name):
    assert not bytes_in(ROOT)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / name).write_bytes(b"PK\3\4\0\0")
    (tmp_path / "text.py").write_text("pass\n", encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    assert bytes_in(tmp_path) == [name]
