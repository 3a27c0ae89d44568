"""Results that are kept by content: a job whose inputs are unchanged is not run again.

A job's key is made of the job, its profile, the tool with its packages, Python, Java and TLC, and
the content of every file that the job reads. Only a job with every row in order is kept. Its rows
say in the figure ``cached`` when they were made.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib import metadata
from itertools import chain
from pathlib import Path

import wheelproof
from wheelproof import files
from wheelproof.checks import stored
from wheelproof.checks.context import Report
from wheelproof.checks.job import Job
from wheelproof.checks.stored import Entry
from wheelproof.errors import UsageError, WheelproofError
from wheelproof.events import VerifyOptions
from wheelproof.identity import Identity, identity
from wheelproof.isolated import DISTRIBUTION, distribution
from wheelproof.kept import Entries
from wheelproof.project.inputs import Inputs
from wheelproof.project.mechanism import Mechanism
from wheelproof.tlc import jar, java
from wheelproof.verdict import CACHED

FOLDER = "cache"

_NAME = re.compile(r"[\w.-]+")


class Cache:
    """The kept results below the output folder of a run, with the inputs as the run found them."""

    def __init__(self, options: VerifyOptions, mechanisms: Sequence[Mechanism]) -> None:
        self.options, self.entries = options, Entries(options.output / FOLDER)
        self.mechanisms = {mechanism.name: mechanism for mechanism in mechanisms}
        self.inputs = {name: Inputs(item) for name, item in self.mechanisms.items()}
        self.digests: dict[Path, tuple[Identity, str]] = {}
        self.contents: dict[tuple[str, str], str] = {}
        self.keys: dict[Job, str] = {}

    def divide(self, jobs: Iterable[Job]) -> tuple[list[Job], list[tuple[Job, Report]]]:
        """The jobs to run, and those with a kept report. The report's traces are written anew.

        A job is kept in parts where they read different files.
        """
        misses, hits = [], []
        for job in chain.from_iterable(job.parts for job in jobs):
            if (entry := self.find(job)) is None:
                misses.append(job)
            else:
                hits.append((job, self.restore(entry)))
        return misses, hits

    def find(self, job: Job) -> Entry | None:
        """The entry of a job; None where there is none that can be read."""
        key = self.key(job)
        with suppress(UsageError):
            if (content := self.entries.read(key)) is not None:
                return stored.decode(self.entries.folder / key, content, job)
        return None

    def restore(self, entry: Entry) -> Report:
        """An entry's report with marked rows; its traces are files again."""
        for name, content in entry.traces.items():
            files.replace(self.options.output / name, content.encode())
        rows = [
            replace(row, figures={**row.figures, CACHED: entry.since}) for row in entry.report.rows
        ]
        return replace(entry.report, rows=rows)

    def keep(self, job: Job, report: Report) -> None:
        """Keep the report of a job that has run, if it is in order and its inputs are the same.

        Nothing is kept where the folder cannot be written.
        """
        if not report.rows or not all(row.ok for row in report.rows) or self.has_changed(job):
            return
        names = {row.trace for row in report.rows if row.trace} | report.graphs
        traces = {
            name: (self.options.output / name).read_text(encoding="utf-8") for name in sorted(names)
        }
        since = datetime.now(UTC).isoformat(timespec="seconds")
        self.entries.keep(self.key(job), stored.encode(Entry(since, report, traces)))

    # -- keys

    def key(self, job: Job) -> str:
        """The digest of a job and of all that it reads."""
        if job not in self.keys:
            layers = sorted(self.options.layers or ())
            parts = [
                stored.SCHEMA,
                self.tool,
                str(self.options.root.resolve()),
                repr((self.options.profile, layers)),
                repr(replace(job, weight=0)),
                *(self.content(job.mechanism, use) for use in self.uses(job)),
            ]
            self.keys[job] = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return self.keys[job]

    def uses(self, job: Job) -> tuple[str, ...]:
        return ("machine", *job.reads(self.mechanisms[job.mechanism]))

    def content(self, mechanism: str, use: str) -> str:
        """The digest of one group of a mechanism's files, with their names."""
        if (mechanism, use) not in self.contents:
            digest = hashlib.sha256()
            for file in getattr(self.inputs[mechanism], use):
                if file not in self.digests:
                    identifier = identity(file)
                    self.digests[file] = identifier, hashlib.sha256(file.read_bytes()).hexdigest()
                digest.update(f"{file}\0{self.digests[file][1]}\n".encode())
            self.contents[mechanism, use] = digest.hexdigest()
        return self.contents[mechanism, use]

    def has_changed(self, job: Job) -> bool:
        """Whether a file that the job reads is another one than when its key was made."""
        files = [
            file for use in self.uses(job) for file in getattr(self.inputs[job.mechanism], use)
        ]
        return any(identity(file) != self.digests[file][0] for file in files) or any(
            identity(file) != earlier for file, earlier in self._tool.items()
        )

    @cached_property
    def _tool(self) -> dict[Path, Identity]:
        packages = [Path(wheelproof.__file__).parent]
        if (folder := distribution()) is not None:
            packages.append(folder / DISTRIBUTION)
        return {
            file: identity(file)
            for package in packages
            for file in sorted(package.rglob("*"))
            if file.is_file() and "__pycache__" not in file.parts
        }

    @cached_property
    def tool(self) -> str:
        """The digest of the tool, of the primitives' distribution, and of all versions below."""
        digest = hashlib.sha256(repr(sorted(versions().items())).encode())
        for file in self._tool:
            digest.update(f"{file}\0".encode() + file.read_bytes())
        return digest.hexdigest()


def versions() -> dict[str, str]:
    """Versions of the packages that the tool needs, of Python, and of Java and TLC if there."""
    by_name = dict(packages())
    by_name["Python"] = sys.version
    with suppress(WheelproofError):
        by_name["Java"] = str(java.locate())
    with suppress(WheelproofError):
        by_name["TLC"] = str(jar.locate(fetch=False).sha256)
    return by_name


@cache
def packages() -> dict[str, str]:
    """Name -> version of the tool and of all that it needs, read once in a process.

    An extra of the tool counts where it is installed: solvers are one.
    """
    by_name: dict[str, str] = {}
    waiting = ["wheelproof"]
    while waiting:
        name = waiting.pop()
        with suppress(metadata.PackageNotFoundError):
            read = metadata.metadata(name)
            by_name[name] = read["Version"]
            for requirement in read.get_all("Requires-Dist") or ():
                match = _NAME.match(requirement)
                is_needed = name == "wheelproof" or "extra ==" not in requirement
                if match and is_needed and match[0] not in by_name:
                    waiting.append(match[0])
    return by_name
