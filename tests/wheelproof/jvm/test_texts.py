"""Texts that go to a JVM or that name files: no declaration makes a line or a file of its own."""

import io
import zipfile
from types import SimpleNamespace

import pytest

from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm.patch import with_patch
from wheelproof.jvm.process import Jvm


@pytest.mark.parametrize("word", ["a\tb", "a\nend", "a\r", "\n"])
def test_a_word_that_ends_a_word_or_a_line_is_refused(word):
    jvm = Jvm.__new__(Jvm)
    jvm.process = SimpleNamespace(stdin=io.BytesIO())
    with pytest.raises(UsageError, match="a tab or the end of a line"):
        jvm.ask("load", [["class", "Plain"], ["class", word]])
    assert jvm.process.stdin.getvalue() == b"", "nothing was sent"


@pytest.mark.parametrize("inside", ["../../../up/A.java", "a/../../../../up/A.java"])
@pytest.mark.parametrize("before", ["/dev/null", "a/m/java/A.java"])
def test_a_diff_changes_no_file_outside_of_its_folder(tmp_path, before, inside):
    diff, folder = tmp_path / "fix.diff", tmp_path / "build" / "jvm"
    diff.write_text(f"--- {before}\n+++ b/m/java/{inside}\n@@ -0,0 +1 @@\n+class A {{}}\n")
    with pytest.raises(ToolError, match="outside of its folder"), with_patch(diff, folder, diff):
        pass
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["build", "fix.diff", "jvm"]


def diff(folder, name, path, old, new):
    file = folder / name
    file.write_text(f"--- a/m/java/{path}\n+++ b/m/java/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n")
    return file


@pytest.fixture
def sources(tmp_path):
    with zipfile.ZipFile(tmp_path / "sources.jar", "w") as archive:
        archive.writestr("A.java", "one\n")
    return tmp_path / "sources.jar"


def test_diffs_of_one_file_are_applied_in_their_order(tmp_path, sources):
    first = diff(tmp_path, "first.diff", "A.java", "one", "two")
    second = diff(tmp_path, "second.diff", "A.java", "two", "three")
    with with_patch(first, tmp_path / "build", sources, more=[second]) as source:
        assert source.read_text() == "three\n"
    with (
        pytest.raises(ToolError, match=r"second\.diff does not apply to sources\.jar"),
        with_patch(second, tmp_path / "build", sources, more=[first]),
    ):
        pass


def test_a_second_diff_of_another_file_is_refused(tmp_path, sources):
    first = diff(tmp_path, "first.diff", "A.java", "one", "two")
    other = diff(tmp_path, "other.diff", "B.java", "one", "two")
    with (
        pytest.raises(ToolError, match=r"other\.diff does not change A\.java, as .*first\.diff"),
        with_patch(first, tmp_path / "build", sources, more=[other]),
    ):
        pass
