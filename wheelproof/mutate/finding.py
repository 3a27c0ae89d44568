"""The results of checks on a change."""

from __future__ import annotations

from dataclasses import dataclass, field


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
