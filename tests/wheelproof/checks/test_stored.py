"""Kept reports are documents with checked fields: no entry runs code or writes elsewhere."""

import hashlib
import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from wheelproof.checks import cached, stored
from wheelproof.checks.context import Report
from wheelproof.checks.job import SafetyJob
from wheelproof.checks.stored import Entry
from wheelproof.errors import UsageError
from wheelproof.events import VerifyOptions
from wheelproof.python.runtime.lock_order import Edge, Place
from wheelproof.verdict import Row

JOB = SafetyJob("gate", "small", ("tlc", "graph"), others=("live",))
PLACE, OUTER = Place("impl/gate.py", 7, "Gate.enter", "G2"), Place("impl/gate.py", 3, "f", "")
TRACE, GRAPH = "counterexamples/gate.tlc.small.json", "graphs/gate.graph.small.json"


def row(layer, name, **more):
    more = {"expected": "exhaustive", "verdict": "exhaustive", "ok": True} | more
    return Row("gate", layer, name, **more)


ENTRY = Entry(
    "2026-01-02T03:04:05+00:00",
    Report(
        [
            row("tlc", "small", figures={"states": 3, "of": ["a", None]}, seconds=1.5, trace=TRACE),
            row("graph", "small", why="a note", bound="2 threads"),
            row("liveness", "live"),
        ],
        {"G1", "G2"},
        {("small", "G1"), ("small", "G2")},
        {"both": "small"},
        {"Gate.enter"},
        {"Gate.count"},
        {"Gate.count": ("small", "impl/gate.py:3")},
        {"Gate.lock"},
        {Edge("Gate.lock", "Door.lock", PLACE): {"small": OUTER}},
        {GRAPH},
    ),
    {TRACE: '{"é": 1}\n', GRAPH: "{}"},
)


def decoded(content):
    return stored.decode(Path("entry"), content, JOB)


def test_a_report_is_read_as_it_was_kept():
    assert decoded(stored.encode(ENTRY)) == ENTRY
    empty = replace(ENTRY, report=Report([replace(each, trace=None) for each in ENTRY.report.rows]))
    assert decoded(stored.encode(replace(empty, traces={}))) == replace(empty, traces={})


def test_every_field_of_a_report_is_kept():
    """The control of the test above: each part has a value that its absence would change."""
    assert all(vars(ENTRY.report).values())


def places(value, path=()):
    """The path of every value in a document."""
    yield path
    for name, each in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from places(each, (*path, name))


DOCUMENT = json.loads(stored.encode(ENTRY))
OTHERS = (
    None,
    True,
    7,
    -1,
    7.5,
    "",
    "text",
    [],
    [[]],
    ["text"],
    {},
    {"text": []},
    {"text": "text"},
)
"""One value of each type, and some of each form."""


SETS = ("labels", "by_scenario", "branches", "changed", "lock_classes")


def unordered(document):
    """A document whose sets have one order."""
    return document | {
        name: sorted(document[name], key=json.dumps)
        for name in SETS
        if isinstance(document[name], list)
    }


@pytest.mark.parametrize("path", [each for each in places(DOCUMENT) if each], ids=str)
def test_whatever_stands_in_a_document_it_is_refused_or_read_as_it_is(path):
    refused = 0
    for other in OTHERS:
        document = json.loads(json.dumps(DOCUMENT))
        at = document
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = other
        try:
            found = decoded(json.dumps(document).encode())
        except UsageError:
            refused += 1
        else:
            assert unordered(json.loads(stored.encode(found))) == unordered(document), other
    assert refused or "figures" in path


def changed(**fields):
    return json.dumps({**DOCUMENT, **fields}).encode()


def with_row(**fields):
    return changed(rows=[{**DOCUMENT["rows"][0], **fields}, *DOCUMENT["rows"][1:]])


def with_trace(name):
    first, *rest = DOCUMENT["rows"]
    return changed(rows=[{**first, "trace": name}, *rest], traces={name: "text"})


REFUSED = {
    "no JSON": b"{",
    "no object": b"[]",
    "a number that is none": stored.encode(ENTRY).replace(b"1.5", b"NaN"),
    "nested without end": b"[" * 100_000,
    "no UTF-8": b'{"schema": "\xff"}',
    "a pickle": pickle.dumps(ENTRY),
    "another schema": changed(schema="wheelproof.cache/1"),
    "no time": changed(since="\x1b[31mnow"),
    "no rows": changed(rows=[], traces={}),
    "a row less": changed(rows=DOCUMENT["rows"][:-1]),
    "a row twice": changed(rows=[*DOCUMENT["rows"], DOCUMENT["rows"][-1]]),
    "a row of another job": with_row(name="large"),
    "a row of another mechanism": with_row(mechanism="door"),
    "a row that is not in order": with_row(ok=False),
    "a row that contradicts itself": with_row(verdict="violated"),
    "a counterexample less": changed(traces={}),
    "a counterexample more": changed(traces={**DOCUMENT["traces"], "counterexamples/b.json": ""}),
    "a file above the folder": with_trace("counterexamples/../../../.profile"),
    "a file elsewhere": with_trace("/tmp/counterexamples/a.json"),
    "a file of another kind": with_trace("counterexamples/conftest.py"),
    "a file in another folder": with_trace("cache/a.json"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_entry_of_the_job_is_refused(what):
    with pytest.raises(UsageError):
        decoded(REFUSED[what])


# -- in a run


class Planted:
    """A pickle of it makes a file where it is read."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


@pytest.fixture
def cache(tmp_path):
    options = VerifyOptions((), None, "fast", tmp_path, tmp_path / "build", 1)
    made = cached.Cache(options, [])
    made.keys[JOB] = hashlib.sha256(b"job").hexdigest()
    return made


@pytest.mark.parametrize("with_digest", [False, True])
def test_a_planted_entry_runs_no_code(cache, tmp_path, with_digest):
    ran = tmp_path / "ran"
    content = pickle.dumps(Planted(ran))
    if with_digest:
        cache.entries.keep(cache.key(JOB), content)
    else:
        cache.entries.folder.mkdir(parents=True)
        (cache.entries.folder / cache.key(JOB)).write_bytes(content)
    assert cache.find(JOB) is None and not ran.exists()
    pickle.loads(content)
    assert ran.exists(), "the control: it runs where it is unpickled"


def test_a_counterexample_is_a_file_again_and_no_link_is_followed(cache, tmp_path):
    cache.entries.keep(cache.key(JOB), stored.encode(ENTRY))
    file, other = tmp_path / "build" / TRACE, tmp_path / "other"
    other.write_text("before")
    file.parent.mkdir(parents=True)
    file.symlink_to(other)
    report = cache.restore(cache.find(JOB))
    assert file.read_text(encoding="utf-8") == ENTRY.traces[TRACE]
    assert other.read_text() == "before"
    assert {each.figures[cached.CACHED] for each in report.rows} == {ENTRY.since}
