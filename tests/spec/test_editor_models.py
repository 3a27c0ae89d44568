"""The models beside the specifications: generated texts, and the verdicts that they promise."""

import shutil

import pytest

from tests.found import mechanisms
from tests.model.artefacts import ROOT
from tests.nights import only
from wheelproof import project
from wheelproof.commands import editor
from wheelproof.tlc import process
from wheelproof.tlc.result import Outcome

MECHANISMS = mechanisms()
MODELS = [(mechanism, suffix) for mechanism in MECHANISMS for suffix in ("", "Fails")]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_models_are_as_the_tool_writes_them(mechanism):
    made = editor.models(MECHANISMS[mechanism])
    assert len(made) == 4
    for file, text in made.items():
        assert file.read_text(encoding="utf-8") == text, f"{file.name}: run `wheelproof models`"


@pytest.mark.parametrize("name, suffix", only(MODELS, ("atomic", "Fails")))
def test_tlc_alone_comes_to_the_verdict(name, suffix, tmp_path):
    mechanism = MECHANISMS[name]
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    module = tmp_path / "spec" / f"MC{mechanism.module}{suffix}.tla"
    config = editor.failing(mechanism) if suffix else editor.holding(mechanism)
    only = (
        config.property
        if suffix and mechanism.properties[config.property].kind == "liveness"
        else None
    )
    result = process.run(module, timeout=300, only_property=only)
    expected = (Outcome.VIOLATED, config.property) if suffix else (Outcome.COMPLETED, None)
    assert (result.outcome, result.property) == expected, result.explanation


def test_a_file_that_was_changed_is_written_anew(tmp_path):
    for folder in ("spec", "mutants"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    mechanism = project.read(tmp_path / "spec" / "Atomic.toml")
    assert editor.write(mechanism) == []
    file = tmp_path / "spec" / "MCAtomic.cfg"
    file.write_text(file.read_text(encoding="utf-8") + "\n")
    assert editor.write(mechanism) == [file] and editor.write(mechanism) == []
