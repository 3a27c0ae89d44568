"""The other races of Kafka in ``docs/history.toml``, each with the property that it breaks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import history
from wheelproof.project import Mechanism

RULES = "findings/kafka-rules.md"
RULE = "rule: "
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


def rules(root: Path) -> dict[str, str]:
    """The headings of the page of rules in lower case -> the heading."""
    page = (root / "docs" / RULES).read_text(encoding="utf-8")
    return {heading.lower(): heading for heading in re.findall(r"^## (.+)$", page, re.MULTILINE)}


def refusals(
    races: list[Race], mechanisms: dict[str, Mechanism], headings: dict[str, str]
) -> list[str]:
    """The races without a finder and a reason, and the finders that do not exist."""
    return [fault for race in races for fault in _of_race(race, mechanisms, headings)]


def _of_race(
    race: Race, mechanisms: dict[str, Mechanism], headings: dict[str, str]
) -> Iterator[str]:
    if not race.by and not race.why:
        yield f"{race.issue} has neither a finder nor a reason"
    yield from _of_check(race, mechanisms)
    for name in race.by:
        mechanism, _, property_ = name.partition(".")
        if name.startswith(RULE):
            if name.removeprefix(RULE) not in headings:
                yield f"{race.issue}: there is no {name}"
        elif mechanism not in mechanisms or property_ not in mechanisms[mechanism].properties:
            yield f"{race.issue}: {property_} is no property of {mechanism}"


def _of_check(race: Race, mechanisms: dict[str, Mechanism]) -> Iterator[str]:
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


def rows(
    races: list[Race], mechanisms: dict[str, Mechanism], headings: dict[str, str]
) -> list[list[str]]:
    """The cells of the table, as seen from ``docs/``."""
    return [
        [race.part, race.issue, race.fixed, race.race, _finders(race, mechanisms, headings)]
        for race in races
    ]


def _finders(race: Race, mechanisms: dict[str, Mechanism], headings: dict[str, str]) -> str:
    links = []
    for name in race.by:
        mechanism, _, property_ = name.partition(".")
        if name.startswith(RULE):
            heading = headings[name.removeprefix(RULE)]
            anchor = heading.lower().replace(" ", "-")
            links.append(f"[{heading}]({RULES}#{anchor})")
        else:
            file = mechanisms[mechanism].toml.name
            links.append(f"[`{property_}`](../spec/{file}) of `{mechanism}`")
    if race.shown:
        links.append(f"its shape is {history.link(race.shown, mechanisms)}")
    return "; ".join([*links, race.why] if race.why else links)
