"""A kind of campaign: its units, how one runs to its rows, and how a failure runs again."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from wheelproof import documents
from wheelproof.errors import UsageError
from wheelproof.verdict import Row, judge

CONTROL = "control: "
"""How the name of a unit begins that plants a fault."""

FAILURE = "wheelproof.campaign.failure/1"
"""The schema of a failure that `wheelproof replay` runs again."""


@dataclass(frozen=True)
class Request:
    """The choices of the user, which make the units. A kind ignores none that is given."""

    kind: str
    names: tuple[str, ...] = ()
    seeds: tuple[int, int] | None = None
    """The first seed, and the one behind the last."""
    programs: int | None = None
    executions: int | None = None
    bound: int | None = None
    profile: str | None = None
    layers: tuple[str, ...] | None = None
    artefacts: tuple[str, ...] | None = None
    count: int | None = None

    def document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Request:
        """The request of a document. Raises TypeError and KeyError."""
        values = {item.name: document[item.name] for item in fields(cls)}
        arrays = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        request = cls(**values | arrays)
        texts = (*request.names, *(request.layers or ()), *(request.artefacts or ()))
        if not all(isinstance(text, str) for text in (request.kind, request.profile or "", *texts)):
            raise TypeError("a kind, a name, a profile or a layer is no text")
        counts = (request.programs, request.executions, request.bound, request.count)
        numbers = [number for number in (*counts, *(request.seeds or ())) if number is not None]
        if not all(type(number) is int for number in numbers):
            raise TypeError("a number is no whole number")
        if request.seeds is not None and len(request.seeds) != 2:
            raise TypeError("seeds are not two numbers")
        return request


@dataclass(frozen=True)
class Failure:
    """A unit that fails, as a file that runs without the campaign. ``suffix``: of its name.

    ``command``: runs it, with {} for the file.
    """

    text: str
    suffix: str = ".json"
    command: str = "wheelproof replay {}"


@dataclass(frozen=True)
class Result:
    """The rows of a unit, and its failure in the smallest form that was found."""

    rows: tuple[Row, ...]
    failure: Failure | None = None


class Campaign(ABC):
    """A kind of campaign on a project."""

    name: ClassVar[str]
    takes: ClassVar[frozenset[str]]
    """The fields of a request that mean something to the kind."""

    def __init__(self, request: Request, root: Path) -> None:
        self.request, self.root = request, root

    @abstractmethod
    def units(self) -> Sequence[str]:
        """The units, each with a name of its own. Raises UsageError."""

    @abstractmethod
    def controls(self) -> Sequence[str]:
        """The faults that the campaign plants, one in each unit of its own."""

    @abstractmethod
    def run(self, unit: str) -> Result:
        """Run one unit. The result is a function of the project and of the unit."""

    @abstractmethod
    def control(self, fault: str) -> str:
        """Plant a fault and run as ever; the sentence by which it was rejected, "" for none.

        It has a process of its own.
        """

    def again(self, document: documents.Record) -> Result:
        """Run a failure once more."""
        return self.run(document.text("unit"))

    def compared(self, row: Row) -> list[object]:
        """The parts of a row that are the same wherever it was made."""
        figures = sorted(row.figures.items())
        return [row.name, row.expected, row.verdict, row.property, row.ok, row.why, figures]

    def row_of_control(self, fault: str) -> Row:
        """Whether a planted fault is rejected. One that is not leaves the campaign vacuous."""
        sentence = self.control(fault)
        return judge(
            self.name,
            "campaign",
            CONTROL + fault,
            expected="violated",
            expected_property=fault,
            verdict="violated" if sentence else "vacuous",
            property=fault if sentence else None,
            why=sentence or "the planted fault was not found",
        )

    def failure(self, unit: str, program: object, *says: str) -> Failure:
        """A failure as a document. ``program``: a shrunk one as JSON; None for the unit itself."""
        return Failure(
            documents.encode(
                {
                    "schema": FAILURE,
                    "request": self.request.document(),
                    "unit": unit,
                    "program": program,
                    "says": list(says),
                }
            )
        )


KINDS = {
    "programs": "drawn programs that an oracle of the project judges: MODULE:NAME",
    "linearizable": "drawn programs of a class's operations: MODULE:NAME",
    "verify": "rows of a profile: mechanisms",
    "mutate": "drawn changes of files: mechanisms",
    "prove": "theorems with slices of their seeds: theorems or mechanisms",
}
"""Kind -> its units, and the meaning of its names. Each is a module of ``campaign.kinds``."""


def campaign(request: Request, root: Path) -> Campaign:
    """The campaign of a request. UsageError: no such kind, or a choice that it does not take."""
    if request.kind not in KINDS:
        raise UsageError(
            f"There is no kind of campaign {request.kind!r}.", f"Known: {', '.join(KINDS)}."
        )
    module = importlib.import_module(f"wheelproof.campaign.kinds.{request.kind}")
    kind: type[Campaign] = module.KIND
    for item in fields(Request):
        is_given = getattr(request, item.name) not in (None, ())
        if is_given and item.name != "kind" and item.name not in kind.takes:
            raise UsageError(
                f"--{item.name} means nothing to a campaign of the kind {request.kind}.",
                f"It takes {', '.join(sorted(kind.takes))}.",
            )
    return kind(request, root)


class Seeds(Sequence[str]):
    """The units of a campaign whose units are seeds."""

    def __init__(self, first: int, end: int) -> None:
        self._range = range(first, end)

    def __len__(self) -> int:
        return len(self._range)

    def __getitem__(self, at: Any) -> Any:
        part = self._range[at]
        return [f"seed {seed}" for seed in part] if isinstance(at, slice) else f"seed {part}"


def seeds_of(request: Request) -> Seeds:
    """The seeds of a request. Raises UsageError where it has none."""
    if request.seeds is None:
        raise UsageError("The campaign has no seeds.", "Give them as --seeds 0:1000.")
    return Seeds(*request.seeds)


def seed_of(unit: str) -> int:
    return int(unit.removeprefix("seed "))
