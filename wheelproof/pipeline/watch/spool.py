"""Files of JSON Lines that grow, as files that do not, which Spark's Structured Streaming takes.

Spark's source of files takes each file once. So the lines that were added since the last look go
into a new file of the spool, each behind its number and the path of its file. Only whole lines are
taken. A process that is killed finds out from the ledger and from the spool which line is next.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from wheelproof import files, reading
from wheelproof.errors import UsageError
from wheelproof.trace.format.folders import below

SUFFIX = ".jsonl"
"""How the names of files end that are followed."""

BYTES = 8 << 20
"""Bytes of a file of the spool, unless a single line is longer."""

APART_SECONDS = 0.002
"""Time between two files of the spool: Spark takes them in the order of their milliseconds."""

TAB = "\t"
"""The sign between the number of a line, the path of its file, and its text."""


class Spool:
    """The spool of a folder. ``lines``: of each file, how many the ledger has."""

    def __init__(
        self, folder: Path, place: Path, lines: Mapping[str, int], limit: int = BYTES
    ) -> None:
        self.folder, self.place, self.most = folder, place, limit
        place.mkdir(parents=True, exist_ok=True)
        self.number, last = 0, dict(lines)
        self.waiting: list[tuple[int, dict[str, int]]] = []
        for file in sorted(place.glob(f"*{SUFFIX}")):
            self.number = int(file.name.removesuffix(SUFFIX)) + 1
            ends = dict(_rows(file))
            self.waiting.append((file.stat().st_size, ends))
            for path, row in ends.items():
                last[path] = max(row, last.get(path, 0))
        self.at = {Path(path): (_place(Path(path), row), row) for path, row in last.items()}

    def add(self) -> bool:
        """Put the lines that were added into a new file of the spool; whether there was anything.

        Raises UsageError for a file that became shorter, and for a line that is too long.
        """
        parts: list[bytes] = []
        room, after = self.most, dict(self.at)
        for path in followed(self.folder):
            start, row = self.at.get(path, (0, 0))
            if text := _whole(path, start, room):
                lines = text.removesuffix(b"\n").split(b"\n")
                parts += [
                    b"%d\t%s\t%s\n" % (row + number, str(path).encode(), line)
                    for number, line in enumerate(lines, 1)
                ]
                after[path] = start + len(text), row + len(lines)
                room -= len(text)
            if room <= 0:
                break
        if parts:
            text = b"".join(parts)
            files.replace(self.place / f"{self.number:012}{SUFFIX}", text)
            ends = {str(path): at[1] for path, at in after.items() if at != self.at.get(path)}
            self.waiting.append((len(text), ends))
            self.number, self.at = self.number + 1, after
            time.sleep(APART_SECONDS)
        return bool(parts)

    def backlog(self, judged_lines: Mapping[str, int]) -> int:
        """Bytes of lines that were not judged, in the spool and in the files. ``judged_lines``: how
        many lines of each file were."""
        self.waiting = [
            (size, ends)
            for size, ends in self.waiting
            if any(row > judged_lines.get(path, 0) for path, row in ends.items())
        ]
        behind = [
            max(0, path.stat().st_size - self.at.get(path, (0, 0))[0])
            for path in followed(self.folder)
        ]
        return sum(size for size, _ in self.waiting) + sum(behind)


def followed(folder: Path) -> list[Path]:
    """The files below a folder whose lines are followed."""
    return [path for path in below(folder) if path.name.endswith(SUFFIX)]


def _rows(file: Path) -> Iterator[tuple[str, int]]:
    with reading.opened(file) as lines:
        for line in lines:
            row, path, _ = line.decode("utf-8", "replace").split(TAB, 2)
            yield path, int(row)


def _place(path: Path, lines: int) -> int:
    """The byte behind so many lines of a file; 0 where it is gone."""
    if not path.exists():
        return 0
    with reading.opened(path) as file:
        return sum(len(line) for _, line in zip(range(lines), file))


def _whole(path: Path, start: int, room: int) -> bytes:
    """The whole lines behind a place."""
    size = path.stat().st_size
    if size < start:
        raise UsageError(
            f"{path} has {size:,} bytes, and {start:,} were read: it has been written anew.",
            "A file that is followed may only grow. Watch with another --output.",
        )
    if size == start:
        return b""
    with reading.opened(path) as file:
        file.seek(start)
        text = file.read(room)
        while (end := text.rfind(b"\n") + 1) == 0:
            if len(text) > reading.LINE:
                raise UsageError(f"{path}: a line has more than {reading.LINE >> 20} MB.")
            more = file.read(room)
            if not more:
                return b""
            text += more
    return text[:end]
