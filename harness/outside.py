"""Values of the implementation's objects, read from outside: no step of any thread."""

from __future__ import annotations

from typing import Any


def present(atomic: Any) -> Any:
    """The value of an atomic variable, under control or in production."""
    return atomic.value if hasattr(atomic, "value") else atomic._value
