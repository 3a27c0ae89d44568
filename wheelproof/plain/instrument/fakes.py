"""Fakes of ``unittest.mock``: a call of one is one step, and so is a look at its notes.

A call is noted by the fake and by those that it is an attribute of.
"""

from __future__ import annotations

from typing import Any

_FAKES: dict[type, bool] = {}


def is_fake(kind: type) -> bool:
    """Whether objects of a class are fakes."""
    answer = _FAKES.get(kind)
    if answer is None:
        answer = _FAKES[kind] = any(
            base.__name__ == "NonCallableMock" and base.__module__ == "unittest.mock"
            for base in kind.__mro__
        )
    return answer


def with_parents(fake: Any) -> list[Any]:
    """A fake, and those that note its calls."""
    fakes = [fake]
    while (parent := fakes[-1]._mock_new_parent) is not None:
        fakes.append(parent)
    return fakes
