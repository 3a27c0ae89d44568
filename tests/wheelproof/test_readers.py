"""The sources that read files by themselves, each with what it reads: no file of a person is one.

Those are read by `wheelproof.reading`, which looks at a file before it opens it. A new reader has
to be listed with the reason why only the tool writes its files.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

OWN = "what the tool has written, under a digest or in a folder of its own"
DIGESTED = "bytes of files that were looked at, for a digest"
PACKAGE = "a file of the tool's package"
SYSTEM = "what the system says of itself"
CHANGED = "a copy of a project that was read before"
PARSED = "a text that was read before"

READERS = {
    "wheelproof/plain/counterparts.py": "a source that Python has loaded",
    "wheelproof/plain/instrument/__init__.py": "a source that Python has loaded",
    "wheelproof/plain/lock_order/text.py": "a source that Python has loaded",
    "wheelproof/plain/modules.py": "a source that Python finds on its path",
    "wheelproof/plain/shown.py": "a source that Python has loaded",
    "wheelproof/plain/substitutes.py": "the standard library's threading",
    "wheelproof/artifacts.py": OWN,
    "wheelproof/campaign/shipping.py": "bytes of files that are shipped as they are",
    "wheelproof/certificates/__main__.py": "two files that its caller has made; it has no imports",
    "wheelproof/checks/cached.py": OWN,
    "wheelproof/checks/certified.py": DIGESTED,
    "wheelproof/checks/prove.py": DIGESTED,
    "wheelproof/commands/editor.py": OWN,
    "wheelproof/decisions/hunks.py": PARSED,
    "wheelproof/python/style/branches.py": PARSED,
    "wheelproof/python/style/dropped.py": PARSED,
    "wheelproof/python/parsed.py": PARSED,
    "wheelproof/python/runtime/production.py": PARSED,
    "wheelproof/python/style/set_order.py": PARSED,
    "wheelproof/checks/context.py": PARSED,
    "wheelproof/identity.py": DIGESTED,
    "wheelproof/java.py": OWN,
    "wheelproof/kept.py": OWN,
    "wheelproof/mutate/pytest_runs.py": OWN,
    "wheelproof/mutate/python_source.py": PARSED,
    "wheelproof/mutate/tlc_runs.py": OWN,
    "wheelproof/mutate/tree.py": CHANGED,
    "wheelproof/pipeline/cluster.py": PACKAGE,
    "wheelproof/pipeline/needs.py": "a resource of the project's package, imported with its code",
    "wheelproof/pipeline/session.py": SYSTEM,
    "wheelproof/pipeline/watch/metrics.py": PACKAGE,
    "wheelproof/reading.py": "the reader of files that people write",
    "wheelproof/report/page/render.py": PACKAGE,
    "wheelproof/tla/export.py": OWN,
    "wheelproof/tlc/archive.py": OWN,
    "wheelproof/tlc/dot.py": "a graph that TLC has written",
    "wheelproof/tlc/libraries.py": "modules that git has fetched, under a digest",
    "wheelproof/tlc/mc.py": OWN,
    "wheelproof/tlc/server.py": PACKAGE,
    "wheelproof/toml.py": PARSED,
    "wheelproof/trace/model/oracle.py": OWN,
    "wheelproof/trace/model/report.py": DIGESTED,
    "wheelproof/trace/format/origin.py": DIGESTED,
}

METHODS = ("read_text", "read_bytes")
CALLS = ("tomllib.load", "tomllib.loads", "ast.parse", "json.load")
WRITING = frozenset("wax+")


def reads(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines of a source that read a file, or parse a text, by themselves."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        opens = name == "open" and not _writes(node, called)
        if name in METHODS or called in CALLS or opens:
            yield node.lineno, called


def _writes(node: ast.Call, called: str) -> bool:
    """Whether a call of an open is for writing, or is not of a file."""
    if called.startswith(("self.", "os.", "tempfile.")):
        return True
    modes = [*node.args, *(each.value for each in node.keywords if each.arg == "mode")]
    texts = [each.value for each in modes if isinstance(each, ast.Constant)]
    return any(isinstance(text, str) and WRITING & set(text) for text in texts)


def found() -> dict[str, list[tuple[int, str]]]:
    """Source -> its readings, of those that have some."""
    every = {}
    for file in sorted((ROOT / "wheelproof").rglob("*.py")):
        if read := list(reads(ast.parse(file.read_text(encoding="utf-8")))):
            every[file.relative_to(ROOT).as_posix()] = read
    return every


def test_every_source_that_reads_by_itself_is_listed():
    read = found()
    assert {name: read[name] for name in read.keys() - READERS.keys()} == {}
    assert sorted(READERS.keys() - read.keys()) == []


@pytest.mark.parametrize(
    "text",
    [
        "text = file.read_text(encoding='utf-8')",
        "data = (root / name).read_bytes()",
        "with open(name) as stream: pass",
        "with path.open('rb') as stream: pass",
        "with gzip.open(path) as stream: pass",
        "tables = tomllib.loads(text)",
        "tree = ast.parse(text)",
    ],
)
def test_a_private_way_to_read_a_file_is_seen(text):
    assert list(reads(ast.parse(text)))


@pytest.mark.parametrize(
    "text", ["open(name, 'w')", "path.open(mode='xb')", "self.open(thing)", "reading.text(file)"]
)
def test_what_reads_no_file_is_not(text):
    assert not list(reads(ast.parse(text)))
