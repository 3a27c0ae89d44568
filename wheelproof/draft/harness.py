"""A draft's harness: how a scenario runs on the labelled copy."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

from wheelproof.draft.steps import Operation
from wheelproof.draft.subject import Subject


def module(subject: Subject, name: str, operations: Sequence[Operation]) -> str:
    """The text of the harness."""
    return "\n".join(_lines(subject, name, operations))


def _lines(subject: Subject, name: str, operations: Sequence[Operation]) -> Iterator[str]:
    by_argument = dict(zip(dict.fromkeys(subject.arguments), subject.constants, strict=False))
    arguments = ", ".join(f'scenario["{by_argument[argument]}"]' for argument in by_argument)
    errors = sorted({error for operation in operations for error in operation.raises})
    yield f'"""How a scenario runs on impl/{name}.py."""'
    yield from ("", f"from impl import {name}")
    yield from ("", f'SUBJECT = ("impl.{name}",)', "", "", "class Harness:")
    yield f"    def __init__(self, scenario, impl={name}):"
    yield f"        self.subject = impl.{subject.name}({arguments})"
    yield '        self.names = {"subject": self.subject}'
    if any(not hasattr(builtins, error) for error in errors):
        yield "        self.impl = impl"
    for operation in operations:
        yield from ("", f"    def {operation.name}({', '.join(['self', *operation.arguments])}):")
        call = f"self.subject.{operation.name}({', '.join(operation.arguments)})"
        if operation.collects:
            call = f"frozen({call})"
        if operation.raises:
            classes = [
                name if hasattr(builtins, name) else f"self.impl.{name}"
                for name in operation.raises
            ]
            caught = f"({', '.join(classes)})" if len(classes) > 1 else classes[0]
            yield from ("        try:", f"            return {call}")
            yield from (
                f"        except {caught} as error:",
                "            return type(error).__name__",
            )
        else:
            yield f"        return {call}"
    if any(operation.collects for operation in operations):
        yield from ("", "", "def frozen(value):")
        yield "    if isinstance(value, (set, frozenset)):"
        yield "        return frozenset(value)"
        yield "    return value if value is None or isinstance(value, str) else tuple(value)"
    yield ""
