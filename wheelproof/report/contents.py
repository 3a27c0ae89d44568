"""The contents of a review for each mechanism: claims, decisions, checks, findings, limits.

Plain data, from which the review on one screen and the page are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wheelproof.decisions import Decision
from wheelproof.project.mechanism import Mechanism, Mutant, Property
from wheelproof.protocols import Data, Scenario, programs
from wheelproof.report.terminal import groups_of
from wheelproof.verdict import EXPLORE, LAYERS, Results, Row, Verdict


@dataclass(frozen=True)
class Claim:
    """A layer of a mechanism in one line: how many checks ended how, at which bounds."""

    layer: str
    good: int
    total: int
    verdicts: str
    bounds: tuple[str, ...]


@dataclass(frozen=True)
class Taken:
    """A mutant: its decision, the property that it must break, and its outcome in the run."""

    mutant: Mutant
    decision: Decision
    must: str
    outcome: str
    depths: Mapping[str, int]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Setting:
    """A scenario as its declaration has it."""

    name: str
    about: str
    programs: tuple[tuple[str, str], ...]
    """(thread, its operations in order) of each thread."""
    values: tuple[str, ...]
    """The other fields that are not empty, as ``field value``."""


@dataclass(frozen=True)
class Part:
    """One mechanism of a run."""

    name: str
    mechanism: Mechanism | None
    """None if the project no longer declares it."""
    claims: tuple[Claim, ...]
    rows: tuple[Row, ...]
    runs: tuple[Taken, ...]
    limits: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.mechanism.title} ({self.name})" if self.mechanism else self.name

    @property
    def properties(self) -> list[Property]:
        return list(self.mechanism.properties.values()) if self.mechanism else []

    @property
    def scenarios(self) -> list[Setting]:
        return (
            [_setting(*item) for item in self.mechanism.scenarios.items()] if self.mechanism else []
        )

    @property
    def findings(self) -> list[Row]:
        """The rows that are not in order."""
        return [row for row in self.rows if not row.ok]

    @property
    def expected(self) -> list[Row]:
        """The violations that had to come: they show that the checks can fail."""
        return [row for row in self.rows if row.ok and row.verdict is Verdict.VIOLATED]


def parts(results: Results, mechanisms: Mapping[str, Mechanism]) -> list[Part]:
    """The mechanisms of the rows: first those of the project, in its order."""
    ran = list(dict.fromkeys(row.mechanism for row in results.rows))
    names = [name for name in mechanisms if name in ran]
    names += [name for name in ran if name not in mechanisms]
    return [_part(results, name, mechanisms.get(name)) for name in names]


def unchecked(results: Results, mechanisms: Mapping[str, Mechanism]) -> list[str]:
    """The mechanisms of the project without any row."""
    ran = {row.mechanism for row in results.rows}
    return [mechanism for mechanism in mechanisms if mechanism not in ran]


def figures(row: Row) -> str:
    """The figures of a row in one line, without tables: the page draws those."""
    return ", ".join(
        f"{name} {value:,}" if type(value) is int else f"{name} {value}"
        for name, value in row.figures.items()
        if not isinstance(value, Mapping)
    )


def _part(results: Results, name: str, mechanism: Mechanism | None) -> Part:
    rows = [row for row in results.rows if row.mechanism == name]
    groups = {layer: group for (_, layer), group in groups_of(rows).items()}
    return Part(
        name,
        mechanism,
        tuple(_claim(layer, group) for layer, group in groups.items()),
        tuple(row for group in groups.values() for row in group),
        tuple(_runs(mechanism, groups.get("mutant", []))),
        tuple(_limits(mechanism, groups)),
    )


def _setting(name: str, scenario: Scenario) -> Setting:
    fields = {key: value for key, value in scenario.items() if key not in ("about", "threads")}
    return Setting(
        name,
        str(scenario.get("about", "")),
        tuple(
            (thread, "; ".join(" ".join(map(_word, operation)) for operation in program))
            for thread, program in programs(scenario).items()
        ),
        tuple(
            f"{key} {_word(value)}" for key, value in fields.items() if value not in ([], {}, "")
        ),
    )


def _word(value: Data) -> str:
    """A value of a declaration, as short text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_word(part)}" for key, part in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_word, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _claim(layer: str, group: Sequence[Row]) -> Claim:
    words = [
        row.verdict + (" as expected" if row.verdict is Verdict.VIOLATED else "")
        for row in group
        if row.ok
    ]
    verdicts = [f"{words.count(word)} {word}" for word in dict.fromkeys(words)]
    if len(words) < len(group):
        verdicts.append(f"{len(group) - len(words)} NOT IN ORDER")
    bounds = tuple(dict.fromkeys(row.bound for row in group if row.bound))
    return Claim(layer, len(words), len(group), ", ".join(verdicts), bounds)


def _runs(mechanism: Mechanism | None, rows: Sequence[Row]) -> list[Taken]:
    """The declared mutants, run or not, with their rows.

    A mutant's row has its name, or begins with that and a blank.
    """
    if mechanism is None:
        return []
    runs = []
    for mutant in mechanism.mutants.values():
        own_rows = tuple(row for row in rows if row.name.split()[:1] == [mutant.name])
        outcomes = [
            ("" if row.ok else "NOT IN ORDER: ")
            + (f"killed by {row.property}" if row.property else str(row.verdict))
            for row in own_rows
        ]
        depths = {
            name.removeprefix("depth_"): value
            for row in own_rows
            for name, value in row.figures.items()
            if name.startswith("depth")
        }
        runs.append(
            Taken(
                mutant,
                mechanism.decisions[mutant.decision],
                mutant.property or "nothing: equivalent",
                "; ".join(outcomes) or "not run",
                depths,
                own_rows,
            )
        )
    return runs


def _limits(mechanism: Mechanism | None, groups: Mapping[str, Sequence[Row]]) -> list[str]:
    """The limits of a run that the data shows, which a reader might overlook."""
    limits = []
    if mechanism is None and set(groups) == {EXPLORE}:
        return [
            "An exploration covers its test: these threads and operations. With a bound it covers "
            "the orders with so many preemptions at most.",
            "Memory is sequentially consistent: a free-threaded build may show more.",
        ]
    if any(row.verdict is Verdict.EXHAUSTIVE for group in groups.values() for row in group):
        limits.append(
            "An exhaustive verdict covers its scenario: these threads, operations and objects. It "
            "claims nothing about more of them."
        )
    if any(row.verdict is Verdict.SAMPLED for group in groups.values() for row in group):
        limits.append("A sampled verdict says that the runs that were tried did not fail.")
    if "bisimulation" in groups:
        limits.append(
            "The implementation was stepped from one labelled operation to the next, in one total "
            "order: reordering by hardware or by a compiler is not part of that."
        )
    if silent := [layer for layer in LAYERS if layer not in groups]:
        limits.append(f"No check of these layers is among the results: {', '.join(silent)}.")
    if mechanism is None:
        return [*limits, "The project no longer declares this mechanism."]
    limits += [
        f"{item.name} does not hold: {item.says}."
        for item in mechanism.properties.values()
        if not item.holds
    ]
    ran = {row.name.split()[0] for group in groups.values() for row in group if row.name.strip()}
    if names := [config.name for config in mechanism.configs.values() if config.name not in ran]:
        limits.append(f"Declared but not checked in this run: {', '.join(names)}.")
    decisions = {mutant.decision for mutant in mechanism.mutants.values()} | {
        entry.mutant for entry in mechanism.composed.values()
    }
    limits += [
        f"No mutant takes away the decision {name}: {decision.title}."
        for name, decision in mechanism.decisions.items()
        if name not in decisions
    ]
    if unfair := [config for config in mechanism.configs.values() if config.fair is not None]:
        limits.append(
            "Fairness of some threads only is assumed in: "
            f"{', '.join(config.name for config in unfair)}."
        )
    return limits
