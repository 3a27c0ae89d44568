"""Every fenced command of a page is run: by a test, by continuous integration, or by the night."""

import itertools
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.docs.reading import ROOT, commands, name, pages
from tests.docs.test_commands import SHELL

LEDGER = tomllib.loads((ROOT / "tests/docs/runs.toml").read_text(encoding="utf-8"))


def chains(ledger: Mapping[str, Any]) -> list[list[str]]:
    """The commands of the night. Those of one chain read what the ones before them write."""
    return [[entry] if isinstance(entry, str) else entry for entry in ledger["nightly"]["commands"]]


def known(ledger: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """The commands that the ledger names, as words."""
    listed = [*ledger["continuous_integration"]["commands"], *itertools.chain(*chains(ledger))]
    return {tuple(shlex.split(line)) for line in (*listed, *ledger["same"], *ledger["by_hand"])}


def unknown(texts: Mapping[str, str], ledger: Mapping[str, Any]) -> list[str]:
    """Commands of pages that no run is named for."""
    there = known(ledger)
    return [
        f"{page}: {shlex.join(words)}"
        for page, text in texts.items()
        if page not in ledger["pages"]
        for words in commands(text)
        if tuple(words) not in there and words[0] not in SHELL - {"git"}
    ]


def missing(ledger: Mapping[str, Any]) -> Iterator[str]:
    """Runs that the ledger names and that are not there."""
    for run in (*ledger["pages"].values(), *ledger["same"].values()):
        file, _, test = run.partition("::")
        if not (ROOT / file).exists():
            yield f"there is no {file}"
        elif test and f"\ndef {test}(" not in (ROOT / file).read_text(encoding="utf-8"):
            yield f"{file} has no {test}"
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    for command in ledger["continuous_integration"]["commands"]:
        if f'" {command}\n' not in ci:
            yield f".ci/run does not run {command}"


def texts() -> dict[str, str]:
    return {name(page): page.read_text(encoding="utf-8") for page in pages()}


def test_each_command_is_run_somewhere():
    assert unknown(texts(), LEDGER) == []
    assert list(missing(LEDGER)) == []


def test_the_ledger_names_no_other_command():
    shown = {tuple(words) for text in texts().values() for words in commands(text)}
    assert known(LEDGER) - shown == set()


def test_a_command_without_a_run_and_a_run_that_is_gone_are_noticed():
    page = {"docs/new.md": "```sh\nwheelproof verify timing_wheel\n```\n"}
    assert unknown(page, LEDGER) == ["docs/new.md: wheelproof verify timing_wheel"]
    gone = {"same": {}, "pages": {"a": "tests/docs/test_runs.py::test_gone", "b": "tests/gone.py"}}
    ci = {"continuous_integration": {"commands": ["make d1"]}}
    assert list(missing(gone | ci)) == [
        "tests/docs/test_runs.py has no test_gone",
        "there is no tests/gone.py",
        ".ci/run does not run make d1",
    ]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of the tracked files, with the installed packages."""
    tree = tmp_path_factory.mktemp("checkout")
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for file in tracked:
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tree / file)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    return tree


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("chain", chains(LEDGER), ids=lambda chain: chain[0])
def test_commands_end_as_the_page_says(checkout, chain):
    for command in chain:
        ends_as_the_page_says(checkout, command)


def ends_as_the_page_says(checkout: Path, command: str) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        # The packages are there: their set-up would install them for the copy.
        targets = ("setup", "setup-test", "setup-data", "setup-kafka")
        words[1:1] = [word for target in targets for word in ("-o", target)]
    elif words[0].endswith("wheelproof"):
        words[:1] = [sys.executable, "-m", "wheelproof"]
    done = subprocess.run(
        words,
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=3600,
        env=os.environ | {"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0", "NO_COLOR": "1"},
    )
    assert done.returncode == (1 if " replay build/counterexamples" in command else 0), done.stdout
