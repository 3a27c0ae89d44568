"""Damages to what is kept between runs, by name: each takes an entry's file."""

import os
from pathlib import Path


def _one_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _link(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.name)


DAMAGES = {
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: os.truncate(file, file.stat().st_size - 1),
    "one byte": _one_byte,
    "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\n"),
    "of no form": lambda file: file.write_bytes(b"\x80\x04N."),
    "a folder": _folder,
    "a pipe": _pipe,
    "a link to itself": _link,
}
"""A file that a crash, a full disk or another program has left."""


def entries(folder: Path) -> list[Path]:
    """The files of all entries below a folder; not the note of when it was searched."""
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name[0] != "."]
