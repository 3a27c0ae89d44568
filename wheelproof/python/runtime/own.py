"""Primitives that a project brings itself: ``PRIMITIVES = {"Bolt": "harness.primitives.bolt"}``.

A harness names them, each with the function that builds its controlled class. The function is
given an :class:`Interface`, so that it imports nothing of the tool, and the classes that are there
before it. The class takes its place beside the registered primitives. Production has a class of its
own in ``impl/runtime.py`` or ``impl/threads.py``, which the controlled module replaces.

The frames of such a class are part of the state, as those of the implementation are: a value that a
method keeps from one step to the next decides the future. The modules that build it hold no state
either: they are watched as all definitions are.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from wheelproof.isolated import Finder
from wheelproof.python import parsed
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime import patience
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.registry import Rules, primitive_names
from wheelproof.python.runtime.synchronizers import OUTSIDE
from wheelproof.python.runtime.threads import Site, Thread

TABLE = "PRIMITIVES"
HOMES = ("impl.runtime", "impl.threads")
"""The modules in which production has a project's primitives."""


class Interface:
    """The requests of a project's primitive to the scheduler.

    ``point(kind, True, awaits)``: stop the running thread in front of the step that the calling
    line names, until it is chosen. Each method that the implementation calls must call it itself.
    ``awaits``: an object with ``admits(thread)``, or nothing where the thread need not wait.
    ``order``: for a lock, the order of locks: ``add(lock)``, ``enter(thread, lock, site)`` with
    the result of ``point``, and ``leave(thread.held, lock)``.
    """

    __slots__ = ("_rules", "_scheduler", "order", "point")

    def __init__(self, scheduler: Scheduler, name: str) -> None:
        self._scheduler, self._rules = scheduler, Rules(scheduler, name)
        self.point, self.order = scheduler.point, scheduler.order

    @property
    def running(self) -> Thread | None:
        """The thread that runs; None while the scenario is set up, or its state is read."""
        return self._scheduler.running

    def whole(self, site: Site | None) -> None:
        """Refuse an operation within one that is a single step.

        ``site``: the result of ``point``.
        """
        self._rules.whole(site)

    def unplanned(self) -> NoReturn:
        """Stop a thread that was let in although it has to wait."""
        if self.running is None:
            raise RuntimeError(OUTSIDE)
        self._rules.unplanned(self.running)

    def fail(self, message: str) -> NoReturn:
        """Stop the running thread for good: it has used the primitive wrongly."""
        self._scheduler.fail(message)

    def released(self, target: object) -> None:
        """For the race detector: accesses of the thread so far come before those of an acquirer."""
        self._rules.released(target)

    def acquired(self, source: object) -> None:
        """For the race detector: the thread comes after all that have released ``source``."""
        self._rules.acquired(source)

    def unwinding(self, error: BaseException | None) -> None:
        """An exception leaves a block: the steps that follow are its consequence."""
        if error is not None:
            self._scheduler.note_unwinding(error)

    def sleeps(self, thread: Thread, timeout: float) -> None:
        """The thread falls asleep for so many seconds, in this step."""
        patience.sleeps(self._scheduler, thread, timeout)

    def late(self, thread: Thread) -> bool:
        """Whether the thread sleeps and its time is up."""
        return patience.late(self._scheduler, thread)

    def wakes(self, thread: Thread) -> bool:
        """The thread wakes, in this step. Whether its time is up."""
        return patience.wakes(self._scheduler, thread)


class Own(NamedTuple):
    """The primitives of a project, built for a scheduler."""

    classes: tuple[type, ...]
    modules: Mapping[str, ModuleType]
    """The modules that have built them."""
    names: Mapping[str, object]
    """Name -> object of the tool. A frame of a primitive may hold it, and it is no state."""

    @property
    def slots(self) -> frozenset[str]:
        """The names of their slots, which are no final fields."""
        return frozenset(
            slot
            for cls in self.classes
            for base in cls.__mro__[:-1]
            for slot in _as_tuple(vars(base)["__slots__"])
        )


def declarations(text: str, file: str, mechanism: str) -> dict[str, str]:
    """The literal table ``PRIMITIVES`` of a harness: name -> the function that builds the class.

    Raises ExploreError for any other value, for a name that the tool has, and for a function that
    is in no module beside the harness.
    """
    table = parsed.literal(text, TABLE, {}, file)
    remedy = f"Write {TABLE} = {{'Bolt': 'harness.primitives.bolt'}}: module and function."
    if not isinstance(table, dict) or not all(
        isinstance(name, str) and name.isidentifier() and isinstance(path, str)
        for name, path in table.items()
    ):
        raise ExploreError(f"{file}: {TABLE} is no literal table of functions.", remedy)
    for name, path in table.items():
        if name in primitive_names():
            raise ExploreError(
                f"{file}: {TABLE} names {name}, which is a primitive of the tool.",
                "Give the primitive of the project another name.",
            )
        module = path.rpartition(".")[0]
        if not module.startswith("harness.") or module == f"harness.{mechanism}":
            raise ExploreError(
                f"{file}: {TABLE} has {name} from {path}, which is no function of another module "
                "of harness/.",
                remedy,
            )
    return table


def confirm(harness: ModuleType, table: Mapping[str, str], file: str) -> None:
    """Raise ExploreError if the loaded harness has other ``PRIMITIVES`` than its text showed."""
    if (value := getattr(harness, TABLE, {})) != table:
        raise ExploreError(
            f"{file}: {TABLE} is {value!r} when the harness is loaded, and its text says "
            f"{table!r}.",
            f"Write {TABLE} once, as a literal at the top of the file: the primitives are built "
            "before the harness is loaded.",
        )


def modules_of(table: Mapping[str, str]) -> frozenset[str]:
    """The modules whose functions build the primitives."""
    return frozenset(path.rpartition(".")[0] for path in table.values())


def add(
    table: Mapping[str, str], runtime: ModuleType, scheduler: Scheduler, finder: Finder, file: str
) -> Own:
    """Build the declared primitives into the controlled module, during an import apart."""
    names: dict[str, object] = {"scheduler": scheduler, "order": scheduler.order}
    by_name = {name: vars(runtime)[name] for name in primitive_names()}
    modules: dict[str, ModuleType] = {}
    for name, path in table.items():
        if not any(name in _bound(finder, home) for home in HOMES):
            raise ExploreError(
                f"{file}: {TABLE} names {name}, and production has none in impl/runtime.py.",
                f"Write the class in a module of impl/, and 'from .some_module import {name}' in "
                "impl/runtime.py.",
            )
        module, _, function = path.rpartition(".")
        if finder.locate(module) is None:
            raise ExploreError(
                f"{file}: {TABLE} has {name} from {path}, and there is no "
                f"{module.replace('.', '/')}.py.",
                "Add the file, or name the module that has the function.",
            )
        modules[module] = importlib.import_module(module)
        names[f"interface of {name}"] = interface = Interface(scheduler, name)
        by_name[name] = _build(
            path, getattr(modules[module], function, None), interface, dict(by_name)
        )
    classes_of_project = {name: by_name[name] for name in table}
    vars(runtime).update(classes_of_project)
    return Own(tuple(classes_of_project.values()), modules, names)


def _build(path: str, build: Any, interface: Interface, earlier: dict[str, type]) -> type:
    if not callable(build):
        raise ExploreError(
            f"{path} is no function.",
            f"Define {path.rpartition('.')[2]}(scheduler, earlier), which returns the class.",
        )
    try:
        cls = build(interface, earlier)
    except Exception as error:
        raise ExploreError(
            f"{path} builds no primitive: {type(error).__name__}: {error}.",
            "It is called with the interface of the scheduler and with {name: class} of the "
            "primitives before it.",
        ) from error
    if not isinstance(cls, type):
        raise ExploreError(
            f"{path} returns {cls!r}, which is no class.", "Return the controlled class."
        )
    for base in cls.__mro__[:-1]:
        if "__slots__" not in vars(base):
            raise ExploreError(
                f"{path}: the primitive {cls.__name__} has no __slots__ in {base.__name__}, so "
                "that state of it could be in no fingerprint.",
                "List the names of all its attributes in __slots__, () if it has none.",
            )
    return cls


def _bound(finder: Finder, module: str) -> frozenset[str]:
    """The names that the text of a module binds at its top."""
    source = finder.locate(module)
    names: set[str] = set()
    for node in () if source is None else parsed.tree(source[0], str(source[1])).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return frozenset(names)


def _as_tuple(slots: str | tuple[str, ...]) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
