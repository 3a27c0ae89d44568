"""Results of searches that a project keeps: they spare a proof the search, and prove nothing.

`tools/instances.py` writes them. A proof checks a result, and searches anew where it is none
any more. So no wrong one can make a false condition pass.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from wheelproof import reading
from wheelproof.prove import variants

Result = TypeVar("Result")


class Shortcuts(Generic[Result]):
    """The results of one kind, by system.

    ``file``: its name in the project's folder of proofs. ``parsed``: a system's entry in it -> the
    result.
    """

    def __init__(self, file: str, parse: Callable[[Any], Result]) -> None:
        self.file = file
        self._listeners: list[Callable[..., None]] = []
        self._read = cache(lambda path: _read(path, parse))

    @property
    def path(self) -> Path:
        return variants.kept(self.file)

    def known(self) -> dict[str, Result]:
        """The content of the file; nothing where there is none."""
        return self._read(self.path)

    @contextmanager
    def heard(self, listener: Callable[..., None]) -> Iterator[None]:
        """Within, the listener gets each system's name, and the results that were used."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def hear(self, system: str, *results: Any) -> None:
        """Hand the results that were used of a system to the listeners."""
        for listener in self._listeners:
            listener(system, *results)


def _read(path: Path, parse: Callable[[Any], Result]) -> dict[str, Result]:
    if not path.is_file():
        return {}
    return {system: parse(entry) for system, entry in json.loads(reading.text(path)).items()}
