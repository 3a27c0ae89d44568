"""The view of a search that a comparison of runs has, of Python code or compiled classes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from wheelproof.protocols import Values
from wheelproof.python.runtime.threads import Site
from wheelproof.python.search.composed_search import Way
from wheelproof.python.search.difference import Results


class Numbered(Protocol):
    """The variables of each number."""

    def __getitem__(self, number: int, /) -> Mapping[str, Values]: ...


class Halfway(Protocol):
    """The variables that show an operation's own locks while it is under way."""

    @property
    def halfway(self) -> Mapping[str, str]:
        """Variable -> reason."""


class Searched(Protocol):
    """The view of a search that an inclusion has. States and threads are numbers.

    No step of a composed run chooses: a step is its thread, although searches allow a choice too.

    ``waits``: each thread's next step. ``results``: of the operations that a step has ended.
    """

    @property
    def implementation(self) -> Halfway: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def ways(self) -> Sequence[Sequence[Way]]: ...
    @property
    def waits(self) -> Sequence[Sequence[str]]: ...
    @property
    def sites(self) -> Sequence[Sequence[Site | None]]: ...
    @property
    def successors(self) -> Sequence[Mapping[Any, int]]: ...
    @property
    def results(self) -> Mapping[tuple[int, Any], Results]: ...
    @property
    def longer(self) -> Mapping[int, Collection[str]]: ...
    @property
    def shared(self) -> Numbered: ...
    @property
    def fingerprints(self) -> Sequence[tuple[int, ...]]: ...

    def rests(self, node: int, thread: int) -> str | None: ...

    def figures(self) -> Mapping[str, float]: ...
