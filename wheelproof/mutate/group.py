"""Groups of files that are changed together, and the checks that judge changes of them."""

from __future__ import annotations

from dataclasses import dataclass

from wheelproof.checks.job import Job

LATE = 8
"""The stage of mutants for changes of implementation and harness, and of the nightly checks.

Only changes that all else has passed come to it.
"""


@dataclass(frozen=True)
class Check:
    """One of the project's own checks."""

    kind: str
    """``job``, ``labels``, ``whole`` or ``tests``."""
    mechanism: str
    """The mechanism whose context it runs on, "" for tests."""
    stage: int
    """Checks of a lower stage come first."""
    job: Job | None = None
    """A job of `wheelproof verify`."""
    tests: str = ""
    """A file of tests."""
    nightly: bool = False
    """Whether its tests of the night run."""
    size: int = 0
    """An estimate of its cost among those of its stage: distinct states, or the length of a file of
    tests.
    """
    needs: tuple[Job, ...] = ()
    """The jobs over whose reports a ``whole`` check judges."""

    @property
    def title(self) -> str:
        if self.kind == "tests":
            return self.tests + (", by night" if self.nightly else "")
        if self.job is None:
            return f"{self.mechanism} / " + (
                "labels" if self.kind == "labels" else "labels, branches and fields"
            )
        more = f" and {len(self.job.others)} more" if self.job.others else ""
        return f"{self.mechanism} / {'+'.join(self.job.layers)} / {self.job.name}{more}"


@dataclass(frozen=True)
class Group:
    """The files of one artefact and mechanism."""

    mechanism: str
    """The name of the file without its suffix where it belongs to none."""
    artefact: str
    files: tuple[str, ...]
