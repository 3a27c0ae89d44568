"""Compiled classes are kept by the content of their sources, and compiled once."""

import subprocess
import zipfile

import pytest

from tests.wheelproof.damaged import DAMAGES, entries
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

    def compile_(text=SOURCE):
        source = tmp_path / "Small.java"
        source.write_text(text, encoding="utf-8")
        return setup.compile_java(executable, [source], [], fetch=False)

    return compile_, runs


def test_classes_are_compiled_once(compile_, tmp_path):
    compile_, runs = compile_
    first = compile_()
    assert first.parent == tmp_path / "cache" / "classes"
    with zipfile.ZipFile(first) as jar:
        assert jar.namelist() == ["Small.class"] and jar.testzip() is None
    assert compile_() == first and len(runs) == 1
    assert compile_(SOURCE.replace("1", "2")) != first and len(runs) == 2


@pytest.mark.daily(2)
@pytest.mark.parametrize("damage", ["cut", "one byte"])
def test_damaged_classes_are_compiled_again(compile_, damage):
    compile_, runs = compile_
    jar = compile_()
    sound = jar.read_bytes()
    DAMAGES[damage](jar)
    assert compile_() == jar and jar.read_bytes() == sound and len(runs) == 2


def test_a_source_that_does_not_compile_leaves_nothing(compile_, tmp_path):
    compile_, runs = compile_
    for _ in range(2):
        with pytest.raises(UsageError, match="does not compile"):
            compile_(SOURCE + "}")
    assert len(runs) == 2
    assert entries(tmp_path / "cache") == []


def test_classes_in_a_folder_of_the_project_are_not_run(compile_, tmp_path, monkeypatch):
    """They are made anew where the cache cannot be written to."""
    compile_, runs = compile_
    monkeypatch.chdir(tmp_path)
    planted = tmp_path / "build" / "jvm" / compile_().name
    planted.parent.mkdir(parents=True)
    planted.write_bytes(b"planted")
    monkeypatch.setattr(setup.kept.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "Small.java"))
    assert compile_().read_bytes() != b"planted" and len(runs) == 2
