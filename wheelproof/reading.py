"""Files that people write: opened only where they are files, bounded, and read as UTF-8.

A named pipe would hang, a device has no end, and a folder or a loop of links has no content. So
the kind of a file is looked at first. Each function raises :class:`Unreadable` with the file,
its fault, and the remedy.
"""

from __future__ import annotations

import ast
import errno
import gzip
import os
import stat
import tomllib
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from wheelproof import toml
from wheelproof.errors import UsageError

MOST = 64 << 20
"""Bytes of a file that is read whole."""

LINE = 16 << 20
"""Bytes of a line of a file that is read line by line."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)

_NO_FILE = "Give the path of an existing file."


class Unreadable(UsageError):
    """A file that has no text. ``fault``: in words; ``line``: from 1, 0 for none."""

    def __init__(self, file: Path | str, fault: str, remedy: str = "", line: int = 0) -> None:
        place = f"{file}:{line}" if line else f"{file}"
        super().__init__(f"{place}: {fault}.", remedy)
        self.fault, self.line = fault, line


class Absent(Unreadable):
    """A file that is not there."""


class CutShort(Unreadable):
    """A compressed file without its end."""


def opened(path: Path) -> BinaryIO:
    """A regular file, open for reading."""
    try:
        _refuse_kind(path, path.stat().st_mode)
        # Something else may have taken its place meanwhile: this does not wait for a writer.
        stream = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
        try:
            _refuse_kind(path, os.fstat(stream.fileno()).st_mode)
        except BaseException:
            stream.close()
            raise
        return stream
    except (OSError, ValueError) as error:
        raise refused(path, error) from error


def _without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NONBLOCK | os.O_CLOEXEC)


@contextmanager
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """A regular file, open for reading; one that is named ``.gz`` is unpacked on the way.

    An error of the system or of gzip within the block is Unreadable, CutShort where the end of a
    compressed file is missing.
    """
    with opened(path) as stream:
        try:
            if path.suffix == ".gz":
                with gzip.open(stream) as inner:
                    yield cast(BinaryIO, inner)
            else:
                yield stream
        except EOFError as error:
            raise CutShort(
                path, "the compressed file is cut off", "Its writer was stopped; record it again."
            ) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise Unreadable(
                path,
                f"the compressed file is damaged, or is none ({error})",
                "Test it with gzip -t; a file that is not compressed is named .jsonl.",
            ) from error
        except OSError as error:
            raise refused(path, error) from error


def refused(path: Path | str, error: OSError | ValueError) -> Unreadable:
    """The refusal of a file that the system cannot open or read."""
    if isinstance(error, FileNotFoundError):
        return Absent(path, f"cannot be read ({error.strerror})", _NO_FILE)
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return Unreadable(path, "is a link that leads back to itself", _NO_FILE)
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Unreadable(path, f"cannot be read ({why})", _NO_FILE)


def _refuse_kind(path: Path, mode: int) -> None:
    for is_kind, name in _KINDS:
        if is_kind(mode):
            raise Unreadable(path, f"cannot be read: it is {name}", "Give the path of a file.")


def content(path: Path, limit: int = MOST) -> bytes:
    """The bytes of a file, at most ``limit``."""
    with opened(path) as stream:
        try:
            data = stream.read(limit + 1)
        except OSError as error:
            raise refused(path, error) from error
    if len(data) > limit:
        raise Unreadable(
            path, f"has more than {limit >> 20} MB, which is not read", "Give a smaller file."
        )
    return data


def text(path: Path) -> str:
    """The text of a file, its lines ended as Python's are."""
    text = decoded(content(path), path)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def there(path: Path) -> bool:
    """Whether there is something of this name: also a folder or a device."""
    return os.path.lexists(path)


def decoded(data: bytes, path: Path | str) -> str:
    """The text in the bytes of a file, its lines ended as they are."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(
            path,
            f"byte {data[error.start]:#04x} is no UTF-8",
            "Save the file as UTF-8.",
            line_at(data, error.start),
        ) from error
    if text.startswith("\ufeff"):
        raise Unreadable(
            path, "begins with a byte order mark", "Save the file as UTF-8 without one.", 1
        )
    if "\0" in text:
        raise Unreadable(path, "has a NUL byte", "Take it out.", line_at(data, data.index(b"\0")))
    return text


def line_at(data: bytes, place: int) -> int:
    """The line, from 1, of a place in bytes."""
    return data.count(b"\n", 0, place) + 1


def lines(stream: BinaryIO, path: Path | str, limit: int = 0) -> Iterator[bytes]:
    """The lines of a stream, each with its end. ``limit``: bytes of all of them; 0: any number."""
    number, length = 1, 0
    while line := stream.readline(LINE + 1):
        length += len(line)
        if limit and length > limit:
            raise Unreadable(
                path,
                f"what is before this has {limit >> 20} MB, and no more is read",
                "Record fewer operations.",
                number,
            )
        if len(line) > LINE:
            raise Unreadable(
                path,
                f"the line has more than {LINE >> 20} MB, and is not read",
                "Record it again, or take the line out.",
                number,
            )
        yield line
        number += 1


def tables(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    return tables_in(text(path), path)


def tables_in(text: str, path: Path | str) -> dict[str, Any]:
    """The tables of a text that is TOML."""

    try:
        return toml.tables(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(path, f"not valid TOML: {error}", "Correct the line.") from error
    except RecursionError as error:
        raise Unreadable(
            path, "not valid TOML: it is nested too deeply", "Take levels out."
        ) from error
    except ValueError as error:  # an integer with more digits than Python converts
        raise Unreadable(path, f"not valid TOML: {error}", "Correct the value.") from error


def tree(source: str, file: Path | str) -> ast.Module:
    """The syntax tree of a Python source."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(source, str(file))
    except SyntaxError as error:
        raise not_python(error, file) from error
    except (RecursionError, MemoryError) as error:
        raise Unreadable(
            file, "is not Python that can be read: it is nested too deeply", "Take levels out."
        ) from error
    except ValueError as error:
        raise Unreadable(file, f"is not Python: {error}", "Correct the file.") from error


def not_python(error: SyntaxError, file: Path | str) -> Unreadable:
    """The refusal of a text that is no Python."""
    return Unreadable(
        error.filename if error.filename and not error.filename.startswith("<") else file,
        f"this is not Python: {error.msg}",
        "Correct the line.",
        error.lineno or 0,
    )


def json_fault(error: Exception) -> str:
    """The fault of a text that is no JSON, in words that do not speak of Python."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is no UTF-8: byte {error.object[error.start]:#04x} at {error.start}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return (
        "a number has too many digits" if "integer string conversion" in str(error) else str(error)
    )
