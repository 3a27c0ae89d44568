"""Explores the released classes of subjects.toml, all with the same options.

``python -m real.explore [CLASS]`` prints a line for each subject; ``--table`` prints them as the
table of the documentation. It ends with 1 if an answer is another one than expected.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from wheelproof import java, reading, temporary, toml
from wheelproof.artifacts import Artifact
from wheelproof.errors import UsageError
from wheelproof.jvm import setup
from wheelproof.jvm.explore import harness, searching
from wheelproof.jvm.jars import locate
from wheelproof.jvm.patch import with_patch
from wheelproof.plain.answers import Answer, Exploration
from wheelproof.plain.settings import Settings

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SUBJECTS = HERE / "subjects.toml"
OPTIONS = Settings(executions=20_000)
"""The options of every subject."""
BOUND = 2
"""The preemptions of an order of a subject that OPTIONS do not exhaust, at most."""

_HEAD = """| class | release | harness, lines | answer | executions | racy | preempted | issue |
|---|---|---|---|---:|---:|---:|---|
"""


@dataclass(frozen=True)
class Subject:
    """A released class and its harness. ``patch``: a diff that is compiled against the release."""

    type: str
    release: str
    harness: Path
    jars: tuple[Artifact, ...]
    expect: str
    issue: str
    patch: Path | None
    sources: tuple[Artifact, ...]

    @property
    def lines(self) -> int:
        """Lines of the harness."""
        return len(reading.text(self.harness).splitlines())


def _artifacts(table: Mapping[str, str]) -> tuple[Artifact, ...]:
    return tuple(Artifact(coordinate, digest) for coordinate, digest in table.items())


def subjects() -> list[Subject]:
    """The subjects of the file, in its order."""
    table = toml.tables(reading.text(SUBJECTS))
    return [
        Subject(
            row["class"],
            row["release"],
            HERE / "harnesses" / f"{row['harness']}.java",
            _artifacts(table["jars"][row["jars"]]),
            row["expect"],
            row["issue"],
            ROOT / row["patch"] if "patch" in row else None,
            _artifacts(row.get("sources", {})),
        )
        for row in table["subject"]
    ]


@contextmanager
def _path(subject: Subject) -> Iterator[list[Path]]:
    """The class path of a subject: its jars, behind the classes of its diff."""
    jars = locate(subject.jars, fetch=True)
    if subject.patch is None:
        yield jars
        return
    compiler = java.locate("explore", setup.MINIMUM, "Install Java.").executable
    (sources,) = locate(subject.sources, fetch=True)
    with (
        temporary.folder("explore") as folder,
        with_patch(subject.patch, folder, sources) as source,
    ):
        yield [setup.compile_java(compiler, [source], jars, True), *jars]


def explore(subject: Subject) -> Exploration:
    """Explore a subject. Raises NotHere where Java or a jar is absent, UsageError and ToolError."""
    with _path(subject) as path:
        prepared = harness.prepare(subject.harness, path)
        exploration = searching.explore(prepared, OPTIONS)
        if exploration.answer is Answer.BUDGET:
            return searching.explore(prepared, replace(OPTIONS, bound=BOUND))
        return exploration


def row(subject: Subject, exploration: Exploration) -> str:
    """A line of the table of the documentation."""
    fewest = exploration.bound if exploration.failure is None else exploration.failure.preemptions
    return (
        f"| `{subject.type}` | {subject.release} | `{subject.harness.stem}`, {subject.lines} | "
        f"{exploration.answer} | {exploration.executions:,} | {len(exploration.racy_places)} | "
        f"{'' if fewest is None else fewest} | {subject.issue} |"
    )


def main() -> int:
    """Run the command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m real.explore", description=__doc__)
    parser.add_argument("type", metavar="CLASS", nargs="?", help="this class alone")
    parser.add_argument("--table", action="store_true", help="as the table of the documentation")
    options = parser.parse_args()
    selection = [subject for subject in subjects() if options.type in (None, subject.type)]
    if not selection:
        raise UsageError(f"There is no subject {options.type}.", f"Choose one of {SUBJECTS}.")
    print(f"options of all: --executions {OPTIONS.executions} --seed {OPTIONS.seed}; where that is "
          f"budget, once more with --bound {BOUND}")  # fmt: skip
    print(_HEAD if options.table else "", end="")
    wrong = 0
    for subject in selection:
        begin = time.monotonic()
        exploration = explore(subject)
        passed = exploration.answer == subject.expect
        wrong += not passed
        line = row(subject, exploration)
        seconds = "" if options.table else f" {time.monotonic() - begin:.1f} s"
        print(line + seconds + ("" if passed else f" expected {subject.expect}"), flush=True)
    print(f"{len(selection) - wrong} of {len(selection)} as expected", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
