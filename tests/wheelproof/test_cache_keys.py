"""A kept result is taken for its own inputs alone: each input of each key makes another key.

The control takes one input out of a key. Then a result that was made of another value of it would
be taken, and the test says so.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wheelproof.java import Java
from wheelproof.jvm import setup
from wheelproof.kept import Entries
from wheelproof.mutate import tlc_runs
from wheelproof.tla.export import Source
from wheelproof.tlc import archive, server, translation
from wheelproof.tlc.jar import Jar

PACKAGE = Path(__file__).resolve().parents[2] / "wheelproof"
JARS = Jar(Path("/one.jar"), "planted", True, "1" * 64), Jar(Path("/one.jar"), "", True, "2" * 64)
MODULE = "---- MODULE M ----\n--algorithm a {}\n\\* BEGIN TRANSLATION\n\\* END TRANSLATION\n===="


def java(executable="/one/java", version=17):
    return Java(Path(executable), version, "planted")


def tree(folder, jar=JARS[0], name="M", file="M.tla", text=MODULE):
    return Source(name, ((file, text),)).digest(jar)


def translated(folder, jar=JARS[0], text=MODULE):
    return translation._key(text, jar)


def archived(folder, jar=JARS[0], executable="/one/java", version=17):
    return archive._key(java(executable, version), jar)


def served(folder, executable="/one/java", source="class Server {}"):
    (folder / "Server.java").write_text(source, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(server, "SOURCES", folder)
        return server._entry(java(executable))


def compiled(folder, source="class A {}", path="/one.jar"):
    (folder / "A.java").write_text(source, encoding="utf-8")
    keys = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(setup.kept, "jar", lambda key, make: keys.append(key))
        setup.compile_java(Path("/one/java"), [folder / "A.java"], [Path(path)], fetch=False)
    return keys[0]


def checked(
    folder, jar="1", module="M", text=MODULE, config="M.cfg", settings="", dump=None, depth=False
):
    (folder / "M.tla").write_text(text, encoding="utf-8")
    (folder / "M.cfg").write_text(settings, encoding="utf-8")
    options = {"config": folder / config, "dump": dump, "deadlock_check": depth}
    return tlc_runs.key_of(folder / f"{module}.tla", options, jar)


KEYS = {
    "tla/export.py": (
        tree,
        {"jar": JARS[1], "name": "N", "file": "N.tla", "text": MODULE + "\n"},
    ),
    "tlc/translation.py": (translated, {"jar": JARS[1], "text": MODULE.replace("a {}", "b {}")}),
    "tlc/archive.py": (archived, {"jar": JARS[1], "executable": "/two/java", "version": 21}),
    "tlc/server.py": (served, {"executable": "/two/java", "source": "class Other {}"}),
    "jvm/setup.py": (compiled, {"source": "class A { }", "path": "/two.jar"}),
    "mutate/tlc_runs.py": (
        checked,
        {
            "jar": "2",
            "module": "N",
            "text": MODULE + "\n",
            "config": "N.cfg",
            "settings": "SPECIFICATION Spec",
            "dump": Path("states.dot"),
            "depth": True,
        },
    ),
}
"""Module -> its key as a function of its inputs, and another value of each of them."""

ELSEWHERE = {
    "checks/cached.py": "tests/wheelproof/checks/test_cached.py changes each file and option",
}

CASES = [(module, name) for module, (_, others) in KEYS.items() for name in others]


def stale(key, folder, store, **other):
    """Whether a result that was kept for the first inputs is taken for others."""
    store.keep(key(folder), b"made of the first")
    return store.read(key(folder, **other)) is not None


@pytest.mark.parametrize(("module", "name"), CASES)
def test_no_result_of_another_input_is_taken(module, name, tmp_path):
    key, others = KEYS[module]
    store = Entries(tmp_path / "kept")
    assert not stale(key, tmp_path, store, **{name: others[name]})


@pytest.mark.parametrize(("module", "name"), CASES)
def test_a_key_without_an_input_has_stale_results_taken(module, name, tmp_path):
    key, others = KEYS[module]

    def without(folder, **inputs):
        return key(folder, **{each: value for each, value in inputs.items() if each != name})

    assert stale(without, tmp_path, Entries(tmp_path / "kept"), **{name: others[name]})


def test_each_module_that_keeps_results_has_its_inputs_here():
    keeping = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if re.search(r"\bEntries\(|kept\.jar\(", file.read_text(encoding="utf-8"))
    }
    assert keeping - {"kept.py"} == KEYS.keys() | ELSEWHERE.keys()
