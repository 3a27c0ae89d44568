"""What this machine has of all that the checks need, and what each absence disables."""

import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wheelproof.errors import ToolError, UsageError, WheelproofError

MINIMUM_PYTHON = (3, 11)
# Package -> what is impossible without it; every one is needed by `verify`.
_PACKAGES = {
    "greenlet": "running an implementation step by step",
    "hypothesis": "the generated tests",
    "typer": "the command line",
    "rich": "the report on the terminal",
    "jinja2": "the design review",
    "jpype1": "translating PlusCal",
    "markdown-it-py": "reading the files of decisions",
    "z3-solver": "proof",
    "cvc5": "second opinion on a proof",
}
_MODULES = {"jpype1": "jpype", "markdown-it-py": "markdown_it", "z3-solver": "z3"}
"""What a package is imported as, where that is not its name."""


@dataclass(frozen=True)
class Finding:
    """One tool, package or part of the project.

    `disables`: the loss without it; `needed`: `verify` needs it; `code`: how `verify` then ends.
    """

    name: str
    found: bool
    detail: str
    disables: str
    needed: bool = True
    code: int = ToolError.exit_code

    @property
    def wrong(self) -> bool:
        """Whether it is there and has to be corrected."""
        return not self.found and self.code == UsageError.exit_code


def survey(root: Path, fetch: bool = False) -> list[Finding]:
    """Looks for everything; with `fetch`, what can be downloaded (TLC's jar and others) is."""
    return [
        _python(),
        *_packages(),
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

    def described(locate: Callable[[], Any], describe: Callable[[Any], str]) -> str:
        try:
            return describe(locate())
        except WheelproofError:
            return ""

    found = {
        "wheelproof": __version__,
        "python": platform.python_version(),
        "java": described(java.locate, lambda item: f"{item.version} ({item.origin})"),
        "tla2tools.jar": described(
            lambda: jar.locate(fetch=False),
            lambda item: f"sha256 {item.sha256}{'' if item.pinned else ' (unpinned)'}",
        ),
        **{package: _version(package) for package in _PACKAGES},
    }
    return {name: version for name, version in found.items() if version}


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
        detail = item.detail if item.found else f"{item.detail} Without it: no {item.disables}."
        table.add_row(Text(visible(item.name)), state, Text(visible(detail)))
    target.print(table)
    left = [item for item in findings if item.needed and not item.found]
    parts = [
        f"{', '.join(item.name for item in each)} must be {what}"
        for what, each in (
            ("there", [item for item in left if not item.wrong]),
            ("corrected", [item for item in left if item.wrong]),
        )
        if each
    ]
    text = f"not ready: {'; '.join(parts)}" if left else "ready to verify"
    target.print(
        Text(f"wheelproof doctor: {text}", style="red" if left else "green"), soft_wrap=True
    )


def _python() -> Finding:
    text = f"{platform.python_version()}, {sys.executable}"
    least = ".".join(map(str, MINIMUM_PYTHON))
    enough = sys.version_info >= MINIMUM_PYTHON
    return Finding(
        "Python", enough, text if enough else f"{text} is older than {least}.", "anything"
    )


def _packages() -> Iterator[Finding]:
    for package, disables in _PACKAGES.items():
        there = importlib.util.find_spec(_MODULES.get(package, package)) is not None
        detail = _version(package) or "of an unknown version" if there else "Run `make setup`."
        yield Finding(package, there, detail, disables)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _java() -> Finding:
    from wheelproof.tlc import java

    disables = "check of a specification"
    try:
        found = java.locate()
    except WheelproofError as error:
        return Finding("Java", False, str(error), disables)
    return Finding(
        "Java", True, f"{found.version} from {found.origin}, {found.executable}", disables
    )


def _jar(fetch: bool) -> Finding:
    from wheelproof.tlc import jar

    disables = "check of a specification"
    try:
        found = jar.locate(fetch=fetch)
    except WheelproofError as error:
        return Finding("TLC", False, str(error), disables)
    pinned = "the pinned one" if found.pinned else "UNPINNED: declared counts may differ with it"
    return Finding(
        "TLC", True, f"from {found.origin}, {found.path}, sha256 {found.sha256}, {pinned}", disables
    )


def _spark() -> Finding:
    from wheelproof.pipeline import java

    disables = "check of traces in bulk"
    if importlib.util.find_spec("pyspark") is None:
        return Finding("Spark", False, "Run `make setup-data`.", disables, needed=False)
    try:
        found = java.locate()
    except WheelproofError as error:
        return Finding("Spark", False, str(error), disables, needed=False)
    through = ", through a launcher for trimmed runtimes" if found.trimmed else ""
    return Finding(
        "Spark",
        True,
        f"{_version('pyspark')} on Java {found.version} from {found.origin}{through}, {found.home}",
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
            yield Finding(name, False, str(error), disables, needed=False)
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
        specified = mechanism.spec.is_file()
        missing = "" if specified else f" {mechanism.spec} is missing."
        yield Finding(
            name,
            specified,
            f"{mechanism.toml}, {len(mechanism.configs)} configs.{missing}",
            disables,
        )
