"""Processes of a run share the work of compiling the modules that its tests import."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal import constants_ast

from tests import compiling


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A package with a module, a helper of tests, and files that are not for this."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    for name, text in {
        "impl/__init__.py": "",
        "impl/room.py": "NUMBER = 4711\n",
        "tests/helper.py": "NUMBER = 4712\n",
        "tests/broken.py": "def\n",
        "tests/test_room.py": "NUMBER = 4713\n",
        "tests/conftest.py": "NUMBER = 4714\n",
        "docs/other.py": "NUMBER = 4715\n",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    set_hypothesis_home_dir(tmp_path / "kept")
    yield tmp_path
    set_hypothesis_home_dir(None)


def test_the_modules_are_those_that_pytest_does_not_rewrite(project):
    found = [file.relative_to(project).as_posix() for file in compiling.files(project)]
    assert found == ["impl/__init__.py", "impl/room.py", "tests/broken.py", "tests/helper.py"]
    assert {file.relative_to(compiling.ROOT).parts[0] for file in compiling.files()} >= {
        *("impl", "model", "proofs", "tests", "wheelproof")
    }


def test_what_is_compiled_is_what_python_takes(project):
    kept = {
        name: Path(importlib.util.cache_from_source(str(project / name)))
        for name in ("impl/room.py", "tests/helper.py", "tests/broken.py", "docs/other.py")
    }
    assert not any(file.is_file() for file in kept.values())
    compiling.compile_all(compiling.files(project))
    assert [name for name, file in kept.items() if file.is_file()] == [
        *("impl/room.py", "tests/helper.py")
    ]


def test_what_is_read_of_a_module_is_what_hypothesis_draws(project, monkeypatch):
    """Of a module that was read before, Hypothesis does not look through the text again."""
    looked, look = [], constants_ast._constants_from_source
    module = ModuleType("room")
    module.__file__ = str(project / "impl/room.py")

    def noted(source, **options):
        looked.append(source)
        return look(source, **options)

    compiling.compile_all(compiling.files(project))
    monkeypatch.setattr(constants_ast, "_constants_from_source", noted)
    assert 4711 in constants_ast.constants_from_module(module).integers
    assert [b"NUMBER" in source for source in looked] == [False]
    module = ModuleType("other")
    module.__file__ = str(project / "docs/other.py")
    assert 4715 in constants_ast.constants_from_module(module).integers
    assert b"NUMBER" in looked[-1], "it was in no package"
