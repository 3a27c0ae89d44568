"""docs/releases.md has the tables and runs of `wheelproof jvm --matrix`, and all of them."""

import re
import subprocess
import sys

import pytest

from tests.docs.reading import ROOT, commands
from tests.found import mechanisms
from wheelproof.commands import releases
from wheelproof.jvm.tasks import CHANGE, PROPERTY, tasks

PAGE = ROOT / "docs/releases.md"
BETWEEN = re.compile(
    r"<!-- matrix: printed by `wheelproof jvm --matrix` -->\n\n(.*)\n<!-- matrix: end -->", re.S
)
COMPARED = re.compile(r"^\| (\S+) \| (?:[1-9]\d*) of (?:\d+) scenarios equal", re.M)
CHANGED = re.compile(r"^\| (\S+), changed \| equal without `(\w+)`", re.M)
SECTION = re.compile(r"^#### `(.+)` of `(\w+)`$", re.M)
TABLE = re.compile(r"^\| release \| `(\w+)` ", re.M)


def printed(text: str) -> str:
    """What the page has of the command's output."""
    found = BETWEEN.search(text)
    assert found, "the page has no matrix"
    return found[1]


def declared() -> dict[str, set[tuple[str, ...]]]:
    """The lines and sections that the bindings declare, each with its mechanism."""
    found: dict[str, set[tuple[str, ...]]] = {"compared": set(), "changed": set(), "runs": set()}
    for name, mechanism in mechanisms().items():
        wanted = releases.names([mechanism])
        for task in tasks(mechanism).values():
            if task.name not in wanted:
                continue
            if without := releases.lacks(task):
                found["changed"].add((name, task.release, without))
            else:
                found["compared"].add((name, task.release))
            if task.kind == PROPERTY or without:
                found["runs"].add((name, task.subject))
    return found


def shown(text: str) -> dict[str, set[tuple[str, ...]]]:
    """The same of the page."""
    tables, _, _ = text.partition("\n#### ")
    found: dict[str, set[tuple[str, ...]]] = {"compared": set(), "changed": set()}
    starts = [*TABLE.finditer(tables)]
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        mine = tables[start.start() : following.start() if following else None]
        found["compared"] |= {(start[1], release) for release in COMPARED.findall(mine)}
        found["changed"] |= {(start[1], *each) for each in CHANGED.findall(mine)}
    return found | {"runs": {(mechanism, name) for name, mechanism in SECTION.findall(text)}}


def test_each_release_change_and_run_of_the_bindings_is_on_the_page():
    text = printed(PAGE.read_text(encoding="utf-8"))
    assert shown(text) == declared()
    assert "not shown" not in text


@pytest.mark.parametrize(
    ("line", "kind", "gone"),
    [
        ("| 2.0.0 | 6 of 6 scenarios equal", "compared", ("delayed_operation", "2.0.0")),
        (
            "| 4.3.0, changed | equal without `M16`",
            "changed",
            ("overflow_wheel", "4.3.0", "M16"),
        ),
        ("#### `opposite_flushes` of", "runs", ("timer_task_list", "opposite_flushes")),
    ],
)
def test_a_line_that_is_missing_is_noticed(line, kind, gone):
    text = printed(PAGE.read_text(encoding="utf-8"))
    assert line in text
    kept = "".join(each for each in text.splitlines(True) if not each.startswith(line))
    assert declared()[kind] - shown(kept)[kind] == {gone}


def test_each_command_names_a_check_that_is_declared():
    known = {name for each in mechanisms().values() for name in tasks(each)}
    named = [
        words[2]
        for words in commands(PAGE.read_text(encoding="utf-8"))
        if words[:2] == ["wheelproof", "jvm"] and words[2] != "--matrix"
    ]
    assert len(named) == len(declared()["runs"]) and set(named) <= known


@pytest.mark.nightly
def test_the_tables_and_runs_are_what_the_command_prints(tmp_path):
    """And a run of each kind is repeated on the class files by the command of its section."""
    words = [sys.executable, "-m", "wheelproof"]
    made = subprocess.run(
        [*words, "jvm", "--matrix", "--output", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.rstrip("\n") == printed(PAGE.read_text(encoding="utf-8")).rstrip("\n")
    repeated = set()
    for mechanism in mechanisms().values():
        for task in tasks(mechanism).values():
            kind = task.kind if task.kind == PROPERTY or releases.lacks(task) else ""
            file = tmp_path / f"counterexamples/{mechanism.name}.jvm.{task.name}.json"
            if kind and file.exists() and (mechanism.name, kind) not in repeated:
                repeated.add((mechanism.name, kind))
                again = subprocess.run(
                    [*words, "replay", str(file), "--on", "impl"],
                    cwd=ROOT,
                    capture_output=True,
                    text=True,
                )
                assert again.returncode == 1, again.stdout + again.stderr
    assert {kind for _, kind in repeated} == {PROPERTY, CHANGE}
