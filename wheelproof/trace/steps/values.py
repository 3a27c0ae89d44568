"""Values of the model's variables as JSON, one form for the model's and for the harness's."""

from __future__ import annotations

import json
from collections.abc import Mapping


def plain(value: object) -> object:
    """A value as JSON has it: a sequence or record as an array, a set as a sorted one in an
    object, and all that JSON does not have as a text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return int(value) if value == int(value) else value
    if isinstance(value, (tuple, list)):
        return [plain(member) for member in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted((plain(member) for member in value), key=json.dumps)}
    if isinstance(value, Mapping):
        return {"map": [[plain(key), plain(member)] for key, member in value.items()]}
    return f"<{type(value).__name__}>"


def text_of(value: object) -> str:
    """A value for people."""
    return json.dumps(value, ensure_ascii=False)
