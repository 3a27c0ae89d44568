"""An implementation for real threads: its production sources, perhaps with a planted change.

Its primitives are observed.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from types import ModuleType
from typing import cast

from wheelproof import isolated
from wheelproof.loading import NO_TEXTS, Loaded
from wheelproof.protocols import Harness, HarnessModule, Scenario
from wheelproof.stress import faults
from wheelproof.stress.observed import OBSERVERS, Observer


def any_waiter(
    condition: type[threading.Condition], monitor: Callable[[], object], open_to_all: str = ""
) -> type:
    """A project's class of conditions, changed so that it wakes any of its waiters.

    Python's documentation promises no order; CPython wakes the first. ``monitor``: makes the lock
    of a condition that is given none. ``open_to_all``: the primitive, ``Lock`` or ``Monitor``, that
    excludes no thread; conditions on it do not check that the lock is held.
    """

    class AnyWaiter(condition):  # type: ignore[valid-type,misc]  # a class at run time
        _random = Random(0)

        def __init__(self, lock: object = None) -> None:
            self._careless = open_to_all == ("Monitor" if lock is None else "Lock")
            super().__init__(monitor() if lock is None else lock)

        def notify(self, n: int = 1) -> None:
            waiters: deque[object] = vars(self)["_waiters"]
            if waiters:
                waiters.rotate(self._random.randrange(len(waiters)))
            super().notify(n)

        def _is_owned(self) -> bool:
            return self._careless or bool(super()._is_owned())

    return AnyWaiter


def _on_threads(harness: HarnessModule) -> tuple[str, ...]:
    """The module whose Harness is for real threads, where it is another one."""
    name: str = getattr(harness, "ON_THREADS", "")
    return (name,) if name else ()


class ProductionImplementation(Loaded):
    """The harness of one mechanism on the production runtime.

    ``texts``: module name -> source to load in the place of its file. ``fault``: a name of
    :data:`faults.FAULTS`, or "". ``planted``: there is a fault in one of these ways. ``files``: the
    source files of the implementation. ``broken``: the invariants that a run at rest lacks, by
    the notes of the harness. Raises UsageError where something cannot be imported.
    """

    def __init__(
        self,
        root: Path,
        mechanism: str,
        texts: Mapping[str, str] = NO_TEXTS,
        fault: str = "",
    ) -> None:
        self.observer = Observer()
        self.planted = bool(texts or fault)
        self._built: set[type] = set()
        self._plant = faults.FAULTS[fault] if fault else None
        super().__init__(root, mechanism, self._observe, texts=texts, names_of=_on_threads)
        self.files = frozenset(
            code.file
            for code in self.codes
            if code.name.startswith(("impl.", isolated.DISTRIBUTION))
        ) | {faults.__file__}
        names = _on_threads(self.harness_module)
        on_threads = self.modules[names[0]] if names else self.harness_module
        self.build = cast(Callable[[Scenario], Harness], on_threads.Harness)
        self.broken: Callable[[Harness], Iterable[str]] = getattr(
            on_threads, "broken", lambda harness: ()
        )

    def _observe(self, finder: isolated.Finder) -> None:
        """Put observed primitives into their modules, before others import them from there."""
        plant = self._plant

        def observe(primitive: str, inner: object, module: ModuleType) -> type:
            if plant and plant.primitive == primitive:
                inner = plant.build(module)
            object_ = OBSERVERS[primitive](primitive, inner, self.observer)
            self._built.add(object_)
            return object_

        for name in isolated.RUNTIMES:
            if finder.locate(name) is None:
                continue
            module = importlib.import_module(name)
            if hasattr(module, "Condition") and module.Condition not in self._built:
                vars(module)["Condition"] = any_waiter(
                    module.Condition,
                    observe("Monitor", getattr(module, "Monitor", threading.RLock), module),
                    plant.primitive if plant else "",
                )
                self._built.add(module.Condition)
            for primitive in OBSERVERS:
                inner = getattr(module, primitive, None)
                if inner is None or inner in self._built:
                    continue
                home = sys.modules.get(inner.__module__)
                object_ = observe(primitive, inner, module)
                for place in {module, home} if home in isolated.present().values() else {module}:
                    setattr(place, primitive, object_)

    def set_up(self, scenario: Scenario) -> Harness:
        """The scenario's objects, fresh; a new round for the observer."""
        self.observer.begin()
        return self.build(scenario)  # without an implementation it takes the production modules
