"""The other races of Kafka in ``docs/history.toml``, each with the property that it breaks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools import history
from wheelproof.project import Mechanism

RULES = "findings/kafka-rules.md"
RULE = "rule: "
SUBJECTS = "real/explore/subjects.toml"
HEAD = ("part", "issue", "fixed in", "race", "found by")


@dataclass(frozen=True)
class Race:
    """A race that Kafka had, and that no declared check is about."""

    part: str
    issue: str
    fixed: str
    """The first releases with the fix; empty where none is known."""
    race: str
    by: tuple[str, ...]
    """MECHANISM.PROPERTY that it breaks, or RULE and the heading of a rule in lower case."""
    why: str = ""
    """Why nothing would find it, or how far a property goes."""
    shown: str = ""
    """A check of the same shape, as in :class:`tools.history.Bug`. It breaks one of ``by``."""
    explored: str = ""
    """The class and the release in which an exploration finds it, a row of ``SUBJECTS``."""


@dataclass(frozen=True)
class Finders:
    """Properties, rules and explorations that find races."""

    mechanisms: Mapping[str, Mechanism]
    rules: Mapping[str, str]
    """The headings of the page of rules in lower case -> the heading."""
    explored: Mapping[str, str]
    """Class and release of each row of ``SUBJECTS`` whose answer is a bug -> the row's issues."""

    @staticmethod
    def load(root: Path, mechanisms: Mapping[str, Mechanism]) -> Finders:
        page = (root / "docs" / RULES).read_text(encoding="utf-8")
        headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
        subjects = tomllib.loads((root / SUBJECTS).read_text(encoding="utf-8"))["subject"]
        return Finders(
            mechanisms,
            {heading.lower(): heading for heading in headings},
            {
                f"{subject['class']}, {subject['release']}": subject["issue"]
                for subject in subjects
                if subject["expect"] == "bug"
            },
        )


def read(text: str) -> list[Race]:
    """The races of the file's text. Raises ValueError on a table with a wrong field."""
    try:
        return [
            Race(**{**table, "by": tuple(table["by"])}) for table in tomllib.loads(text)["race"]
        ]
    except (KeyError, TypeError) as error:
        raise ValueError(f"docs/history.toml has a race with a wrong field: {error}") from error


def load(root: Path) -> list[Race]:
    return read((root / "docs" / "history.toml").read_text(encoding="utf-8"))


def refusals(races: list[Race], finders: Finders) -> list[str]:
    """The races without a finder and a reason, and the finders that do not exist."""
    return [fault for race in races for fault in _of_race(race, finders)]


def _of_race(race: Race, finders: Finders) -> Iterator[str]:
    mechanisms = finders.mechanisms
    if not race.by and not race.why:
        yield f"{race.issue} has neither a finder nor a reason"
    yield from _of_check(race, mechanisms)
    if race.explored and not _numbers(race.issue) & _numbers(
        finders.explored.get(race.explored, "")
    ):
        yield f"{race.issue}: {SUBJECTS} has no bug of that issue in {race.explored}"
    for name in race.by:
        mechanism, _, property_ = name.partition(".")
        if name.startswith(RULE):
            if name.removeprefix(RULE) not in finders.rules:
                yield f"{race.issue}: there is no {name}"
        elif mechanism not in mechanisms or property_ not in mechanisms[mechanism].properties:
            yield f"{race.issue}: {property_} is no property of {mechanism}"


def _numbers(issues: str) -> set[str]:
    return set(re.findall(r"\b\d{3,}\b", issues))


def _of_check(race: Race, mechanisms: Mapping[str, Mechanism]) -> Iterator[str]:
    if not race.shown:
        return
    try:
        kind, properties = history.broken_by(race.shown, mechanisms)
    except ValueError as error:
        yield f"{race.issue}: {error}"
        return
    mechanism = race.shown.replace("/", ":").partition(":")[0]
    if not properties & {name.removeprefix(f"{mechanism}.") for name in race.by}:
        yield f"{race.issue}: the {kind} {race.shown} breaks none of {', '.join(race.by)}"


def rows(races: list[Race], finders: Finders) -> list[list[str]]:
    """The cells of the table, as seen from ``docs/``."""
    return [[race.part, race.issue, race.fixed, race.race, _cell(race, finders)] for race in races]


def _cell(race: Race, finders: Finders) -> str:
    links, mechanisms = [], finders.mechanisms
    for name in race.by:
        mechanism, _, property_ = name.partition(".")
        if name.startswith(RULE):
            heading = finders.rules[name.removeprefix(RULE)]
            anchor = heading.lower().replace(" ", "-")
            links.append(f"[{heading}]({RULES}#{anchor})")
        else:
            file = mechanisms[mechanism].toml.name
            links.append(f"[`{property_}`](../spec/{file}) of `{mechanism}`")
    if race.shown:
        links.append(f"its shape is {history.link(race.shown, mechanisms)}")
    if race.explored:
        links.append(f"[explored](../{SUBJECTS}) in {race.explored.replace(', ', ' of ')}")
    return "; ".join([*links, race.why] if race.why else links)
