"""Results of operations that are not plain values."""

from __future__ import annotations


def raised(error: BaseException) -> tuple[str, str]:
    """The result of an operation that raised an exception which its model knows."""
    return ("raised", type(error).__name__)
