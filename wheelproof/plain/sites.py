"""Sites: the accesses of a source, each with the checker's knowledge of it."""

from __future__ import annotations

import itertools
from typing import Any

from wheelproof.plain.answers import Place

REGIONS = itertools.count(1)
"""Numbers of regions, over all sources."""


class Site:
    """An access in a source.

    ``visible``: its accesses are scheduling points. ``region``: two sites have one where no call,
    entry of a function or backward jump lies between them. An interpreter with a global lock
    switches threads only there. ``position``: among the sites of its source. ``foreign`` names the
    code that was not looked into and was called here. ``type`` and ``kind`` are those of the last
    object accessed: the kind of its attribute, as in :mod:`wheelproof.plain.instrument.fields`.
    """

    __slots__ = (
        "column",
        "file",
        "foreign",
        "key",
        "kind",
        "line",
        "position",
        "region",
        "text",
        "type",
        "visible",
    )

    def __init__(
        self, file: str, line: int, column: int, text: str, key: str, region: int, position: int = 0
    ) -> None:
        self.file, self.line, self.column, self.text = file, line, column, text
        self.key, self.region, self.position = key, region, position
        self.visible = False
        self.foreign = ""
        self.type: Any = None
        self.kind: Any = 0

    def copy(self) -> Site:
        """The same place, of which nothing has been learned."""
        return Site(
            self.file, self.line, self.column, self.text, self.key, self.region, self.position
        )

    @property
    def place(self) -> Place:
        return Place(self.file, self.line, self.column, self.text, self.key)

    def __repr__(self) -> str:
        return str(self.place)
