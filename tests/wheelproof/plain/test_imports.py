"""Imports by name, by an entry point or of a file give modules of the program's world."""

import contextlib

import pytest

from wheelproof.plain import imports, modules, world
from wheelproof.plain.answers import Answer

PLUGIN = """
import threading

class Plugin:
    def __init__(self):
        self.lock, self.count = threading.Lock(), 0

    def add(self):
        with self.lock:
            self.count += 1

shared = Plugin()
"""

BY_NAME = {
    "entry point": (
        "importlib.metadata",
        "next(iter(importlib.metadata.entry_points(group='plugins'))).load()",
    ),
    "name": ("pkgutil", "pkgutil.resolve_name('plugin:shared')"),
    "import_module": ("importlib", "importlib.import_module('plugin').shared"),
}
"""How an object is found: the module that finds it, and the call."""

PROGRAM = """
import {module}
{before}

def program():
    shared = {found}
    run(shared.add, shared.add)
    import plugin
    assert plugin.shared.count == 2 and plugin.shared is shared
"""

FROM_FILE = """
import importlib.util

def program():
    spec = importlib.util.spec_from_file_location("again", {file!r})
    module = importlib.util.module_from_spec(spec)
    assert module.__spec__ is spec and module.__file__ == {file!r}
    spec.loader.exec_module(module)
    run(module.shared.add, module.shared.add)
    assert module.shared.count == {count}
"""


@pytest.fixture
def plugin(written):
    written.module("plugin", PLUGIN)
    metadata = written.folder / "plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[plugins]\nshared = plugin:shared\n")
    return written


def programs(way):
    module, found = BY_NAME[way]
    yield PROGRAM.format(module=module, before="", found=found)
    yield PROGRAM.format(module=module, before=f"FOUND = {found}", found="FOUND")


@pytest.mark.daily(3)
@pytest.mark.parametrize("way", BY_NAME)
def test_an_object_that_is_found_by_name_is_that_of_the_program(plugin, way):
    for text in programs(way):
        answer = plugin.explored(text)
        assert answer.answer is Answer.EXHAUSTED, (answer.reason, answer.failure)


@pytest.mark.daily(2)
@pytest.mark.parametrize("way", ["entry point", "name"])
def test_with_the_real_import_it_would_be_another(plugin, way, monkeypatch):
    for module in (modules, world):
        monkeypatch.setattr(module, "by_name", contextlib.nullcontext)
    for text in programs(way):
        assert plugin.explored(text).answer in (Answer.BUG, Answer.UNSEEN)


@pytest.mark.daily(2)
@pytest.mark.parametrize(("count", "answer"), [(2, Answer.EXHAUSTED), (3, Answer.BUG)])
def test_a_module_that_is_loaded_from_a_file_is_looked_into(plugin, count, answer):
    file = str(plugin.folder / "plugin.py")
    found = plugin.explored(FROM_FILE.format(file=file, count=count))
    assert found.answer is answer, found.reason


def test_imports_outside_an_exploration_are_the_real_ones(plugin):
    text = next(programs("import_module"))
    assert plugin.explored(text).answer is Answer.EXHAUSTED
    assert imports.importlib.import_module is imports.real_import
    with imports.by_name():
        assert imports.importlib.import_module("json") is __import__("json")
