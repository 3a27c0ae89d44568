"""What an operation of a scenario comes to, where it does not return a plain value."""

from __future__ import annotations


def raised(error: Exception) -> tuple[str, str]:
    """The result of an operation that raised an exception which its model knows."""
    return ("raised", type(error).__name__)
