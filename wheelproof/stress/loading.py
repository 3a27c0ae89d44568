"""An implementation for real threads: its production sources, perhaps with a planted change.

Its primitives are observed.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import cast

from wheelproof import isolated
from wheelproof.errors import UsageError
from wheelproof.protocols import Harness, HarnessModule, Scenario
from wheelproof.stress import faults
from wheelproof.stress.observed import OBSERVERS, Observer

PRODUCTION = ("impl.threads", "impl.runtime")
"""The modules that have the primitives; those that others import from come first."""

NOTHING: Mapping[str, str] = MappingProxyType({})


def any_waiter(condition: type[threading.Condition], careless: bool) -> type:
    """A project's class of conditions, changed so that it wakes any of its waiters.

    Python's documentation promises no order; CPython wakes the first. ``careless``: without a check
    that the lock is held, for locks that exclude no thread.
    """

    class AnyWaiter(condition):  # type: ignore[valid-type,misc]  # a class at run time
        _random = Random(0)

        def notify(self, n: int = 1) -> None:
            waiters: deque[object] = vars(self)["_waiters"]
            if waiters:
                waiters.rotate(self._random.randrange(len(waiters)))
            super().notify(n)

        if careless:

            def _is_owned(self) -> bool:
                return True

    return AnyWaiter


class ProductionImplementation:
    """The harness of one mechanism on the production runtime.

    ``texts``: module name -> source to load in the place of its file. ``fault``: a name of
    :data:`faults.FAULTS`, or "". ``planted``: there is a fault in one of these ways. ``files``: the
    source files of the implementation. Raises
    UsageError where something cannot be imported.
    """

    def __init__(
        self,
        root: Path,
        stem: str,
        texts: Mapping[str, str] = NOTHING,
        fault: str = "",
    ) -> None:
        self.observer = Observer()
        self.planted = bool(texts or fault)
        self._built: set[type] = set()
        finder = isolated.Finder(root, texts)
        with isolated.apart(finder):
            try:
                self._observe(finder, fault)
                self.harness_module = cast(
                    HarnessModule, importlib.import_module(f"harness.{stem}")
                )
            except (ImportError, SyntaxError) as error:
                raise UsageError(
                    f"{root}: the mechanism {stem} cannot be imported: {error}."
                ) from error
            modules = isolated.present()
        self.files = frozenset(
            module.__spec__.origin
            for name, module in modules.items()
            if name.startswith("impl.") and module.__spec__ is not None and module.__spec__.origin
        ) | {faults.__file__}
        self.shared = self.harness_module.shared

    def _observe(self, finder: isolated.Finder, fault: str) -> None:
        """Put observed primitives into their modules, before others import them from there."""
        planted = faults.FAULTS[fault] if fault else None
        for name in PRODUCTION:
            if finder.locate(name) is None:
                continue
            module = importlib.import_module(name)
            if hasattr(module, "Condition") and module.Condition not in self._built:
                careless = planted is not None and planted.primitive == "Lock"
                vars(module)["Condition"] = any_waiter(module.Condition, careless)
                self._built.add(module.Condition)
            for primitive, build in OBSERVERS.items():
                inner = getattr(module, primitive, None)
                if inner is None or inner in self._built:
                    continue
                if planted and planted.primitive == primitive:
                    inner = planted.build(module)
                observed = build(primitive, inner, self.observer)
                self._built.add(observed)
                home = sys.modules.get(getattr(module, primitive).__module__)
                for place in {module, home} if home in isolated.present().values() else {module}:
                    setattr(place, primitive, observed)

    def harness(self, scenario: Scenario) -> Harness:
        """The scenario's objects, fresh; a new round for the observer."""
        self.observer.begin()
        # without an implementation it takes the production modules
        build = cast(Callable[[Scenario], Harness], self.harness_module.Harness)
        return build(scenario)
