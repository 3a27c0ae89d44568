"""Modules of a test as syntax trees, exported by one JVM for a whole file."""

from pathlib import Path

import pytest

from wheelproof.tla import export

SPECS = Path(__file__).parent / "specs"


def written(folder: Path, name: str, body: str, extends: str) -> Path:
    """A module of one text in a folder."""
    file = folder / f"{name}.tla"
    file.write_text(f"---- MODULE {name} ----\nEXTENDS {extends}\n{body}\n====\n", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """A function: {name: text} -> {name: path}, each exported and in the cache."""

    def made(texts, extends="Integers, Sequences, FiniteSets, TLC"):
        folder = tmp_path_factory.mktemp("modules")
        files = {name: written(folder, name, text, extends) for name, text in texts.items()}
        export.prepare(map(export.source, files.values()))
        return files

    return made
