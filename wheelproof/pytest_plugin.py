"""A plugin of pytest: ``pytest --wheelproof spec`` collects a project's checks as tests.

A test is one check, by the name FILE::LAYER::CHECK, such as ``spec/MyLock.toml::mutant::Unlocked``.
It passes if its row is in order. A failure shows the reason and the counterexample as columns of
threads. A row over all scenarios, such as ``spec/MyLock.toml::coverage::labels``, is made of other
checks: its test runs them first, or takes their cached results.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import pytest

from wheelproof.errors import WINDOWS

if TYPE_CHECKING:
    from wheelproof.checks.context import Report
    from wheelproof.checks.job import Job
    from wheelproof.checks.overall import OverAll
    from wheelproof.events import Listener, Notice
    from wheelproof.project.mechanism import Mechanism
    from wheelproof.verdict import Row

FOLDER = Path("build", "pytest")
"""Where files go, below the project's folder: a folder for each layer, so that tests of several
processes share none."""

WIDTH = 100
"""Columns of a counterexample."""

Made = tuple[list["Row"], list["Report"]]
"""The rows of one check, and the reports of its jobs."""

MADE = pytest.StashKey[dict[tuple[Path, str, str, str], Made]]()
"""(root, mechanism, layer, name) -> parts of the rows over all scenarios of this session."""

TOO_LARGE = "wheelproof verify has no such row: the graph is too large to be compared"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; each has a field of the same name in pytest's configuration file."""
    group = parser.getgroup("wheelproof", "checks of mechanisms")
    group.addoption(
        "--wheelproof", action="store_true", help="collect the checks of spec/*.toml as tests"
    )
    group.addoption(
        "--wheelproof-profile", choices=("fast", "nightly"), help="how much to check (fast)"
    )
    group.addoption(
        "--wheelproof-locks",
        action="store_true",
        help="record the order of locks; fail if threads take them in opposite orders",
    )
    group.addoption(
        "--wheelproof-locks-strict",
        action="store_true",
        help="the same; fail also for opposite orders in different tests",
    )
    parser.addini("wheelproof_locks", "record the order of locks", "bool", False)
    parser.addini("wheelproof", "collect the checks of spec/*.toml as tests", "bool", False)
    parser.addini("wheelproof_profile", "how much to check: fast or nightly", default="fast")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Record the order of locks from before the first conftest on, if an option says so."""
    options = early_config.known_args_namespace
    strict = bool(options.wheelproof_locks_strict)
    if strict or options.wheelproof_locks or early_config.getini("wheelproof_locks"):
        from wheelproof.plain.lock_order import plugin

        early_config.pluginmanager.register(plugin.LockOrder(strict), plugin.NAME)


def pytest_configure(config: pytest.Config) -> None:
    """The marker of tests that are explored."""
    config.pluginmanager.import_plugin("wheelproof.linearizability.plugin")
    config.addinivalue_line(
        "markers",
        "explore(into=(), bound=None, executions=100_000, seed=0): call the test in every order",
    )


@pytest.fixture(name="explore")
def explore_fixture() -> Any:
    """``wheelproof.explore``. A test that asks for it is called in every order of its threads."""
    import wheelproof

    return wheelproof.explore


def is_explored(item: pytest.Item) -> TypeGuard[pytest.Function]:
    """Whether a test asks to be explored, before it is called."""
    return isinstance(item, pytest.Function) and (
        item.get_closest_marker("explore") is not None
        or "explore" in item.fixturenames
        or bool(item.config.getoption("wheelproof_explores_all", False))  # for the command
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if is_explored(item):
        from wheelproof.plain import under_pytest

        under_pytest.prepare(item)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Explore a test that asks for it."""
    if not is_explored(pyfuncitem):
        return None
    from wheelproof.plain import under_pytest

    under_pytest.explore(pyfuncitem)
    return True


@pytest.hookimpl(specname="pytest_pyfunc_call", wrapper=True)
def pytest_block_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Explore a test whose first call has come to ``with wheelproof.explore():``."""
    from wheelproof.plain.calling import CURRENT, Begun, Call

    call = Call()
    CURRENT.append(call)
    result = None
    try:
        result = yield
    except BaseException as error:
        if call.wanted is None or not isinstance(error, (Begun, Exception)):
            raise
    finally:
        CURRENT.pop()
    if call.wanted is not None:
        from wheelproof.plain import under_pytest

        under_pytest.explore(pyfuncitem, call.wanted)
        return True
    return result


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> MechanismFile | None:
    """A declaration, as a file of tests."""
    setting = parent.config.getoption("wheelproof") or parent.config.getini("wheelproof")
    if setting and file_path.suffix == ".toml" and file_path.parent.name == "spec":
        if sys.platform == "win32":
            raise pytest.UsageError(f"--wheelproof: {WINDOWS}")
        collector: MechanismFile = MechanismFile.from_parent(parent, path=file_path)
        return collector
    return None


class NotInOrder(Exception):
    """Rows that are not in order."""

    def __init__(self, rows: Sequence[Row], root: Path) -> None:
        super().__init__(rows)
        self.rows, self.root = rows, root

    def __str__(self) -> str:
        return "\n\n".join(map(self.shown, self.rows))

    def shown(self, row: Row) -> str:
        """A row with its counterexample."""
        from wheelproof.counterexample import columns, document
        from wheelproof.report.terminal import reason

        head = f"{row.mechanism} / {row.layer} / {row.name}: {reason(row)}"
        if row.trace is None:
            return head
        file = self.root / FOLDER / row.layer / row.trace
        lines = columns.render(
            document.read(file), WIDTH, self.root, str(file), False, columns.UNICODE
        )
        return "\n".join([head, "", *(line.plain.rstrip() for line in lines)])


@contextmanager
def alone(file: Path, wait: bool) -> Iterator[bool]:
    """Hold a file's lock: whether this process has it. ``wait``: until another one gives it back.

    It is given back expressly: a process that was forked meanwhile has the file too.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    import fcntl  # absent on Windows, where the other hooks still load

    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        try:
            yield True
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)


class MechanismFile(pytest.File):
    """The checks of one mechanism, by layer."""

    @property
    def root(self) -> Path:
        return self.path.parent.parent

    @property
    def profile(self) -> str:
        option = self.config.getoption("wheelproof_profile")
        return str(option or self.config.getini("wheelproof_profile"))

    def collect(self) -> Iterator[LayerOfChecks]:
        from wheelproof import project
        from wheelproof.checks import overall
        from wheelproof.errors import WheelproofError
        from wheelproof.verdict import LAYERS

        checks: dict[tuple[str, str], Parts | None] = {}
        try:
            for mechanism in project.find(self.root).values():
                if mechanism.toml.samefile(self.path):
                    jobs = self.jobs(mechanism)
                    rows = overall.rows(mechanism, lambda *layers: True)
                    parts = [Parts(mechanism, row, row.parts(jobs)) for row in rows]
                    # Where a layer has both, the checks go before the row that is made of them.
                    checks |= {part.key: part for part in parts if not part.row.needs}
                    checks |= {key: None for job in jobs for key in job.makes}
                    checks |= {part.key: part for part in parts if part.row.needs}
                    break
            else:
                return
        except WheelproofError as error:
            raise self.CollectError(str(error)) from error
        for layer in LAYERS:
            names = {name: parts for (at, name), parts in checks.items() if at == layer}
            if names:
                yield LayerOfChecks.from_parent(
                    self, name=layer, mechanism=mechanism.name, checks=names
                )

    def jobs(self, mechanism: Mechanism) -> list[Job]:
        """The mechanism's jobs. Raises WheelproofError."""
        from wheelproof.checks import prove
        from wheelproof.checks.jobs import plan, proofs

        jobs = plan(mechanism, self.profile, lambda *layers: True, apart=True)
        theorems_there = prove.declared(self.root)
        theorems = [item for item in theorems_there if item.mechanism == mechanism.name]
        return jobs + proofs(theorems, self.profile)

    def rows_made(
        self, mechanism: str, layer: str, name: str, listen: Listener, wait: bool = True
    ) -> Made | None:
        """Run one check. ``wait``: for a process that runs it; without, None if there is one.

        Raises WheelproofError.
        """
        from wheelproof.checks import verify
        from wheelproof.events import VerifyOptions

        output = self.root / FOLDER / layer
        options = VerifyOptions(
            mechanisms=(mechanism,),
            layers=frozenset({layer}),
            profile=self.profile,
            root=self.root,
            output=output,
            jobs=1,
            listen=listen,
            only=frozenset({(mechanism, name)}),
            cached=True,
        )
        with alone(output / "locks" / f"{mechanism}.{name}", wait) as is_first:
            if not is_first:
                return None
            rows, reports = verify.rows_and_reports(options)
            return rows, reports[mechanism]


class Parts(NamedTuple):
    """A row over all scenarios, with layer and name of each check that it is made of."""

    mechanism: Mechanism
    row: OverAll
    checks: list[tuple[str, str]]

    @property
    def key(self) -> tuple[str, str]:
        return self.row.layer, self.row.name


class LayerOfChecks(pytest.Collector):
    """The checks of one layer."""

    def __init__(self, *, mechanism: str, checks: Mapping[str, Parts | None], **rest: Any) -> None:
        super().__init__(**rest)
        self.mechanism, self.checks = mechanism, checks

    def collect(self) -> Iterator[Check]:
        for name, parts in self.checks.items():
            if parts is None:
                yield Check.from_parent(self, name=name)
            else:
                yield CheckOverAll.from_parent(self, name=name, parts=parts)


class Check(pytest.Item):
    """One check."""

    @property
    def file(self) -> MechanismFile:
        file = self.getparent(MechanismFile)
        assert file is not None
        return file

    def runtest(self) -> None:
        if faults := [row for row in self.rows() if not row.ok]:
            raise NotInOrder(faults, self.file.root)

    def rows(self) -> list[Row]:
        """The check's row, with the rows that have to be in order too. Raises WheelproofError."""
        from wheelproof.errors import NothingChecked
        from wheelproof.events import NotRun, Planned
        from wheelproof.jvm.jars import NotHere

        layer = self.parent
        assert isinstance(layer, LayerOfChecks)
        absent: list[str] = []

        def listen(notice: Notice) -> None:
            if isinstance(notice, NotRun):
                absent.append(notice.why)
            elif isinstance(notice, Planned) and notice.checks < 0:
                absent.append(TOO_LARGE)

        try:
            results = self.file.rows_made(layer.mechanism, layer.name, self.name, listen)
        except NotHere as error:
            pytest.skip(str(error))
        rows = results[0] if results else []
        if all(row.ok for row in rows) and not any(
            (row.layer, row.name) == (layer.name, self.name) for row in rows
        ):
            if absent:
                pytest.skip(absent[0])
            raise NothingChecked(f"No check made the row {layer.name} / {self.name}.")
        return rows

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from wheelproof.errors import WheelproofError

        if isinstance(excinfo.value, (NotInOrder, WheelproofError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem} / {self.parent and self.parent.name} / {self.name}"


class CheckOverAll(Check):
    """A row over all scenarios."""

    def __init__(self, *, parts: Parts, **rest: Any) -> None:
        super().__init__(**rest)
        self.parts = parts

    def rows(self) -> list[Row]:
        """The row. Where it is not in order, those it is made of follow: they may say why."""
        from wheelproof.checks import overall
        from wheelproof.checks.context import Context

        mechanism, file = self.parts.mechanism, self.file
        context = Context(mechanism, file.root / FOLDER / self.parts.row.layer, file.profile)
        translation = overall.TRANSLATION.row(context, [])
        if not translation.ok or self.parts.row is overall.TRANSLATION:
            return [translation]
        parts = self.rows_of_parts()
        row = self.parts.row.row(context, [report for _, reports in parts for report in reports])
        return [row] if row.ok else [row, *(part_row for rows, _ in parts for part_row in rows)]

    def rows_of_parts(self) -> list[Made]:
        """The parts of the row, each check's once in a session.

        A check that another process runs is left until the others are done.
        """
        from wheelproof.events import ignore

        results = self.config.stash.setdefault(MADE, {})
        root, mechanism = self.file.root, self.parts.mechanism.name
        keys = [(root, mechanism, *key) for key in self.parts.checks]
        for wait in (False, True):
            for key in keys:
                if key not in results and (result := self.file.rows_made(*key[1:], ignore, wait)):
                    results[key] = result
        return [results[key] for key in keys]
