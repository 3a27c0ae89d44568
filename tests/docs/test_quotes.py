"""Code that a page quotes stands in its file, and output that it shows is printed."""

import os
import re

import pytest

from tests import forked
from tests.docs.reading import ROOT, Block, blocks, name, pages
from wheelproof.project import planned

README = (ROOT / "README.md").read_text(encoding="utf-8")
QUOTES = [
    pytest.param(block, id=f"{name(page)}:{block.line}")
    for page in pages()
    if 'title="' in (text := page.read_text(encoding="utf-8"))
    for block in blocks(text)
    if block.title
]


def quoted(block: Block) -> bool:
    """Whether the block is a part of the file that its title names, without gaps."""
    file = ROOT / block.title
    return file.is_file() and block.text in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("block", QUOTES)
def test_quoted_code_stands_in_its_file(block):
    assert quoted(block), block.title


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if list[ue] # ul then", "if list[ue] = NULL then"),
        ('title="spec/TimerTaskList.tla"', 'title="spec/Gone.tla"'),
    ],
)
def test_a_changed_quotation_is_refused(old, new):
    assert README.count(old) > 0
    before, after = (
        [quoted(block) for block in blocks(text) if block.title]
        for text in (README, README.replace(old, new, 1))
    )
    assert after.count(False) == before.count(False) + 1


# -- what commands print


def printed(text: str) -> list[tuple[str, list[str]]]:
    """(command, the parts between lines of three dots) of each console's commands."""
    out = []
    for block in blocks(text):
        if block.language == "console":
            for entry in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, _, output = entry.partition("\n")
                parts = re.split(r"^\.\.\.\n", output, flags=re.MULTILINE) if output else []
                out.append((command, parts))
    return out


def without_lines(text: str) -> str:
    """The text without the numbers of source lines, which any edit above them changes."""
    return re.sub(r"(\.(?:py|tla)):\d+", r"\1", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE))


def unlike(parts: list[str], output: str) -> list[str]:
    """The parts that the output does not have, in order."""
    rest, wrong = without_lines(output), []
    for part in parts:
        _, found, rest_after = rest.partition(without_lines(part))
        if found:
            rest = rest_after
        else:
            wrong.append(part)
    return wrong


@pytest.mark.slow
def test_the_readme_shows_what_its_command_prints(tmp_path):
    _, (command, parts) = printed(README)  # the first is that of tests/docs/test_explore.py
    words = command.split()
    assert words[0] == "wheelproof"
    arguments = [*words[1:], "--output", str(tmp_path / "build")]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    out, err = tmp_path / "out", tmp_path / "err"
    code = forked.run(arguments, ROOT, environment, out, err)
    assert code == 0, err.read_text(encoding="utf-8")
    shown = out.read_text(encoding="utf-8")
    assert unlike(parts, shown) == []
    assert unlike([parts[0].replace("M1", "M2"), *parts[1:]], shown) == [
        parts[0].replace("M1", "M2")
    ]


def test_the_readme_names_the_number_of_checks():
    rows = [row for part in planned.read(ROOT / "spec").values() for row in part.values()]
    number = str(sum(row.profile == "fast" for row in rows))
    numbers = re.findall(r"^wheelproof: (\d+) of (\d+) checks in order", README, re.MULTILINE)
    assert numbers == [(number, number)]
