"""Pinned libraries of modules are found in the cache, or fetched by git and checked."""

import subprocess
from dataclasses import replace

import pytest

from wheelproof.errors import ToolError
from wheelproof.tlc import libraries, mc

MODULES = {"Sums.tla": "---- MODULE Sums ----\n====\n", "Bags.tla": "---- MODULE Bags ----\n====\n"}


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library in a repository of this machine; the cache is empty."""
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WHEELPROOF_OFFLINE", raising=False)
    repository = tmp_path / "repository"
    (repository / "modules").mkdir(parents=True)
    for name, text in MODULES.items():
        (repository / "modules" / name).write_text(text)
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for arguments in (
        ("init", "-q"),
        ("config", "uploadpack.allowFilter", "true"),
        ("add", "."),
        (*who, "commit", "-q", "-m", "modules"),
    ):
        subprocess.run(["git", *arguments], cwd=repository, check=True)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True
    )
    digest = libraries.digest((repository / "modules").glob("*.tla"))
    return libraries.Library(
        "community", f"file://{repository}", head.stdout.strip(), "modules", digest
    )


def test_a_library_is_fetched_once_and_found_then(library, monkeypatch):
    folder = libraries.locate(library)
    assert {file.name: file.read_text() for file in folder.iterdir()} == MODULES
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    assert libraries.locate(library) == folder


def test_a_damaged_library_is_fetched_anew(library):
    damaged = libraries.locate(library) / "Sums.tla"
    damaged.write_text("---- MODULE Sums ----\nX == 1\n====\n")
    assert libraries.locate(library) and damaged.read_text() == MODULES["Sums.tla"]


def test_modules_of_another_digest_are_refused(library):
    with pytest.raises(ToolError, match="do not have the pinned SHA-256"):
        libraries.locate(replace(library, sha256="0" * 64))
    assert not library.cached.exists()


def test_an_absent_library_has_its_remedy(library, monkeypatch):
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    with pytest.raises(ToolError, match="WHEELPROOF_OFFLINE is set") as caught:
        libraries.locate(library)
    assert "--library" in caught.value.remedy and library.commit[:12] in caught.value.remedy
    monkeypatch.delenv("WHEELPROOF_OFFLINE")
    with pytest.raises(ToolError, match="cannot be fetched"):
        libraries.locate(replace(library, address=f"{library.address}-absent"))


def test_a_library_is_needed_where_a_module_is_absent(tmp_path, library, monkeypatch):
    monkeypatch.setattr(libraries, "PINNED", (library,))
    spec = tmp_path / "Spec.tla"
    spec.write_text("---- MODULE Spec ----\nEXTENDS Naturals, Bags \\* a comment\n====\n")
    assert mc.absent(spec) == [] and libraries.needed(spec) == ()
    spec.write_text("---- MODULE Spec ----\nEXTENDS Naturals, \\* both\n  Sums\n====\n")
    assert mc.absent(spec) == ["Sums"]
    (folder,) = libraries.needed(spec)
    assert mc.absent(spec, [folder]) == []
    assert sorted(file.name for file in mc.closure(spec, [folder])) == ["Spec.tla", "Sums.tla"]


def test_a_module_within_a_module_is_not_absent(tmp_path):
    spec = tmp_path / "Spec.tla"
    spec.write_text(
        "---- MODULE Spec ----\n---- MODULE Inner ----\n====\nI == INSTANCE Inner\n====\n"
    )
    assert mc.absent(spec) == []
