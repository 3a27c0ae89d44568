"""Jars are pinned: another file never gets the pinned name, and what cannot be had is not run."""

import hashlib

import pytest

from wheelproof import artifacts
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError
from wheelproof.jvm.jars import NotHere, locate

CONTENT = b"a jar"
PINNED = Artifact("group:thing:1.0", hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """An empty cache, and no client."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("WHEELPROOF_CACHE", str(folder))
    monkeypatch.delenv("WHEELPROOF_OFFLINE", raising=False)
    monkeypatch.setattr(artifacts, "clients", lambda artifact, refused: [])
    return folder


def client(monkeypatch, content):
    """A client that writes a file of this content."""
    script = f"printf '%s' '{content.decode()}' > {PINNED.file_name}"
    command = ["/bin/sh", "-c", script]
    monkeypatch.setattr(artifacts, "clients", lambda *arguments: [("client", command, {})])


def test_a_pinned_file_in_the_cache_is_used(cache):
    (cache / PINNED.file_name).write_bytes(CONTENT)
    assert locate([PINNED], fetch=False) == [cache / "thing-1.0.jar"]


def test_another_file_of_that_name_is_refused(cache):
    (cache / PINNED.file_name).write_bytes(b"another")
    with pytest.raises(NotHere, match="does not have the pinned SHA-256"):
        locate([PINNED], fetch=False)


def test_what_is_fetched_gets_its_name(cache, monkeypatch):
    client(monkeypatch, CONTENT)
    assert locate([PINNED], fetch=True) == [cache / PINNED.file_name]
    assert sorted(path.name for path in cache.iterdir()) == [PINNED.file_name]


def test_what_is_fetched_with_another_hash_is_refused(cache, monkeypatch):
    client(monkeypatch, b"another")
    with pytest.raises(NotHere, match="not the pinned"):
        locate([PINNED], fetch=True)
    assert not list(cache.iterdir())


def test_a_classifier_is_part_of_the_name_and_of_what_clients_ask_for(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(artifacts.shutil, "which", lambda name: name)
    monkeypatch.setattr(artifacts.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(artifacts, "_ivy_jar", lambda: "ivy.jar")
    refused = []
    sources = Artifact("group:thing:1.0:sources", PINNED.sha256)
    assert sources.file_name == "thing-1.0-sources.jar"
    clients = {name: command for name, command, _ in artifacts.clients(sources, refused)}
    assert "-Dartifact=group:thing:1.0:jar:sources" in clients["Maven"]
    assert "group:thing:jar:sources:1.0" in clients["maven-artifact"]
    assert list(clients) == ["Maven", "maven-artifact"]
    assert refused == ["Ivy: its command line takes no classifier"]
    assert "Ivy" in [name for name, _, _ in artifacts.clients(PINNED, [])]


def test_a_client_that_fails_is_named(monkeypatch):
    def fail(artifact, command, environment, target):
        raise ToolError("it has no network")

    client(monkeypatch, CONTENT)
    monkeypatch.setattr(artifacts, "_fetch", fail)
    with pytest.raises(NotHere, match="client: it has no network"):
        locate([PINNED], fetch=True)


def test_nothing_is_fetched_offline(monkeypatch):
    client(monkeypatch, CONTENT)
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    with pytest.raises(NotHere, match="WHEELPROOF_OFFLINE is set") as found:
        locate([PINNED], fetch=True)
    assert found.value.exit_code == 5
