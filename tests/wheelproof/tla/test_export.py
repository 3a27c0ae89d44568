"""Kept syntax trees: made again where they are damaged, and read as data by any writer."""

import zlib

import pytest

from tests.wheelproof.damaged import DAMAGES, entries
from wheelproof.tla import export
from wheelproof.tlc import jar as jars

BODY = """
CONSTANT Size
VARIABLE count
Init == count = 0
Up(step) == count' = count + step /\\ count < Size
Next == \\E step \\in {1} : Up(step)
"""


@pytest.fixture(scope="module")
def made(modules):
    """A module, and its XML."""
    file = modules({"Kept": BODY})["Kept"]
    kept = export._trees().read(export.source(file).digest(jars.locate()))
    return file, zlib.decompress(kept)


@pytest.fixture
def alone(made, tmp_path, monkeypatch):
    """The module's source in a cache that has this tree alone; the list has what is exported."""
    file, xml = made
    jar = jars.locate()
    source = export.source(file)
    exported = []

    def again(wanted, *_others):
        exported.extend(wanted)
        export._trees().keep(source.digest(jar), zlib.compress(xml))
        return [(xml, "")]

    monkeypatch.setattr(jars, "locate", lambda: jar)
    monkeypatch.setattr(export, "_export", again)
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    export._trees().keep(source.digest(jar), zlib.compress(xml))
    return source, exported


def variables(source):
    return export._load.__wrapped__(source).variables


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_tree_is_exported_again(alone, tmp_path, damage):
    source, exported = alone
    assert variables(source) == ("count",) and not exported
    (file,) = entries(tmp_path / "cache")
    DAMAGES[damage](file)
    assert variables(source) == ("count",) and exported == [source]
    export.prepare([source])
    assert variables(source) == ("count",)
    assert len(exported) == (1 if damage != "a folder" else 3)


@pytest.mark.parametrize("content", [b"", b"no stream", zlib.compress(b"<modules/>")])
def test_a_tree_that_cannot_be_read_is_exported_again(alone, content):
    """Its digest is right."""
    source, exported = alone
    export._trees().keep(source.digest(jars.locate()), content)
    assert variables(source) == ("count",) and exported == [source]
