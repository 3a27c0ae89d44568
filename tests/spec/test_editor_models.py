"""The models for editors: generated texts, the command in them, and the verdicts they promise."""

import os
import re
import shutil
import subprocess

import pytest

from tests.found import mechanisms
from tests.model.artefacts import ROOT
from tests.nights import only
from wheelproof import project
from wheelproof.commands import editor
from wheelproof.tlc import jar, java, process
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
    for folder in (ROOT / "spec", ROOT / "spec" / "models"):
        for file in (*folder.glob("*.tla"), *folder.glob("*.cfg")):
            shutil.copy(file, tmp_path)
    module = tmp_path / f"MC{mechanism.module}{suffix}.tla"
    config = editor.failing(mechanism) if suffix else editor.holding(mechanism)
    only = (
        config.property
        if suffix and mechanism.properties[config.property].kind == "liveness"
        else None
    )
    result = process.run(module, timeout=300, only_property=only)
    expected = (Outcome.VIOLATED, config.property) if suffix else (Outcome.COMPLETED, None)
    assert (result.outcome, result.property) == expected, result.explanation


@pytest.mark.daily(2)
@pytest.mark.parametrize("suffix, status", [("", 0), ("Fails", 13)])
def test_the_command_of_a_model_runs_in_its_folder(tmp_path, suffix, status):
    folder = shutil.copytree(ROOT / "spec", tmp_path / "spec") / "models"
    text = (folder / f"MCAtomic{suffix}.tla").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\\\*   (java .+)$", text, re.MULTILINE)
    path = f"{java.locate().executable.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"{command} -workers 1"],
        cwd=folder,
        env=os.environ | {"PATH": path, "TLA2TOOLS_JAR": str(jar.locate().path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == status, done.stdout + done.stderr


def test_a_file_that_was_changed_is_written_anew(tmp_path):
    for folder in ("spec", "mutants"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    mechanism = project.read(tmp_path / "spec" / "Atomic.toml")
    assert editor.write(mechanism) == []
    file = tmp_path / "spec" / "models" / "MCAtomic.cfg"
    file.write_text(file.read_text(encoding="utf-8") + "\n")
    assert editor.write(mechanism) == [file] and editor.write(mechanism) == []


def test_a_module_of_the_tool_is_written_beside_the_models_that_need_it(tmp_path):
    shutil.copytree(ROOT / "examples" / "bounded_buffer", tmp_path / "project")
    mechanism = project.read(tmp_path / "project" / "spec" / "BoundedBuffer.toml")
    module = tmp_path / "project" / "spec" / "Conditions.tla"
    assert module in editor.write(mechanism)
    assert module.read_bytes() == (ROOT / "spec" / "Conditions.tla").read_bytes()
    assert editor.write(mechanism) == []
