"""Groups of files that are changed together, and the checks that judge changes of them."""

from __future__ import annotations

from dataclasses import dataclass

from wheelproof.checks.job import Job

LATE = 8
"""The stage of mutants for changes of implementation and harness, and of the nightly checks.

Only what all else has passed comes to it.
"""


@dataclass(frozen=True)
class Check:
    """One of the project's own checks.

    ``stage``: those of a lower one come first. ``kind``: ``job``, ``labels``, ``whole``, ``tests``.

    ``mechanism``: the mechanism whose context it runs on, "" for tests. ``job``: what `wheelproof
    verify` would run. ``tests``: a file; ``nightly``: its tests of the night. ``size``: an estimate
    of its cost among those of its stage: distinct states, or the length of a file of tests.
    ``needs``: of ``whole``, the jobs over whose reports it judges.
    """

    kind: str
    mechanism: str
    stage: int
    job: Job | None = None
    tests: str = ""
    nightly: bool = False
    size: int = 0
    needs: tuple[Job, ...] = ()

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
    """The files of one artefact and mechanism.

    ``mechanism``: the name of the file without its suffix where it belongs to none.
    """

    mechanism: str
    artefact: str
    files: tuple[str, ...]
