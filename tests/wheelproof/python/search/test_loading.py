"""The second loading: apart from production, from one folder, in one piece."""

import importlib
import importlib.util
import subprocess
import sys
import threading
from pathlib import Path
from types import MemberDescriptorType

import pytest

from wheelproof.errors import UsageError
from wheelproof.isolated import ARTEFACTS
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    LabelError,
)
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.fields import Field
from wheelproof.python.runtime.primitives import primitive_names, runtime_module

REPOSITORY = Path(__file__).parents[4]


def test_sys_modules_and_the_import_system_are_as_before(cell):
    before = {
        name: module for name, module in sys.modules.items() if name.partition(".")[0] in ARTEFACTS
    }
    finders = list(sys.meta_path)
    cell.load()
    assert {
        name: module for name, module in sys.modules.items() if name.partition(".")[0] in ARTEFACTS
    } == before
    assert sys.meta_path == finders


def test_a_failed_import_leaves_them_too(cell):
    before = {name for name in sys.modules if name.partition(".")[0] in ARTEFACTS}
    with pytest.raises(UsageError, match=r"cannot be imported: .*nowhere"):
        cell.load(texts={"impl.cell": "import impl.nowhere\n"})
    assert {name for name in sys.modules if name.partition(".")[0] in ARTEFACTS} == before


def test_production_keeps_its_slots_while_the_controlled_class_has_fields():
    production = importlib.import_module("impl.runtime")
    program = (
        "from impl import runtime\n"
        "import threading, sys\n"
        "assert runtime.Monitor is threading.RLock and runtime.Lock is threading.Lock\n"
        "assert 'greenlet' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, check=True)
    assert production.Monitor is threading.RLock


def test_marked_fields_are_controlled_in_place_and_final_ones_untouched(cell):
    module = cell.load()._loaded.modules["impl.cell"]
    controlled = module.Cell.__dict__
    assert isinstance(controlled["item"], Field) and not controlled["item"].volatile
    assert isinstance(controlled["full"], Field) and controlled["full"].volatile
    assert isinstance(controlled["monitor"], MemberDescriptorType)
    assert module.Cell.put.__globals__["Cell"] is module.Cell


def test_two_implementations_do_not_mix(cell):
    one, two = cell.load(), cell.load()
    assert one._loaded.modules["impl.cell"] is not two._loaded.modules["impl.cell"]
    scenario = cell.scenarios["two_puts"]
    first, second = one.begin(scenario), two.begin(scenario)
    first.step(0)
    second.step(1)
    assert first.labels == ["P2", "P1"] and second.labels == ["P1", "P2"]
    first.step(0)
    assert first.labels == ["P3", "P1"]
    first.end()
    second.end()


def test_another_folder_is_another_project_in_any_working_directory(cell, tmp_path, monkeypatch):
    for artefact in ("impl", "harness"):
        (tmp_path / artefact).mkdir()
        text = (cell.root / artefact / "cell.py").read_text(encoding="utf-8")
        (tmp_path / artefact / "cell.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(cell.root)
    implementation = ControlledImplementation.load(tmp_path, "cell")
    assert implementation._loaded.modules["impl.cell"].__file__ == str(
        tmp_path / "impl" / "cell.py"
    )
    (tmp_path / "impl" / "cell.py").unlink()
    with pytest.raises(UsageError, match="cannot be imported"):
        ControlledImplementation.load(tmp_path, "cell")


def test_the_harness_sees_the_controlled_implementation(cell):
    modules = cell.load()._loaded.modules
    assert modules["harness.cell"].production is modules["impl.cell"]


def test_texts_stand_in_for_files(cell):
    implementation = cell.load(texts={"impl.cell": cell.edited(("# read D1", "# read D7"))})
    assert "D7" in {
        label for line in implementation.labels["impl/cell.py"].values() for label in line.values()
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mechanism": "nothing"}, "there is no harness/nothing.py"),
        ({"texts": {"harness.cell": "def shared(harness): return {}\n"}}, "SUBJECT is missing"),
        (
            {
                "texts": {
                    "harness.cell": "SUBJECT = ('impl.cell',)\ndef shared(harness): return {}\n"
                }
            },
            "no class Harness",
        ),
        (
            {
                "texts": {
                    "harness.cell": "SUBJECT = ('impl.cell',)\nclass Harness: pass\nshared = 3\n"
                }
            },
            "shared is no function",
        ),
        ({"texts": {"impl.cell": "from impl.runtime import Phaser\n"}}, "cannot be imported"),
    ],
)
def test_a_missing_part_is_reported(cell, changes, message):
    with pytest.raises(UsageError, match=message):
        ControlledImplementation.load(cell.root, changes.pop("mechanism", "cell"), **changes)


def test_a_mark_on_a_name_that_is_no_slot_is_refused(cell):
    with pytest.raises(ExploreError, match=r"Cell.item is marked Plain but is no slot"):
        cell.planted(('"gate", "item",', '"gate",'))


def test_marks_need_postponed_annotations(cell):
    text = cell.edited(
        ("from __future__ import annotations\n", ""),
        ("item: Plain[str | None]", "item: Plain[str]"),
    )
    with pytest.raises(ExploreError, match="cannot be read"):
        cell.load(texts={"impl.cell": text})


def test_an_unreadable_label_is_an_error_with_its_place(cell):
    with pytest.raises(LabelError, match=r"impl/cell.py:\d+: unreadable label"):
        cell.planted(("# read D1", "# read d1"))


def test_the_controlled_runtime_has_the_names_of_the_production_one():
    from impl import runtime as production

    controlled = vars(runtime_module(Scheduler()))
    assert set(production.__all__) <= set(controlled)
    assert set(primitive_names()) <= set(production.__all__)
    for name in primitive_names():
        public = {m for m in dir(getattr(production, name)) if not m.startswith("_")}
        assert public & {
            "get",
            "set",
            "get_and_set",
            "compare_and_set",
            "add_and_get",
            "acquire",
            "release",
        } <= set(dir(controlled[name]))


@pytest.mark.parametrize(
    ("made", "changed"),
    [
        ("pass", "self.count = 1"),
        ("self.kept = 1", "self.kept = 'one'"),
        ("self.kept = [1]", "self.kept.append(2)"),
        ("self.kept = {1}", "self.kept.add(2)"),
        ("self.kept = {1: [2]}", "self.kept[1].append(3)"),
        ("self.kept = {1: 2}", "self.kept[3] = 4"),
        ("self.kept = ({1}, 2)", "self.kept[0].clear()"),
        ("self.kept = [[{1}]]", "self.kept[0][0].clear()"),
    ],
)
def test_state_in_the_harness_is_refused(cell, made, changed):
    text = (cell.root / "harness" / "cell.py").read_text()
    for place, line in (
        ("        self.names = ", made),
        ("        return self.cell.claim()", changed),
    ):
        assert text.count(place) == 1
        text = text.replace(place, f"        {line}\n{place}")
    run = cell.load(texts={"harness.cell": text}).begin({"threads": {"a": [["claim"]]}})
    while able := run.enabled():
        run.step(next(iter(able)))
    with pytest.raises(ExploreError, match="changed an attribute of Harness"):
        run.end()
