"""The demands of judges on a project's package ``traces``: the types of the names that
``declared.part`` gives.

The tool imports no project: mypy compares a package with these types where that asks for it, as
``traces/provided.py`` does. An event is of a type of the project, which the tool does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from wheelproof.pipeline import document
    from wheelproof.pipeline.columns import Column
    from wheelproof.pipeline.rule import Family, Rule
    from wheelproof.trace.format.heads import Header


class Words(Protocol):
    """``events``."""

    def spoken(self, event: Any) -> str:
        """An event in a few words."""


class Start(Protocol):
    """``bulk.start``: the beginning of a run, as a header has it."""

    def config(self, header: Header) -> tuple[int | None, ...]:
        """Its measures, as ``schema.MEASURES`` names them."""

    def counters(self, header: Header) -> Iterator[tuple[str, int]]:
        """The words whose value is known, by the ids of their tokens."""

    def events(self, header: Header) -> Iterator[dict[str, object]]:
        """The objects at the beginning: the columns of a checkpoint for each."""

    def named(self) -> Column:
        """Whether an event is a run of a task that names its entry."""


class Coverage(Protocol):
    """``bulk.coverage``."""

    def summary(self, kinds: Mapping[str, int], measures: Mapping[str, int]) -> document.Coverage:
        """Events by kind and by edge."""


class Lateness(Protocol):
    """``bulk.lateness``."""

    def summary(self, measures: Mapping[str, int]) -> document.Lateness:
        """How late entries were handed over."""


class Bulk(Protocol):
    """``bulk``: the table of rules. ``lateness`` is needed where a family measures it."""

    @property
    def FAMILIES(self) -> tuple[Family, ...]: ...
    @property
    def RULES(self) -> dict[str, Rule]: ...
    @property
    def start(self) -> Start: ...
    @property
    def coverage(self) -> Coverage: ...
    @property
    def lateness(self) -> Lateness: ...
