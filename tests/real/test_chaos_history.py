"""ZooKeeper's log of transactions is read as it is, or refused."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from real.chaos import history
from real.chaos.history import Change, commits, transactions
from real.zookeeper import wire
from wheelproof.errors import ToolError

RECORDED = Path(__file__).parent / "recordings" / "zookeeper-3.9.4.log"


def test_a_log_of_a_real_server_is_read():
    read = list(transactions(RECORDED))
    (session,) = {each.session for each in read}
    assert [(each.zxid, each.kind) for each in read] == [
        (1, "open"),
        (2, "parts"),
        (3, "parts"),
        (4, "refused"),
        (5, "parts"),
        (6, "close"),
    ]
    assert read[1].parts == (
        Change("create", "/chaos"),
        Change("create", "/chaos/controller", "b1", ephemeral=True),
        Change("create", "/chaos/controller_epoch", "0"),
    )
    assert read[2].parts[1] == Change("put", "/chaos/controller_epoch", "1", 1)
    assert read[4].parts == (Change("delete", "/chaos/controller_epoch"),)
    assert session > 0
    assert list(transactions(RECORDED, after=4)) == read[4:]


def test_a_damaged_record_is_refused(tmp_path):
    content = bytearray(RECORDED.read_bytes())
    content[content.index(b"b1")] ^= 1
    (tmp_path / "log.1").write_bytes(content)
    with pytest.raises(ToolError, match="log.1: the record at .* is damaged."):
        list(transactions(tmp_path / "log.1"))
    (tmp_path / "log.1").write_bytes(b"x" + RECORDED.read_bytes()[1:])
    with pytest.raises(ToolError, match="is no log"):
        list(transactions(tmp_path / "log.1"))


def test_a_record_without_its_end_is_not_read(tmp_path):
    content = RECORDED.read_bytes().rstrip(b"\0")
    assert content.endswith(history.END)
    (tmp_path / "log.1").write_bytes(content[:-1] + bytes(40))
    assert [each.zxid for each in transactions(tmp_path / "log.1")] == [1, 2, 3, 4, 5]
    (tmp_path / "log.1").write_bytes(b"ZK")
    assert list(transactions(tmp_path / "log.1")) == []


def record(zxid, data, session=7):
    """A put of /a, as a server writes it."""
    put = wire.text("/a") + wire.text(data) + struct.pack(">i", zxid)
    content = history.BEGIN.pack(session, zxid, zxid, 0, wire.Operation.PUT) + put
    return history.RECORD.pack(zlib.adler32(content), len(content)) + content + history.END


def log(folder, *records):
    (folder / "version-2").mkdir(parents=True)
    header = history.HEADER.pack(history.MAGIC, 2, 0)
    (folder / "version-2" / "log.1").write_bytes(header + b"".join(records) + bytes(99))
    return folder


def test_what_one_server_of_three_has_written_is_not_committed(tmp_path):
    one, two, three = (record(number, "x") for number in (1, 2, 3))
    folders = [
        log(tmp_path / "1", one, two, three),
        log(tmp_path / "2", one, two),
        log(tmp_path / "3", one),
    ]
    assert [each.zxid for each in commits(folders)] == [1, 2]
    assert [each.zxid for each in commits(folders, after=1)] == [2]
    assert [each.zxid for each in commits(folders, until=1)] == [1]


def test_servers_that_disagree_are_no_history(tmp_path):
    folders = [log(tmp_path / "1", record(1, "x")), log(tmp_path / "2", record(1, "y"))]
    with pytest.raises(ToolError, match="Two servers disagree about 0x1"):
        commits(folders)
