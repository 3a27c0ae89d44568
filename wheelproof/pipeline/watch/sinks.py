"""The places to which a watch tells violations as they come, beside its own files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

from wheelproof.console import visible
from wheelproof.pipeline import command
from wheelproof.pipeline.document import Violation

Named = Mapping[str, Violation]
"""Id of a violation -> the violation."""


def line(name: str, violation: Violation) -> str:
    """A violation with its id, as a line of JSON."""
    return json.dumps({"id": name, **violation})


class Sink(Protocol):
    """A place for violations. It may get one again after a kill, with the same id."""

    def tell(self, violations: Named) -> None:
        """Take violations that are new, some at least. Raises ToolError where it cannot."""


class Text:
    """Violations on standard output, for people."""

    def tell(self, violations: Named) -> None:
        for name, violation in violations.items():
            print(visible(f"{command.line(violation)} [{name}]"), flush=True)


class JsonLines:
    """Violations on standard output, as JSON Lines."""

    def tell(self, violations: Named) -> None:
        for name, violation in violations.items():
            print(line(name, violation), flush=True)
