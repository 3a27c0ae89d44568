"""Scratch is removed at its end, and that of a killed process by the next one."""

import errno
import os
import re
import signal
import time
from pathlib import Path

import pytest

from wheelproof import temporary

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty place for scratch, which this process has not searched yet."""
    monkeypatch.setattr(temporary.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(temporary, "_searched", set())
    return tmp_path


def owner(body):
    """A process that makes a folder, says so, and does ``body``; its number."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            temporary.make("test")
            body(writing)
            os.write(writing, b"made")
            signal.pause()
        finally:
            os._exit(1)
    os.close(writing)
    assert os.read(reading, 4) == b"made"
    os.close(reading)
    return pid


def killed(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_folder_is_removed_at_its_end(place):
    with temporary.folder("test") as made:
        assert made.parent == place and (made / temporary.OWNER).is_file()
        (made / "file").touch()
    with pytest.raises(KeyError), temporary.folder("test"):
        raise KeyError
    assert list(place.iterdir()) == []


def test_a_folder_of_a_killed_process_is_removed_by_the_next(place):
    pid = owner(lambda _: None)
    (left,) = place.iterdir()
    (left / "part").mkdir()
    temporary.clear(place)
    assert left.is_dir(), "the control: its owner lives"
    killed(pid)
    with temporary.folder("other") as made:
        assert list(place.iterdir()) == [made]


def test_a_folder_stays_while_a_process_of_its_owner_lives(place):
    """As a worker does, and the JVM that it waits for."""
    numbers, given = os.pipe()

    def fork(_writing):
        worker = os.fork()
        if worker == 0:
            signal.pause()
        os.write(given, b"%d " % worker)

    pid = owner(fork)
    worker = int(os.read(numbers, 20))
    killed(pid)
    (left,) = place.iterdir()
    temporary.clear(place)
    assert left.is_dir()
    os.kill(worker, signal.SIGKILL)
    while left.is_dir():  # the system takes the worker's lock when it is gone
        temporary.clear(place)


def test_a_folder_of_this_process_stays(place):
    with temporary.folder("test") as made:
        temporary.clear(place)
        assert made.is_dir()


OTHERS = {
    "another name": lambda place: (place / "other-test-abc").mkdir(),
    "the users own": lambda place: (place / f"wheelproof-{os.getuid()}").mkdir(),
    "a file": lambda place: (place / "wheelproof-test-abc").touch(),
    "a link": lambda place: (place / "wheelproof-test-abc").symlink_to(place.parent),
    "a link as lock": lambda place: (
        (place / "wheelproof-test-abc").mkdir(),
        (place / "wheelproof-test-abc" / temporary.OWNER).symlink_to(__file__),
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_is_no_scratch_stays(place, what):
    OTHERS[what](place)
    for file in place.iterdir():
        os.utime(file, (0, 0), follow_symlinks=False)
    temporary.clear(place)
    assert len(list(place.iterdir())) == 1


@pytest.mark.parametrize(("age", "stays"), [(0, True), (2 * 24 * 3600, False)])
def test_a_folder_without_an_owner_is_removed_after_a_day(place, age, stays):
    left = place / "wheelproof-test-abc"
    left.mkdir()
    os.utime(left, (time.time() - age,) * 2)
    temporary.clear(place)
    assert left.is_dir() is stays


def test_a_place_is_searched_once(place, monkeypatch):
    searched = []
    monkeypatch.setattr(temporary, "clear", searched.append)
    for _ in range(2):
        temporary.remove(temporary.make("test"))
        temporary.remove(temporary.make("test", place / ""))
    assert searched == [place]


def test_the_tool_makes_scratch_in_one_module():
    made = re.compile(r"\b(?:TemporaryDirectory|mkdtemp|mkstemp|NamedTemporaryFile)\b")
    assert made.search("tempfile.mkdtemp()")
    found = [
        file.name
        for file in (ROOT / "wheelproof").rglob("*.py")
        if made.search(file.read_text(encoding="utf-8"))
    ]
    assert found == ["temporary.py"]


@pytest.mark.parametrize("step", ["open", "rename"])
def test_a_folder_whose_owner_cannot_be_noted_is_taken_away(place, monkeypatch, step):
    """As on a disk that is full but for the folder itself."""
    held = dict(temporary._held)
    real = getattr(os, step)

    def full(path, how, *more, **named):
        if step == "rename" or how & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, how, *more, **named)

    with monkeypatch.context() as patched:
        patched.setattr(temporary.os, step, full)
        with pytest.raises(OSError, match="No space left"):
            temporary.make("test")
    assert list(place.iterdir()) == [] and temporary._held == held
    with temporary.folder("test") as made:
        assert list(place.iterdir()) == [made]
