"""TOML texts as tables, for declarations that one process reads again and again.

A text is parsed once, and its tables are new with each call: a caller may change them.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import Any


def tables(text: str) -> dict[str, Any]:
    """The tables of a text. Raises tomllib.TOMLDecodeError where it is not valid TOML."""
    tables: dict[str, Any] = _copy(_parse(text))
    return tables


@lru_cache(maxsize=256)
def _parse(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(item) for name, item in value.items()}
    return list(map(_copy, value)) if isinstance(value, list) else value
