"""A campaign's folder and its manifest: the plan, on which all blocks depend."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from wheelproof import __version__, documents
from wheelproof.campaign.kind import CONTROL, Campaign, Request, Seeds
from wheelproof.errors import UsageError

SCHEMA = "wheelproof.campaign/1"
MANIFEST, BLOCKS, FAILURES, ARCHIVE = "manifest.json", "blocks", "failures", "project.zip"


@dataclass(frozen=True)
class Manifest:
    """The plan of a campaign, which never changes: all that its blocks depend on."""

    request: Request
    release: str
    python: str
    project: str
    """The digest of the files that are shipped."""
    size: int
    """Units of a block."""
    limit: float
    """Seconds of a unit, at most."""
    units: Sequence[str]
    """The controls, then the units of the kind."""

    @property
    def blocks(self) -> int:
        return -(-len(self.units) // self.size)

    def of_block(self, number: int) -> Sequence[str]:
        """The units of a block."""
        part: Sequence[str] = self.units[number * self.size : (number + 1) * self.size]
        return part

    def many(self, number: int) -> int:
        """How many units a block has."""
        return min(self.size, len(self.units) - number * self.size)

    def document(self) -> dict[str, Any]:
        controls = [unit for unit in self.units if unit.startswith(CONTROL)]
        seeds = self.request.seeds
        is_seeds = seeds is not None and len(self.units) == len(controls) + seeds[1] - seeds[0]
        return {
            "schema": SCHEMA,
            "release": self.release,
            "python": self.python,
            "project": self.project,
            "size": self.size,
            "limit": self.limit,
            "request": self.request.document(),
            "controls": controls,
            "units": None if is_seeds else list(self.units[len(controls) :]),
        }

    @cached_property
    def identity(self) -> str:
        """A digest of the plan."""
        return hashlib.sha256(documents.encode(self.document()).encode()).hexdigest()


class Units(Sequence[str]):
    """Controls, and then units."""

    def __init__(self, controls: Sequence[str], units: Sequence[str]) -> None:
        self._controls, self._units = controls, units

    def __len__(self) -> int:
        return len(self._controls) + len(self._units)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        many = len(self._controls)
        return self._controls[at] if at < many else self._units[at - many]


def python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def plan(campaign: Campaign, project: str, size: int, limit: float) -> Manifest:
    """The manifest of a campaign that begins now. Raises UsageError."""
    units = campaign.units()
    if not units:
        raise UsageError("The campaign has no units.", "Choose other names, or more seeds.")
    controls = [CONTROL + fault for fault in campaign.controls()]
    request = campaign.request
    return Manifest(request, __version__, python(), project, size, limit, Units(controls, units))


def write(folder: Path, manifest: Manifest) -> None:
    """Write a manifest. Raises ToolError where the folder refuses it."""
    documents.write(folder / MANIFEST, manifest.document())


def read(folder: Path) -> Manifest:
    """The manifest of a folder. UsageError: it is none, or of another release."""
    file = folder / MANIFEST
    document = documents.read(file, SCHEMA)
    release = document.text("release")
    if release != __version__:
        raise UsageError(
            f"{file} is of release {release}, and this is {__version__}.",
            "Go on with that release, or begin anew with --fresh.",
        )
    try:
        request = Request.read(document.object("request").value)
    except (TypeError, KeyError) as error:
        raise document.fault("request", f"is no request ({error})") from None
    units: Sequence[str]
    if document.value.get("units") is not None:
        units = document.texts("units")
    elif request.seeds is not None:
        units = Seeds(*request.seeds)
    else:
        raise document.fault("units", "is missing")
    return Manifest(
        request,
        release,
        document.text("python"),
        document.text("project"),
        int(document.number("size")) or 1,
        document.number("limit"),
        Units(document.texts("controls"), units),
    )


def check_same(folder: Path, there: Manifest, new: Manifest) -> None:
    """UsageError where the campaign of a folder is not the one of this plan."""
    reasons = {
        "other choices": there.request != new.request,
        f"blocks of {there.size} units, not {new.size}": there.size != new.size,
        f"a limit of {there.limit:g} s, not {new.limit:g} s": there.limit != new.limit,
        f"Python {there.python}, not {new.python}": there.python != new.python,
        "the project's files as they were then": there.project != new.project,
        "other units": there.identity != new.identity,
    }
    if why := next((reason for reason, differs in reasons.items() if differs), ""):
        raise UsageError(
            f"{folder} has another campaign: with {why}.",
            "Give another --output, or begin anew with --fresh.",
        )


def file_of(folder: Path, number: int) -> Path:
    return folder / BLOCKS / f"{number:06d}.parquet"


def finished(folder: Path, manifest: Manifest) -> set[int]:
    """The blocks whose files are there, by their names alone."""
    names = {file.name for file in (folder / BLOCKS).glob("*.parquet")}
    return {number for number in range(manifest.blocks) if file_of(folder, number).name in names}
