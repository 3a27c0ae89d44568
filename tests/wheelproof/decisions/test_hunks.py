"""Hunks: what is read, where it is applied, and what is refused with file and line."""

from pathlib import Path

import pytest

from wheelproof.decisions import DoesNotFit, hunks
from wheelproof.decisions.anchors import anchors_of
from wheelproof.errors import UsageError

ORIGIN = Path("mutants/cell/M1.md")
SHORT = {"spec": "spec/Cell.tla", "impl": "impl/cell.py"}

TLA = """---- MODULE Cell ----
EXTENDS Integers
CONSTANTS Threads, NULL
Twice(x) ==
  2 * x
(*--algorithm Cell
variables value = 0, lock = NULL;
define
  Even == value % 2 = 0
end define;
macro leave() begin
  lock := NULL;
end macro;
fair process thread \\in Threads
variables seen = 0;
begin
S1: await lock = NULL;
    lock := self;
S2: seen := value;
S3: value := seen + 1;
    lock := NULL;
end process;
end algorithm; *)
\\* BEGIN TRANSLATION
S2(self) == seen := value;
\\* END TRANSLATION
====
"""

PYTHON = '''"""A cell."""
from threading import Lock

LIMIT = 3


class Cell:
    """One value."""

    FIRST = 0

    def __init__(self):
        self.lock = Lock()
        self.value = 0

    def add(self):
        with self.lock:  # lock S1, unlock S3
            seen = self.value  # read S2
            self.value = seen + 1  # write S3


def add(cell):
    cell.add()
'''


def read(text, first=7):
    return hunks.read(text.strip("\n").split("\n"), ORIGIN, first, SHORT)


def changed(text, block):
    return hunks.apply(text, read(block))


# -- anchors


def test_labels_blocks_and_operators_of_tla_are_anchors_above_the_translation():
    names = [name for name, _ in anchors_of(Path("spec/Cell.tla"), TLA)]
    assert names == ["constants", "Twice", "variables", "Even", "leave", "thread", "S1", "S2", "S3"]


def test_an_anchor_of_tla_ends_where_the_next_begins():
    lines = TLA.split("\n")
    regions = dict(anchors_of(Path("spec/Cell.tla"), TLA))
    assert [lines[number] for number in regions["S1"]] == [
        "S1: await lock = NULL;",
        "    lock := self;",
    ]


def test_definitions_and_labels_of_python_are_anchors():
    names = [name for name, _ in anchors_of(Path("impl/cell.py"), PYTHON)]
    assert names == [
        "imports",
        "LIMIT",
        "Cell",
        "FIRST",
        "Cell.__init__",
        "__init__",
        "Cell.add",
        "add",
        "add",
        "S1",
        "S3",
        "S2",
    ]


def test_a_label_stands_for_the_function_that_has_it():
    regions = dict(anchors_of(Path("impl/cell.py"), PYTHON))
    assert regions["S2"] == regions["S1"] == regions["Cell.add"]


def test_other_files_and_broken_python_are_refused():
    with pytest.raises(UsageError, match="decisions change .tla and .py files only"):
        anchors_of(Path("spec/Cell.toml"), "")
    with pytest.raises(UsageError, match="impl/cell.py:1: this is not Python"):
        anchors_of(Path("impl/cell.py"), "def")


# -- applying


def test_a_hunk_replaces_lines_at_its_anchor():
    text = changed(
        TLA,
        """
@@ spec S3
-S3: value := seen + 1;
+S3: value := seen + 2;
     lock := NULL;
""",
    )
    assert text == TLA.replace("seen + 1", "seen + 2")


def test_the_margin_of_a_hunk_does_not_count():
    for margin in "", "    ", "            ":
        text = changed(
            PYTHON,
            f"""
@@ impl S2
-{margin}seen = self.value  # read S2
+{margin}if True:
+{margin}    seen = self.value  # read S2
""",
        )
        assert text == PYTHON.replace(
            "            seen = self.value  # read S2\n",
            "            if True:\n                seen = self.value  # read S2\n",
        )


def test_several_hunks_of_a_file_are_applied_together():
    text = changed(
        TLA,
        """
@@ spec S1
-S1: await lock = NULL;
-    lock := self;
+S1: skip;

@@ spec leave
-  lock := NULL;
+  skip;
""",
    )
    assert "S1: skip;\nS2:" in text and "macro leave() begin\n  skip;\nend" in text
    assert len(text.split("\n")) == len(TLA.split("\n")) - 1


def test_the_old_lines_may_go_on_behind_the_anchors_own():
    text = changed(
        TLA,
        """
@@ spec S2
-S2: seen := value;
-S3: value := seen + 1;
+S2: value := value + 1;
""",
    )
    assert "S2: value := value + 1;\n    lock := NULL;" in text


# -- refusals


@pytest.mark.parametrize(
    "block, message",
    [
        ("seen := value;", "M1.md:7: this line belongs to no hunk"),
        ("@@ spec", "M1.md:7: '@@ spec' does not name a file and an anchor"),
        ("@@ spec S2\nS2: seen := value;", "M1.md:8: a hunk's line begins with 'S'"),
        (
            "@@ spec S2\n S2: seen := value;",
            "M1.md:7: @@ spec/Cell.tla S2: the hunk changes nothing",
        ),
        (
            "@@ spec S2\n+S2: seen := value;",
            "M1.md:7: @@ spec/Cell.tla S2: the hunk has no line of the file",
        ),
        (
            "@@ spec S2\n-\n+S2: skip;\n S3:",
            "M1.md:7: @@ spec/Cell.tla S2: the hunk begins with an empty line",
        ),
        (
            "@@ spec S9\n-S2: seen := value;",
            "M1.md:7: @@ spec/Cell.tla S9: the anchor is not there",
        ),
        (
            "@@ spec S3\n-S2: seen := value;",
            "M1.md:7: @@ spec/Cell.tla S3: its old lines are not there at the anchor",
        ),
        ("@@ spec S2\n-S2: seen := 0;", "its old lines are not there at the anchor"),
        (
            "@@ spec S3\n-lock := NULL;\n+skip;\n@@ spec S3\n-S3: value := seen + 1;\n"
            "-    lock := NULL;\n+S3: skip;",
            "M1.md:7: @@ spec/Cell.tla S3: it overlaps the hunk in line 10",
        ),
    ],
)
def test_a_hunk_that_does_not_fit_is_refused_with_its_line(block, message):
    with pytest.raises(UsageError) as refused:
        changed(TLA, block)
    assert message in str(refused.value), str(refused.value)


@pytest.mark.parametrize(
    "block, message",
    [
        (
            "@@ impl S3\n-self.value = seen + 1  # write S3\n+try:\n+    self.value = 0",
            "M1.md:7: @@ impl/cell.py S3: with it the file is no Python "
            "(expected 'except' or 'finally' block: 'def add(cell):')",
        ),
        (
            "@@ impl S3\n-self.value = seen + 1  # write S3\n+if seen:\n@@ impl LIMIT\n-LIMIT = 3\n"
            "+LIMIT = 4",
            "with its hunks the file is no Python (expected an indented block",
        ),
        ("@@ impl LIMIT\n-LIMIT = 3\n+LIMIT = 3 +", "(invalid syntax: 'LIMIT = 3 +')"),
    ],
)
def test_hunks_that_leave_half_a_statement_are_refused(block, message):
    with pytest.raises(DoesNotFit) as refused:
        changed(PYTHON, block)
    assert message in str(refused.value), str(refused.value)


@pytest.mark.parametrize(
    "anchor, message",
    [
        ("add", "the anchor is there 2 times"),
        ("Cell", "its old lines are there 2 times at the anchor"),
    ],
)
def test_a_place_that_is_there_twice_is_refused(anchor, message):
    text = PYTHON + "\n\nclass Other:\n    def __init__(self):\n        self.value = 0\n"
    text = text.replace("self.value = seen + 1  # write S3", "self.value = 0")
    with pytest.raises(UsageError, match=message):
        changed(text, f"@@ impl {anchor}\n-self.value = 0\n+self.value = 1")
