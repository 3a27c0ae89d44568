"""A plugin of pytest: ``pytest --wheelproof spec`` collects a project's checks as tests.

A test is one check, by the name FILE::LAYER::CHECK, such as ``spec/MyLock.toml::mutant::Unlocked``.
It passes if its row is in order. A failure shows the reason and the counterexample as columns of
threads. Rows over all scenarios, such as coverage, are those of ``wheelproof verify`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from wheelproof.checks.jobs import Job
    from wheelproof.events import Notice
    from wheelproof.verdict import Row

FOLDER = Path("build", "pytest")
"""Where files go, below the project's folder: a folder for each layer, so that tests of several
processes share none."""

WIDTH = 100
"""Columns of a counterexample."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; each has a field of the same name in pytest's configuration file."""
    group = parser.getgroup("wheelproof", "checks of mechanisms")
    group.addoption(
        "--wheelproof", action="store_true", help="collect the checks of spec/*.toml as tests"
    )
    group.addoption(
        "--wheelproof-profile", choices=("fast", "nightly"), help="how much to check (fast)"
    )
    parser.addini("wheelproof", "collect the checks of spec/*.toml as tests", "bool", False)
    parser.addini("wheelproof_profile", "how much to check: fast or nightly", default="fast")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> MechanismFile | None:
    """A declaration, as a file of tests."""
    config = parent.config
    wanted = config.getoption("wheelproof") or config.getini("wheelproof")
    if wanted and file_path.suffix == ".toml" and file_path.parent.name == "spec":
        found: MechanismFile = MechanismFile.from_parent(parent, path=file_path)
        return found
    return None


class NotInOrder(Exception):
    """Rows that are not in order."""

    def __init__(self, rows: Sequence[Row], root: Path, output: Path) -> None:
        super().__init__(rows)
        self.rows, self.root, self.output = rows, root, output

    def __str__(self) -> str:
        return "\n\n".join(map(self.shown, self.rows))

    def shown(self, row: Row) -> str:
        """A row with its counterexample."""
        from wheelproof.counterexample import columns, document
        from wheelproof.report.terminal import reason

        head = f"{row.mechanism} / {row.layer} / {row.name}: {reason(row)}"
        if row.trace is None:
            return head
        file = self.output / row.trace
        lines = columns.render(
            document.read(file), WIDTH, self.root, str(file), False, columns.UNICODE
        )
        return "\n".join([head, "", *(line.plain.rstrip() for line in lines)])


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
        from wheelproof.errors import WheelproofError
        from wheelproof.verdict import LAYERS

        try:
            mechanism, jobs = self.jobs()
        except WheelproofError as error:
            raise self.CollectError(str(error)) from error
        made = dict.fromkeys(each for job in jobs for each in job.makes)
        for layer in LAYERS:
            names = [name for of, name in made if of == layer]
            if names:
                yield LayerOfChecks.from_parent(self, name=layer, mechanism=mechanism, checks=names)

    def jobs(self) -> tuple[str, list[Job]]:
        """The mechanism's name and its jobs. Raises WheelproofError."""
        from wheelproof import project
        from wheelproof.checks import prove
        from wheelproof.checks.jobs import plan, proofs

        for name, mechanism in project.find(self.root).items():
            if mechanism.toml.samefile(self.path):
                jobs = plan(mechanism, self.profile, lambda *layers: True, apart=True)
                theorems = [item for item in prove.declared(self.root) if item.mechanism == name]
                return name, jobs + proofs(theorems, self.profile)
        return self.path.stem, []


class LayerOfChecks(pytest.Collector):
    """The checks of one layer."""

    def __init__(self, *, mechanism: str, checks: Sequence[str], **rest: Any) -> None:
        super().__init__(**rest)
        self.mechanism, self.checks = mechanism, checks

    def collect(self) -> Iterator[Check]:
        for name in self.checks:
            yield Check.from_parent(self, name=name)


class Check(pytest.Item):
    """One check."""

    def runtest(self) -> None:
        from wheelproof.checks import verify
        from wheelproof.errors import NothingChecked
        from wheelproof.events import NotRun, VerifyOptions
        from wheelproof.jvm.jars import NotHere

        layer, file = self.parent, self.getparent(MechanismFile)
        assert isinstance(layer, LayerOfChecks) and file is not None
        absent: list[str] = []

        def listen(notice: Notice) -> None:
            if isinstance(notice, NotRun):
                absent.append(notice.why)

        options = VerifyOptions(
            mechanisms=(layer.mechanism,),
            layers=frozenset({layer.name}),
            profile=file.profile,
            subject=file.root,
            output=file.root / FOLDER / layer.name,
            jobs=1,
            listen=listen,
            only=frozenset({(layer.mechanism, self.name)}),
            cached=True,
        )
        try:
            rows = verify.run(options)
        except NotHere as error:
            pytest.skip(str(error))
        if faults := [row for row in rows if not row.ok]:
            raise NotInOrder(faults, file.root, options.output)
        if not any((row.layer, row.name) == (layer.name, self.name) for row in rows):
            if absent:
                pytest.skip(absent[0])
            raise NothingChecked(f"No check made the row {layer.name} / {self.name}.")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from wheelproof.errors import WheelproofError

        if isinstance(excinfo.value, (NotInOrder, WheelproofError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem} / {self.parent and self.parent.name} / {self.name}"
