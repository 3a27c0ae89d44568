"""The subject of the checks: mechanisms, each declared by one ``spec/<Module>.toml``.

A subject is a folder with the floors ``spec``, ``model``, ``impl``, ``mapping``, ``mutants``. The tool finds its mechanisms
by their TOML files, as pytest finds tests, and knows nothing else about them.
"""
from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from wheelproof import floors
from wheelproof.decisions import Decision
from wheelproof.decisions import find as find_decisions
from wheelproof.decisions.read import module_of, short_names
from wheelproof.errors import NothingChecked, UsageError

KINDS = ("silent", "lock", "unlock", "try", "read", "write", "change", "update", "swap", "cas", "wait", "wake", "notify")
PROPERTY_KINDS = ("invariant", "deadlock", "liveness", "refinement", "race")
BUILT_IN = {"deadlock": ("NoDeadlock", "some thread can move until all are done"),
            "race": ("NoDataRace", "accesses of plain fields are ordered (a check of the implementation, not of the spec)")}
"""The properties that the tool itself checks, by kind: their names are given, a TOML may say what they mean there."""

LANES = ("fast", "nightly")
TERMINATING = "Terminating"
"""TLC's label for the step of an algorithm at its end to itself."""


@dataclass(frozen=True)
class Label:
    """One step's row in the label table: what it does, and the event that a trace has of it ("" = none).

    ``proof``: the actions of the proof's transition system that the step may be, ``stutter`` where it may be none, and ``waits`` where
    the model may wait although the system does not.
    """

    name: str
    kind: str
    event: str = ""
    proof: str = ""


@dataclass(frozen=True)
class Property:
    """A named property. ``kind``: one of PROPERTY_KINDS; ``holds``: False for a known non-property.

    ``recurs``: of a liveness property: the model's state has to come true again and again, not once.
    """

    name: str
    kind: str
    says: str
    holds: bool = True
    recurs: bool = False


@dataclass(frozen=True)
class Config:
    """One model-checking run and what it must show.

    ``property``: the one property of a config that expects a violation, or of a liveness or refinement config; None: all
    invariants and deadlock. ``fails``: the invariants that this config does not keep; it must keep all others, and break each of these.
    ``without``: the decision that is taken away; "" for none.
    ``fair``: the threads with fairness, None for all. Counts are None until they are recorded.
    ``keeps``: of a refinement, mutant -> why the mutated machine refines it too; all other mutants must be rejected. None: nobody asks.
    """

    name: str
    scenario: str
    about: str = ""
    expect: str = "exhaustive"
    property: str | None = None
    without: str = ""
    constants: Mapping[str, Any] = field(default_factory=dict)
    module: str = ""
    specification: str = ""
    fails: tuple[str, ...] = ()
    fair: tuple[str, ...] | None = None
    keeps: Mapping[str, str] | None = None
    lane: str = "fast"
    real: bool = True
    generated: int | None = None
    distinct: int | None = None
    depth: int | None = None


@dataclass(frozen=True)
class Mutant:
    """A decision taken away in one scenario: the property that breaks there, or why the mutant is equivalent.

    ``decision``: its name, which several mutants may share. ``untraced``: why the rules accept a trace of it; the folder of examples leaves it out.
    """

    name: str
    decision: str
    scenario: str
    property: str | None = None
    race: str = ""
    equivalent: str = ""
    data_race: bool = False
    untraced: str = ""
    lane: str = "fast"


@dataclass(frozen=True)
class Composed:
    """A scenario run with the steps of lower mechanisms on, beside the model that takes their operations for single steps.

    ``mutant``: a decision of a lower mechanism that is taken away. The run must reject
    it, unless ``equivalent`` gives the reason why the atomic model has each of its runs.
    ``data_race``: the mutant has a data race, which the detector must report.
    """

    name: str
    scenario: str
    about: str = ""
    mutant: str = ""
    equivalent: str = ""
    data_race: bool = False
    lane: str = "fast"

    @property
    def raced(self) -> bool:
        """Whether the detector's verdict is a row: of all that is sound, and of mutants that have a race."""
        return self.data_race or not self.mutant


@dataclass(frozen=True)
class Fault:
    """A change of the production sources that layer real must notice in a scenario, by the property that is named.

    ``module``: a module of ``impl``; ``changes``: pairs (old, new), each old text there exactly once.
    """

    name: str
    scenario: str
    module: str
    changes: tuple[tuple[str, str], ...]
    property: str
    about: str = ""
    lane: str = "fast"


@dataclass(frozen=True)
class Mechanism:
    """All that one TOML declares. ``stem`` is the mechanism's file name on the Python floors.

    ``module_constants``: values of constants that only the modules beside the mechanism's own have.
    ``lacking``: the decision that is taken away from this one; "" for the mechanism as it is. :meth:`without`
    makes such a mechanism of this one (its ``whole``): model, specification and implementation are the changed ones.
    """

    stem: str
    module: str
    title: str
    toml: Path
    root: Path
    constants: Mapping[str, Mapping[str, str]]
    properties: Mapping[str, Property]
    labels: Mapping[str, Label]
    scenarios: Mapping[str, Mapping[str, Any]]
    configs: Mapping[str, Config]
    mutants: Mapping[str, Mutant]
    composed: Mapping[str, Composed] = field(default_factory=dict)
    faults: Mapping[str, Fault] = field(default_factory=dict)
    module_constants: Mapping[str, Any] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    pc: str = "pc"
    lacking: str = ""
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
    def invariants(self) -> tuple[str, ...]:
        """The invariants that must hold, in the order of the TOML."""
        return tuple(p.name for p in self.properties.values() if p.kind == "invariant" and p.holds)

    def kept(self, config: Config) -> tuple[str, ...]:
        """The invariants that a config must keep: the mechanism's, without those that fail here, and its own property."""
        own = config.property if config.expect == "exhaustive" else None
        added = [own] if own and self.properties[own].kind == "invariant" and own not in self.invariants else []
        return (*(name for name in self.invariants if name not in config.fails), *added)

    def without(self, decision: str) -> Mechanism:
        """The mechanism with this decision taken away and no other; as it is where ``decision`` is ""."""
        if self.whole is not None:
            return self.whole.without(decision)
        if not decision:
            return self
        if decision not in self._changed:
            if decision not in self.decisions:
                raise UsageError(f"{self.stem} has no decision {decision}.", f"Known: {', '.join(self.decisions)}.")
            added = {name: Label(name, **value) for name, value in self.decisions[decision].labels.items()}
            self._changed[decision] = replace(self, lacking=decision, whole=self, labels={**self.labels, **added})
        return self._changed[decision]

    @cached_property
    def _changed(self) -> dict[str, Mechanism]:
        return {}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The files that the lacking decision changes, relative to the root -> their texts."""
        return self.decisions[self.lacking].texts(self.root) if self.lacking else {}

    @property
    def modules(self) -> dict[str, str]:
        """The Python modules that the lacking decision changes -> their texts."""
        return {module_of(file): text for file, text in self.texts.items() if file.endswith(".py")}

    @cached_property
    def specs(self) -> dict[str, str]:
        """The names of TLA+ files that the lacking decision changes -> their texts, translated anew."""
        from wheelproof.tlc import translation

        return {Path(file).name: translation.translated_text(text, f"{file} without {self.lacking}")
                for file, text in self.texts.items() if file.endswith(".tla")}

    @cached_property
    def model_module(self) -> Any:
        """The module of the model."""
        return floors.load(self.root, f"model.{self.stem}", self.modules)

    def model(self, scenario: str) -> Any:
        """The model of one scenario."""
        return self.model_of(self.scenarios[scenario])

    def model_of(self, program: Mapping[str, Any]) -> Any:
        """The model of a scenario that need not be declared."""
        return self.model_module.Model(program)


def stem_of(module: str) -> str:
    """``RingBuffer`` -> ``ring_buffer``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", module).lower()


def find(root: Path) -> dict[str, Mechanism]:
    """Every mechanism of a subject by its stem, in the order of the files' names.

    Raises NothingChecked where the folder declares none, UsageError where a TOML is wrong.
    """
    files = sorted((root / "spec").glob("*.toml"))
    if not files:
        raise NothingChecked(f"{root / 'spec'}: there is no TOML file, so there is nothing to check.",
                             "Run inside a subject's folder, or name one with --subject DIR.")
    mechanisms = [read(file) for file in files]
    return {mechanism.stem: mechanism for mechanism in mechanisms}


def read(file: Path) -> Mechanism:
    """Read and check one TOML; a UsageError names the file and the field."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: not valid TOML: {error}.") from error
    return _Reader(file, data).mechanism()


class _Reader:
    """Turns one TOML's tables into a Mechanism and refuses what does not fit together."""

    def __init__(self, file: Path, data: Mapping[str, Any]) -> None:
        self.file, self.data = file, data

    def fail(self, place: str, what: str, remedy: str = "") -> UsageError:
        return UsageError(f"{self.file}: [{place}]: {what}.", remedy)

    def table(self, name: str) -> Mapping[str, Any]:
        value = self.data.get(name, {})
        if not isinstance(value, dict):
            raise self.fail(name, "must be a table")
        return value

    def build(self, kind: type, place: str, name: str, values: Mapping[str, Any], **defaults: Any) -> Any:
        known = set(kind.__dataclass_fields__) - {"name"}
        if extra := sorted(set(values) - known):
            raise self.fail(place, f"unknown field {', '.join(extra)}", f"Known fields: {', '.join(sorted(known))}.")
        try:
            return kind(name=name, **(defaults | dict(values)))
        except TypeError as error:
            raise self.fail(place, str(error).partition("__init__() ")[2]) from error

    def mechanism(self) -> Mechanism:
        head = self.table("mechanism")
        module = head.get("module")
        if module != self.file.stem:
            raise self.fail("mechanism", f"module is {module!r}", f"It must be {self.file.stem!r}, as the file is named.")
        scenarios = {name: self.scenario(name, self.like(name, value)) for name, value in self.table("scenarios").items()}
        properties = {name: self.build(Property, f"properties.{name}", name, value)
                      for name, value in self.table("properties").items()}
        for item in properties.values():
            if item.kind not in PROPERTY_KINDS:
                raise self.fail(f"properties.{item.name}", f"kind is {item.kind!r}", f"Known kinds: {', '.join(PROPERTY_KINDS)}.")
            if item.kind in BUILT_IN and item.name != BUILT_IN[item.kind][0]:
                raise self.fail(f"properties.{item.name}", f"the property of kind {item.kind!r} is checked under one name only",
                                f"Call it {BUILT_IN[item.kind][0]}.")
        properties |= {name: Property(name, kind, says) for kind, (name, says) in BUILT_IN.items() if name not in properties}
        for name in ("switches", "mutants"):
            if name in self.data:
                raise self.fail(name, "decisions are no tables of this file", f"Write each as a file mutants/{stem_of(module)}/NAME.md.")
        root, stem = self.file.parent.parent, stem_of(module)
        decisions = find_decisions(root / "mutants" / stem, short_names(stem, module))
        declared: dict[str, tuple[Decision, Mapping[str, Any]]] = {}
        for decision in decisions.values():
            for name, value in decision.mutants.items():
                if name in declared:
                    raise UsageError(f"{decision.file}: [{name}]: another mutant has this name.", "Names are unique.")
                declared[name] = decision, value
        result = Mechanism(
            stem=stem, module=module, title=head.get("title", module), toml=self.file, root=root, decisions=decisions,
            constants=self.table("constants"), properties=properties, labels=self.labels(),
            scenarios=scenarios, module_constants=self.table("module_constants"), pc=head.get("pc", "pc"),
            configs={name: self.config(name, value, scenarios, properties, decisions)
                     for name, value in self.table("configs").items()},
            mutants={name: _Reader(decision.file, {}).mutant(decision.name, name, value, scenarios, properties)
                     for name, (decision, value) in declared.items()},
            composed={name: self.composed(name, value, scenarios, decisions) for name, value in self.table("composed").items()},
            faults={name: self.fault(name, value, scenarios) for name, value in self.table("faults").items()})
        if taken := sorted(set(result.faults) & {*result.configs, *result.mutants}):
            raise self.fail(f"faults.{taken[0]}", "a config or a mutant has this name, too", "Rows of one layer need names of their own.")
        for config in result.configs.values():
            self.kept(config, result.mutants)
        for name, constant in result.constants.items():
            if constant.get("as") not in ("set", "function", "value") or "field" not in constant:
                raise self.fail(f"constants.{name}", 'needs field = "..." and as = "set", "function" or "value"')
        if not result.configs:
            raise NothingChecked(f"{self.file}: there is no [configs.NAME], so there is nothing to check.")
        return result

    def kept(self, config: Config, mutants: Mapping[str, Mutant]) -> None:
        """Refuses a field keeps that names no mutant, gives no reason, or makes a row with a mutant's name."""
        if config.keeps is None:
            return
        place = f"configs.{config.name}.keeps"
        self.known(place, "mutant", config.keeps, mutants)
        for name, reason in config.keeps.items():
            if not isinstance(reason, str) or not reason.strip():
                raise self.fail(place, f"{name} has no reason", "Say why that machine refines it too.")
        if config.name in mutants:
            raise self.fail(place, "a mutant has the config's name, too", "Rows of one layer need names of their own.")

    def labels(self) -> dict[str, Label]:
        out = {}
        for name, value in self.table("labels").items():
            out[name] = label = self.build(Label, f"labels.{name}", name, value)
            if label.kind not in KINDS:
                raise self.fail(f"labels.{name}", f"kind is {label.kind!r}", f"Known kinds: {', '.join(KINDS)}.")
        return out

    def like(self, name: str, value: Any) -> Any:
        """A scenario with the fields that it takes from another one, named in its field ``like``."""
        if not isinstance(value, dict) or "like" not in value:
            return value
        other = self.table("scenarios").get(value["like"])
        if not isinstance(other, dict) or "like" in other:
            raise self.fail(f"scenarios.{name}", f"there is no scenario {value['like']!r} with fields of its own",
                            "Name in `like` a scenario that has no `like` itself.")
        return other | {field: of for field, of in value.items() if field != "like"}

    def scenario(self, name: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
        threads = value.get("threads") if isinstance(value, dict) else None
        if not isinstance(threads, dict) or not threads:
            raise self.fail(f"scenarios.{name}", "there is no thread in it",
                            'Give threads = { name = [["operation", "argument"]] }.')
        for thread, program in threads.items():
            if not isinstance(program, list) or not all(isinstance(step, list) and step for step in program):
                raise self.fail(f"scenarios.{name}.threads.{thread}", "is not a list of operations, each [name, arguments...]")
        return value

    def config(self, name: str, value: Mapping[str, Any], scenarios: Mapping, properties: Mapping, decisions: Mapping) -> Config:
        place = f"configs.{name}"
        value = value | {name: tuple(value[name]) for name in ("fair", "fails") if name in value}
        config = self.build(Config, place, name, value, scenario=name)
        self.common(place, config, scenarios, properties)
        self.known(place, "decision", [config.without] if config.without else [], decisions)
        if config.expect not in ("exhaustive", "violated"):
            raise self.fail(place, f"expect is {config.expect!r}", 'It is "exhaustive" or "violated".')
        if config.expect == "violated" and config.property is None:
            raise self.fail(place, "a violation is expected, but of no property", 'Name it: property = "...".')
        invariants = [p.name for p in properties.values() if p.kind == "invariant" and p.holds]
        self.known(place, "invariant", config.fails, dict.fromkeys(invariants))
        if config.fails and (config.expect != "exhaustive" or config.property):
            raise self.fail(place, "has the field fails, but is not about all invariants", "Leave out expect and property, or fails.")
        if config.keeps is not None and not (config.module and config.property and config.expect == "exhaustive"):
            raise self.fail(place, "has the field keeps, but is no refinement that holds", "Leave out keeps, or give module and property.")
        if config.fair is not None:
            self.known(place, "thread", config.fair, scenarios[config.scenario]["threads"])
        return config

    def mutant(self, decision: str, name: str, value: Mapping[str, Any], scenarios: Mapping, properties: Mapping) -> Mutant:
        mutant = self.build(Mutant, name, name, value, decision=decision)
        self.common(name, mutant, scenarios, properties)
        if (mutant.property is None) == (not mutant.equivalent):
            raise self.fail(name, "needs either the property that breaks or the reason why it is equivalent")
        return mutant

    def composed(self, name: str, value: Mapping[str, Any], scenarios: Mapping, decisions: Mapping) -> Composed:
        place = f"composed.{name}"
        composed = self.build(Composed, place, name, value)
        self.known(place, "scenario", [composed.scenario], scenarios)
        self.known(place, "decision", [composed.mutant] if composed.mutant else [], decisions)
        self.in_lane(place, composed.lane)
        if composed.equivalent and not composed.mutant:
            raise self.fail(place, "gives the reason why a mutant is equivalent, and names no mutant")
        if composed.data_race and not composed.mutant:
            raise self.fail(place, "has a data race, and names no mutant")
        return composed

    def fault(self, name: str, value: Mapping[str, Any], scenarios: Mapping) -> Fault:
        place = f"faults.{name}"
        changes = value.get("changes")
        if not isinstance(changes, list) or not changes or not all(isinstance(pair, list) and len(pair) == 2 for pair in changes):
            raise self.fail(place, "changes is not a list of pairs [old text, new text]")
        fault = self.build(Fault, place, name, value | {"changes": tuple((old, new) for old, new in changes)})
        self.known(place, "scenario", [fault.scenario], scenarios)
        self.in_lane(place, fault.lane)
        return fault

    def common(self, place: str, item: Config | Mutant, scenarios: Mapping, properties: Mapping) -> None:
        self.known(place, "scenario", [item.scenario], scenarios)
        self.known(place, "property", [item.property] if item.property else [], properties)
        self.in_lane(place, item.lane)

    def in_lane(self, place: str, lane: str) -> None:
        if lane not in LANES:
            raise self.fail(place, f"lane is {lane!r}", f"Known lanes: {', '.join(LANES)}.")

    def known(self, place: str, what: str, names: Any, known: Mapping) -> None:
        if unknown := [name for name in names if name not in known]:
            raise self.fail(place, f"there is no {what} {', '.join(unknown)}", f"Known: {', '.join(known)}.")
