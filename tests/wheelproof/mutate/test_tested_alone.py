"""Changes of the tool itself, which unit tests judge in a copy of the tool: each verdict."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.nights import only
from wheelproof import kept, project
from wheelproof.errors import NothingChecked
from wheelproof.mutate import plan as planning
from wheelproof.mutate.change import Change
from wheelproof.mutate.draw import Options, changes_of, draw
from wheelproof.mutate.finding import Finding
from wheelproof.mutate.group import Check
from wheelproof.mutate.judge import Judge
from wheelproof.mutate.rows import row_of
from wheelproof.mutate.tree import copied
from wheelproof.mutate.unit_tests import UnitTests
from wheelproof.verdict import Verdict

ROOT = Path(__file__).parents[3]
FILE = "wheelproof/checks/sums.py"
TEXT = "def total(values):\n    return sum(values)\n"
TEST = """from wheelproof import kept
from wheelproof.checks import sums


def test_a_total():
    kept.cache().joinpath("entry").write_text("of a changed tool", encoding="utf-8")
    assert sums.total([1, 2]) == 3
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """A tree with a tool of its own, one file of which has a test."""
    root = Path(tmp_path_factory.mktemp("base"))
    for name in ("wheelproof/checks", "tests/wheelproof/checks"):
        (root / name).mkdir(parents=True)
    for name in ("__init__.py", "kept.py", "reading.py", "errors.py", "console.py"):
        shutil.copy(ROOT / "wheelproof" / name, root / "wheelproof")
    (root / "wheelproof/mutate").mkdir()
    for name in ("mutate/__init__.py", "mutate/hang.py", "checks/__init__.py"):
        shutil.copy(ROOT / "wheelproof" / name, root / "wheelproof" / name)
    (root / FILE).write_text(TEXT, encoding="utf-8")
    (root / "wheelproof/checks/attic.py").write_text(TEXT, encoding="utf-8")
    (root / "tests/wheelproof/checks/test_sums.py").write_text(TEST, encoding="utf-8")
    return root


@pytest.fixture
def users(tmp_path, monkeypatch) -> Path:
    """The user's cache."""
    folder = tmp_path / "users"
    folder.mkdir()
    monkeypatch.setenv("WHEELPROOF_CACHE", str(folder))
    return folder


def judged(base: Path, scratch: Path, files: dict[str, str]) -> Finding:
    """What the tests of the file find in a copy with these texts."""
    root = scratch / "tree"
    copied(base, root)
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    checks = [check for check in UnitTests(root).checks_of("tool", FILE) if not check.nightly]
    assert len(checks) == 1
    return Judge(root, base, scratch / "runs", lambda judged: None, False).run(checks).finding


CASES = {
    "unchanged": ({}, "passed", ""),
    "fault": ({FILE: TEXT.replace("sum(", "max(")}, "rejected", "test_a_total"),
    "raises at import": ({FILE: "1 / 0\n"}, "rejected", "collect"),
    "conftest": ({"tests/conftest.py": "import wheelproof.absent\n"}, "unloadable", "pytest"),
    "end of the process": ({FILE: "import os\n\nos._exit(3)\n"}, "error", "pytest"),
    "no test can run": ({"pytest.ini": "[pytest]\naddopts = --absent\n"}, "error", "pytest"),
}


@pytest.mark.parametrize("case", only(CASES, "fault", "conftest", "end of the process"))
def test_the_tests_of_the_copy_judge_the_tool_of_the_copy(case, base, users, tmp_path):
    files, word, by = CASES[case]
    found = judged(base, tmp_path, files)
    assert (found.word, found.by) == (word, by), found
    assert list(users.iterdir()) == [], "the user's cache is not written"
    assert kept.cache() == users


@pytest.mark.parametrize("tool", [False, True])
def test_a_copy_of_a_copy_has_the_hidden_files_and_no_hidden_folder(base, tmp_path, tool):
    (base / ".hidden.yaml").write_text("a: 1\n")
    (base / ".folder").mkdir(exist_ok=True)
    copied(base, tmp_path / "one", tool=tool)
    copied(tmp_path / "one", tmp_path / "two")
    names = {path.name for path in (tmp_path / "two").iterdir() if path.name.startswith(".")}
    assert names == {".hidden.yaml"}


TOGETHER = "tests/wheelproof/checks/test_{}.py"
LEAVES = "import sys\n\n\ndef test_leaves():\n    sys.left = True\n"
CLEAN = "import sys\n\n\ndef test_clean():\n    assert not hasattr(sys, 'left')\n"
COUNTS = "from pathlib import Path\n\n\ndef test_counts():\n    Path('ran').open('a').write('x')\n"


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("last", "word", "check"),
    [
        ("def test_passes():\n    pass\n", "passed", ""),
        ("def test_fails():\n    assert False\n", "rejected", "d"),
        (CLEAN, "passed", ""),
    ],
)
def test_many_files_of_tests_run_in_one_process_and_only_a_failure_alone_counts(
    base, users, tmp_path, last, word, check
):
    """The last of them fails beside the others alone: that rejects no change."""
    root = tmp_path / "tree"
    copied(base, root)
    for name, text in {"a": COUNTS, "b": LEAVES, "c": COUNTS, "d": last}.items():
        (root / TOGETHER.format(name)).write_text(text, encoding="utf-8")
    checks = [Check("tests", "", 7, tests=TOGETHER.format(name)) for name in "abcd"]
    judge = Judge(root, base, tmp_path / "runs", lambda judged: None, False)
    found = judge.run(checks).finding
    assert (found.word, found.check) == (word, check and TOGETHER.format(check))
    assert judge.done.seconds.keys() <= {each.title for each in checks}
    again = 2 * (last == CLEAN)
    assert len((root / "ran").read_text()) == 2 + again, "the first run is of all in one process"


def test_a_file_that_no_test_names_survives_and_says_so(base, tmp_path):
    file = "wheelproof/checks/attic.py"
    assert list(UnitTests(base).checks_of("tool", file)) == []
    judge = Judge(tmp_path, base, tmp_path, lambda judged: None, False)
    change = Change("tool", file, 2, "total", "by.hand", TEXT, TEXT.replace("sum", "max"), TEXT)
    row = row_of("checks", change, judge.run([]), None, {})
    assert (row.ok, row.verdict) == (False, Verdict.SAMPLED)
    assert row.why.endswith(f"; no check that takes part sees {file}")


def test_only_the_project_that_has_the_tool_can_draw_changes_of_it(copy):
    options = Options((), ("tool",), 3, 1, copy, copy / "build")
    plan = planning.Plan(copy, project.find(copy))
    with pytest.raises(NothingChecked, match="No change was drawn"):
        draw(options, copy, plan)
    (copy / "wheelproof/checks").mkdir(parents=True)
    (copy / FILE).write_text(TEXT, encoding="utf-8")
    (copy / "traces/parts").mkdir(parents=True)
    (copy / "traces/parts/clock.py").write_text(TEXT, encoding="utf-8")
    groups = plan.groups((), ("tool", "traces"))
    assert [(each.mechanism, each.artefact, each.files) for each in groups] == [
        ("parts", "traces", ("traces/parts/clock.py",)),
        ("checks", "tool", (FILE,)),
    ]
    assert all(changes_of(copy, group) for group in groups)
