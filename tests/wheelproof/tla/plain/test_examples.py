"""`wheelproof tla --examples` compares the models of manifests; the page has its table."""

import json
import re

import pytest

from tests.docs.reading import ROOT
from tests.examples.pages import wheelproof
from tests.wheelproof.tla.plain.modules import MODULES, subject
from wheelproof.commands import examples

COUNTS = {"Lettered": (28, 46), "Bag": (9, 25), "Refused": (2, 2)}


@pytest.fixture
def clone(tmp_path):
    """A clone with one specification of three models."""
    folder = tmp_path / "specifications" / "Small"
    folder.mkdir(parents=True)
    for name in ("Lettered", "Bag"):
        subject(folder, name, *MODULES[name])
    text = "VARIABLE x\nInit == x = 0\nNext == x' = CHOOSE y : y # x"
    subject(folder, "Refused", text, "INIT Init NEXT Next")
    manifest = {
        "modules": [
            {
                "path": f"specifications/Small/{name}.tla",
                "models": [
                    {
                        "path": f"specifications/Small/{name}.cfg",
                        "distinctStates": distinct,
                        "totalStates": generated,
                    }
                ],
            }
            for name, (distinct, generated) in COUNTS.items()
        ]
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path


def test_the_models_of_a_clone_are_compared(clone):
    code, text = wheelproof(clone, "tla", "--examples", ".")
    assert code == 4, text
    assert "1 equal, 1 different, 1 refused." in text
    assert "| Small/Bag | 9 | 25 | equal |" in text
    assert re.search(r"\| Small/Lettered \| \d+ \| \d+ \| different", text)
    assert "| Small/Refused | - | - | refused: module Refused, line 4: CHOOSE without a set" in text


def test_a_folder_that_is_no_clone_has_the_command_for_one(tmp_path):
    code, text = wheelproof(tmp_path, "tla", "--examples", "Examples")
    assert code == 5
    assert f"git clone {examples.ADDRESS} && git -C Examples checkout" in text


def test_the_page_has_a_row_for_each_small_model():
    page = (ROOT / "docs/tla.md").read_text(encoding="utf-8")
    head = re.search(r"Commit (\w+): (\d+) models of at most 50,000 states\.\n(.+)\.\n", page)
    assert head and examples.COMMIT.startswith(head[1])
    table = page[head.end() :].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\w./-]+) \| [\d,-]+ \| [\d,-]+ \| (.+) \|$", table, re.M)
    assert len(rows) == int(head[2]) == 94
    for entry in head[3].split(", "):
        count, kind = entry.split(" ", 1)
        assert int(count) == sum(re.split("[;:]", row)[0] == kind for _, row in rows), entry
    assert not any(row.startswith("different") for _, row in rows)
    assert sum(row.startswith("equal") for _, row in rows) >= 75
