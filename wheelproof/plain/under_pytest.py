"""Tests of pytest as programs: the whole test is called for each execution, with new fixtures."""

from __future__ import annotations

import _thread
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.outcomes import Failed as PytestFailed
from _pytest.tmpdir import tmppath_result_key

from wheelproof.errors import UsageError
from wheelproof.plain import saved
from wheelproof.plain.answers import Answer, Exploration, Schedule
from wheelproof.plain.calling import (
    CURRENT,
    Call,
    ExplorationFailed,
    Reset,
    passes,
    refuse_asynchronous,
)
from wheelproof.plain.execution import Execution
from wheelproof.plain.progress import Progress
from wheelproof.plain.replaying import Replayed
from wheelproof.plain.searching import Interrupted, Search
from wheelproof.plain.settings import Settings, settings

REAL = (type(_thread.allocate_lock()), type(threading.RLock()), threading.Thread)
"""Types of objects that executions must not share."""

LOOKED_AT = 5_000
"""Objects that a fixture's value is looked through for locks, at most."""

OUTCOMES = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception)
"""They end the whole test."""


Outcome = Exploration | saved.Again | UsageError | Interrupted
"""The outcome of the exploration of a test."""


class Command:
    """The request of the command ``wheelproof explore``, and the outcome of each test.

    ``options`` are the settings that are named on the command line. ``schedule``: is run instead
    of a search, with the number of its preemptions. ``races``: they are looked for, too.
    """

    def __init__(
        self,
        options: dict[str, Any],
        progress: Callable[[], Progress],
        schedule: tuple[Schedule, int] | None = None,
        races: bool = False,
    ) -> None:
        self.races = races
        self.options, self.progress, self.schedule = options, progress, schedule
        self.outcomes: list[tuple[str, Outcome]] = []


COMMAND = pytest.StashKey[Command]()


class Failed(PytestFailed, ExplorationFailed):
    """As ExplorationFailed, shown without a traceback of the tool."""

    def __init__(self, exploration: Exploration) -> None:
        ExplorationFailed.__init__(self, exploration)
        self.msg, self.pytrace = str(self), False

    __str__ = ExplorationFailed.__str__


Failed.__module__, Failed.__qualname__ = "builtins", "ExplorationFailed"


def requested(item: pytest.Function, block: Settings | None) -> tuple[Settings, str]:
    """The settings of a test, and the place that names them: command, marker, block, or none.

    Raises UsageError.
    """
    command = item.config.stash.get(COMMAND, None)
    marker = item.get_closest_marker("explore")
    options: dict[str, Any] = dict(vars(Settings()))
    origin = ""
    if block is not None and block != Settings():
        options, origin = dict(vars(block)), "block"
    if marker is not None:
        if marker.args or not marker.kwargs.keys() <= options.keys():
            raise UsageError(
                f"{item.nodeid}: the marker explore takes {', '.join(options)} by name, and "
                "nothing else."
            )
        if marker.kwargs:
            options, origin = options | dict(marker.kwargs), "marker"
    if command is not None and command.options:
        options, origin = options | command.options, "command"
    return settings(**options), origin


def prepare(item: pytest.Function) -> None:
    """Have a test that will be explored set up no fixture of function scope for real."""

    def setup() -> None:
        for name in item.fixturenames:
            definitions = item._fixtureinfo.name2fixturedefs.get(name, ())
            if definitions and definitions[-1].scope != "function":
                item._request.getfixturevalue(name)

    definitions_by_name = item._fixtureinfo.name2fixturedefs
    if all(name in definitions_by_name or name == "request" for name in item.fixturenames):
        item.setup = setup  # type: ignore[method-assign]


def explore(item: pytest.Function, block: Settings | None = None) -> None:
    """Explore a test. ``block``: the settings of its ``with`` block, if it was called for real.

    Raises the exception that pytest is to report.
    """
    command = item.config.stash.get(COMMAND, None)

    def run() -> Exploration | None:
        options, origin = requested(item, block)
        if command is not None and command.schedule is not None:
            command.outcomes.append((item.nodeid, _again(item, options, command)))
            return None
        return _exploration(item, options, origin, command)

    report(item, run)


def report(item: pytest.Function, run: Callable[[], Exploration | None]) -> None:
    """Run an exploration, and report how it ends, to pytest and to the command.

    ``run``: returns None where it has reported by itself.
    """
    command = item.config.stash.get(COMMAND, None)
    try:
        exploration = run()
    except (UsageError, Interrupted) as error:
        if command is not None:
            command.outcomes.append((item.nodeid, error))
        elif isinstance(error, Interrupted):
            written(item, f"\n{error}\n")
        if isinstance(error, Interrupted):
            raise
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    if exploration is None:
        return
    if command is not None:
        command.outcomes.append((item.nodeid, exploration))
    if not passes(exploration):
        raise Failed(exploration)


def written(item: pytest.Function, text: str) -> bool:
    """Write a text to pytest's terminal. Whether there is one."""
    reporter = item.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write(text, flush=True)
    return reporter is not None


def _exploration(
    item: pytest.Function, options: Settings, origin: str, command: Command | None
) -> Exploration:
    _refuse(item)
    while True:
        if command is not None:
            progress = command.progress()
        else:
            reporter = item.config.pluginmanager.get_plugin("terminalreporter")
            over = reporter is not None and bool(reporter.isatty)
            progress = Progress(lambda text: written(item, text), over)
        call = Call(options, origin)
        CURRENT.append(call)
        try:
            test = _Test(item, call, progress)
            test.search.explorer.reports_races = command is not None and command.races
            return test.explored()
        except Reset:
            assert call.wanted is not None
            options, origin = call.wanted, "block"
        finally:
            CURRENT.pop()


def _again(item: pytest.Function, options: Settings, command: Command) -> saved.Again:
    """Run the schedule that the command gives. Raises UsageError."""
    assert command.schedule is not None
    schedule, bound = command.schedule
    _refuse(item)
    call = Call(options, "command")
    CURRENT.append(call)
    try:
        result = _Test(item, call, None).replayed(schedule)
    finally:
        CURRENT.pop()
    if result.failure is not None:
        reason = f"the saved schedule fails: {result.failure.message}"
        return saved.Again(
            "", Exploration(Answer.BUG, 1, (), result.failure, None, reason, schedule)
        )
    if result.possible:
        return saved.Again(saved.HOLDS, None)
    options = replace(options, bound=bound, executions=saved.EXECUTIONS)
    return saved.Again(saved.IMPOSSIBLE, _exploration(item, options, "command", command))


def _refuse(item: pytest.Function) -> None:
    """Raises UsageError for a test that cannot be called again and again."""
    refuse_asynchronous(item.function, item.nodeid)
    if not isinstance(item.function, types.FunctionType) or hasattr(item, "_testcase"):
        raise UsageError(
            f"{item.nodeid} is a test of unittest, which is not explored.",
            "Write it as a function.",
        )
    for name, definition in _definitions(item):
        if name.startswith("_xunit_setup_") and "_method_" not in name:
            raise UsageError(
                f"{item.nodeid}: setup and teardown functions of modules and classes are not "
                f"called again ({name.removeprefix('_xunit_').partition('_fixture')[0]}).",
                "Use a fixture.",
            )
        wider = definition.scope != "function" and definition.cached_result is not None
        if wider and not definition.func.__module__.startswith("_pytest."):
            value = definition.cached_result[0]
            _refuse_locks(item, f"fixture {name} of scope {definition.scope}", value)
    for name, value in getattr(getattr(item, "callspec", None), "params", {}).items():
        _refuse_locks(item, f"parameter {name}", value)


def _refuse_locks(item: pytest.Function, name: str, value: Any) -> None:
    lock = real_lock(value)
    if lock is not None:
        raise UsageError(
            f"{item.nodeid}: the {name} holds {lock!r}, which was made before the test.",
            "Make it in a fixture of function scope.",
        )


def real_lock(value: Any) -> Any:
    """A lock or thread that an object reaches, or None."""
    visits: set[int] = set()
    stack = [value]
    while stack and len(visits) < LOOKED_AT:
        value = stack.pop()
        if isinstance(value, REAL):
            return value
        if id(value) in visits or isinstance(value, (type, types.ModuleType, types.FunctionType)):
            continue
        visits.add(id(value))
        if isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, (list, tuple, set, frozenset)):
            stack.extend(value)
        stack.extend(getattr(value, "__dict__", {}).values())
        for kind in type(value).__mro__:
            names = kind.__dict__.get("__slots__", ())
            for slot in (names,) if isinstance(names, str) else names:
                stack.append(getattr(value, slot, None))
    return None


def _definitions(item: pytest.Function) -> Iterator[tuple[str, Any]]:
    for name, definitions in item._fixtureinfo.name2fixturedefs.items():
        for definition in definitions:
            yield name, definition


class _Test:
    """A test in the world of its exploration."""

    def __init__(self, item: pytest.Function, call: Call, progress: Progress | None) -> None:
        assert call.settings is not None
        self.item, self.call = item, call
        self.search = Search(item.nodeid, call.settings, progress)
        self.search.watch = self._watch
        definitions = [definition for _, definition in _definitions(item)]
        self.definitions = [fixture for fixture in definitions if fixture.scope == "function"]
        # Other plugins' fixtures are real; so are those of the tool.
        self.changing = [fixture for fixture in self.definitions if _is_users(fixture.func)]
        self.outer = [fixture for fixture in definitions if fixture.scope != "function"]

    def explored(self) -> Exploration:
        with self._ready():
            return self.search.explore()

    def replayed(self, schedule: Schedule) -> Replayed:
        with self._ready():
            return self.search.replay(schedule)

    @contextmanager
    def _ready(self) -> Iterator[None]:
        with suppress(Exception):  # what a first, real call that has been cut short leaves
            self._finish()
        with self.search.loading():
            kind = self.item.cls
            self.kind = None if kind is None else self.search.second.of_class(kind)
            self.function = self.search.second(self.item.function)
        with self._in_world():
            self.search.world.state.record(
                [fixture.cached_result[0] for fixture in self.outer if fixture.cached_result]
            )
            self.search.program = self.program
            yield

    def program(self) -> None:
        """The test, with its fixtures."""
        item = self.item
        try:
            if item.fixturenames:
                item._initrequest()
                item.stash[tmppath_result_key] = {}  # what `tmp_path` looks at in the end
            instance: tuple[Any, ...] = ()
            if self.kind is not None:
                item._instance = self.kind()
                instance = (item._instance,)
            if item.fixturenames:
                item._request._fillfixtures()
            arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
            self.function(*instance, **arguments)
        finally:
            self._finish()

    def _finish(self) -> None:
        """Tear the fixtures of function scope down."""
        finalizers = self.item.session._setupstate.stack[self.item][0]
        try:
            while len(finalizers) > 1:  # the first is that of the item itself
                finalizers.pop()()
        finally:
            for definition in self.definitions:
                if definition.cached_result is None:  # its setup has not come to an end
                    definition._finalizers.clear()

    @contextmanager
    def _in_world(self) -> Iterator[None]:
        """Fixtures and parameters are those of the world."""
        second = self.search.second
        before = [(fixture, fixture.func) for fixture in self.changing]
        parameters = getattr(getattr(self.item, "callspec", None), "params", {})
        values = dict(parameters)
        try:
            with self.search.loading():
                for definition, function in before:
                    definition.func = self._counterpart(function)
            parameters.update({name: second.value(value) for name, value in values.items()})
            yield
        finally:
            parameters.update(values)
            for definition, function in before:
                definition.func = function

    def _counterpart(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(function, types.MethodType):
            kind = self.search.second.of_class(type(function.__self__))
            new: Callable[..., Any] = self.search.second(function.__func__).__get__(kind())
            return new
        return self.search.second(function)

    def _watch(self, execution: Execution) -> None:
        if self.call.error is not None:
            raise self.call.error
        if self.call.wanted is not None:
            raise Reset
        for thread in execution.threads:
            error = thread.error
            if isinstance(error, OUTCOMES):
                raise error
            if isinstance(error, pytest.fail.Exception) and str(error).startswith("Timeout "):
                raise error  # of pytest-timeout, not of the test


def _is_users(function: Any) -> bool:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None or function.__module__.partition(".")[0] in ("_pytest", "wheelproof"):
        return False
    return "site-packages" not in Path(code.co_filename).parts
