"""Sites: the accesses of a source, each with what the checker has learned about it."""

from __future__ import annotations

from typing import Any

from wheelproof.plain.answers import Place


class Site:
    """An access in a source.

    ``visible``: its accesses are scheduling points. ``gil_switch``: a call, a function's entry or
    a backward jump lies between the access before and this one; only there an interpreter with
    a global lock switches threads. ``foreign`` names the code
    that was not looked into and was called here. ``type`` and ``kind`` are those of the last
    object accessed: the kind of its attribute, as in :mod:`wheelproof.plain.instrument.fields`.
    """

    __slots__ = (
        "column",
        "file",
        "foreign",
        "gil_switch",
        "key",
        "kind",
        "line",
        "text",
        "type",
        "visible",
    )

    def __init__(
        self, file: str, line: int, column: int, text: str, key: str, gil_switch: bool
    ) -> None:
        self.file, self.line, self.column, self.text = file, line, column, text
        self.key, self.gil_switch = key, gil_switch
        self.visible = False
        self.foreign = ""
        self.type: Any = None
        self.kind: Any = 0

    def copy(self) -> Site:
        """The same place, of which nothing has been learned."""
        return Site(self.file, self.line, self.column, self.text, self.key, self.gil_switch)

    @property
    def place(self) -> Place:
        return Place(self.file, self.line, self.column, self.text, self.key, self.gil_switch)

    def __repr__(self) -> str:
        return str(self.place)
