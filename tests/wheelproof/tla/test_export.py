"""Kept syntax trees: made again where they are damaged, and read as data by any writer."""

import builtins
import re
import zlib
from contextlib import suppress
from itertools import cycle
from xml.sax.saxutils import escape

import pytest

from tests.wheelproof.damaged import DAMAGES, entries
from tests.wheelproof.tla.conftest import written
from wheelproof import starter
from wheelproof.errors import WheelproofError
from wheelproof.tla import export, reader
from wheelproof.tla.model import Compiled
from wheelproof.tlc import jar as jars

BODY = """
CONSTANT Size
VARIABLE count
Init == count = 0
Up(step) == count' = count + step /\\ count < Size
Next == \\E step \\in {1} : Up(step)
"""


LOCK = starter.files("my_lock")["spec/MyLock.tla"]


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """A small module and an algorithm, by name: the file and its XML."""
    folder = tmp_path_factory.mktemp("modules")
    files = [written(folder, "Kept", BODY, "Integers"), folder / "MyLock.tla"]
    files[1].write_text(LOCK, encoding="utf-8")
    sources = [export.source(file) for file in files]
    export.prepare(sources)
    kept = [export._trees().read(each.digest(jars.locate())) for each in sources]
    return {file.stem: (file, zlib.decompress(xml)) for file, xml in zip(files, kept, strict=True)}


@pytest.fixture
def made(trees):
    """A module, and its XML."""
    return trees["Kept"]


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


# -- a tree with planted texts

HOSTILE = (
    "x or planted()",
    "x\n  planted()\n",
    "x'); planted(); ('",
    'x"); planted(); ("',
    "x}{planted()}",
    "x): planted()\ndef y(",
    "planted() #",
    "x\\",
    "",
)

NAMED = re.compile(r"<(uniquename|StringValue|RootModule|filename|module)>([^<]*)</\1>")
"""The texts of a module in SANY's XML."""

PROGRAM = {"a": [["add", 1]], "b": [["add", 2]]}
NONE = (WheelproofError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What is raised where a formula has no value, or an XML is none. Not SyntaxError or NameError."""


def carried_out(xml):
    """Compile a module, take all steps of its first states, and evaluate its definitions."""
    with suppress(*NONE):
        module = reader.read(xml)
        constants = {"Program": PROGRAM, "Total": 3, "NULL": "null"}
        constants |= dict.fromkeys(set(module.constants) - set(constants), 1)
        model = Compiled(module).model(constants, ("a", "b"))
        states = [model.initial()]
        for _ in range(4):
            states += [after for _, _, after in model.successors(states[-1])]
        for name in module.definitions:
            with suppress(*NONE):
                model.holds(name, states[-1])
        return len(states)
    return 0


def texts_of(xml):
    return sorted(set(NAMED.findall(xml)))


OWN = {"Program", "NULL", "A1", "A2", "NothingLost", "Amount", "value", "owner", "MyLock"}
"""Texts of each kind in the module: constants, labels and steps, definitions, variables, its name.
By night all texts are taken."""


@pytest.fixture
def planted(monkeypatch):
    """What ran of the planted code."""
    ran = []
    monkeypatch.setattr(builtins, "planted", lambda: ran.append(1), raising=False)
    return ran


def test_a_planted_tree_runs_no_code(trees, planted):
    """Each text of the tree becomes a hostile one, wherever it stands."""
    xml = trees["MyLock"][1].decode()
    assert carried_out(xml.encode()) > 4, "the control: as it is, the module runs"
    texts = [(tag, text) for tag, text in texts_of(xml) if text in OWN]
    assert {text for _, text in texts} == OWN
    for (tag, text), hostile in zip(texts, cycle(HOSTILE)):
        old, new = f"<{tag}>{text}</{tag}>", f"<{tag}>{escape(hostile)}</{tag}>"
        carried_out(xml.replace(old, new).encode())
        assert not planted, (tag, text, hostile)


@pytest.mark.nightly
def test_a_planted_tree_runs_no_code_whatever_its_texts(trees, planted):
    xml = trees["MyLock"][1].decode()
    for tag, text in texts_of(xml):
        for hostile in HOSTILE:
            old, new = f"<{tag}>{text}</{tag}>", f"<{tag}>{escape(hostile)}</{tag}>"
            carried_out(xml.replace(old, new).encode())
            assert not planted, (tag, text, hostile)
