"""The tools of the checks on this machine, and the checks that each absence disables."""

import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wheelproof.errors import (
    NothingChecked,
    ToolError,
    UsageError,
    WheelproofError,
    installation,
)

MINIMUM_PYTHON = (3, 11)
_CHECKS = ("verify", "prove")
_EVERY = ("explore", *_CHECKS)
_PACKAGES = {
    "greenlet": (_EVERY, "running code step by step"),
    "typer": (_EVERY, "command line"),
    "rich": (_EVERY, "report on the terminal"),
    "pytest": (_EVERY, "tests that are explored"),
    "jinja2": (_CHECKS, "design review"),
    "jpype1": (_CHECKS, "reading and translating of specifications"),
    "markdown-it-py": (_CHECKS, "reading of the files of decisions"),
    "z3-solver": (("prove",), "proof"),
    "cvc5": (("prove",), "second opinion on a proof"),
}
"""Package -> the commands that need it, and the loss without it."""

_MODULES = {"jpype1": "jpype", "markdown-it-py": "markdown_it", "z3-solver": "z3"}
"""Package -> module, where the two names differ."""


@dataclass(frozen=True)
class Finding:
    """One tool, package or part of the project.

    `disables`: the loss without it; `needed`: `verify` needs it here; `code`: how `verify` then
    ends; `commands`: those of explore, verify and prove that cannot run without it.
    """

    name: str
    found: bool
    detail: str
    disables: str
    needed: bool = True
    code: int = ToolError.exit_code
    commands: tuple[str, ...] = _CHECKS

    @property
    def wrong(self) -> bool:
        """Whether it is there and has to be corrected."""
        return not self.found and self.code == UsageError.exit_code


def survey(root: Path, fetch: bool = False) -> list[Finding]:
    """Looks for everything; with `fetch`, downloads the parts that can be (TLC's jar and
    others)."""
    return [
        _python(),
        *_packages((root / "proofs").is_dir()),
        _runtime(),
        _java(),
        _jar(fetch),
        _spark(),
        *_classes(root, fetch),
        *_project(root),
    ]


def exit_code(findings: list[Finding]) -> int:
    """0, or that of `verify` where something is absent or wrong that it needs.

    `verify` reads the project before it looks for tools.
    """
    codes = {item.code for item in findings if item.needed and not item.found}
    return next((code for code in (2, 5, 4) if code in codes), 0)


def document(findings: list[Finding]) -> dict[str, Any]:
    """The findings as plain JSON values."""
    return {
        "schema": "wheelproof.doctor/1",
        "ready": exit_code(findings) == 0,
        "findings": [asdict(item) for item in findings],
    }


def versions() -> dict[str, str]:
    """Name -> version of every tool at hand, stored with results. Nothing is fetched."""
    from wheelproof import __version__
    from wheelproof.tlc import jar, java

    def describe_at(locate: Callable[[], Any], describe: Callable[[Any], str]) -> str:
        try:
            return describe(locate())
        except WheelproofError:
            return ""

    versions = {
        "wheelproof": __version__,
        "python": platform.python_version(),
        "java": describe_at(java.locate, lambda item: f"{item.version} ({item.origin})"),
        "tla2tools.jar": describe_at(
            lambda: jar.locate(fetch=False),
            lambda item: f"sha256 {item.sha256}{'' if item.pinned else ' (unpinned)'}",
        ),
        **{package: _version(package) for package in _PACKAGES},
    }
    return {name: version for name, version in versions.items() if version}


def print_findings(findings: list[Finding]) -> None:
    """Prints the table to standard output."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from wheelproof.console import console, visible

    target = console()
    table = Table(
        box=box.SIMPLE_HEAD if target.is_terminal else None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    table.add_column("what", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("detail", overflow="fold")
    for item in findings:
        state = (
            Text("found", style="green")
            if item.found
            else Text("WRONG", style="red")
            if item.wrong
            else Text(
                "ABSENT" if item.needed else "absent", style="red" if item.needed else "yellow"
            )
        )
        loss = f" Without it: no {item.disables}." if item.disables and not item.found else ""
        detail = f"{item.detail}{loss}"
        table.add_row(Text(visible(item.name)), state, Text(visible(detail)))
    target.print(table)
    for command in ("explore", "prove"):
        lacking = [item.name for item in findings if not item.found and command in item.commands]
        ready = f"needs {', '.join(lacking)}" if lacking else "ready"
        target.print(Text(f"wheelproof {command}: {ready}"), soft_wrap=True)
    text = _advice([item for item in findings if item.needed and not item.found])
    style = "green" if text.startswith("ready") else "red"
    target.print(Text(f"wheelproof doctor: {text}", style=style), soft_wrap=True)


def _advice(findings: list[Finding]) -> str:
    """The last line of the report, for all that `verify` lacks."""
    if not findings:
        return "ready to verify"
    if all(item.code == NothingChecked.exit_code for item in findings):
        return (
            "the tools are ready, and no project is here: `wheelproof init my_lock` writes one, "
            "and `wheelproof explore` needs none"
        )
    parts = (
        ("there", [item.name for item in findings if not item.wrong]),
        ("corrected", [item.name for item in findings if item.wrong]),
    )
    return "not ready: " + "; ".join(
        f"{', '.join(names)} must be {remedy}" for remedy, names in parts if names
    )


def _python() -> Finding:
    text = f"{platform.python_version()}, {sys.executable}"
    least = ".".join(map(str, MINIMUM_PYTHON))
    enough = sys.version_info >= MINIMUM_PYTHON
    return Finding(
        "Python",
        enough,
        text if enough else f"{text} is older than {least}.",
        "command at all",
        commands=_EVERY,
    )


def _packages(proofs: bool) -> Iterator[Finding]:
    """`proofs`: the project has theorems, so that `verify` needs the solvers."""
    for package, (commands, disables) in _PACKAGES.items():
        there = importlib.util.find_spec(_MODULES.get(package, package)) is not None
        solver = commands == ("prove",)
        remedy = installation("proofs") if solver else f"Run `pip install {package}`."
        detail = _version(package) or "of an unknown version" if there else remedy
        yield Finding(package, there, detail, disables, proofs or not solver, commands=commands)


def _runtime() -> Finding:
    from wheelproof import isolated

    place, name = isolated.distribution(), isolated.DISTRIBUTION
    disables = "run of a project's own code on real threads"
    if place is None:
        remedy = "Install the wheel of wheelproof again, or `pip install wheelproof-runtime`."
        return Finding(name, False, remedy, disables)
    runtime_version = _version("wheelproof-runtime")
    detail = (
        "that of this wheel"
        if place == isolated.BUNDLED
        else runtime_version or "of an unknown version"
    )
    return Finding(name, True, f"{detail}, {place / name}", disables)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _java() -> Finding:
    from wheelproof.tlc import java

    disables = "check of a specification"
    try:
        location = java.locate()
    except WheelproofError as error:
        return Finding("Java", False, str(error), disables)
    return Finding(
        "Java", True, f"{location.version} from {location.origin}, {location.executable}", disables
    )


def _jar(fetch: bool) -> Finding:
    from wheelproof.tlc import jar

    disables = "check of a specification"
    try:
        location = jar.locate(fetch=fetch)
    except WheelproofError as error:
        if not fetch and (client := jar.fetched_by()):
            detail = f"not there yet: the first check fetches it, by {client}"
            return Finding("TLC", False, detail, "", needed=False, commands=())
        return Finding("TLC", False, str(error), disables)
    pin = "the pinned one" if location.pinned else "UNPINNED: declared counts may differ with it"
    return Finding(
        "TLC",
        True,
        f"from {location.origin}, {location.path}, sha256 {location.sha256}, {pin}",
        disables,
    )


def _spark() -> Finding:
    from wheelproof.pipeline import java

    disables = "check of traces in bulk"
    if importlib.util.find_spec("pyspark") is None:
        remedy = installation("data", "setup-data")
        return Finding("Spark", False, remedy, disables, needed=False, commands=())
    try:
        location = java.locate()
    except WheelproofError as error:
        return Finding("Spark", False, str(error), disables, needed=False, commands=())
    through = ", through a launcher for trimmed runtimes" if location.trimmed else ""
    return Finding(
        "Spark",
        True,
        f"{_version('pyspark')} on Java {location.version} from {location.origin}{through}, "
        f"{location.home}",
        disables,
        needed=False,
    )


def _classes(root: Path, fetch: bool) -> Iterator[Finding]:
    """A line for each release whose compiled classes the project declares."""
    from wheelproof.jvm import declaration, setup

    disables = "comparison of compiled classes"
    try:
        bindings = declaration.find(root).values()
        releases = dict.fromkeys(name for binding in bindings for name in binding.releases)
    except WheelproofError as error:
        yield _unreadable("classes", error, disables)
        return
    for release in releases:
        name = f"classes {release}"
        try:
            jars = setup.jars_of(root, release, fetch)
        except UsageError as error:
            yield _unreadable(name, error, disables)
        except WheelproofError as error:
            yield Finding(name, False, str(error), disables, needed=False, commands=())
        else:
            detail = f"{len(jars)} pinned jars in {jars[0].parent}"
            yield Finding(name, True, detail, disables, needed=False)


def _unreadable(name: str, error: WheelproofError, disables: str) -> Finding:
    """A part of the project that every command refuses with this error."""
    return Finding(name, False, str(error), disables, code=error.exit_code)


def _project(root: Path) -> Iterator[Finding]:
    from wheelproof import project
    from wheelproof.project import lock_order

    disables = "mechanism to check"
    try:
        mechanisms = project.find(root)
        lock_order.read(root, mechanisms)
    except WheelproofError as error:
        yield _unreadable("project", error, disables)
        return
    for name, mechanism in mechanisms.items():
        has_spec = mechanism.spec.is_file()
        missing = "" if has_spec else f" {mechanism.spec} is missing."
        yield Finding(
            name,
            has_spec,
            f"{mechanism.toml}, {len(mechanism.configs)} configs.{missing}",
            disables,
        )
