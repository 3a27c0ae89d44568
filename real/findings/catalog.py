"""The findings and the pinned jars, as their two tables declare them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wheelproof import reading
from wheelproof.artifacts import Artifact
from wheelproof.errors import UsageError

HERE = Path(__file__).parent
NAMED = "4.3.1"
"""The release that the diffs are made against, and the only one with tests."""

TESTS, SOURCES = "tests", "sources"
"""The tables of jars.toml that are no releases."""


@dataclass(frozen=True)
class Finding:
    """A defect of Kafka. The folder of its name has two diffs."""

    name: str
    program: str
    """The Java file, below this folder. Its ``main`` takes the name of the finding."""
    artifact: str
    """GROUP:NAME of the jar whose sources the diffs change."""
    test: str
    """CLASS#METHOD of the test that test.diff adds."""
    cases: int = 1
    """How many tests that method is: more where it has parameters."""

    @property
    def source(self) -> Path:
        return HERE / self.program

    @property
    def main_class(self) -> str:
        """The class of the program, with its package."""
        package = re.search(r"^package ([\w.]+);", reading.text(self.source), re.MULTILINE)
        return f"{package[1]}.{self.source.stem}" if package else self.source.stem

    @property
    def fix(self) -> Path:
        return HERE / self.name / "fix.diff"

    @property
    def test_diff(self) -> Path:
        return HERE / self.name / "test.diff"

    @property
    def method(self) -> str:
        """The test as people name it: the class without its package."""
        return self.test.partition("(")[0].rpartition(".")[2].replace("#", ".")


def findings() -> dict[str, Finding]:
    """Every finding by its name."""
    table = reading.tables(HERE / "findings.toml")
    return {name: Finding(name, **fields) for name, fields in table.items()}


def finding(name: str) -> Finding:
    """The finding of this name; UsageError where there is none."""
    table = findings()
    if name not in table:
        raise UsageError(f"There is no finding {name!r}.", f"Findings: {', '.join(sorted(table))}.")
    return table[name]


def releases() -> list[str]:
    """The releases whose jars are pinned."""
    return [name for name in reading.tables(HERE / "jars.toml") if name not in (TESTS, SOURCES)]


def jars(table: str) -> list[Artifact]:
    """The pinned jars of a release, or those of TESTS or SOURCES; UsageError for another name."""
    tables = reading.tables(HERE / "jars.toml")
    if table not in tables:
        raise UsageError(
            f"The jars of release {table} are not pinned.",
            f"Choose one of {', '.join(releases())}.",
        )
    return [Artifact(coordinate, sha256) for coordinate, sha256 in tables[table].items()]


def sources(finding: Finding, classifier: str) -> Artifact:
    """The pinned jar of sources that a diff of the finding changes."""
    coordinate = f"{finding.artifact}:{NAMED}:{classifier}"
    for artifact in jars(SOURCES):
        if artifact.coordinate == coordinate:
            return artifact
    raise UsageError(f"{coordinate} is not pinned.", "Add it to real/findings/jars.toml.")
