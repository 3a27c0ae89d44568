"""docs/claims.md: every row has a verdict and something that decides it, and everything that the page names is there."""
from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "claims.md"
VERDICTS = {"holds", "imprecise", "refuted", ""}
LINK = re.compile(r"\[(?P<text>`[^`]*`|[^\]`]*)\]\((?P<target>[^)#]+)\)")


@cache
def collected(files: tuple[Path, ...]) -> frozenset[str]:
    """The ids of all tests of these files as pytest knows them, nightly ones included; of a parametrised one its bare name, too."""
    run = subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "", "-p", "no:cacheprovider", *map(str, files)],
                         cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    ids = {line for line in run.stdout.splitlines() if "::" in line}
    return frozenset(ids | {line.partition("[")[0] for line in ids})


@cache
def config(file: Path) -> dict:
    return tomllib.loads(file.read_text())


def links(text: str) -> list[tuple[str, Path]]:
    """What a link says, and the file that it points to."""
    return [(match["text"].strip("`"), (PAGE.parent / match["target"]).resolve()) for match in LINK.finditer(text)]


def missing(text: str) -> list[str]:
    """What the page names and nobody has: files, tests, and entries of the specifications' tables."""
    named = links(text)
    found = [f"{target.name}: no such file" for _, target in named if not target.exists()]
    named = [(name, target) for name, target in named if target.exists()]
    files = tuple(sorted({target for _, target in named if target.suffix == ".py" and target.is_relative_to(ROOT / "tests")}))
    ids = collected(files) if files else frozenset()
    for name, target in named:
        if target in files:
            identifier = f"{target.relative_to(ROOT).as_posix()}::{name}"
            if identifier not in ids:
                found.append(identifier)
        elif target.suffix == ".toml":
            table, _, key = name.partition(".")
            if key not in config(target).get(table, {}):
                found.append(f"{target.name}: {name}")
    return found


def rows(text: str) -> list[list[str]]:
    """The cells of each claim: articles, claim, verdict, what is exact, what decides it."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith(("| |", "|-"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def flaws(text: str) -> list[str]:
    """Rows without a verdict, without a correction where the claim does not hold as it stands, or without anything that decides them."""
    found = []
    for cells in rows(text):
        if len(cells) != 5:
            found.append(f"{len(cells)} cells: {cells}")
            continue
        articles, claim, verdict, exactly, decided = cells
        if verdict not in VERDICTS or not verdict and not claim.startswith("("):
            found.append(f"verdict: {claim}")
        if verdict != "holds" and not exactly:
            found.append(f"what is exact: {claim}")
        if not links(decided):
            found.append(f"nothing decides: {claim}")
    return found


def test_everything_that_the_page_names_is_there():
    assert missing(PAGE.read_text()) == []


def test_every_claim_has_its_verdict_and_what_decides_it():
    text = PAGE.read_text()
    assert flaws(text) == []
    assert len(rows(text)) > 60
    assert {cells[2] for cells in rows(text)} == VERDICTS


@pytest.mark.parametrize(("planted", "noticed"), [
    ("[`test_wheel[124_becomes_120]`](../tests/impl/test_timing_wheel.py)", "tests/impl/test_timing_wheel.py::test_wheel[124_becomes_120]"),
    ("[`test_whee`](../tests/impl/test_timing_wheel.py)", "tests/impl/test_timing_wheel.py::test_whee"),
    ("[`test_of_nothing`](../tests/impl/test_of_nothing.py)", "test_of_nothing.py: no such file"),
    ("[`mutants.M2000`](../spec/TimerTaskList.toml)", "TimerTaskList.toml: mutants.M2000"),
    ("[`configs.M2`](../spec/TimerTaskList.toml)", "TimerTaskList.toml: configs.M2"),
])
def test_a_wrong_name_is_noticed(planted, noticed):
    assert missing(PAGE.read_text() + f"\n| A | A claim | holds | | {planted} |\n") == [noticed]


@pytest.mark.parametrize(("planted", "noticed"), [
    ("| A | A claim | true | exact | [`a`](b.py) |", "verdict: A claim"),
    ("| A | A claim | | exact | [`a`](b.py) |", "verdict: A claim"),
    ("| A | A claim | refuted | | [`a`](b.py) |", "what is exact: A claim"),
    ("| A | A claim | holds | | by itself |", "nothing decides: A claim"),
    ("| A | A claim | holds | [`a`](b.py) |", "4 cells: ['A', 'A claim', 'holds', '[`a`](b.py)']"),
])
def test_an_incomplete_row_is_noticed(planted, noticed):
    assert flaws(PAGE.read_text() + f"\n{planted}\n") == [noticed]
