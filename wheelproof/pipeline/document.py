"""The types of ``wheelproof.trace-check/1``: the report of a check in bulk, as plain data."""

from __future__ import annotations

from typing import NotRequired, TypedDict

SCHEMA = "wheelproof.trace-check/1"


class RunRow(TypedDict):
    """One run. ``broken``: rule -> violations."""

    run: str
    path: str
    verdict: str
    events: int
    broken: dict[str, int]
    problems: list[str]


class RuleRow(TypedDict):
    """One rule. ``verdict``: green, violated, incomplete or vacuous; ``missing``: the needs of a
    vacuous one."""

    family: str
    says: str
    unit: str
    applied: int
    broken: int
    verdict: str
    missing: NotRequired[list[str]]


class Violation(TypedDict, total=False):
    """One violation, without absent columns: also the columns of ``schema.OBJECTS``. ``trusted``:
    it is more than a sign of lost events."""

    run_id: str
    rule: str
    tid: int
    tseq: int
    lc: int
    k: str
    token: str
    detail: str
    file: str
    line: int
    trusted: bool


class Quarantined(TypedDict):
    """A line or row that is no event, with its fault and the beginning of its text."""

    file: str
    row: int
    reason: str
    text: str


class Explanation(TypedDict, total=False):
    """The few events that show why one violating run is refused."""

    run: str
    path: str
    property: str
    message: str
    shrunk: list[str]
    not_shrunk: str
    """The reason why there is no ``shrunk``."""


class Actions(TypedDict):
    """Of one specification: label -> events, and the labels that no event came from."""

    taken: dict[str, int]
    untaken: list[str]


class Coverage(TypedDict, total=False):
    """Events by kind and by edge, and those that did not occur."""

    kinds: dict[str, int]
    kinds_unseen: list[str]
    edges: dict[str, int]
    edges_untaken: list[str]
    actions: dict[str, Actions]


class LatenessClass(TypedDict):
    """``from_ms``: None for before the deadline; ``below_ms``: None for the last class."""

    from_ms: int | None
    below_ms: int | None
    count: int


class Lateness(TypedDict, total=False):
    """Nothing but ``count`` where no entry was handed over."""

    count: int
    least_ms: int
    greatest_ms: int
    mean_ms: float
    p50_below_ms: int
    p99_below_ms: int
    classes: list[LatenessClass]


class Document(TypedDict):
    """A whole report. ``unexplained``: why there are no ``explanations``, where there should be."""

    schema: str
    events: int
    runs: list[RunRow]
    rules: dict[str, RuleRow]
    violated: int
    violations: list[Violation]
    quarantined: int
    quarantine: list[Quarantined]
    coverage: Coverage
    lateness: Lateness
    seconds: dict[str, float]
    explanations: list[Explanation]
    unexplained: str
