"""What judges ask of a project's package ``traces``: the types of what ``declared.part`` gives.

The tool imports no project: mypy compares a package with these types where that asks for it, as
``traces/provided.py`` does. An event is of a type of the project, which the tool does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from wheelproof.pipeline import document
    from wheelproof.pipeline.columns import Column
    from wheelproof.pipeline.rule import Family, Rule
    from wheelproof.trace.format.heads import Footer, Header
    from wheelproof.trace.judging.events import Refusal


class State(Protocol):
    """What the events so far have led to."""

    @property
    def applied(self) -> Mapping[str, int]:
        """By property, how often a rule had something to look at."""

    def judge(self, event: Any) -> Refusal | None:
        """Why the event is no step from here; None if it is one."""

    def apply(self, event: Any) -> None:
        """Take the event."""

    def enabled(self, event: Any) -> Iterator[Any]:
        """Steps that the event's thread could take here."""

    def neglected(self) -> Iterator[Refusal]:
        """What never happened, of a trace that is whole."""

    def open(self, beyond: Collection[int]) -> Iterator[str]:
        """What threads have begun and not ended, those ``beyond`` the cut left out."""


class Rules(Protocol):
    """``rules``: they judge and take one event after the other.

    ``State``: of a header, in which the fields that a file must have may be absent.
    """

    @property
    def KINDS(self) -> frozenset[str]: ...
    @property
    def State(self) -> Callable[[Header], State]: ...


class Words(Protocol):
    """``events``."""

    def spoken(self, event: Any) -> str:
        """An event in a few words."""


class Shrunk(Protocol):
    """A refused trace that was made small. ``repair``: a sentence, "" where none is known."""

    @property
    def header(self) -> Header: ...
    @property
    def events(self) -> Sequence[Any]: ...
    @property
    def lines(self) -> Sequence[int]: ...
    @property
    def footer(self) -> Footer: ...
    @property
    def message(self) -> str: ...
    @property
    def repair(self) -> str: ...
    @property
    def property(self) -> str: ...


class Shrinker(Protocol):
    """``shrink``."""

    def shrink(
        self,
        header: Header,
        events: Sequence[tuple[int, Any]],
        cut: Mapping[str, int] | None = None,
        seconds: float | None = None,
    ) -> Shrunk | None:
        """From a refused trace to the few events that show why; None where none is refused."""


class Start(Protocol):
    """``bulk.start``: what a header says of the beginning of a run."""

    def config(self, header: Header) -> tuple[int | None, ...]:
        """Its measures, as ``schema.MEASURES`` names them."""

    def counters(self, header: Header) -> Iterator[tuple[str, int]]:
        """The words whose value is known, by the ids of their tokens."""

    def events(self, header: Header) -> Iterator[dict[str, object]]:
        """What was there: the columns of a checkpoint for each object."""

    def named(self) -> Column:
        """Whether an event is a run of a task that names its entry."""


class Coverage(Protocol):
    """``bulk.coverage``."""

    def summary(self, kinds: Mapping[str, int], measured: Mapping[str, int]) -> document.Coverage:
        """Events by kind and by edge."""


class Lateness(Protocol):
    """``bulk.lateness``."""

    def summary(self, measured: Mapping[str, int]) -> document.Lateness:
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
