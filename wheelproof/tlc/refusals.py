"""Whether TLC refuses a specification, as opposed to failing itself."""

import re

from wheelproof.tlc.result import Outcome, TlcResult

EVALUATION = range(75, 78)
"""TLC's exit codes where it cannot evaluate the specification: the specification is wrong."""

EVALUATED = re.compile(
    r"\bAttempted to (?:apply|access|select|compute|compare|check|enumerate|evaluate|construct)\b"
    r"|In evaluation, the identifier|Evaluating an expression of the form"
)
"""TLC's words for the same under another exit code: some of its own operators end with 255."""

BROKEN = re.compile(r"\bCannot (?:read|load|store|assign|invoke|enter|exit|throw)\b.* is null\b")
"""Java's words where TLC's own code fails. The specification is not at fault."""

REFUSED = range(150, 156)
"""TLC's exit codes where the specification or its config is not TLA+."""


def unevaluated(result: TlcResult) -> bool:
    """Whether TLC could not evaluate the specification."""
    return (
        result.outcome is Outcome.ERROR
        and BROKEN.search(result.explanation) is None
        and (result.exit_code in EVALUATION or EVALUATED.search(result.explanation) is not None)
    )


def refuses(result: TlcResult) -> bool:
    """Whether TLC did not take the specification, or could not evaluate it."""
    return unevaluated(result) or (result.outcome is Outcome.ERROR and result.exit_code in REFUSED)
