"""Helpers of rewritten code: a generator runs.

No second thread may run it meanwhile, so that its begin and each of its steps are accesses. Its
body has the frame, and code in C that runs the body has the generator.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import FrameType, GeneratorType
from typing import Any, TypeAlias

from wheelproof.plain.execution import Execution
from wheelproof.plain.sites import Site

Generator: TypeAlias = "GeneratorType[Any, Any, Any]"


class Generators:
    """The generators that code in C was given, by the identities of their frames."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self._by_frame: dict[int, weakref.ref[Generator]] = {}

    def meet(self, generator: Generator) -> None:
        """Remember whose frame it is, before its body runs."""
        if (frame := generator.gi_frame) is not None:
            forget = functools.partial(self._forget, id(frame))
            self._by_frame[id(frame)] = weakref.ref(generator, forget)

    def _forget(self, frame: int, reference: weakref.ref[Generator]) -> None:
        if self._by_frame.get(frame) is reference:
            del self._by_frame[frame]

    def runs(self, frame: FrameType, site: Site) -> None:
        """A body begins or goes on."""
        thread = self.execution.running
        if thread is not None:
            reference = self._by_frame.get(id(frame))
            generator = None if reference is None else reference()
            is_met = generator is not None and generator.gi_frame is frame
            holder = generator if is_met else frame
            self.execution.access(thread, id(holder), holder, True, site)


def hooks(generators: Generators) -> dict[str, Callable[..., Any]]:
    """The helpers, by the names that the rewriter uses."""

    def begins(site: Site) -> None:
        generators.runs(sys._getframe(1), site)

    def goes_on(value: Any, site: Site) -> Any:
        generators.runs(sys._getframe(1), site)
        return value

    return {"begins": begins, "goes_on": goes_on}
