"""What is kept between runs: whole or made again, pruned, and safe beside other processes."""

import ast
import os
import re
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.wheelproof.damaged import DAMAGES, entries
from wheelproof import files, kept
from wheelproof.errors import ToolError
from wheelproof.kept import Entries

ROOT = Path(__file__).parents[2]
KEY, OTHER = "0a" * 32, "1b" * 32


@pytest.fixture
def store(tmp_path):
    return Entries(tmp_path / "kept", ".txt", 1 << 16)


class Bytes:
    """Entries that Python reads."""

    keep, read = Entries.keep, Entries.read


class File:
    """Entries that another program opens by their names."""

    keep = Entries.keep_file

    @staticmethod
    def read(store, key):
        file = store.file(key)
        return None if file is None else file.read_bytes()


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("way", [Bytes, File])
def test_a_damaged_entry_is_as_an_absent_one_and_is_made_again(store, way, damage):
    way.keep(store, KEY, b"some content")
    assert way.read(store, KEY) == b"some content"
    assert way.read(store, OTHER) is None
    (file,) = entries(store.folder)
    DAMAGES[damage](file)
    assert way.read(store, KEY) is None
    way.keep(store, KEY, b"some content")
    assert (way.read(store, KEY) == b"some content") is (damage != "a folder")


@pytest.mark.parametrize("way", [Bytes, File])
def test_an_entry_under_the_name_of_another_is_none(store, way):
    way.keep(store, KEY, b"some content")
    (file,) = entries(store.folder)
    file.rename(file.with_name(file.name.replace(KEY, OTHER)))
    assert way.read(store, OTHER) is None and way.read(store, KEY) is None


def test_an_entry_beyond_the_limit_is_not_read(store):
    store.keep(KEY, bytes(store.limit))
    assert store.read(KEY) is None


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path):
    (tmp_path / "file").write_text("no folder")
    store = Entries(tmp_path / "file" / "kept")
    store.keep(KEY, b"content")
    assert store.keep_file(KEY, b"content") is None
    assert store.read(KEY) is None and store.file(KEY) is None
    store.prune()


# -- writing


def test_a_file_is_flushed_whole_before_it_is_renamed(tmp_path, monkeypatch):
    done = []
    synced, replaced = os.fsync, Path.replace

    def fsync(handle):
        done.append(("flushed", os.fstat(handle).st_size))
        synced(handle)

    def replace(path, target):
        done.append(("renamed", path.stat().st_size))
        return replaced(path, target)

    monkeypatch.setattr(files.os, "fsync", fsync)
    monkeypatch.setattr(files.Path, "replace", replace)
    files.replace(tmp_path / "folder" / "file", b"content")
    assert done == [("flushed", 7), ("renamed", 7)]
    assert (tmp_path / "folder" / "file").read_bytes() == b"content"


@pytest.mark.parametrize("broken", ["write", "fsync", "replace"])
def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch, broken):
    def fails(*_arguments):
        raise OSError(28, "No space left on device")

    file = tmp_path / "file"
    file.write_bytes(b"before")
    where = {"write": (files.Path, "write_bytes"), "fsync": (files.os, "fsync")}
    monkeypatch.setattr(*where.get(broken, (files.Path, "replace")), fails)
    with pytest.raises(OSError, match="No space"):
        files.replace(file, b"after")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert file.read_bytes() == b"before"


def test_a_file_keeps_its_mode_and_a_new_one_has_the_users(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch(mode=0o640)
    old.chmod(0o751)
    before = os.umask(0o027)
    try:
        for file in (old, new):
            files.replace(file, b"content")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(file.stat().st_mode) for file in (old, new)] == [0o751, 0o640]


RENAMES = """
import os, shutil
from os import rename
from pathlib import Path
os.replace(a, b)
shutil.move(a, b)
rename(a, b)
Path(a).replace(b)
a.rename(b)
"text".replace("a", "b")
dataclass.replace(a, b=1)
moment.replace(tzinfo=None)
"""


NEAR = re.compile(r"\brenames?\b|\bmove\(|\.replace\(")
"""Of what a source is read in which a file may be renamed."""


def sources():
    """The sources of the tool and of what is run with it."""
    return [
        file
        for package in ("wheelproof", "proofs", "tools", "real")
        for file in sorted((ROOT / package).rglob("*.py"))
    ]


def renames(text):
    """The lines of a source in which a file is renamed."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        of = getattr(getattr(called, "value", None), "id", "")
        plain = len(node.args) == 1 and not node.keywords and isinstance(called, ast.Attribute)
        if (
            name in ("rename", "renames")
            or (of, name) in {("os", "replace"), ("shutil", "move")}
            or (name == "replace" and plain)
        ):
            found.append(node.lineno)
    return found


RENAMING = {"files.py": "flushes them", "temporary.py": "of a lock, which has no content"}
"""Modules that rename files."""


def test_files_are_renamed_in_one_module_which_flushes_them():
    assert renames(RENAMES) == [5, 6, 7, 8, 9]
    for file in sources():
        text = file.read_text(encoding="utf-8")
        if file.name not in RENAMING and NEAR.search(text):
            assert renames(text) == [], file


# -- pruning


def aged(file, seconds):
    moment = time.time() - seconds
    os.utime(file, (moment, moment))


def named(store, number, suffix=".txt"):
    return store.folder / f"{number:064x}{suffix}"


def test_what_was_not_used_for_long_is_removed_and_nothing_of_others(store):
    for number in range(3):
        store.keep(f"{number:064x}", b"content")
    store.keep_file(KEY, b"content")
    aged(named(store, 0), (kept.DAYS + 1) * 24 * 3600)
    aged(named(store, 1), (kept.DAYS - 1) * 24 * 3600)
    foreign = [store.folder / name for name in ("notes.txt", f"{KEY}.other", "folder.txt")]
    for file in foreign:
        file.touch() if file.name != "folder.txt" else file.mkdir()
        aged(file, (kept.DAYS + 1) * 24 * 3600)
    left, fresh = (store.folder / f".1-{name}{files.DRAFT}" for name in ("left", "fresh"))
    for draft in (left, fresh):
        draft.touch()
    aged(left, 2 * 24 * 3600)
    store.prune()
    assert [named(store, number).is_file() for number in range(3)] == [False, True, True]
    assert store.file(KEY) is not None
    assert all(file.exists() for file in (*foreign, fresh)) and not left.exists()


def test_beyond_the_limit_the_longest_unused_goes_first_and_nothing_in_use(store):
    size = store.limit // 4
    for number in range(8):
        store.keep(f"{number:064x}", bytes(size))
        aged(named(store, number), (number + 1) * kept.IN_USE)
    store.prune()
    assert [named(store, number).is_file() for number in range(8)] == [True] * 3 + [False] * 5
    for number in range(8):
        store.keep(f"{number:064x}", bytes(size))
    store.prune()
    assert all(named(store, number).is_file() for number in range(8)), "all are in use"


def test_use_is_noted(store):
    store.keep(KEY, b"content")
    store.keep_file(KEY, b"content")
    for file in entries(store.folder):
        aged(file, (kept.DAYS + 1) * 24 * 3600)
    assert store.read(KEY) == b"content" and store.file(KEY) is not None
    store.prune()
    assert len(entries(store.folder)) == 2


def test_keeping_prunes_once_in_a_while(store):
    store.keep(KEY, b"content")
    aged(store.folder / f"{KEY}.txt", (kept.DAYS + 1) * 24 * 3600)
    store.keep(OTHER, b"content")
    assert store.read(KEY) is not None
    aged(store.folder / f"{KEY}.txt", (kept.DAYS + 1) * 24 * 3600)
    aged(store.folder / ".pruned", kept.EVERY + 1)
    store.keep(OTHER, b"content")
    assert store.read(KEY) is None and store.read(OTHER) == b"content"


def test_entries_are_whole_or_absent_beside_processes_that_keep_and_prune(tmp_path, monkeypatch):
    """All of it at once: two processes keep and prune, and this one reads."""
    monkeypatch.setattr(kept, "IN_USE", -1)
    monkeypatch.setattr(kept, "EVERY", -1)
    store = Entries(tmp_path / "kept", "", 5 << 12)
    content = {f"{number:064x}": bytes([number]) * (1 << 12) for number in range(8)}

    def work():
        for _ in range(8):
            for key, each in content.items():
                store.keep(key, each)
                store.keep_file(key, each)

    workers = []
    for _ in range(2):
        if (pid := os.fork()) == 0:
            try:
                work()
            finally:
                os._exit(0)
        workers.append(pid)
    waiting = threading.Thread(target=lambda: [os.waitpid(each, 0) for each in workers])
    waiting.start()
    seen = set()
    while waiting.is_alive() or not seen:
        for key, each in content.items():
            read = store.read(key)
            assert read in (None, each)
            seen.add(read is None)
            file = store.file(key)
            with suppress(FileNotFoundError):  # with IN_USE above nothing is in use
                assert file is None or file.read_bytes() == each
    waiting.join()
    store.prune()
    assert sum(file.stat().st_size for file in entries(store.folder)) <= store.limit
    assert not [file for file in store.folder.iterdir() if file.name.endswith(files.DRAFT)]


# -- jars of classes


def test_classes_are_kept_apart_where_the_cache_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "cache").write_text("no folder")
    made = []

    def make():
        made.append(1)
        return b"classes"

    first = kept.jar(KEY, make)
    assert first == kept.jar(KEY, make) and len(made) == 1
    apart = first.parents[1]
    assert apart.parent == tmp_path and stat.S_IMODE(apart.stat().st_mode) == 0o700
    apart.chmod(0o777)
    with pytest.raises(ToolError, match="neither"):
        kept.jar(KEY, make)
    assert len(made) == 2, "what others may have put there is not used"
    first.unlink()
    (apart / "classes" / ".pruned").unlink()
    (apart / "classes").rmdir()
    apart.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    apart.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolError, match="neither"):
        kept.jar(KEY, make)


def test_what_cannot_be_made_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))

    def fails():
        raise ToolError("no compiler")

    with pytest.raises(ToolError, match="no compiler"):
        kept.jar(KEY, fails)
    assert kept.jar(KEY, lambda: b"classes").read_bytes() == b"classes"
