"""What constructors refuse: arguments of another kind, or below their least.

One way for all of them: a TypeError or a ValueError that names the argument, its value and what it
must be, before there is an object or a thread.
"""

from __future__ import annotations


def whole(name: str, value: object, least: int | None = None) -> None:
    """Raises TypeError unless ``value`` is an int, and ValueError where it is below ``least``."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, and must be an int")
    if least is not None and value < least:
        raise ValueError(f"{name} is {value}, and must be at least {least}")


def flag(name: str, value: object) -> None:
    """Raises TypeError unless ``value`` is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, and must be True or False")


def text(name: str, value: object) -> None:
    """Raises TypeError unless ``value`` is a str."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, and must be a str")


def function(name: str, value: object) -> None:
    """Raises TypeError unless ``value`` can be called."""
    if not callable(value):
        raise TypeError(f"{name} is {value!r}, and must be a function")


def able(name: str, value: object, kind: type) -> None:
    """Raises TypeError unless ``value`` is an object of ``kind``, a class or a protocol."""
    if isinstance(value, type) or not isinstance(value, kind):
        raise TypeError(
            f"{name} is {value!r}, and must be an object with the methods of "
            f"{kind.__module__}.{kind.__qualname__}"
        )
