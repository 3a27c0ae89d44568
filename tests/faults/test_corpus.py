"""Bad inputs end in one sentence with a place and a remedy, whichever command reads them.

By night all of them; by day a few, of each kind one. Tools with an unguarded reader or writer are
rejected by the same judge.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import forked
from tests.faults.corpus import (
    CASES,
    HOSTILE,
    KINDS,
    READERS,
    SEEN,
    Case,
    Ended,
    Reader,
    damage,
    lay_out,
    run,
    wrong,
)
from tests.wheelproof.conftest import ROOT
from wheelproof import console, errors, reading, starter
from wheelproof.trace.format import jsonl, parquet

SECONDS, SHORT = 120.0, 8.0
"""After so long a command counts as hanging; the same for one that is to hang."""

GOLDEN = ROOT / "tests" / "wheelproof" / "trace" / "golden" / "expire_two_cancels.jsonl"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with every file that the readers read, each as it should be."""
    folder = tmp_path_factory.mktemp("sound") / "project"
    starter.write(folder, "my_lock")
    for name, text in {
        "harness/locks.toml": "[classes]\n",
        "traces/events.toml": "[my_lock]\n",
        "build/results.json": '{"schema": "wheelproof.results/2"}',
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    SEEN.write(folder / "seen.json")
    shutil.copy(GOLDEN, folder / "kafka.jsonl")
    reader = jsonl.Reader(GOLDEN)
    events = [event for _, event in reader]
    parquet.write(folder / "kafka.parquet", reader.header, events, reader.footer)
    printed = folder.with_name("printed")
    made = ("trace", "record", "my_lock", "two_adders", "-o", "run.jsonl")
    assert forked.run(made, folder, os.environ, printed) == 0, printed.read_text()
    for name in ("run.jsonl", "kafka.jsonl"):
        packed = gzip.compress((folder / name).read_bytes(), 1)
        (folder / f"{name}.gz").write_bytes(packed)
    return folder


def by_day() -> set[str]:
    """Of each kind one reader, in turn; none that starts a JVM or loads more than others."""
    readers = [reader for reader in READERS if not reader.java and "memory" not in reader.name]
    chosen = set()
    for number, kind in enumerate(KINDS):
        fitting = [reader for reader in readers if kind.fits(reader)]
        chosen.add(Case(fitting[3 * number % len(fitting)], kind).name)
    return chosen


DAY = by_day()


@pytest.mark.daily(7)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=[] if case.name in DAY else pytest.mark.nightly)
        for case in CASES
    ],
)
def test_a_bad_input_is_refused_in_words(case: Case, sound: Path, tmp_path: Path):
    folder = tmp_path / HOSTILE
    lay_out(folder, sound, case.reader)
    damage(folder, case)
    ended = run(case.reader.command(), tmp_path, SECONDS)
    assert wrong(case, ended) == [], ended


@pytest.mark.nightly
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_the_sound_input_is_taken(reader: Reader, sound: Path, tmp_path: Path):
    folder = tmp_path / HOSTILE
    lay_out(folder, sound, reader)
    ended = run(reader.command(), tmp_path, SECONDS)
    assert ended.code == reader.sound, ended


# -- controls: tools that do not guard what they read and write


def _opens_anything() -> None:
    reading.opened = lambda path: open(path, "rb")  # noqa: SIM115


def _parses_anything() -> None:
    reading.tables_in = lambda text, path: tomllib.loads(text)


def _prints_anything() -> None:
    console.guarded = console.visible = lambda text: text


def _quotes_anything() -> None:
    errors.shortened = lambda message, most=0: message


PLANTED: dict[Callable[[], None], tuple[str, str, str]] = {
    _opens_anything: ("list: declaration", "a named pipe", "hangs"),
    _parses_anything: ("list: declaration", "deep nesting", "a defect of Wheelproof"),
    _prints_anything: ("list: declaration", "Latin-1", "control character"),
    _quotes_anything: ("list: declaration", "a long word", "too long"),
}


@pytest.mark.daily(3)
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__)
def test_an_unguarded_tool_is_rejected(planted: Callable[[], None], sound: Path, tmp_path: Path):
    reader, kind, fault = PLANTED[planted]
    case = next(case for case in CASES if (case.reader.name, case.kind.name) == (reader, kind))
    folder = tmp_path / HOSTILE
    lay_out(folder, sound, case.reader)
    damage(folder, case)
    seconds = SHORT if fault == "hangs" else SECONDS
    assert fault in wrong(case, run(case.reader.command(), tmp_path, seconds, planted))


def test_the_judge_names_what_a_message_lacks():
    case = next(case for case in CASES if case.kind.name == "a folder")
    name = Path(case.reader.file).name
    for printed, fault in {
        "It is wrong. Mend it.": "no place",
        f"{name} is a folder": "no remedy",
        f"{name} is odd. Mend it.": "not the word",
    }.items():
        assert wrong(case, Ended(2, b"", printed.encode())) == [fault]
    assert wrong(case, Ended(2, b"", f"{name} is a folder. Mend it.".encode())) == []
    assert wrong(case, Ended(120, b"", b"")) == ["no exit code of the documented ones"]
