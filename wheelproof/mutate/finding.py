"""The results of checks on a change."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    word: str
    """``passed``, ``rejected``, ``equivalent``, ``unloadable``, ``inconclusive`` or ``error``."""
    check: str = ""
    by: str = ""
    """The violated property, the style rule, the exception's class, or the test's name."""
    why: str = ""
    """One sentence."""


@dataclass
class Judged:
    """The result for a change."""

    finding: Finding
    seconds: dict[str, float] = field(default_factory=dict)
    """CPU time of each check, with child processes."""
    doubts: list[Finding] = field(default_factory=list)


def plain(text: str, root: Path) -> str:
    """A text without the path of the copy at ``root``."""
    return re.sub(r"\s+", " ", text.replace(f"{root}/", "").replace(str(root), "."))[:400]
