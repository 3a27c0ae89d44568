"""The claims of the articles as data: ``docs/claims/*.toml``, one file a section, and what each row
names as its evidence.

A row has ``quotes`` (article, place, a few words verbatim), ``claim`` (the same in plain English),
``verdict``, ``exactly`` (what is true), ``by`` (the checks that decide it) and ``read`` (files of
Kafka's source in which a fact was read; nothing here runs those).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "claims"
CONTROLS = "controls.toml"
EXAMPLES = {"wheel": "tests/impl/test_timing_wheel.py", "claim": "tests/claims/test_wheel.py"}
"""Files whose ``test_wheel`` runs the articles' examples, by the word that a row has for them."""
VERDICTS = ("holds", "imprecise", "refuted", "depends on the release", "open")

ARTICLES = {
    "A": '"TimingWheel探究Kafka定时器背后的高效时间轮算法" by Hu Xi, '
    "lecture 19 of a course on the source",
    "B": '"Kafka\'s timingwheel algorithm" (January 2022)',
    "C": 'notes on Kafka\'s design; section 2 is "时间轮", 3 "延时操作", 4 "控制器"',
    "D": '"Kafka 深入服务端 — 时间轮"',
    "E": "reading notes on `DelayedOperation` and `TimerTaskList`, "
    'which begin "之前阅读了 Produce 和 Fetch"',
}


@dataclass(frozen=True)
class Quote:
    """A few words of an article. ``place``: the heading above them."""

    article: str
    place: str
    text: str


@dataclass(frozen=True)
class Check:
    """Something that runs and decides a row: a test by its node id, or an entry of a
    specification's tables (``key`` is then set).
    """

    file: str
    name: str
    key: str | None = None

    @property
    def node(self) -> str:
        return f"{self.file}::{self.name}"

    @property
    def is_test(self) -> bool:
        return self.key is None

    @property
    def label(self) -> str:
        return self.name if self.is_test else f"{self.name}.{self.key}"


@dataclass(frozen=True)
class Row:
    number: str
    quotes: tuple[Quote, ...]
    claim: str
    verdict: str
    exactly: str
    by: tuple[Check, ...]
    read: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    title: str
    about: str
    rows: tuple[Row, ...]


def check(reference: str) -> Check:
    """The check that a row names in short.

    ``wheel:NAME`` and ``claim:NAME`` are the articles' examples on a wheel,
    ``SystemTimer:mutants.M9`` is an entry of that specification's TOML, anything else a test below
    ``tests/``. Raises ValueError for another form.
    """
    head, _, tail = reference.partition(":")
    if head in EXAMPLES and not tail.startswith(":"):
        return Check(EXAMPLES[head], f"test_wheel[{tail}]")
    if "::" in reference:
        file, _, name = reference.partition("::")
        return Check(f"tests/{file}", name)
    table, dot, key = tail.partition(".")
    if not (dot and table in ("properties", "configs", "mutants", "composed")):
        raise ValueError(
            f"{reference!r} names no check: give wheel:NAME, claim:NAME, FILE.py::TEST or "
            "SPECIFICATION:TABLE.ENTRY"
        )
    return Check(f"spec/{head}.toml", table, key)


def row(number: str, entry: dict) -> Row:
    unknown = entry.keys() - {"quotes", "claim", "verdict", "exactly", "by", "read"}
    if unknown:
        raise ValueError(f"row {number} has unknown keys: {', '.join(sorted(unknown))}")
    quotes = tuple(Quote(article, place, text) for article, place, text in entry["quotes"])
    return Row(
        number,
        quotes,
        entry.get("claim", ""),
        entry["verdict"],
        entry.get("exactly", ""),
        tuple(check(reference) for reference in entry.get("by", ())),
        tuple(entry.get("read", ())),
    )


def section(position: int, document: dict) -> Section:
    rows = [row(f"{position}.{number}", entry) for number, entry in enumerate(document["claim"], 1)]
    return Section(document["title"], document.get("about", "").strip(), tuple(rows))


@cache
def sections() -> tuple[Section, ...]:
    """All sections, in the order of their files' names."""
    files = sorted(file for file in DATA.glob("*.toml") if file.name != CONTROLS)
    return tuple(
        section(position, tomllib.loads(file.read_text())) for position, file in enumerate(files, 1)
    )


def rows() -> list[Row]:
    return [one for part in sections() for one in part.rows]


@cache
def controls() -> dict[str, str]:
    """Per test that decides a row the test that plants what it must reject; both by node id."""
    table = tomllib.loads((DATA / CONTROLS).read_text())["control"]
    return {check(test).node: check(control).node for test, control in table.items()}
