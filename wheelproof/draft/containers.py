"""Changes of containers: ``append``, ``pop`` and the like, as values before and after."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from wheelproof.draft.subject import Shared

CHANGING = frozenset(
    (
        *("append", "appendleft", "popleft", "pop", "remove", "add", "discard", "popitem"),
        *("move_to_end", "clear"),
    )
)
"""Methods of containers that change them."""


def change(
    field: Shared, name: str, terms: Sequence[str], keywords: Mapping[str, str]
) -> tuple[str, str] | None:
    """The TLA+ result of a call, "" for none, and the container after it; None if not known.

    ``terms``: the arguments. ``keywords``: name of an argument -> its Python.
    """
    variable = field.variable
    first = f"Head({variable})", f"Tail({variable})"
    end = f"{variable}[Len({variable})]", f"SubSeq({variable}, 1, Len({variable}) - 1)"
    value, after = "", ""
    match field.kind, name, terms, keywords:
        case "sequence", "append", [term], {**more} if not more:
            after = f"Append({variable}, {term})"
        case "sequence", "appendleft", [term], {**more} if not more:
            after = f"<< {term} >> \\o {variable}"
        case "sequence", "popleft", [], {**more} if not more:
            value, after = first
        case "sequence", "pop", ["0"], {**more} if not more:
            value, after = first
        case "sequence", "pop", [], {**more} if not more:
            value, after = end
        case "sequence", "remove", [term], {**more} if not more:
            after = f"WithoutFirst({variable}, {term})"
        case "set", "add", [term], {**more} if not more:
            after = f"{variable} \\cup {{{term}}}"
        case "set", "discard" | "remove", [term], {**more} if not more:
            after = f"{variable} \\ {{{term}}}"
        case "pairs", "pop", [key], {**more} if not more:
            value, after = f"ValueOf({variable}, {key})", f"WithoutKey({variable}, {key})"
        case "pairs", "pop", [key, default], {**more} if not more:
            value = f"IF HasKey({variable}, {key}) THEN ValueOf({variable}, {key}) ELSE {default}"
            after = f"WithoutKey({variable}, {key})"
        case "pairs", "popitem", ([] | ["FALSE"]), _ if keywords in ({}, {"last": "False"}):
            value, after = first if terms or keywords else end
        case "pairs", "move_to_end", [key], {**more} if not more:
            after = (
                f"Append(WithoutKey({variable}, {key}), << {key}, ValueOf({variable}, {key}) >>)"
            )
        case _, "clear", [], {**more} if not more:
            after = field.initial
        case _:
            return None
    return value, after


def code(field: Shared, name: str, call: ast.Call) -> str:
    """A call of an ordered dictionary as one of a plain one; "" for any other call.

    A class of Python may have state that no check sees, and an ``OrderedDict`` is one.
    """
    at = f"self.{field.attribute}"
    match field.kind, name, call.keywords or call.args:
        case "pairs", "popitem", [_]:
            return f"{at}.pop(next(iter({at})))"
        case "pairs", "move_to_end", [ast.expr() as key]:
            text = ast.unparse(key)
            return f"{at}[{text}] = {at}.pop({text})"
    return ""
