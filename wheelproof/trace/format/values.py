"""Checks of single values: the fault of one, in words, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable

from wheelproof.trace.format.fields import Field
from wheelproof.trace.format.schema import MODES, OBSERVED, TOKEN

_RANGES = {"int32": 1 << 31, "int64": 1 << 63}


def check_of(field: Field) -> Callable[[object], str]:
    """A function that returns the fault of a value of a field, "" if there is none."""
    if field.type in _RANGES:
        limit = _RANGES[field.type]
        return lambda value: (
            ""
            if type(value) is int and -limit <= value < limit
            else f"must be an integer of {field.type[3:]} bits, not {shown(value)}"
        )
    if field.type == "text":
        return lambda value: "" if type(value) is str else f"must be a string, not {shown(value)}"
    if field.type == "bool":
        return lambda value: (
            "" if type(value) is bool else f"must be true or false, not {shown(value)}"
        )
    if field.type == "enum":
        values = frozenset(field.values)
        return lambda value: (
            ""
            if type(value) is str and value in values
            else f"must be one of {', '.join(field.values)}, not {shown(value)}"
        )
    if field.type == "token":
        return _tokens
    if field.type == "observed":
        return _observation
    if field.type == "map":
        return lambda value: "" if type(value) is dict else f"must be an object, not {shown(value)}"
    return lambda value: (
        "" if type(value) in (dict, list) else f"must be an object, not {shown(value)}"
    )


def _tokens(tokens: object) -> str:
    if not isinstance(tokens, (list, tuple)):
        return f"must be an array of order tokens, not {shown(tokens)}"
    for token in tokens:
        if not isinstance(token, (list, tuple)) or len(token) not in (4, 5):
            return (
                "must have tokens [kind, id, seq, mode] or [kind, id, seq, mode, upto], not "
                f"{shown(token)}"
            )
        kind, _name, seq, mode, upto = (*token, None)[:5]
        for field, value in zip(TOKEN, token):
            if field.name == "upto" and value is None:
                continue
            if wrong := _TOKEN_CHECKS[field.name](value):
                return f"{field.name} of the token {shown(token)} {wrong}"
        if mode not in MODES[kind]:
            return f"mode of the token {shown(token)} must be one of {', '.join(MODES[kind])}"
        if seq < (1 if kind == "L" else 0):
            return f"seq of the token {shown(token)} counts from {1 if kind == 'L' else 0}"
        if upto is not None and upto < seq:
            return f"upto of the token {shown(token)} is less than its seq"
    return ""


def _observation(content: object) -> str:
    if type(content) is not dict:
        return f"must be an object, not {shown(content)}"
    for name, value in content.items():
        if (
            name in _OBSERVED_CHECKS
            and value is not None
            and (wrong := _OBSERVED_CHECKS[name](value))
        ):
            return f"{name} {wrong}"
    return ""


def shown(value: object) -> str:
    """A value as JSON, cut to 60 characters."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


_TOKEN_CHECKS = {field.name: check_of(field) for field in TOKEN}


_OBSERVED_CHECKS = {field.name: check_of(field) for field in OBSERVED}
