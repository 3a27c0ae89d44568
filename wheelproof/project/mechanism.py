"""The declarations of a project: mechanisms, each by one ``spec/<Module>.toml``.

A project is a folder with the artefacts ``spec``, ``model``, ``impl``, ``harness``, ``mutants``.
The tool finds its mechanisms by their TOML files, as pytest finds tests, and knows nothing else
about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from wheelproof import isolated
from wheelproof.decisions import Decision
from wheelproof.decisions.read import changed_together, module_of, names_of
from wheelproof.errors import ToolError, UsageError
from wheelproof.protocols import Model, ModelModule, Scenario, programs
from wheelproof.verdict import Row, Verdict

if TYPE_CHECKING:
    from wheelproof.tla.model import Compiled, CompiledModel

KINDS = (
    "silent",
    "lock",
    "unlock",
    "try",
    "read",
    "write",
    "change",
    "update",
    "swap",
    "cas",
    "choose",
    "wait",
    "wake",
    "notify",
)
PROPERTY_KINDS = ("invariant", "deadlock", "liveness", "refinement", "race")
BUILT_IN = {
    "deadlock": ("NoDeadlock", "some thread can move until all are done"),
    "race": (
        "NoDataRace",
        "accesses of plain fields are ordered (a check of the implementation, not of the spec)",
    ),
}
"""The properties that the tool itself checks: kind -> (name, default text)."""

PROFILES = ("fast", "nightly")


@dataclass(frozen=True)
class Label:
    """One step."""

    name: str
    kind: str
    event: str = ""
    """The event that a trace has of it ("" for none)."""


@dataclass(frozen=True)
class Property:
    """A named property."""

    name: str
    kind: str
    """One of PROPERTY_KINDS."""
    says: str
    holds: bool = True
    """False for a known non-property."""
    recurs: bool = False
    """Whether the model's state of a liveness property has to come true again and again, not once.
    """


@dataclass(frozen=True)
class Config:
    """One model-checking run and its expected result."""

    name: str
    scenario: str
    about: str = ""
    expect: str = "exhaustive"
    property: str | None = None
    """The one property of a config that expects a violation, or of a liveness or refinement config;
    None for all invariants and deadlock.
    """
    without: str = ""
    """The decision that is taken away; "" for none."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    module: str = ""
    specification: str = ""
    fails: tuple[str, ...] = ()
    """The invariants that this config does not keep. It must keep all others, and break each of
    these.
    """
    fair: tuple[str, ...] | None = None
    """The threads with fairness, None for all."""
    keeps: Mapping[str, str] | None = None
    """Mutant -> why the mutated machine of a refinement refines it too. All other mutants must be
    rejected. None for no such row.
    """
    profile: str = "fast"
    stress: bool = True
    generated: int | None = None
    """A count, None until it is recorded, as the next two."""
    distinct: int | None = None
    depth: int | None = None


@dataclass(frozen=True)
class Mutant:
    """A decision taken away in one scenario: the property that breaks, or why none does."""

    name: str
    decision: str
    """Its name, which several mutants may share."""
    scenario: str
    property: str | None = None
    race: str = ""
    dies_at: tuple[str, ...] = ()
    """The labels that its counterexample ends at, by :meth:`Counterexample.ends_at`; () for any."""
    equivalent: str = ""
    data_race: bool = False
    untraced: str = ""
    """The reason that the rules accept a trace of it; the folder of examples leaves it out."""
    profile: str = "fast"


@dataclass(frozen=True)
class Composed:
    """A scenario with the steps of lower mechanisms, beside the model that has none of them."""

    name: str
    scenario: str
    about: str = ""
    mutant: str = ""
    """A decision of a lower mechanism that is taken away. The run must reject it, unless
    ``equivalent`` has a reason.
    """
    equivalent: str = ""
    """The reason that the atomic model has each of the mutant's runs."""
    data_race: bool = False
    """Whether the mutant has a data race, which the detector must report."""
    profile: str = "fast"

    @property
    def raced(self) -> bool:
        """Whether the detector's verdict is a row: of sound runs, and of mutants with a race."""
        return self.data_race or not self.mutant


@dataclass(frozen=True)
class Fault:
    """A change of the production sources that layer stress must detect, by a named property."""

    name: str
    scenario: str
    module: str
    """A module of ``impl``."""
    changes: tuple[tuple[str, str], ...]
    """Pairs (old, new), each old text exactly once in the module."""
    property: str
    without: str = ""
    """A decision that is taken away in the place of module and changes."""
    about: str = ""
    profile: str = "fast"


@dataclass(frozen=True)
class OfModel:
    """The Python side of a model that is compiled from the specification."""

    name: str = "model"
    witnesses: tuple[str, ...] = ()
    """State predicates of the specification, each of which some scenario must reach."""
    sampled: tuple[str, ...] = ()
    """The scenarios in whose states properties are compared by day, () for a choice."""
    auxiliary: tuple[str, ...] = ()
    """The shared variables that the implementation does not have."""
    result: str = ""
    """The operator of one thread with the result of the operation that the thread has just ended.
    """


@dataclass(frozen=True)
class Mechanism:
    """All that one TOML declares.

    :meth:`without` makes a mechanism without a decision of this one (its ``whole``): model,
    specification and implementation are the changed ones.
    """

    name: str
    """The name of its Python modules too."""
    module: str
    title: str
    toml: Path
    root: Path
    constants: Mapping[str, Mapping[str, str]]
    properties: Mapping[str, Property]
    labels: Mapping[str, Label]
    scenarios: Mapping[str, Scenario]
    configs: Mapping[str, Config]
    mutants: Mapping[str, Mutant]
    composed: Mapping[str, Composed] = field(default_factory=dict)
    faults: Mapping[str, Fault] = field(default_factory=dict)
    module_constants: Mapping[str, Any] = field(default_factory=dict)
    """Values of constants that only the modules beside the mechanism's own have."""
    source: str = ""
    """``FILE:CLASS`` of the class of which the code is a labelled copy; "" for none."""
    of_model: OfModel = OfModel()
    """Settings of a compiled model."""
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    holes: Mapping[str, str] = field(default_factory=dict)
    """Label -> the statement that a draft left out there. No check is in order while it has any."""
    pc: str = "pc"
    in_java: bool = False
    """Whether the implementation is compiled Java classes alone, without any in Python."""
    lacking: str = ""
    """The decision that is taken away from this one; "" for the mechanism as it is."""
    whole: Mechanism | None = field(default=None, repr=False, compare=False)

    @property
    def spec(self) -> Path:
        """The TLA+ module that the mechanism's states and steps are declared in."""
        return self.toml.with_suffix(".tla")

    @property
    def checked(self) -> Path:
        """The TLA+ module that TLC checks: ``<Module>Properties.tla``, else the one above."""
        file = self.spec.with_name(f"{self.module}Properties.tla")
        return file if file.is_file() else self.spec

    @property
    def silent(self) -> frozenset[str]:
        """Labels that PlusCal forces and code lacks."""
        return frozenset(label.name for label in self.labels.values() if label.kind == "silent")

    @property
    def sizes(self) -> dict[str, int]:
        """scenario -> the declared number of its distinct states, 0 where none is recorded."""
        return {config.scenario: config.distinct or 0 for config in self.configs.values()}

    @property
    def invariants(self) -> tuple[str, ...]:
        """The invariants that must hold, in the order of the TOML."""
        return tuple(p.name for p in self.properties.values() if p.kind == "invariant" and p.holds)

    def invariants_of(self, config: Config) -> tuple[str, ...]:
        """The invariants that a config must keep.

        These are the mechanism's without those that fail here, and the config's own property.
        """
        single = config.property if config.expect == "exhaustive" else None
        more = (
            [single]
            if single
            and self.properties[single].kind == "invariant"
            and single not in self.invariants
            else []
        )
        return (*(name for name in self.invariants if name not in config.fails), *more)

    def unfilled(self, row: Row) -> Row:
        """A row that is in order, as inconclusive where the mechanism has holes; else as it is."""
        if not row.ok or not self.holes:
            return row
        why = f"{self.toml.name}: [holes] has {', '.join(self.holes)}"
        return replace(row, ok=False, verdict=Verdict.INCONCLUSIVE, property=None, why=why)

    def without(self, decision: str) -> Mechanism:
        """The mechanism without this decision; as it is where ``decision`` is "".

        ``A-and-B``: without both, in this order.
        """
        if self.whole is not None:
            return self.whole.without(decision)
        if not decision:
            return self
        if decision not in self._variants:
            names = names_of(decision)
            if unknown := [name for name in names if name not in self.decisions]:
                raise UsageError(
                    f"{self.name} has no decision {', '.join(unknown)}.",
                    f"Known: {', '.join(self.decisions)}.",
                )
            more = {
                label: Label(label, **value)
                for name in names
                for label, value in self.decisions[name].labels.items()
            }
            self._variants[decision] = replace(
                self, lacking=decision, whole=self, labels={**self.labels, **more}
            )
        return self._variants[decision]

    @cached_property
    def _variants(self) -> dict[str, Mechanism]:
        return {}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The files that the lacking decision changes, relative to the root -> their texts."""
        lacking = [self.decisions[name] for name in names_of(self.lacking)]
        return changed_together(lacking, self.root)

    @property
    def modules(self) -> dict[str, str]:
        """The Python modules that the lacking decision changes -> their texts."""
        return {module_of(file): text for file, text in self.texts.items() if file.endswith(".py")}

    @cached_property
    def specs(self) -> dict[str, str]:
        """The TLA+ files that the lacking decision changes: name -> text, translated anew."""
        from wheelproof.tlc import translation

        return {
            Path(file).name: translation.translated_text(text, f"{file} without {self.lacking}")
            for file, text in self.texts.items()
            if file.endswith(".tla")
        }

    @property
    def by_hand(self) -> bool:
        """Whether the project has a model of its own; otherwise the specification is compiled."""
        return model_of(self.root, self.name).is_file()

    @cached_property
    def compiled(self) -> Compiled:
        """The specification with its properties, compiled; OutsideSubset where it cannot be."""
        from wheelproof.tla import export
        from wheelproof.tla.model import Compiled

        module = export.load(self.checked, self.specs)
        options = self.of_model
        return Compiled(
            module, self.pc, auxiliary=frozenset(options.auxiliary), result=options.result
        )

    def compiled_model(self, program: Scenario) -> CompiledModel:
        """The model of a scenario that is compiled from the specification."""
        return self.compiled.model(self.constants_of(program), tuple(programs(program)))

    def constants_of(self, program: Scenario) -> dict[str, object]:
        """The specification's constants in a scenario, as plain data."""
        return {constant: value_of(rule, program) for constant, rule in self.constants.items()} | {
            "NULL": "null"
        }

    @property
    def witnesses(self) -> tuple[str, ...]:
        """The states that some scenario must reach, as the model names them."""
        if not self.by_hand:
            return self.of_model.witnesses
        return tuple(getattr(self.model_module.Model, "WITNESSES", ()))

    @cached_property
    def model_module(self) -> ModelModule:
        """The module of the model that is written by hand."""
        return cast(ModelModule, isolated.load(self.root, f"model.{self.name}", self.modules))

    def model(self, scenario: str) -> Model:
        """The model of one scenario."""
        return self.model_of(self.scenarios[scenario])

    def model_of(self, program: Scenario) -> Model:
        """The model of a scenario that need not be declared."""
        return self.model_module.Model(program) if self.by_hand else self.compiled_model(program)


def model_of(root: Path, mechanism: str) -> Path:
    """The file of a model by hand. Without it the specification is compiled."""
    return root / "model" / f"{mechanism}.py"


def value_of(rule: Mapping[str, str], scenario: Scenario) -> object:
    """A constant's value from a scenario's field: a set, a function, or the value as it stands."""
    value = scenario[rule["field"]]
    return frozenset(cast(Iterable[object], value)) if rule["as"] == "set" else value


def the_property(name: str | None) -> str:
    """The property of a config or mutant of a kind that names one."""
    if name is None:
        raise ToolError("A check that is about one property names none.")
    return name


def name_of(module: str) -> str:
    """``RingBuffer`` -> ``ring_buffer``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", module).lower()
