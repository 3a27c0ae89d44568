"""Reading ``spec/<Module>.toml``: a Mechanism, or a refusal that names file, table and field."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wheelproof import toml
from wheelproof.decisions import Decision
from wheelproof.decisions import find as find_decisions
from wheelproof.decisions.read import short_names
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.project import compact, counts
from wheelproof.project.mechanism import (
    BUILT_IN,
    KINDS,
    PROFILES,
    PROPERTY_KINDS,
    Composed,
    Config,
    Fault,
    Label,
    Mechanism,
    Mutant,
    OfModel,
    Property,
    model_of,
    stem_of,
)
from wheelproof.project.tables import Table, Tables

EVENTS = "events.toml"


def read(file: Path) -> Mechanism:
    """Read and check one TOML; a UsageError names the file and the field."""
    reader = _Reader(file, _tables(file))
    try:
        return reader.mechanism()
    except compact.Refused as refused:
        raise reader.fail(refused.place, refused.fault, refused.remedy) from refused


def _tables(file: Path) -> dict[str, Any]:
    try:
        return toml.tables(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: not valid TOML: {error}.") from error


def with_events(labels: Mapping[str, Label], root: Path, stem: str) -> dict[str, Label]:
    """The labels with the events that ``traces/events.toml`` names for the steps."""
    file = root / "traces" / EVENTS
    if not file.is_file():
        return dict(labels)
    reader = _Reader(file, _tables(file))
    found: dict[str, Label] = {}
    for event, names in reader.table(stem).items():
        place = f"{stem}.{event}"
        if not isinstance(names, list):
            raise reader.fail(place, "is no list of labels", 'Write lock_acquire = ["A1"].')
        reader.known(place, "label", names, labels)
        if twice := [name for name in names if name in found]:
            raise reader.fail(place, f"{twice[0]} has the event {found[twice[0]].event} already")
        found |= {name: replace(labels[name], event=event) for name in names}
    return {**labels, **found}


class _Reader(Tables):
    """Turns one TOML's tables into a Mechanism and refuses what does not fit together."""

    def mechanism(self) -> Mechanism:
        head = self.table("mechanism")
        module = head.get("module")
        if module != self.file.stem:
            raise self.fail(
                "mechanism",
                f"module is {module!r}",
                f"It must be {self.file.stem!r}, as the file is named.",
            )
        scenarios = {
            name: self.scenario(name, value)
            for name, value in compact.scenarios(
                self.table("scenarios"),
                self.table("every_scenario"),
                self.table("scenario_groups"),
            ).items()
        }
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
        properties |= {
            name: Property(name, kind, says)
            for kind, (name, says) in BUILT_IN.items()
            if name not in properties
        }
        for name in ("switches", "mutants"):
            if name in self.data:
                raise self.fail(
                    name,
                    "decisions are no tables of this file",
                    f"Write each as a file mutants/{stem_of(module)}/NAME.md.",
                )
        root, stem = self.file.parent.parent, stem_of(module)
        decisions = find_decisions(root / "mutants" / stem, short_names(stem, module))
        if not model_of(root, stem).is_file():
            decisions = {
                name: replace(
                    decision,
                    hunks=tuple(h for h in decision.hunks if h.file != f"model/{stem}.py"),
                )
                for name, decision in decisions.items()
            }
        declared: dict[str, tuple[Decision, Table]] = {}
        for decision in decisions.values():
            for name, value in decision.mutants.items():
                if name in declared:
                    raise UsageError(
                        f"{decision.file}: [{name}]: another mutant has this name.",
                        "Names are unique.",
                    )
                declared[name] = decision, value
        labels = with_events(self.labels(), root, stem)
        for decision in decisions.values():
            own = _Reader(decision.file, {"labels": decision.labels})
            for name in own.labels():
                if name in labels:
                    raise own.fail(
                        f"labels.{name}",
                        f"{self.file.name} has this label already",
                        "Take it out here.",
                    )
        result = Mechanism(
            stem=stem,
            module=module,
            title=head.get("title", module),
            toml=self.file,
            root=root,
            decisions=decisions,
            constants=self.table("constants"),
            properties=properties,
            labels=labels,
            scenarios=scenarios,
            module_constants=self.table("module_constants"),
            of_model=self.of_model(),
            pc=head.get("pc", "pc"),
            in_java=head.get("in_java", False),
            configs=self.configs(scenarios, properties, decisions, root, stem),
            mutants={
                name: _Reader(decision.file, {}).mutant(
                    decision.name, name, value, scenarios, properties
                )
                for name, (decision, value) in declared.items()
            },
            composed={
                name: self.composed(name, value, scenarios, decisions)
                for name, value in self.table("composed").items()
            },
            faults={
                name: self.fault(name, value, scenarios)
                for name, value in self.table("faults").items()
            },
        )
        if type(result.in_java) is not bool:
            raise self.fail("mechanism", "in_java is no truth value", "Write in_java = true.")
        if result.in_java:
            for name in ("mutants", "composed", "faults"):
                if getattr(result, name):
                    raise self.fail(
                        "mechanism",
                        f"in_java = true, and there are {name}, which need one in Python",
                        "Declare changes in jvm/NAME.toml.",
                    )
        if taken := sorted(set(result.faults) & {*result.configs, *result.mutants}):
            raise self.fail(
                f"faults.{taken[0]}",
                "a config or a mutant has this name, too",
                "Rows of one layer need names of their own.",
            )
        for config in result.configs.values():
            self.kept(config, result.mutants)
        for name, constant in result.constants.items():
            if constant.get("as") not in ("set", "function", "value") or "field" not in constant:
                raise self.fail(
                    f"constants.{name}", 'needs field = "..." and as = "set", "function" or "value"'
                )
        if not result.configs:
            raise NothingChecked(
                f"{self.file}: there is no config, so there is nothing to check.",
                "Name scenarios in [safety], or add [configs.NAME].",
            )
        return result

    def kept(self, config: Config, mutants: Table) -> None:
        """Refuses a field keeps that names no mutant or gives no reason, and ambiguous rows."""
        if config.keeps is None:
            return
        place = f"configs.{config.name}.keeps"
        self.known(place, "mutant", config.keeps, mutants)
        for name, reason in config.keeps.items():
            if not isinstance(reason, str) or not reason.strip():
                raise self.fail(
                    place, f"{name} has no reason", "Say why that machine refines it too."
                )
        if config.name in mutants:
            raise self.fail(
                place,
                "a mutant has the config's name, too",
                "Rows of one layer need names of their own.",
            )

    def of_model(self) -> OfModel:
        """The table [model], of lists of names and one name."""
        values = dict(self.table("model"))
        for name in ("witnesses", "auxiliary"):
            if name in values:
                value = values[name]
                if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                    raise self.fail("model", f"{name} is no list of names")
                values[name] = tuple(value)
        if not isinstance(values.get("result", ""), str):
            raise self.fail("model", "result is no name of an operator")
        return self.build(OfModel, "model", "model", values)

    def labels(self) -> dict[str, Label]:
        out = {}
        for name, value in compact.labels(self.table("labels")).items():
            out[name] = label = self.build(Label, f"labels.{name}", name, value)
            if label.kind not in KINDS:
                raise self.fail(
                    f"labels.{name}", f"kind is {label.kind!r}", f"Known kinds: {', '.join(KINDS)}."
                )
        return out

    def scenario(self, name: str, value: Table) -> Table:
        threads = value.get("threads") if isinstance(value, dict) else None
        if not isinstance(threads, dict) or not threads:
            raise self.fail(
                f"scenarios.{name}",
                "there is no thread in it",
                'Give threads = { name = [["operation", "argument"]] }.',
            )
        for thread, program in threads.items():
            if not isinstance(program, list) or not all(
                isinstance(step, list) and step for step in program
            ):
                raise self.fail(
                    f"scenarios.{name}.threads.{thread}",
                    "is not a list of operations, each [name, arguments...]",
                )
        return value

    def configs(
        self, scenarios: Table, properties: Table, decisions: Table, root: Path, stem: str
    ) -> dict[str, Config]:
        """All configs: of [safety], of [groups.NAME] and of [configs.NAME], with their counts."""
        declared: dict[str, Table] = {}

        def add(place: str, name: str, value: Table) -> None:
            if name in declared:
                raise self.fail(place, f"there is another config {name}", "Names are unique.")
            if counted := sorted(set(value) & set(counts.NAMES)):
                raise self.fail(
                    place,
                    f"{', '.join(counted)} is counted, not declared",
                    f"Take it out; `wheelproof list --update-counts` writes {counts.FILE}.",
                )
            declared[name] = value

        safety = self.table("safety")
        if extra := sorted(set(safety) - set(PROFILES)):
            raise self.fail(
                "safety",
                f"there is no profile {', '.join(extra)}",
                f"Known profiles: {', '.join(PROFILES)}.",
            )
        for profile, names in safety.items():
            for name in names:
                self.known(f"safety.{profile}", "scenario", [name], scenarios)
                add(f"safety.{profile}", name, {"profile": profile})
        for place, name, value in compact.grouped(self.table("groups"), PROFILES):
            add(place, name, value)
        for name, value in self.table("configs").items():
            add(f"configs.{name}", name, value)
        of = counts.of_configs(root / "spec", stem, declared)
        return {
            name: self.config(name, {**value, **of.get(name, {})}, scenarios, properties, decisions)
            for name, value in declared.items()
        }

    def config(
        self,
        name: str,
        value: Table,
        scenarios: Table,
        properties: Table,
        decisions: Table,
    ) -> Config:
        place = f"configs.{name}"
        lists = {name: tuple(value[name]) for name in ("fair", "fails") if name in value}
        value = {**value, **lists}
        config = self.build(Config, place, name, value, scenario=name)
        self.common(place, config, scenarios, properties)
        self.known(place, "decision", [config.without] if config.without else [], decisions)
        if config.expect not in ("exhaustive", "violated"):
            raise self.fail(
                place, f"expect is {config.expect!r}", 'It is "exhaustive" or "violated".'
            )
        if config.expect == "violated" and config.property is None:
            raise self.fail(
                place, "a violation is expected, but of no property", 'Name it: property = "...".'
            )
        invariants = [p.name for p in properties.values() if p.kind == "invariant" and p.holds]
        self.known(place, "invariant", config.fails, dict.fromkeys(invariants))
        if config.fails and (config.expect != "exhaustive" or config.property):
            raise self.fail(
                place,
                "has the field fails, but is not about all invariants",
                "Leave out expect and property, or fails.",
            )
        if config.keeps is not None and not (
            config.module and config.property and config.expect == "exhaustive"
        ):
            raise self.fail(
                place,
                "has the field keeps, but is no refinement that holds",
                "Leave out keeps, or give module and property.",
            )
        if config.fair is not None:
            self.known(place, "thread", config.fair, scenarios[config.scenario]["threads"])
        return config

    def mutant(
        self,
        decision: str,
        name: str,
        value: Table,
        scenarios: Table,
        properties: Table,
    ) -> Mutant:
        mutant = self.build(Mutant, name, name, value, decision=decision)
        self.common(name, mutant, scenarios, properties)
        if (mutant.property is None) == (not mutant.equivalent):
            raise self.fail(
                name, "needs either the property that breaks or the reason why it is equivalent"
            )
        return mutant

    def composed(self, name: str, value: Table, scenarios: Table, decisions: Table) -> Composed:
        place = f"composed.{name}"
        composed = self.build(Composed, place, name, value)
        self.known(place, "scenario", [composed.scenario], scenarios)
        self.known(place, "decision", [composed.mutant] if composed.mutant else [], decisions)
        self.in_profile(place, composed.profile)
        if composed.equivalent and not composed.mutant:
            raise self.fail(
                place, "gives the reason why a mutant is equivalent, and names no mutant"
            )
        if composed.data_race and not composed.mutant:
            raise self.fail(place, "has a data race, and names no mutant")
        return composed

    def fault(self, name: str, value: Table, scenarios: Table) -> Fault:
        place = f"faults.{name}"
        changes = value.get("changes")
        if (
            not isinstance(changes, list)
            or not changes
            or not all(isinstance(pair, list) and len(pair) == 2 for pair in changes)
        ):
            raise self.fail(place, "changes is not a list of pairs [old text, new text]")
        fault = self.build(
            Fault, place, name, {**value, "changes": tuple((old, new) for old, new in changes)}
        )
        self.known(place, "scenario", [fault.scenario], scenarios)
        self.in_profile(place, fault.profile)
        return fault

    def common(
        self, place: str, item: Config | Mutant, scenarios: Table, properties: Table
    ) -> None:
        self.known(place, "scenario", [item.scenario], scenarios)
        self.known(place, "property", [item.property] if item.property else [], properties)
        self.in_profile(place, item.profile)

    def in_profile(self, place: str, profile: str) -> None:
        if profile not in PROFILES:
            raise self.fail(
                place, f"profile is {profile!r}", f"Known profiles: {', '.join(PROFILES)}."
            )

    def known(self, place: str, what: str, names: Any, known: Table) -> None:
        if unknown := [name for name in names if name not in known]:
            raise self.fail(
                place, f"there is no {what} {', '.join(unknown)}", f"Known: {', '.join(known)}."
            )
