"""ZooKeeper's log of transactions, read from the disks of its servers.

A server writes each transaction to its log before it agrees to it. The number of a transaction, its
zxid, orders all of them. So the logs are the history of an ensemble, and need no clock.

A file begins with a header. Each record has a checksum, its length, its content and the byte B. The
file is filled with zeros.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from real.zookeeper.wire import Message, Operation
from wheelproof.errors import ToolError

MAGIC = b"ZKLG"
HEADER = struct.Struct(">4siq")
RECORD = struct.Struct(">qi")
END = b"B"
BEGIN = struct.Struct(">qiqqi")
"""A transaction's session, number in the session, zxid, time and kind."""

CREATIONS = (1, 15, 19, 21)
DELETIONS = (2, 20)
OPENS, CLOSES = -10, -11


class Change(NamedTuple):
    """A part of a transaction."""

    kind: str
    """create, put, check or delete."""
    path: str
    data: str = ""
    version: int = 0
    """The version after a put."""
    ephemeral: bool = False


class Transaction(NamedTuple):
    """A transaction."""

    zxid: int
    session: int
    kind: str
    """open, close, refused, parts, or other."""
    parts: tuple[Change, ...] = ()


def commits(folders: Iterable[Path], after: int = 0, until: int | None = None) -> list[Transaction]:
    """The transactions behind ``after``, in their order, that most of the servers have written.

    ``until``: the last one; of one that was acknowledged, most servers have everything before it.
    Raises ToolError where two servers disagree or a file is no log.
    """
    by_zxid: dict[int, Transaction] = {}
    many: Counter[int] = Counter()
    logs = [list(folder.glob("version-2/log.*")) for folder in folders]
    for files in logs:
        of_one = {entry.zxid: entry for file in files for entry in transactions(file, after)}
        for zxid, entry in of_one.items():
            if by_zxid.setdefault(zxid, entry) != entry:
                raise ToolError(f"Two servers disagree about {zxid:#x}: {by_zxid[zxid]}, {entry}.")
        many.update(of_one.keys())
    return [
        by_zxid[zxid]
        for zxid in sorted(by_zxid)
        if 2 * many[zxid] > len(logs) and (until is None or zxid <= until)
    ]


def transactions(file: Path, after: int = 0) -> Iterator[Transaction]:
    """The transactions of a file, from the first one behind ``after``.

    A record without its end is the last one. Raises ToolError where a record is damaged.
    """
    content = file.read_bytes()
    if len(content) < HEADER.size:
        return
    if HEADER.unpack_from(content)[0] != MAGIC:
        raise ToolError(f"{file} is no log of ZooKeeper's transactions.")
    place = HEADER.size
    while place + RECORD.size <= len(content):
        total, length = RECORD.unpack_from(content, place)
        begin, end = place + RECORD.size, place + RECORD.size + length
        if length <= 0 or content[end : end + 1] != END:
            return
        record = content[begin:end]
        if zlib.adler32(record) != total:
            raise ToolError(f"{file}: the record at {place} is damaged.")
        if BEGIN.unpack_from(record)[2] > after:
            yield transaction(record)
        place = end + 1


def transaction(record: bytes) -> Transaction:
    """A transaction. Servers write one that was refused in different ways, so it has no parts."""
    session, _, zxid, _, kind = BEGIN.unpack_from(record)
    message = Message(record)
    message.place = BEGIN.size
    if kind in (OPENS, CLOSES):
        return Transaction(zxid, session, "open" if kind == OPENS else "close")
    if kind == Operation.ERROR:
        return Transaction(zxid, session, "refused")
    if kind != Operation.MULTI:
        part = change(kind, message)
        return Transaction(zxid, session, "parts" if part else "other", (part,) if part else ())
    parts = []
    for _ in range(message.number()):
        inner = message.number()
        part = change(inner, Message(message.buffer()))
        if inner == Operation.ERROR:
            return Transaction(zxid, session, "refused")
        if part is None:
            raise ToolError(f"The transaction {zxid:#x} has a part of the unknown kind {inner}.")
        parts.append(part)
    return Transaction(zxid, session, "parts", tuple(parts))


def change(kind: int, message: Message) -> Change | None:
    """A part, None for one that changes no node's data and checks none."""
    if kind in CREATIONS:
        path, data = message.text(), message.text()
        for _ in range(message.number()):
            message.number(), message.text(), message.text()
        return Change("create", path, data, ephemeral=bool(message.numbers("?")[0]))
    if kind in DELETIONS:
        return Change("delete", message.text())
    if kind == Operation.PUT:
        return Change("put", message.text(), message.text(), message.number())
    if kind == Operation.CHECK:
        return Change("check", message.text(), version=message.number())
    return None
