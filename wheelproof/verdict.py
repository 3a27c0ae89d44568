"""Verdicts: the result of a check is one of eight words, in a row of plain data.

A `Row` is one check. It is made by `judge`, which compares the verdict with the expected one; a row
that proves nothing (inconclusive, vacuous, refused, error) is never in order.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from wheelproof import documents
from wheelproof.errors import UsageError

SCHEMA = "wheelproof.results/2"
RESULTS_FILE = "results.json"
CACHED = "cached"
"""The figure of a row from an earlier run: when that run made it, UTC."""

# In the order in which the layers build on each other.
LAYERS_SAY = {
    "tlc": "the properties, on every state of the specification; refinements",
    "graph": "specification = model; the properties mean the same in both; every witness is "
    "reached",
    "bisimulation": "model = implementation",
    "coverage": "every label, branch and field is exercised over all scenarios; labels are equal "
    "in all artefacts; locks are taken in the documented order",
    "composition": "composed runs against the atomic model",
    "mutant": "each decision is needed",
    "liveness": "temporal properties, by TLC and by the model's search for fair cycles",
    "random": "random schedules of the implementation, with a happens-before race detector",
    "stress": "real threads, paused at random bytecodes, with faults planted in the primitives",
    "jvm": "the bytecode of released classes = model, state by state",
    "proof": "theorems, and every edge of the model against the proofs",
    "trace": "",
    "mutate": "",
}
"""Layer -> its comparison or check; "" of those that no verification has."""

LAYERS = tuple(LAYERS_SAY)

EXPLORE = "explore"
"""The layer of rows of `wheelproof explore`: tests of plain threads, of no mechanism."""


Figures = Mapping[str, Any]
"""Counts and the like by name, plain JSON values."""


class Verdict(StrEnum):
    """How a check ended."""

    PROVED = "proved"  # without a bound
    EXHAUSTIVE = "exhaustive"  # every state up to the bound
    SAMPLED = "sampled"  # some runs, none of which failed
    VIOLATED = "violated"  # a property fails; there is a trace
    INCONCLUSIVE = "inconclusive"  # the budget ended, or a solver does not know
    VACUOUS = "vacuous"  # nothing was exercised, so success means nothing
    REFUSED = "refused"  # the project's files or its code are wrong
    ERROR = "error"  # a tool broke


PROVES_NOTHING = frozenset({Verdict.INCONCLUSIVE, Verdict.VACUOUS, Verdict.REFUSED, Verdict.ERROR})


@dataclass(frozen=True)
class Row:
    """One check.

    `seconds` is wall time; `trace` is a counterexample file, below the run's output folder; `why`
    is the reason, or a note.

    `property` is the violated one. `figures` are counts and the like, plain JSON values. ValueError
    where `ok` contradicts the verdict.
    """

    mechanism: str
    layer: str
    name: str
    expected: Verdict
    verdict: Verdict
    property: str | None = None
    bound: str = ""
    figures: Figures = field(default_factory=dict)
    seconds: float = 0.0
    trace: str | None = None
    ok: bool = False
    why: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", Verdict(self.expected))
        object.__setattr__(self, "verdict", Verdict(self.verdict))
        if self.ok and (self.verdict in PROVES_NOTHING or self.verdict != self.expected):
            raise ValueError(f"{self.verdict} cannot be in order where {self.expected} is expected")
        if self.ok and self.verdict is Verdict.VIOLATED and not self.property:
            raise ValueError("a violation is in order only with the name of the property")

    # No @property in this class: its field of that name hides the decorator.
    def document(self) -> dict[str, Any]:
        """The row as plain JSON values."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return values | {"figures": dict(self.figures), "seconds": round(self.seconds, 3)}

    @cached_property
    def text(self) -> str:
        """The row as it stands in the file of results: it is written again each second."""
        return documents.indented(self.document())

    def title(self) -> str:
        """Mechanism, layer and name: the title of the row in messages; unique within a run."""
        return f"{self.mechanism} / {self.layer} / {self.name}"


class Found(TypedDict, total=False):
    """The result of a check, by the names that `judge` has for its parts."""

    verdict: str
    property: str | None
    why: str
    trace: str | Path | None


class Measured(Found, total=False):
    """The same with figures."""

    figures: Mapping[str, object]
    bound: str


class Judged(Measured, total=False):
    """The same with the expectation."""

    expected: str
    expected_property: str | None
    fault: str
    controls: Mapping[str, bool]


def judge(
    mechanism: str,
    layer: str,
    name: str,
    *,
    expected: str,
    verdict: str,
    expected_property: str | None = None,
    property: str | None = None,
    fault: str = "",
    why: str = "",
    bound: str = "",
    figures: Mapping[str, object] | None = None,
    seconds: float = 0.0,
    trace: str | Path | None = None,
    controls: Mapping[str, bool] | None = None,
) -> Row:
    """The row of a check, with `ok` decided.

    It is in order if the verdict is the expected one, for the expected property, without a fault.
    `controls` says of each fault that the check planted in its subject whether it rejected it by
    name. A row that is in order but for one of them is vacuous. Their number is a figure.

    `fault` is a reason against the check although its verdict is as expected, such as a count that
    differs from the declared one; `why` explains the verdict itself. Both end up in `Row.why`,
    after the difference from the expectation.
    """
    reasons = [
        reason
        for reason in (_difference(expected, verdict, expected_property, property), fault)
        if reason
    ]
    figure = {} if controls is None else {"controls": len(controls)}
    misses = [name for name, is_rejected in (controls or {}).items() if not is_rejected]
    if misses and not reasons:
        verdict, property = Verdict.VACUOUS, None
        reasons = [
            _difference(expected, verdict, expected_property, property),
            f"the check does not reject what it planted: {', '.join(misses)}",
        ]
    return Row(
        mechanism=mechanism,
        layer=layer,
        name=name,
        expected=Verdict(expected),
        verdict=Verdict(verdict),
        property=property,
        bound=bound,
        figures={**(figures or {}), **figure},
        seconds=seconds,
        trace=None if trace is None else str(trace),
        ok=not reasons,
        why="; ".join([*reasons, why] if why else reasons),
    )


def _difference(
    expected: str, verdict: str, expected_property: str | None, property_there: str | None
) -> str:
    """The difference of a verdict from the expected one; empty where it is green."""
    text = f"{expected} by {expected_property}" if expected_property else expected
    if verdict != expected:
        # An `error` speaks for itself through `why`.
        return f"expected {text}, got {verdict}" + (
            f" by {property_there}" if verdict == Verdict.VIOLATED and property_there else ""
        )
    if verdict in PROVES_NOTHING:
        return f"{verdict} is never in order"
    if verdict == Verdict.VIOLATED and not expected_property:
        return "a violation is expected, but no property is named for it"
    if verdict == Verdict.VIOLATED and property_there != expected_property:
        return (
            f"expected a violation of {expected_property}, got one of "
            f"{property_there or 'an unnamed property'}"
        )
    return ""


def exit_code(rows: Iterable[Row]) -> int:
    """The exit code of rows.

    0 every verdict as expected; 1 a finding; 2 the project is refused; 4 a tool failed; 5 nothing
    checked or vacuous; 3 inconclusive.

    Where several apply, the first in this order counts: a finding stays one, although a tool failed
    in another check, and a fault of the project may be the reason of a failure.
    """
    rows = list(rows)
    if not rows:
        return 5
    codes = {_CODES.get(row.verdict, 1) for row in rows if not row.ok}
    return next((code for code in (1, 2, 4, 5, 3) if code in codes), 0)


# A green word that was not expected is a finding too: a mutant survived, or less was shown than is
# claimed.
_CODES = {Verdict.REFUSED: 2, Verdict.ERROR: 4, Verdict.VACUOUS: 5, Verdict.INCONCLUSIVE: 3}


@dataclass(frozen=True)
class Results:
    """The rows of one run.

    `tools` maps names to versions; `started` is UTC; `complete` is false while rows may come.
    `only` names the limits of the run, "" for a run of everything; `profile` is "" in older
    files.

    ValueError where two rows have one title, since one of them would hide the other.
    """

    rows: tuple[Row, ...]
    tools: Mapping[str, str]
    run: str
    started: str
    complete: bool = True
    not_run: Mapping[str, str] = field(default_factory=dict)
    only: str = ""
    profile: str = ""

    def __post_init__(self) -> None:
        counts = Counter(row.title() for row in self.rows)
        if several := [title for title, times in counts.items() if times > 1]:
            raise ValueError(f"several rows are called {', '.join(several)}")

    @classmethod
    def begin(cls, tools: Mapping[str, str], only: str = "", profile: str = "") -> "Results":
        """The results of a run that starts now: no rows yet, and an identity of its own."""
        return cls(
            (),
            dict(tools),
            uuid.uuid4().hex,
            datetime.now(UTC).isoformat(timespec="seconds"),
            complete=False,
            only=only,
            profile=profile,
        )

    def document(self) -> dict[str, Any]:
        """The document of the schema `wheelproof.results/2`."""
        return self.document_without_rows() | {"rows": [row.document() for row in self.rows]}

    def document_without_rows(self) -> dict[str, Any]:
        """The same but for its last field."""
        return {
            "schema": SCHEMA,
            "run": self.run,
            "started": self.started,
            "complete": self.complete,
            "only": self.only,
            "profile": self.profile,
            "tools": dict(sorted(self.tools.items())),
            "not_run": dict(self.not_run),
        }

    def write(self, path: Path) -> None:
        """Writes the document; an earlier one is replaced at once and whole."""
        document = self.document_without_rows()
        documents.write_text(path, documents.joined(document, "rows", [r.text for r in self.rows]))


def read_results(path: Path, run: str | None = None) -> Results:
    """The results in a file; UsageError where it is not one, or is of another run than `run`."""
    document = documents.read(path, SCHEMA)
    rows = tuple(row_of(record) for record in document.objects("rows"))
    try:
        results = Results(
            rows,
            document.text_by_name("tools"),
            document.text("run"),
            document.text("started"),
            document.flag("complete"),
            document.text_by_name("not_run") if "not_run" in document.value else {},
            *(
                document.text(name) if name in document.value else ""
                for name in ("only", "profile")
            ),
        )
    except ValueError as error:
        raise document.fault("rows", f"are not one run's: {error}") from error
    if run is not None and results.run != run:
        raise UsageError(
            f"{path} is of another run, started {results.started}.",
            "Run `wheelproof verify` again.",
        )
    return results


def row_of(record: documents.Record) -> Row:
    """The row that an object of a document holds; UsageError where it holds none."""
    try:
        return Row(
            mechanism=record.text("mechanism"),
            layer=record.text("layer"),
            name=record.text("name"),
            expected=_word(record, "expected"),
            verdict=_word(record, "verdict"),
            property=record.optional_text("property"),
            bound=record.text("bound"),
            figures=record.object("figures").value,
            seconds=record.number("seconds"),
            trace=record.optional_text("trace"),
            ok=record.flag("ok"),
            why=record.text("why"),
        )
    except ValueError as error:
        raise record.fault("ok", f"contradicts the row: {error}") from error


def _word(record: documents.Record, name: str) -> Verdict:
    word = record.text(name)
    try:
        return Verdict(word)
    except ValueError:
        raise record.fault(name, f"must be one of {', '.join(Verdict)}, not {word!r}") from None
