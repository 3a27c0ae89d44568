"""TLC's class-data archive: made once, used where it fits, and never needed."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.wheelproof.damaged import DAMAGES, entries
from wheelproof.tlc import archive, jar, java, process

MODULE = """---- MODULE Few ----
EXTENDS Naturals
VARIABLE x
Spec == x = 0 /\\ [][x < 5 /\\ x' = x + 1]_x
====
"""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    found = java.locate(), jar.locate()
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    return found


@pytest.fixture
def module(tmp_path):
    (tmp_path / "Few.cfg").write_text("SPECIFICATION Spec\n")
    (tmp_path / "Few.tla").write_text(MODULE)
    return tmp_path / "Few.tla"


def counts(module, tools):
    result = process.run(module, timeout=300, deadlock_check=False, java=tools[0], jar=tools[1])
    return result.outcome, result.generated, result.distinct, result.depth


@pytest.mark.nightly
def test_it_is_made_once_and_leaves_the_output_of_tlc_unchanged(module, tools):
    before = counts(module, tools)
    assert archive.options(*tools) == ()
    assert archive.make(*tools)
    file = archive.path(*tools)
    made = file.stat()
    assert archive.make(*tools) and file.stat().st_mtime_ns == made.st_mtime_ns
    assert entries(file.parent) == [file], "nothing else is left in the cache"
    assert str(file) in archive.options(*tools)[0]
    assert counts(module, tools) == before and before[1:] == (6, 6, 6)


@pytest.mark.nightly
def test_one_that_does_not_fit_is_passed_over_without_a_word(module, tools):
    before = counts(module, tools)
    archive._entries().keep_file(archive._key(*tools), b"not an archive")
    assert archive.options(*tools)
    assert counts(module, tools) == before
    assert not [
        line
        for line in module.with_suffix(".log").read_text().splitlines()
        if "archive" in line.lower()
    ]


def test_another_jar_or_java_has_another_archive(tools):
    runtime, tlc = tools
    keys = {
        archive._key(runtime, tlc),
        archive._key(replace(runtime, executable=Path("/elsewhere/java")), tlc),
        archive._key(runtime, replace(tlc, sha256="0" * 64)),
        archive._key(replace(runtime, version=runtime.version + 1), tlc),
    }
    assert len(keys) == 4


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_archive_is_passed_over_and_made_again(tools, monkeypatch, damage):
    archive._entries().keep_file(archive._key(*tools), b"an archive")
    (file,) = entries(archive._entries().folder)
    assert archive.options(*tools)
    DAMAGES[damage](file)
    assert archive.options(*tools) == ()

    def run(command, **_options):
        (option,) = (each for each in command if each.startswith("-XX:ArchiveClassesAtExit="))
        Path(option.partition("=")[2]).write_bytes(b"an archive")
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(archive.subprocess, "run", run)
    assert archive.make(*tools) is (damage != "a folder")
    assert bool(archive.options(*tools)) is (damage != "a folder")


@pytest.mark.parametrize("broken", [{"version": 11}, {"executable": Path("/no/such/java")}])
def test_where_none_can_be_made_there_is_none(tools, broken):
    runtime, tlc = tools
    assert not archive.make(replace(runtime, **broken), tlc)
    assert archive.options(replace(runtime, **broken), tlc) == ()


def test_a_jar_without_tlc_leaves_nothing(tools, tmp_path):
    runtime, tlc = tools
    (tmp_path / "empty.jar").write_bytes(b"")
    other = replace(tlc, path=tmp_path / "empty.jar", sha256="1" * 64)
    assert not archive.make(runtime, other)
    assert entries(tmp_path / "cache") == []
