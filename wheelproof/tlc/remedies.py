"""Refusals of SANY and TLC, each quoted once, with a remedy where their words lead astray."""

import re
from collections.abc import Iterable

_REMEDIES = (
    (
        r"Operator Termination already defined",
        "PlusCal defines Termination itself, in the translation. Take the other definition away",
    ),
    (
        r"Unknown operator: `Fairness'",
        "A config with `fair` needs the fairness of some threads by this name, such as "
        r"Fairness(T) == \A t \in T : WF_vars(thread(t))",
    ),
)


def remedy(refusal: str) -> str:
    """The change that helps, without a full stop; "" where the refusal names it."""
    return next((text for pattern, text in _REMEDIES if re.search(pattern, refusal)), "")


def with_remedy(refusal: str) -> str:
    """A refusal, and a sentence on the change that helps."""
    return ". ".join(filter(None, (refusal, remedy(refusal))))


def errors_among(complaints: Iterable[str]) -> list[str]:
    """The parser's lines about errors, each once; it prints all of them twice."""
    lines = list(dict.fromkeys(complaints))
    if not any(line.startswith("*** Errors") for line in lines):
        return lines
    warnings = (place for place, line in enumerate(lines) if line.startswith("*** Warnings"))
    return lines[: next(warnings, len(lines))]
