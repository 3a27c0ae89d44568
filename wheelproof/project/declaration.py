"""Reading ``spec/<Module>.toml``: a Mechanism, or a refusal that names file, table and field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from wheelproof import reading
from wheelproof.decisions import Decision, derived
from wheelproof.decisions import find as find_decisions
from wheelproof.decisions.read import short_names
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.names import is_identifier
from wheelproof.project import compact, counts, inferred
from wheelproof.project.items import Items
from wheelproof.project.mechanism import (
    BUILT_IN,
    PROFILES,
    PROPERTY_KINDS,
    Config,
    Label,
    Mechanism,
    Mutant,
    Property,
    model_of,
    name_of,
)
from wheelproof.project.tables import Table

EVENTS = "events.toml"


def read(file: Path) -> Mechanism:
    """Read and check one TOML; a UsageError names the file and the field."""
    reader = _Reader(file, reading.tables(file))
    try:
        return reader.mechanism()
    except compact.Refused as error:
        raise reader.fail(error.place, error.fault, error.remedy) from error


def with_events(labels: Mapping[str, Label], root: Path, mechanism: str) -> dict[str, Label]:
    """The labels with the events that ``traces/events.toml`` names for the steps."""
    file = root / "traces" / EVENTS
    if not reading.there(file):
        return dict(labels)
    reader = Items(file, reading.tables(file))
    events: dict[str, Label] = {}
    for event, names in reader.table(mechanism).items():
        place = f"{mechanism}.{event}"
        if not isinstance(names, list):
            raise reader.fail(place, "is no list of labels", 'Write lock_acquire = ["A1"].')
        reader.check_known(place, "label", names, labels)
        if twice := [name for name in names if name in events]:
            raise reader.fail(place, f"{twice[0]} has the event {events[twice[0]].event} already")
        events |= {name: replace(labels[name], event=event) for name in names}
    return {**labels, **events}


TABLES = (
    "mechanism",
    "constants",
    "module_constants",
    "model",
    "properties",
    "labels",
    "holes",
    "every_scenario",
    "scenario_groups",
    "scenarios",
    "safety",
    "groups",
    "configs",
    "composed",
    "faults",
)
"""The tables of a declaration."""

HEAD = ("module", "title", "source", "pc", "in_java")
"""The fields of [mechanism]."""

FORMER = ("switches", "mutants")
"""Tables that are files today."""


def is_set(value: object) -> bool:
    """Whether a field is a list, or a table, that can be a set."""
    return isinstance(value, list | dict) and not any(
        isinstance(element, list | dict) for element in value
    )


TERMINATION = Property(
    "Termination", "liveness", "under weak fairness of each thread all threads end"
)
"""The property that PlusCal defines in each translation, where a declaration says nothing of it."""


def with_property(config: Table) -> Table:
    """A config. One that only says which threads are fair is about ``Termination``."""
    if isinstance(config, dict) and "fair" in config and "property" not in config:
        return {**config, "property": TERMINATION.name}
    return config


class _Reader(Items):
    """Makes a Mechanism of one TOML's tables, and refuses tables that do not fit together."""

    def mechanism(self) -> Mechanism:
        """The mechanism of the file, and of the files of its decisions."""
        head = self.table("mechanism")
        self.check_known("mechanism", "field", head, dict.fromkeys(HEAD))
        if unknown := [name for name in self.data if name not in (*TABLES, *FORMER)]:
            close = get_close_matches(unknown[0], TABLES, 1)
            raise self.fail(
                unknown[0],
                "there is no table of this name",
                f"Did you mean [{close[0]}]?" if close else f"Known tables: {', '.join(TABLES)}.",
            )
        module = head.get("module")
        if module != self.file.stem:
            raise self.fail(
                "mechanism",
                f"module is {module!r}",
                f"It must be {self.file.stem!r}, as the file is named.",
            )
        self.check_names("mechanism", module, identifiers=True)
        root, artefact = self.file.parent.parent, name_of(module)
        scenarios = {
            name: self.scenario(name, value)
            for name, value in compact.scenarios(
                self.table("scenarios"),
                self.table("every_scenario"),
                self.table("scenario_groups"),
            ).items()
        }
        properties = self.properties()
        decisions = self.decisions(root, artefact, module)
        specification, code = self.file.with_suffix(".tla"), root / "impl" / f"{artefact}.py"
        is_inferred = "labels" not in self.data and specification.is_file() and code.is_file()
        own_labels = inferred.labels(specification, code) if is_inferred else self.labels()
        labels = with_events(own_labels, root, artefact)
        self.own_labels(labels, decisions)
        result = Mechanism(
            name=artefact,
            module=module,
            title=head.get("title", module),
            source=self.source(head),
            toml=self.file,
            root=root,
            decisions=decisions,
            constants=self.constants(specification, scenarios),
            properties=properties,
            labels=labels,
            scenarios=scenarios,
            module_constants=self.table("module_constants"),
            of_model=self.of_model(scenarios),
            holes=self.holes(labels),
            pc=head.get("pc", "pc"),
            in_java=head.get("in_java", False),
            configs=self.configs(scenarios, properties, decisions, root, artefact),
            mutants=self.mutants(scenarios, properties, decisions),
            composed={
                name: self.composed(name, value, scenarios, decisions)
                for name, value in self.table("composed").items()
            },
            faults={
                name: self.fault(name, value, scenarios, decisions)
                for name, value in self.table("faults").items()
            },
        )
        self.fits(result)
        return result

    def source(self, head: Table) -> str:
        """The class of which the code is a labelled copy, as ``FILE:CLASS``; "" for none."""
        source = str(head.get("source", ""))
        file, _, name = source.rpartition(":")
        if source and not (file and is_identifier(name)):
            raise self.fail(
                "mechanism", "source names no class", 'Write source = "pkg/module.py:Class".'
            )
        return source

    def constants(self, specification: Path, scenarios: Mapping[str, Table]) -> Table:
        """The table [constants]; without it the constants that fields of all scenarios are for."""
        if "constants" in self.data or not specification.is_file():
            return self.table("constants")
        names = set.intersection(*map(set, scenarios.values())) if scenarios else set()
        return inferred.constants(specification, sorted(names))

    def properties(self) -> dict[str, Property]:
        """The table [properties], and the built-in ones."""
        properties = {
            name: self.build(Property, f"properties.{value['kind']}.{name}", name, value)
            for name, value in compact.properties(self.table("properties"), PROPERTY_KINDS).items()
        }
        for item in properties.values():
            if item.kind in BUILT_IN and item.name != BUILT_IN[item.kind][0]:
                raise self.fail(
                    f"properties.{item.kind}.{item.name}",
                    f"the property of kind {item.kind!r} is checked under one name only",
                    f"Call it {BUILT_IN[item.kind][0]}.",
                )
        built_in = {
            name: Property(name, kind, says)
            for kind, (name, says) in BUILT_IN.items()
            if name not in properties
        }
        if TERMINATION.name not in properties and any(
            isinstance(value, dict) and value.get("property") == TERMINATION.name
            for value in map(with_property, self.table("configs").values())
        ):
            built_in[TERMINATION.name] = TERMINATION
        return properties | built_in

    def holes(self, labels: Table) -> dict[str, str]:
        """The table [holes]: a label of the mechanism -> the statement that is left out there."""
        holes = dict(self.table("holes"))
        self.check_known("holes", "label", holes, labels)
        for name, text in holes.items():
            if not isinstance(text, str) or not text.strip():
                raise self.fail(
                    "holes", f"{name} has no text", "Write the statement that is left out."
                )
        return holes

    def decisions(self, root: Path, mechanism: str, module: str) -> dict[str, Decision]:
        """The files of the mechanism's decisions.

        Without a model by hand they have no hunks of it, and a hunk of the specification may follow
        from those of the code.
        """
        for name in FORMER:
            if name in self.data:
                raise self.fail(
                    name,
                    "decisions are no tables of this file",
                    f"Write each as a file mutants/{mechanism}/NAME.md.",
                )
        decisions = find_decisions(root / "mutants" / mechanism, short_names(mechanism, module))
        if model_of(root, mechanism).is_file():
            return decisions
        spec, implementation = f"spec/{module}.tla", f"impl/{mechanism}.py"
        return {
            name: derived.complete(
                replace(
                    decision,
                    hunks=tuple(h for h in decision.hunks if h.file != f"model/{mechanism}.py"),
                ),
                root,
                spec,
                implementation,
            )
            for name, decision in decisions.items()
        }

    def own_labels(self, labels: Table, decisions: Mapping[str, Decision]) -> None:
        """Refuse a label of a decision that the mechanism has already."""
        for decision in decisions.values():
            items = Items(decision.file, {"labels": decision.labels})
            for name in items.labels():
                if name in labels:
                    raise items.fail(
                        f"labels.{name}",
                        f"{self.file.name} has this label already",
                        "Take it out here.",
                    )

    def mutants(
        self, scenarios: Table, properties: Table, decisions: Mapping[str, Decision]
    ) -> dict[str, Mutant]:
        """The mutants of all decisions."""
        by_name: dict[str, Mutant] = {}
        for decision in decisions.values():
            for name, value in decision.mutants.items():
                if name in by_name:
                    raise UsageError(
                        f"{decision.file}: [{name}]: another mutant has this name.",
                        "Names are unique.",
                    )
                by_name[name] = Items(decision.file, {}).mutant(
                    decision.name, name, value, scenarios, properties
                )
        return by_name

    def configs(
        self, scenarios: Table, properties: Table, decisions: Table, root: Path, mechanism: str
    ) -> dict[str, Config]:
        """All configs: of [safety], of [groups.NAME] and of [configs.NAME], with their counts."""
        tables: dict[str, Table] = {}

        def add(place: str, name: str, value: Table) -> None:
            if name in tables:
                raise self.fail(place, f"there is another config {name}", "Names are unique.")
            if figures := sorted(set(value) & set(counts.NAMES)):
                raise self.fail(
                    place,
                    f"{', '.join(figures)} is counted, not declared",
                    f"Take it out; `wheelproof list --update-counts` writes {counts.FILE}.",
                )
            tables[name] = value

        safety = self.table("safety")
        if extra := sorted(set(safety) - set(PROFILES)):
            raise self.fail(
                "safety",
                f"there is no profile {', '.join(extra)}",
                f"Known profiles: {', '.join(PROFILES)}.",
            )
        for profile, names in safety.items():
            for name in names:
                self.check_known(f"safety.{profile}", "scenario", [name], scenarios)
                add(f"safety.{profile}", name, {"profile": profile})
        for place, name, value in compact.rows_of_groups(self.table("groups"), PROFILES):
            add(place, name, value)
        for name, value in self.table("configs").items():
            add(f"configs.{name}", name, with_property(value))
        recorded_counts = counts.of_configs(root / "spec", mechanism, tables)
        return {
            name: self.config(
                name, {**value, **recorded_counts.get(name, {})}, scenarios, properties, decisions
            )
            for name, value in tables.items()
        }

    def constants_fit(self, mechanism: Mechanism) -> None:
        """Refuse a constant that is no rule, and a scenario without the field that it takes."""
        for name, constant in mechanism.constants.items():
            if (
                not isinstance(constant, dict)
                or constant.get("as") not in ("set", "function", "value")
                or set(constant) != {"field", "as"}
                or not isinstance(constant["field"], str)
            ):
                raise self.fail(
                    f"constants.{name}",
                    'needs field = "..." and as = "set", "function" or "value", and no other field',
                )
            field, form = constant["field"], constant["as"]
            for scenario, values in mechanism.scenarios.items():
                if field not in values:
                    raise self.fail(
                        f"scenarios.{scenario}",
                        f"there is no field {field}, which the constant {name} takes",
                        f"Write {field} = ..., here or in [every_scenario].",
                    )
                if form == "function" and not isinstance(values[field], dict):
                    raise self.fail(
                        f"scenarios.{scenario}",
                        f"{field} is no table, and the constant {name} takes it as a function",
                        f"Write {field} = {{ name = value }}.",
                    )
                if form == "set" and not is_set(values[field]):
                    raise self.fail(
                        f"scenarios.{scenario}",
                        f"{field} is no list of texts and numbers, and the constant {name} takes "
                        "it as a set",
                        f'Write {field} = ["a", "b"].',
                    )

    def fits(self, mechanism: Mechanism) -> None:
        """Refuse tables that contradict each other, and a mechanism without a config."""
        if type(mechanism.in_java) is not bool:
            raise self.fail("mechanism", "in_java is no truth value", "Write in_java = true.")
        if mechanism.in_java:
            for name in ("mutants", "composed", "faults"):
                if getattr(mechanism, name):
                    raise self.fail(
                        "mechanism",
                        f"in_java = true, and there are {name}, which need one in Python",
                        "Declare changes in jvm/NAME.toml.",
                    )
        if clashes := sorted(set(mechanism.faults) & {*mechanism.configs, *mechanism.mutants}):
            raise self.fail(
                f"faults.{clashes[0]}",
                "a config or a mutant has this name, too",
                "Rows of one layer need names of their own.",
            )
        for config in mechanism.configs.values():
            self.check_keeps(config, mechanism.mutants)
        self.check_names("mechanism", mechanism.pc, identifiers=True)
        self.check_names("constants", *mechanism.constants, identifiers=True)
        self.check_names("module_constants", *mechanism.module_constants, identifiers=True)
        self.constants_fit(mechanism)
        if not mechanism.configs:
            raise NothingChecked(
                f"{self.file}: there is no config, so there is nothing to check.",
                "Name scenarios in [safety], or add [configs.NAME].",
            )
