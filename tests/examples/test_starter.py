"""`wheelproof init`: the subject that it writes is in order, and a changed step is rejected."""

import errno
import json
import re

import pytest

from tests.examples.pages import ONE_PROCESS, files, wheelproof
from tests.nights import by_night
from wheelproof import documents, starter
from wheelproof.errors import ToolError, UsageError
from wheelproof.tlc import translation

LAYERS = {"tlc", "graph", "bisimulation", "coverage", "mutant", "random", "stress"}
WRITTEN = {
    "spec/MyLock.tla",
    "spec/MyLock.toml",
    "spec/counts.json",
    "spec/plan.json",
    "impl/my_lock.py",
    "harness/my_lock.py",
    "mutants/my_lock/Unlocked.md",
    "mutants/my_lock/KeepsLock.md",
}


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    folder = tmp_path_factory.mktemp("started")
    code, printed = wheelproof(folder, "init", "my_lock")
    assert code == 0, printed
    return folder, printed


def verified(folder, *arguments):
    code, printed = wheelproof(folder, "verify", *ONE_PROCESS, *arguments)
    rows = json.loads((folder / "build" / "results.json").read_text(encoding="utf-8"))["rows"]
    return code, printed, rows


def test_what_is_written_is_in_order_and_each_command_printed_runs(subject):
    folder, printed = subject
    assert set(files(folder)) == WRITTEN
    assert WRITTEN - {"spec/counts.json", "spec/plan.json"} == set(printed.split("\n\n")[0].split())
    commands = re.findall(r"^    wheelproof (.+)$", printed, re.MULTILINE)
    assert [each.split()[0] for each in commands] == [
        "verify",
        "mutant",
        "translate",
        "list",
        "list",
    ]
    code, shown, rows = verified(folder)
    assert code == 0 and all(row["ok"] for row in rows), shown
    assert {row["layer"] for row in rows} == LAYERS
    killed = {row["name"]: row["property"] for row in rows if row["layer"] == "mutant"}
    assert killed == {"Unlocked": "NothingLost", "KeepsLock": "NoDeadlock"}
    before = files(folder)
    for each in commands[1:]:
        ended, shown = wheelproof(folder, *each.split())
        assert ended == 0, (each, shown)
    assert translation.state(folder / "spec" / "MyLock.tla") is translation.State.CURRENT
    assert files(folder) == before, "translation and counts are those that were written"


@pytest.mark.parametrize(
    "old, new, layer",
    [
        ("= before + amount  # write A3", "= before - amount  # write A3", "bisimulation"),
        by_night(("return before + amount", "return before", "bisimulation")),
        by_night(("before = self.value  # read A2", "before = 0  # read A2", "bisimulation")),
    ],
)
def test_another_step_of_the_code_is_rejected(subject, tmp_path, old, new, layer):
    starter.write(tmp_path, "my_lock")
    for file in (tmp_path / "impl" / "my_lock.py", *(tmp_path / "mutants").rglob("*.md")):
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    code, printed, rows = verified(tmp_path, "--layer", layer)
    assert code == 1, printed
    assert layer in {row["layer"] for row in rows if not row["ok"]}


@pytest.mark.parametrize(
    "name", ["", "MyLock", "my lock", "my__lock", "_lock", "../lock", "9lives", "lock_", "schloß"]
)
def test_what_is_no_name_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="is no name for a mechanism"):
        starter.write(tmp_path, name)
    assert not files(tmp_path)


@pytest.mark.parametrize("name", ["class", "runtime", "impl", "integers", "finite_sets"])
def test_a_name_of_another_module_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="is the name of a module that is there already"):
        starter.write(tmp_path, name)
    assert not files(tmp_path)


@pytest.mark.parametrize("there", sorted(WRITTEN - {"spec/counts.json", "spec/plan.json"}))
def test_nothing_is_written_where_a_file_is_there(tmp_path, there):
    (tmp_path / there).parent.mkdir(parents=True)
    (tmp_path / there).write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=f"{re.escape(there)} is there already"):
        starter.write(tmp_path, "my_lock")
    assert set(tmp_path.rglob("*.*")) == {tmp_path / there}


def test_nothing_is_written_beside_a_plan_that_is_none(tmp_path):
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "plan.json").write_text("mine", encoding="utf-8")
    code, printed = wheelproof(tmp_path, "init", "my_lock")
    assert code == 2 and "spec/plan.json is not a JSON document" in printed
    assert files(tmp_path) == {"spec/plan.json": "mine"}


def test_a_second_mechanism_stands_beside_the_first(tmp_path):
    starter.write(tmp_path, "my_lock")
    before = files(tmp_path)
    starter.write(tmp_path, "other")
    assert {name: files(tmp_path)[name] for name in before if name != "spec/counts.json"} == {
        name: text for name, text in before.items() if name != "spec/counts.json"
    }
    counts = json.loads((tmp_path / "spec" / "counts.json").read_text(encoding="utf-8"))
    assert counts["mechanisms"] == {"my_lock": starter.COUNTS, "other": starter.COUNTS}


def test_a_full_disk_leaves_nothing_half_written(tmp_path, monkeypatch):
    write = documents.write_text

    def full(path, text):
        if path.name == "Unlocked.md":
            raise ToolError(f"{path} cannot be written", str(errno.ENOSPC))
        write(path, text)

    monkeypatch.setattr(documents, "write_text", full)
    with pytest.raises(ToolError, match=r"Unlocked\.md cannot be written"):
        starter.write(tmp_path, "my_lock")
    assert not files(tmp_path)
