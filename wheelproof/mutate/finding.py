"""The results of checks on a change."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    ``word``: ``passed``, ``rejected``, ``equivalent``, ``unloadable``, ``inconclusive``, ``error``.

    ``by``: the violated property, the style rule, the exception's class, the test's name ...;
    ``why``: one sentence.
    """

    word: str
    check: str = ""
    by: str = ""
    why: str = ""


@dataclass
class Judged:
    """The result for a change. ``seconds``: CPU time of each check, with child processes."""

    finding: Finding
    seconds: dict[str, float] = field(default_factory=dict)
    doubts: list[Finding] = field(default_factory=list)


def plain(text: str, root: Path) -> str:
    """A text without the path of the copy at ``root``."""
    return re.sub(r"\s+", " ", text.replace(f"{root}/", "").replace(str(root), "."))[:400]
