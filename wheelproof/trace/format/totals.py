"""The order tokens in a footer: totals of each class of them, of bounded size however
many tokens a run has.

A class is a token's kind and the class of its id, such as ``L list`` of ``["L", "list:7", 3,
"w"]``. Counted are the exact tokens of all events, so that every lost event that bears a token is
missing from a count, wherever it was; gaps and repetitions show in the numbers themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wheelproof.trace.format.event import Token

MODULUS = 1 << 32
"""The sum is kept to so many numbers: an integer of 64 bits that overflows gives the same
remainder."""

NAMES = ("count", "max", "sum")
"""Of a class: how many exact tokens, the greatest number, and the numbers' sum modulo MODULUS."""


def class_of(kind: str, name: str) -> str:
    """The class of a token."""
    return f"{kind} {name.partition(':')[0]}"


class Totals:
    """``classes``: class -> [count, max, sum], of the tokens so far."""

    def __init__(self) -> None:
        self.classes: dict[str, list[int]] = {}

    def count(self, tokens: Iterable[Token]) -> None:
        """Count an event's tokens; intervals are left out."""
        for token in tokens:
            if len(token) == 4:
                total = self.classes.setdefault(class_of(token[0], token[1]), [0, 0, 0])
                total[0] += 1
                total[1] = max(total[1], token[2])
                total[2] = (total[2] + token[2]) % MODULUS

    def data(self) -> dict[str, dict[str, int]]:
        """As a footer has it."""
        return {
            name: dict(zip(NAMES, values, strict=True))
            for name, values in sorted(self.classes.items())
        }

    def against(self, footer_totals: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[bool, str]]:
        """Where a footer says something else: whether events are missing (else there are too many,
        or others), and a sentence."""
        for name in sorted({*footer_totals, *self.classes}):
            theirs, here = footer_totals.get(name, {}), self.classes.get(name, [0, 0, 0])
            for figure, value in zip(NAMES, here, strict=True):
                theirs_value = theirs.get(figure, 0)
                if theirs_value != value:
                    is_lost = figure == "count" and theirs_value > value
                    yield (
                        is_lost,
                        f"of the tokens {name} the {figure} is {theirs_value} in the footer, and "
                        f"{value} here",
                    )
                    break


def wrong(content: object) -> str:
    """The fault of a footer's totals; "" for none."""
    if type(content) is not dict:
        return "must be an object"
    for name, values in content.items():
        if type(values) is not dict or set(values) != set(NAMES):
            return f"of {name!r} must have {', '.join(NAMES)}"
        for figure, value in values.items():
            if type(value) is not int or not 0 <= value < 1 << 63:
                return f"of {name!r} must have a number from 0 on as its {figure}"
    return ""
