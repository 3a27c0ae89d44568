"""Values in ITF, the Informal Trace Format of Apalache (ADR 015)."""

from __future__ import annotations

import json
from typing import Any

from wheelproof.tlc.values import Function, ModelValue, Value, function

_LARGEST = 2**53 - 1  # what every reader of JSON keeps exactly


def encoded(value: Value) -> Any:
    """The JSON of a canonical value. A model value is the string of its name."""
    match value:
        case bool() | str():
            return value
        case int():
            return value if abs(value) <= _LARGEST else {"#bigint": str(value)}
        case ModelValue():
            return value.name
        case tuple():
            return {"#tup": [encoded(element) for element in value]}
        case frozenset():
            elements = [encoded(element) for element in value]
            return {"#set": sorted(elements, key=lambda element: json.dumps(element))}
        case Function() if all(isinstance(name, str) for name in value):
            return {name: encoded(value[name]) for name in value}
        case Function():
            return {"#map": [[encoded(name), encoded(value[name])] for name in value]}
    raise TypeError(f"{value!r} is not a canonical TLA+ value")


def decoded(value: Any) -> Value:
    """The canonical value of its JSON; ValueError where it is none of ITF's."""
    match value:
        case bool() | int() | str():
            return value
        case list():
            return tuple(map(decoded, value))
        case {"#bigint": str(digits)}:
            return int(digits)
        case {"#tup": list(elements)}:
            return tuple(map(decoded, elements))
        case {"#set": list(elements)}:
            return frozenset(map(decoded, elements))
        case {"#map": list(pairs)}:
            return function([(decoded(key), decoded(result)) for key, result in pairs])
        case dict():
            return function([(name, decoded(result)) for name, result in value.items()])
    raise ValueError(f"{json.dumps(value)[:80]} is no value of ITF")
