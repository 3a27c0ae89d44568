"""The commands of the tutorial and of the how-to pages run, in order, and end as the pages say."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import forked
from tests.docs.reading import ROOT, blocks, commands
from tests.docs.test_quotes import printed, unlike, without_lines

DOCS = ROOT / "docs"
FOLDERS = ("spec", "model", "impl", "harness", "traces", "mutants", "proofs", "examples")
ELSEWHERE = ("make", "export", "git")
"""Commands that are not run here; `make verify` and `make trace` run in CI and at night."""

REFUSED = "tests/wheelproof/trace/golden/mutant_M8.jsonl"
"""A stored trace that the checks refuse."""


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of the project, in which a reader's commands may write."""
    tree = tmp_path_factory.mktemp("checkout")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("build"))
    golden = "tests/wheelproof/trace/golden"
    shutil.copytree(ROOT / golden, tree / golden)
    return tree


def run(words: list[str], folder: Path) -> tuple[int, str]:
    """(exit code, output) of a command of the tool, at the width of the pages."""
    assert words[0] == "wheelproof", words
    if words[1] == "verify":
        words = [*words, "--jobs", "1"]  # workers would cost more than such small checks
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    with tempfile.TemporaryDirectory() as elsewhere:
        output = Path(elsewhere) / "output"
        code = forked.run(words[1:], folder, environment, output)
        return code, output.read_text(encoding="utf-8")


def expected(words: list[str]) -> int:
    """The exit code that a page's command must have: 1 for a violation that it shows."""
    replayed = words[1] == "replay" and "--until" not in words
    return 1 if replayed or REFUSED in words else 0


def words_of(text: str) -> str:
    """A text without its breaks of lines, and without numbers of source lines."""
    return " ".join(without_lines(text).split())


def of_the_tool(page: str) -> Iterator[list[str]]:
    for words in commands(page):
        if words[0] not in ELSEWHERE and "spark" not in words:
            yield words


@pytest.mark.nightly
def test_the_first_hour(checkout):
    page = read("first-hour.md")
    before, _, after = page.partition("## 4. ")
    broken, _, after = after.partition("## 5. ")
    for words in of_the_tool(before):
        assert run(words, checkout)[0] == 0, words

    file = checkout / "impl" / "timer_task_list.py"
    right = file.read_text(encoding="utf-8")
    (line,) = [block.text for block in blocks(broken) if block.language == "python"]
    wrong = re.sub(r"^ +if entry\.list is self:  # read U3\n", line, right, flags=re.MULTILINE)
    assert wrong != right
    file.write_text(wrong, encoding="utf-8")
    try:
        verify, show = of_the_tool(broken)
        code, output = run(verify, checkout)
        assert code == 1
        (report,) = [block.text for block in blocks(broken) if not block.language]
        assert words_of(report) in words_of(output)
        assert run(show, checkout)[0] == 0
    finally:
        file.write_text(right, encoding="utf-8")

    for words in of_the_tool(after):
        if words != ["wheelproof", "verify"]:
            assert run(words, checkout)[0] == expected(words), words


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("read-a-counterexample.md", marks=pytest.mark.nightly),
        pytest.param("record-a-trace.md", marks=pytest.mark.nightly),
        "trace-steps.md",
        pytest.param("mechanisms/purgatory.md", marks=pytest.mark.nightly),
    ],
)
def test_the_commands_of_a_page(checkout, name):
    found = list(of_the_tool(read(name)))
    assert len(found) > 1
    for mutant in ("M2", "M8"):
        if any(f"mutant.{mutant}.json" in word for words in found for word in words):
            assert run(["wheelproof", "mutant", f"timer_task_list/{mutant}"], checkout)[0] == 0
    for words in found:
        code, output = run(words, checkout)
        assert code == expected(words), (words, output)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_output_of_replay_is_what_is_printed(checkout):
    shown = printed(read("trace-replay.md"))
    assert [bool(parts) for _, parts in shown] == [True, False, True]
    for command, parts in shown:
        code, output = run(command.split(), checkout)
        assert unlike(parts, output) == [] and code in (0, 1), output
