"""The addresses by which Spark names local files."""

from __future__ import annotations

from pathlib import Path


def address(path: Path) -> str:
    """The address of a file, as it stands beside its events after :func:`plain`."""
    return plain(path.as_uri())


def plain(spelling: str) -> str:
    """One spelling of an address: Spark writes one slash or three."""
    return "/" + spelling.removeprefix("file:").lstrip("/")


def spellings(path: Path) -> list[str]:
    """Both spellings of a file's address."""
    return [f"file:{address(path)}", f"file://{address(path)}"]
