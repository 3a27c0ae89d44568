"""A first specification of a class that is there: labels, module, declaration and harness.

A draft reads a class of plain ``threading`` without running it. It makes a copy with a label for
each step that other threads may see, and a PlusCal algorithm with the same labels. A statement that
it does not know is a *hole*: neither the copy nor the algorithm has it, and no check of the
mechanism is in order before it is filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wheelproof.draft import code, harness, lowering, pluscal
from wheelproof.draft.scenarios import Scenario
from wheelproof.draft.steps import Hole, Operation, labels, traverse
from wheelproof.draft.subject import Subject, read
from wheelproof.errors import UsageError


@dataclass(frozen=True)
class Draft:
    """All that is written of a class."""

    subject: Subject
    name: str
    """The name of the mechanism and of its files."""
    module: str
    """The TLA+ module."""
    operations: tuple[Operation, ...]
    unguarded: frozenset[str]
    """The fields that some operation sees outside of all locks."""
    origin: str = ""
    """``FILE:CLASS`` below the project's folder; "" for a class that is elsewhere."""

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The module without a translation, and the labelled copy."""
        specification = pluscal.module(self.subject, self.module, self.operations)
        return specification, self.code_of(self.operations)

    def code_of(self, operations: Sequence[Operation]) -> str:
        """The labelled copy with other operations."""
        return code.module(self.subject, operations, self.unguarded)

    @property
    def holes(self) -> dict[str, Hole]:
        """The statements that are left out, by label."""
        nodes = (node for item in self.operations for node in traverse(item.body))
        return {node.label: node for node in nodes if isinstance(node, Hole)}

    @property
    def labels(self) -> dict[str, list[str]]:
        """Kind -> the labels of the code, in its order."""
        kinds: dict[str, list[str]] = {}
        for item in self.operations:
            for label, kind in labels(item.body):
                kinds.setdefault(kind, []).append(label)
        return kinds

    def files(self, scenarios: Mapping[str, Scenario]) -> dict[str, str]:
        """The files of the project: path below its folder -> text."""
        return {
            f"spec/{self.module}.tla": self.texts[0],
            f"spec/{self.module}.toml": self.declaration(scenarios),
            f"impl/{self.name}.py": self.texts[1],
            f"harness/{self.name}.py": harness.module(self.subject, self.name, self.operations),
        }

    def declaration(self, scenarios: Mapping[str, Scenario]) -> str:
        """The text of ``spec/<Module>.toml``."""
        return "\n".join(self._declaration(scenarios))

    def _declaration(self, scenarios: Mapping[str, Scenario]) -> Iterator[str]:
        yield from ("[mechanism]", f'module = "{self.module}"')
        if self.origin:
            yield f'source = "{self.origin}"'
        yield ""
        yield from ("[model]", 'witnesses = ["Held"]', 'result = "Result"')
        if self.holes:
            yield from ("", "[holes]  # take out each that is filled, in code and specification")
            for label, hole in self.holes.items():
                text = f"line {hole.line}, {hole.text}: {hole.reason}"
                escape = text.replace("\\", "\\\\").replace('"', '\\"')
                yield f'{label} = "{escape}"'
        for name, scenario in scenarios.items():
            threads = ", ".join(f'{key} = "{value}"' for key, value in scenario.threads.items())
            yield from ("", f"[scenarios.{name}]", f'about = "{scenario.about}"')
            yield from (f"{key} = {value}" for key, value in scenario.constants.items())
            yield f"threads = {{ {threads} }}"
        quotes = ", ".join(f'"{name}"' for name in scenarios)
        yield from ("", "[safety]", f"fast = [{quotes}]", "")


def draft(file: Path, class_name: str, name: str, module: str) -> Draft:
    """Read a class and draft its mechanism. UsageError where it cannot be read."""
    subject = read(file, class_name)
    lowering_of_class = lowering.Class(subject)
    operations = tuple(lowering_of_class.operations())
    if not operations:
        raise UsageError(
            f"{file}: {class_name} has no method that others may call.",
            "Name a class with methods without an underscore.",
        )
    return Draft(subject, name, module, operations, frozenset(lowering_of_class.unguarded))
