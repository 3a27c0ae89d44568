"""A fault planted in a copy of the implementation, and the check that must reject it by name."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

from tests.impl.production.loading import Changes, Waits

Check = Callable[[SimpleNamespace, Waits], None]
"""A check of loaded modules; AssertionError where a promise is broken."""


class Planted(NamedTuple):
    """``changes``: of the text of one module of ``impl``."""

    check: Check
    changes: Changes


def planted(check: Check, *texts: str) -> Planted:
    """``texts``: an old one, the new one in its place, and so on."""
    return Planted(check, tuple(zip(texts[::2], texts[1::2], strict=True)))
