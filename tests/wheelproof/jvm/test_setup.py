"""Compiled classes are kept by the content of their sources, and compiled once."""

import os
import shutil
import subprocess

import pytest

from wheelproof import java
from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm import setup

SOURCE = "class Small { int number() { return 1; } }\n"


@pytest.fixture
def compile_(tmp_path, monkeypatch):
    """Compile a text into an empty cache; the list that it adds to has the compiler's runs."""
    runs = []
    ran = subprocess.run

    def run(command, **options):
        runs.append(command)
        return ran(command, **options)

    try:
        executable = java.locate("the test", setup.MINIMUM, "").executable
    except ToolError as error:
        pytest.skip(f"NOT RUN: {error}")
    command = setup.compiler(executable, fetch=True)
    monkeypatch.setattr(setup, "compiler", lambda executable, fetch: command)
    monkeypatch.setattr(setup.subprocess, "run", run)
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))

    def compile_(text=SOURCE, folder="build"):
        source = tmp_path / "Small.java"
        source.write_text(text, encoding="utf-8")
        return setup.compiled(executable, [source], [], tmp_path / folder, fetch=False)

    return compile_, runs


def test_classes_are_compiled_once_for_all_folders(compile_, tmp_path):
    compile_, runs = compile_
    first = compile_()
    assert first.parent == tmp_path / "cache" / "classes"
    assert [file.name for file in first.iterdir()] == ["Small.class"]
    assert compile_(folder="other") == first and len(runs) == 1
    assert compile_(SOURCE.replace("1", "2")) != first and len(runs) == 2


def test_a_source_that_does_not_compile_leaves_nothing(compile_, tmp_path):
    compile_, runs = compile_
    for _ in range(2):
        with pytest.raises(UsageError, match="does not compile"):
            compile_(SOURCE + "}")
    assert len(runs) == 2
    assert not list((tmp_path / "cache" / "classes").iterdir())


def test_without_a_cache_the_output_folder_has_the_classes(compile_, tmp_path):
    compile_, runs = compile_
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")
    first = compile_()
    assert first.parent == tmp_path / "build" and first == compile_() and len(runs) == 1


@pytest.mark.nightly
def test_classes_that_another_process_has_made_meanwhile_are_taken(compile_, monkeypatch):
    compile_, runs = compile_
    made = compile_()
    others = made.rename(made.with_name("others"))

    def late(work, target):
        shutil.copytree(others, target)
        os.rename(work, target)

    monkeypatch.setattr(setup.Path, "rename", late)
    assert compile_() == made and len(runs) == 2
    assert {folder.name for folder in made.parent.iterdir()} == {made.name, "others"}
